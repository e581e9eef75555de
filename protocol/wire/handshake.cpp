#include <contrail/wire/handshake.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/byte_io.hpp>
#include <contrail/wire/splitmix.hpp>

namespace contrail::wire {

namespace {

constexpr std::uint32_t k_magic = 0x4C525443;  // "CTRL"
constexpr std::uint8_t k_flag_cookie = 1;

/// Starts a handshake datagram; the caller appends and sets the size.
ByteWriter begin(PacketType type, Datagram& out) {
  ByteWriter writer(out.bytes);
  writer.u8(static_cast<std::uint8_t>(type));
  writer.u8(0);
  writer.u32(0);
  writer.u16(0);
  return writer;
}

void finish(const ByteWriter& writer, Datagram& out) {
  sim::require(!writer.failed(), "a handshake message fits its datagram");
  out.size = writer.size();
}

ByteReader content(std::span<const std::uint8_t> datagram) {
  return ByteReader(datagram.subspan(std::min(datagram.size(), k_clear_header_bytes)));
}

PacketError ended(const ByteReader& in) {
  if (in.failed()) return PacketError::too_short;
  return in.left() == 0 ? PacketError::none : PacketError::too_long;
}

void write_version(const ProtocolVersion& version, ByteWriter& out) {
  out.u16(version.major);
  out.u16(version.minor);
  out.u16(version.path_revision);
  out.u32(version.fingerprint.a);
  out.u32(version.fingerprint.b);
}

ProtocolVersion read_version(ByteReader& in) {
  ProtocolVersion version;
  version.major = in.u16();
  version.minor = in.u16();
  version.path_revision = in.u16();
  version.fingerprint.a = in.u32();
  version.fingerprint.b = in.u32();
  return version;
}

void write_cookie(const Cookie& cookie, ByteWriter& out) {
  out.u32(cookie.issued);
  out.bytes(cookie.code);
}

template <std::size_t Size>
void read_array(ByteReader& in, std::array<std::uint8_t, Size>& out) {
  const auto bytes = in.bytes(Size);
  std::copy(bytes.begin(), bytes.end(), out.begin());
}

Cookie read_cookie(ByteReader& in) {
  Cookie cookie;
  cookie.issued = in.u32();
  read_array(in, cookie.code);
  return cookie;
}

/// The code of a cookie. A keyed 64-bit mix: it keeps forgers out who don't work at it. A real
/// message authentication code takes its place, here and nowhere else, when suites other than none
/// exist.
std::array<std::uint8_t, 16> cookie_code(const std::array<std::uint64_t, 2>& key,
                                         const Address& address, std::uint64_t nonce,
                                         std::uint32_t issued) {
  std::array<std::uint8_t, 16> code{};
  ByteWriter out(code);
  for (const std::uint64_t lane : key) {
    std::uint64_t state = mix64(lane ^ nonce);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < address.ip.size(); ++i) {
      word = word << 8 | address.ip[i];
      if (i % 8 == 7) state = mix64(state ^ word) + lane;
    }
    out.u64(mix64(state ^ (std::uint64_t{issued} << 16 | address.port)) ^ mix64(state + lane));
  }
  return code;
}

std::string version_text(std::uint16_t major, std::uint16_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

const char* describe(Role role) {
  switch (role) {
    case Role::spectator:
      return "spectator";
    case Role::pilot:
      return "pilot";
    case Role::director:
      return "director";
  }
  return "unknown role";
}

VersionMatch compare(const ProtocolVersion& client, const ProtocolVersion& server) {
  // Before 1.0 every minor version is a protocol of its own.
  if (client.major != server.major || (server.major == 0 && client.minor != server.minor)) {
    return VersionMatch::version;
  }
  if (client.path_revision != server.path_revision) return VersionMatch::path_revision;
  if (!(client.fingerprint == server.fingerprint)) return VersionMatch::fingerprint;
  return VersionMatch::match;
}

std::string describe(const Refuse& refuse, const ProtocolVersion& client) {
  const ProtocolVersion& server = refuse.server;
  switch (refuse.reason) {
    case RefuseReason::version:
      return "the server speaks protocol version " + version_text(server.major, server.minor) +
             ", this client " + version_text(client.major, client.minor);
    case RefuseReason::path_revision:
      return "the server computes path revision " + std::to_string(server.path_revision) +
             ", this client " + std::to_string(client.path_revision);
    case RefuseReason::fingerprint:
      return "the server's arithmetic has fingerprint " + server.fingerprint.hex() +
             ", this client's " + client.fingerprint.hex();
    case RefuseReason::full:
      return "the server is full: it takes " + std::to_string(refuse.max_clients) + " clients";
    case RefuseReason::token_required:
      return "the server admits only clients with a token";
    case RefuseReason::bad_token:
      return "the token is forged, expired or for another server";
    case RefuseReason::bad_resume:
      return "the resume ticket is unknown or expired";
    case RefuseReason::closing:
      return "the server is about to stop";
    case RefuseReason::no_such_entity:
      return "the entity this client wants to command is not there";
  }
  return "refused for an unknown reason";
}

void encode_hello(const Hello& hello, Datagram& out) {
  sim::require(hello.token.size() <= k_max_token_bytes, "a token fits the hello");
  sim::require(hello.resume.size() <= k_max_resume_bytes, "a resume ticket fits the hello");
  ByteWriter writer = begin(PacketType::hello, out);
  writer.u32(k_magic);
  write_version(hello.version, writer);
  writer.u8(static_cast<std::uint8_t>(hello.role));
  writer.u8(hello.has_cookie ? k_flag_cookie : 0);
  writer.u16(hello.entity);
  writer.u64(hello.nonce);
  write_cookie(hello.has_cookie ? hello.cookie : Cookie{}, writer);
  writer.bytes(hello.public_key);
  writer.u16(static_cast<std::uint16_t>(hello.token.size()));
  writer.u16(static_cast<std::uint16_t>(hello.resume.size()));
  writer.bytes(hello.token);
  writer.bytes(hello.resume);
  writer.zeros(k_hello_bytes - writer.size());
  finish(writer, out);
}

PacketError decode_hello(std::span<const std::uint8_t> datagram, Hello& out) {
  if (datagram.size() < k_hello_bytes) return PacketError::too_short;
  if (datagram.size() > k_hello_bytes) return PacketError::too_long;
  ByteReader in = content(datagram);
  if (in.u32() != k_magic) return PacketError::bad_magic;
  Hello hello;
  hello.version = read_version(in);
  const std::uint8_t role = in.u8();
  const std::uint8_t flags = in.u8();
  hello.entity = in.u16();
  hello.nonce = in.u64();
  hello.has_cookie = flags == k_flag_cookie;
  hello.cookie = read_cookie(in);
  read_array(in, hello.public_key);
  const std::size_t token_bytes = in.u16();
  const std::size_t resume_bytes = in.u16();
  // A hello of another version may mean other things by the rest; the version is what counts.
  if (hello.version.major == k_version_major && hello.version.minor == k_version_minor) {
    if (role > static_cast<std::uint8_t>(k_last_role) || flags > k_flag_cookie ||
        (!hello.has_cookie && !(hello.cookie == Cookie{})) || token_bytes > k_max_token_bytes ||
        resume_bytes > k_max_resume_bytes) {
      return PacketError::bad_value;
    }
    hello.role = static_cast<Role>(role);
    const auto token = in.bytes(token_bytes);
    const auto resume = in.bytes(resume_bytes);
    hello.token.assign(token.begin(), token.end());
    hello.resume.assign(resume.begin(), resume.end());
    const auto padding = in.bytes(in.left());
    if (std::any_of(padding.begin(), padding.end(), [](std::uint8_t b) { return b != 0; })) {
      return PacketError::bad_value;
    }
  }
  out = std::move(hello);
  return PacketError::none;
}

void encode_challenge(const Challenge& challenge, Datagram& out) {
  ByteWriter writer = begin(PacketType::challenge, out);
  writer.u64(challenge.nonce);
  write_cookie(challenge.cookie, writer);
  finish(writer, out);
}

PacketError decode_challenge(std::span<const std::uint8_t> datagram, Challenge& out) {
  ByteReader in = content(datagram);
  Challenge challenge;
  challenge.nonce = in.u64();
  challenge.cookie = read_cookie(in);
  const PacketError error = ended(in);
  if (error == PacketError::none) out = challenge;
  return error;
}

void encode_welcome(const Welcome& welcome, Datagram& out) {
  ByteWriter writer = begin(PacketType::welcome, out);
  writer.u64(welcome.nonce);
  writer.u64(welcome.session_id);
  writer.i64(welcome.server_time);
  writer.u32(welcome.connection);
  writer.u32(welcome.client);
  writer.u32(welcome.tick);
  writer.u32(welcome.header_bytes);
  writer.u16(welcome.entity);
  writer.u16(welcome.minor);
  writer.u8(welcome.log2_tick);
  writer.u8(static_cast<std::uint8_t>(welcome.role));
  writer.u8(static_cast<std::uint8_t>(welcome.suite));
  writer.u8(0);
  writer.bytes(welcome.public_key);
  finish(writer, out);
}

PacketError decode_welcome(std::span<const std::uint8_t> datagram, Welcome& out) {
  ByteReader in = content(datagram);
  Welcome welcome;
  welcome.nonce = in.u64();
  welcome.session_id = in.u64();
  welcome.server_time = in.i64();
  welcome.connection = in.u32();
  welcome.client = in.u32();
  welcome.tick = in.u32();
  welcome.header_bytes = in.u32();
  welcome.entity = in.u16();
  welcome.minor = in.u16();
  welcome.log2_tick = in.u8();
  const std::uint8_t role = in.u8();
  const std::uint8_t suite = in.u8();
  const std::uint8_t reserved = in.u8();
  read_array(in, welcome.public_key);
  const PacketError error = ended(in);
  if (error != PacketError::none) return error;
  if (welcome.connection == 0 || role > static_cast<std::uint8_t>(k_last_role) ||
      suite != static_cast<std::uint8_t>(CipherSuite::none) || reserved != 0 ||
      welcome.log2_tick < sim::k_min_log2_tick || welcome.log2_tick > sim::k_max_log2_tick ||
      welcome.header_bytes == 0 || welcome.header_bytes > k_max_session_header_bytes) {
    return PacketError::bad_value;
  }
  welcome.role = static_cast<Role>(role);
  out = welcome;
  return PacketError::none;
}

void encode_refuse(const Refuse& refuse, Datagram& out) {
  ByteWriter writer = begin(PacketType::refuse, out);
  writer.u64(refuse.nonce);
  writer.u8(static_cast<std::uint8_t>(refuse.reason));
  writer.u8(0);
  writer.u16(refuse.max_clients);
  write_version(refuse.server, writer);
  finish(writer, out);
}

PacketError decode_refuse(std::span<const std::uint8_t> datagram, Refuse& out) {
  ByteReader in = content(datagram);
  Refuse refuse;
  refuse.nonce = in.u64();
  const std::uint8_t reason = in.u8();
  const std::uint8_t reserved = in.u8();
  refuse.max_clients = in.u16();
  refuse.server = read_version(in);
  const PacketError error = ended(in);
  if (error != PacketError::none) return error;
  if (reason == 0 || reason > static_cast<std::uint8_t>(k_last_refuse_reason) || reserved != 0) {
    return PacketError::bad_value;
  }
  refuse.reason = static_cast<RefuseReason>(reason);
  out = refuse;
  return PacketError::none;
}

Cookie CookieJar::bake(const Address& address, std::uint64_t nonce, Nanoseconds now) const {
  Cookie cookie;
  cookie.issued = static_cast<std::uint32_t>(now / k_second);
  cookie.code = cookie_code(key_, address, nonce, cookie.issued);
  return cookie;
}

bool CookieJar::valid(const Cookie& cookie, const Address& address, std::uint64_t nonce,
                      Nanoseconds now) const {
  const auto age = static_cast<std::uint32_t>(now / k_second) - cookie.issued;  // mod 2^32
  if (age > k_cookie_lifetime / k_second) return false;
  const auto code = cookie_code(key_, address, nonce, cookie.issued);
  std::uint8_t difference = 0;  // no early exit: the time must not tell how much was right
  for (std::size_t i = 0; i < code.size(); ++i) {
    difference = static_cast<std::uint8_t>(difference | (code[i] ^ cookie.code[i]));
  }
  return difference == 0;
}

}  // namespace contrail::wire
