#include <contrail/edge/token_key_file.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace contrail::server {

namespace {

constexpr std::string_view k_head = "contrail-token-key 1 ";
constexpr std::size_t k_id_digits = 8;
constexpr std::size_t k_key_digits = 2 * wire::k_key_bytes;

template <class Number>
bool read_hex(std::string_view digits, Number& out) {
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, out, 16);
  return error == std::errc() && rest == end;
}

}  // namespace

std::string token_key_text(const wire::TokenKey& key) {
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", key.id);
  std::string text = std::string(k_head) + digits.data() + " ";
  for (const std::uint8_t byte : key.key.bytes()) {
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    text += digits.data();
  }
  return text + "\n";
}

std::optional<wire::TokenKey> parse_token_key(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.size() != k_head.size() + k_id_digits + 1 + k_key_digits ||
      text.substr(0, k_head.size()) != k_head) {
    return std::nullopt;
  }
  text.remove_prefix(k_head.size());
  wire::TokenKey out;
  if (text[k_id_digits] != ' ' || !read_hex(text.substr(0, k_id_digits), out.id)) {
    return std::nullopt;
  }
  text.remove_prefix(k_id_digits + 1);
  for (std::size_t i = 0; i < wire::k_key_bytes; ++i) {
    if (!read_hex(text.substr(2 * i, 2), out.key.bytes()[i])) return std::nullopt;
  }
  return out;
}

ReadTokenKey read_token_key_file(const std::string& path) {
  ReadTokenKey out;
  struct stat about {};
  std::ifstream file(path, std::ios::binary);
  if (!file || ::stat(path.c_str(), &about) != 0) {
    out.problem = "cannot read the token key file " + path + ": " + std::strerror(errno);
    return out;
  }
  std::string text((std::istreambuf_iterator<char>(file)), {});
  out.key = parse_token_key(text);
  wire::secure_wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  out.others_may_read = (about.st_mode & (S_IRGRP | S_IROTH | S_IWGRP | S_IWOTH)) != 0;
  if (!out.key) {
    out.problem = path + " is no token key file; contrail-token keygen makes one";
  }
  return out;
}

std::string write_secret_file(const std::string& path, wire::ByteView bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return "cannot create " + path + ": " + std::strerror(errno);
  std::string problem;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      problem = "cannot write " + path + ": " + std::strerror(errno);
      break;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0 && problem.empty()) {
    problem = "cannot write " + path + ": " + std::strerror(errno);
  }
  if (!problem.empty()) ::unlink(path.c_str());
  return problem;
}

}  // namespace contrail::server
