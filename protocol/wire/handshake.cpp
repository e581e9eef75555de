#include <contrail/wire/handshake.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/byte_io.hpp>

namespace contrail::wire {

namespace {

constexpr std::uint8_t k_flag_cookie = 1;
constexpr std::size_t k_welcome_face_bytes = k_clear_header_bytes + 8 + k_public_key_bytes;
constexpr std::size_t k_welcome_plain_bytes = 40;

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
      return "the token is cut short, forged or changed";
    case RefuseReason::bad_resume:
      return "the resume ticket is unknown, expired or was used before";
    case RefuseReason::closing:
      return "the server is about to stop";
    case RefuseReason::no_such_entity:
      return "the entity this client wants to command is not there";
    case RefuseReason::token_expired:
      return "the token has expired by the server's clock";
    case RefuseReason::token_used:
      return "the token has let a client in before; each does once";
    case RefuseReason::token_other_server:
      return "the token is for other servers";
    case RefuseReason::token_before_start:
      return "the token was issued before the server started, which forgets what was used before";
    case RefuseReason::token_unknown_key:
      return "the token is sealed with a key that the server does not have";
    case RefuseReason::token_not_yet:
      return "the token was issued in the future, by the server's clock";
    case RefuseReason::token_too_long:
      return "the token is good for longer than a day, which no server accepts";
    case RefuseReason::token_history_full:
      return "the server remembers as many used tokens as it can; try again later";
    case RefuseReason::not_granted:
      return "the token does not allow this role or entity";
  }
  return "refused for an unknown reason";
}

const char* name_of(RefuseReason reason) {
  switch (reason) {
    case RefuseReason::version:
      return "version";
    case RefuseReason::path_revision:
      return "path_revision";
    case RefuseReason::fingerprint:
      return "fingerprint";
    case RefuseReason::full:
      return "full";
    case RefuseReason::token_required:
      return "token_required";
    case RefuseReason::bad_token:
      return "bad_token";
    case RefuseReason::bad_resume:
      return "bad_resume";
    case RefuseReason::closing:
      return "closing";
    case RefuseReason::no_such_entity:
      return "no_such_entity";
    case RefuseReason::token_expired:
      return "token_expired";
    case RefuseReason::token_used:
      return "token_used";
    case RefuseReason::token_other_server:
      return "token_other_server";
    case RefuseReason::token_before_start:
      return "token_before_start";
    case RefuseReason::token_unknown_key:
      return "token_unknown_key";
    case RefuseReason::token_not_yet:
      return "token_not_yet";
    case RefuseReason::token_too_long:
      return "token_too_long";
    case RefuseReason::token_history_full:
      return "token_history_full";
    case RefuseReason::not_granted:
      return "not_granted";
  }
  return "unknown";
}

void encode_hello(const Hello& hello, Datagram& out) {
  sim::require(hello.token.size() <= k_max_token_bytes, "a token fits the hello");
  sim::require(hello.resume.size() <= k_max_resume_bytes, "a resume ticket fits the hello");
  ByteWriter writer = begin(PacketType::hello, out);
  writer.u32(k_protocol_magic);
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
  if (in.u32() != k_protocol_magic) return PacketError::bad_magic;
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

void encode_welcome(const Welcome& welcome, const Key& key, Datagram& out) {
  ByteWriter face = begin(PacketType::welcome, out);
  face.u64(welcome.nonce);
  face.bytes(welcome.public_key);
  std::array<std::uint8_t, k_welcome_plain_bytes> plain{};
  ByteWriter writer(plain);
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
  writer.u16(0);
  sim::require(writer.size() == plain.size(), "a welcome has one size");
  const std::size_t sealed = plain.size() + k_tag_bytes;
  seal_numbered(key, 0, {out.bytes.data(), k_welcome_face_bytes}, plain,
                std::span(out.bytes).subspan(k_welcome_face_bytes, sealed));
  out.size = k_welcome_face_bytes + sealed;
}

PacketError read_welcome_face(std::span<const std::uint8_t> datagram, WelcomeFace& out) {
  constexpr std::size_t k_size = k_welcome_face_bytes + k_welcome_plain_bytes + k_tag_bytes;
  if (datagram.size() < k_size) return PacketError::too_short;
  if (datagram.size() > k_size) return PacketError::too_long;
  ByteReader in = content(datagram);
  out.nonce = in.u64();
  read_array(in, out.public_key);
  return PacketError::none;
}

PacketError decode_welcome(std::span<const std::uint8_t> datagram, const Key& key, Welcome& out) {
  WelcomeFace face;
  const PacketError error = read_welcome_face(datagram, face);
  if (error != PacketError::none) return error;
  std::array<std::uint8_t, k_welcome_plain_bytes> plain{};
  if (!open_numbered(key, 0, datagram.first(k_welcome_face_bytes),
                     datagram.subspan(k_welcome_face_bytes), plain)) {
    return PacketError::bad_tag;
  }
  ByteReader in(plain);
  Welcome welcome;
  welcome.nonce = face.nonce;
  welcome.public_key = face.public_key;
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
  const std::uint16_t reserved = in.u16();
  if (welcome.connection == 0 || role > static_cast<std::uint8_t>(k_last_role) || reserved != 0 ||
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

}  // namespace contrail::wire
