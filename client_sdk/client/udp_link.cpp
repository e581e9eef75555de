#include <contrail/client/udp_link.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

namespace contrail::client {
namespace {

using Udp = asio::ip::udp;

// A snapshot arrives in bursts of many datagrams between two frames of the host.
constexpr int k_receive_buffer_bytes = 1 << 20;
// Errors in one call after which the socket is left alone until the next call.
constexpr int k_errors_per_call = 64;

std::string text_of(const Udp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
}

}  // namespace

std::optional<ServerAddress> parse_server_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.front() == '[') {
    if (host.back() != ']' || host.size() < 3) return std::nullopt;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // "::1" alone: where the port begins would be a guess
  }
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port < 1 || port > 65535) {
    return std::nullopt;
  }
  return ServerAddress{std::string(host), static_cast<std::uint16_t>(port)};
}

ServerAddress server_address_of(const wire::Address& address) {
  asio::ip::address_v6::bytes_type bytes;
  std::copy(address.ip.begin(), address.ip.end(), bytes.begin());
  const asio::ip::address_v6 v6(bytes);
  return {v6.is_v4_mapped() ? asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string()
                            : v6.to_string(),
          address.port};
}

struct UdpLink::Socket {
  asio::io_context context{1};
  Udp::socket socket{context};
  std::vector<Udp::endpoint> endpoints;
  std::size_t used = 0;
  std::string remote;
  std::string error;
  LinkCounts counts;

  bool open_at(std::size_t index) {
    Udp::socket fresh{context};
    asio::error_code failed;
    fresh.open(endpoints[index].protocol(), failed);
    if (!failed) fresh.non_blocking(true, failed);
    if (!failed) fresh.connect(endpoints[index], failed);
    if (failed) {
      error = "cannot reach " + text_of(endpoints[index]) + ": " + failed.message();
      return false;
    }
    asio::error_code ignored;  // the system's default buffer works too, it only loses more
    fresh.set_option(asio::socket_base::receive_buffer_size(k_receive_buffer_bytes), ignored);
    socket = std::move(fresh);
    used = index;
    remote = text_of(endpoints[index]);
    return true;
  }
};

UdpLink::UdpLink() : socket_(std::make_unique<Socket>()) {}
UdpLink::~UdpLink() = default;

bool UdpLink::open(const std::string& host, std::uint16_t port) {
  close();
  Socket& s = *socket_;
  s.endpoints.clear();
  asio::error_code failed;
  Udp::resolver resolver(s.context);
  const auto found =
      resolver.resolve(host, std::to_string(port), Udp::resolver::numeric_service, failed);
  if (failed) {
    s.error = "cannot resolve \"" + host + "\": " + failed.message();
    return false;
  }
  for (const auto& entry : found) s.endpoints.push_back(entry.endpoint());
  s.error = "\"" + host + "\" has no address";
  for (std::size_t i = 0; i < s.endpoints.size(); ++i) {
    if (s.open_at(i)) return true;
  }
  return false;
}

bool UdpLink::try_next_address() {
  Socket& s = *socket_;
  for (std::size_t step = 1; step < s.endpoints.size(); ++step) {
    if (s.open_at((s.used + step) % s.endpoints.size())) return true;
  }
  return false;
}

bool UdpLink::renew() {
  Socket& s = *socket_;
  return !s.endpoints.empty() && s.open_at(s.used);
}

void UdpLink::close() {
  asio::error_code ignored;
  socket_->socket.close(ignored);
  socket_->remote.clear();
}

std::optional<std::size_t> UdpLink::receive(std::span<std::uint8_t> buffer) {
  Socket& s = *socket_;
  if (!s.socket.is_open()) return std::nullopt;
  for (int errors = 0; errors < k_errors_per_call;) {
    asio::error_code failed;
    const std::size_t size =
        s.socket.receive(asio::buffer(buffer.data(), buffer.size()), 0, failed);
    if (failed == asio::error::would_block || failed == asio::error::try_again) {
      return std::nullopt;
    }
    if (!failed && size < buffer.size()) return size;
    if (!failed || failed == asio::error::message_size) {
      ++s.counts.oversized;
    } else {
      ++s.counts.receive_errors;
    }
    ++errors;
  }
  return std::nullopt;
}

void UdpLink::send(std::span<const std::uint8_t> datagram) {
  Socket& s = *socket_;
  if (!s.socket.is_open()) return;
  asio::error_code failed;
  s.socket.send(asio::buffer(datagram.data(), datagram.size()), 0, failed);
  if (failed) {
    // A refusal pending from an earlier datagram is reported by the next call; this one did not
    // leave.
    ++s.counts.send_errors;
    if (failed == asio::error::connection_refused) {
      asio::error_code ignored;
      s.socket.send(asio::buffer(datagram.data(), datagram.size()), 0, ignored);
    }
  }
}

bool UdpLink::is_open() const {
  return socket_->socket.is_open();
}
std::string UdpLink::remote_text() const {
  return socket_->remote;
}
const std::string& UdpLink::error_text() const {
  return socket_->error;
}
const LinkCounts& UdpLink::counts() const {
  return socket_->counts;
}

}  // namespace contrail::client
