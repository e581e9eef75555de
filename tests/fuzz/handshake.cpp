// Input: a datagram, of which the clear header and the handshake's contents are read. Of any other
// type only the clear header is; see sealed_content.cpp.

#include <contrail/fuzz/target.hpp>

#include <algorithm>
#include <array>

#include <contrail/wire/handshake.hpp>

namespace contrail::fuzz {
namespace {

/// `decode` leaves what it refuses alone, and `encode` gives the datagram again.
template <class Message, class Decode, class Encode>
Outcome check_message(ByteView datagram, const Decode& decode, const Encode& encode) {
  Message sentinel;
  sentinel.nonce = 77;
  Message message = sentinel;
  const wire::PacketError error = decode(datagram, message);
  if (error != wire::PacketError::none) {
    check(message == sentinel, "a refused message changed the output");
    return outcome_of(error);
  }
  wire::Datagram encoded;
  encode(message, encoded);
  check(std::equal(encoded.bytes.begin(),
                   encoded.bytes.begin() + static_cast<std::ptrdiff_t>(encoded.size),
                   datagram.begin(), datagram.end()),
        "an accepted datagram is encoded into other bytes");
  return k_accepted;
}

/// Sealed with the key of zeros. Changed bytes never pass as what the key's holder sealed, so the
/// part behind the face is sealed once more as if it were the plain text.
Outcome check_welcome(ByteView datagram) {
  const wire::Key key;
  const auto decode = [&](ByteView bytes, wire::Welcome& out) {
    return decode_welcome(bytes, key, out);
  };
  const auto encode = [&](const wire::Welcome& welcome, wire::Datagram& out) {
    encode_welcome(welcome, key, out);
  };
  const Outcome outcome = check_message<wire::Welcome>(datagram, decode, encode);
  constexpr std::size_t k_face = wire::k_clear_header_bytes + 8 + wire::k_key_bytes;
  wire::WelcomeFace face;
  if (outcome.accepted || read_welcome_face(datagram, face) != wire::PacketError::none) {
    return outcome;
  }
  Bytes sealed(datagram.begin(), datagram.end());
  const ByteView plain =
      datagram.subspan(k_face, datagram.size() - k_face - wire::k_authenticator_bytes);
  seal_numbered(key, 0, datagram.first(k_face), plain, std::span(sealed).subspan(k_face));
  return check_message<wire::Welcome>(sealed, decode, encode);
}

/// Of a hello of another version only what every version has is read.
Outcome check_hello(ByteView datagram) {
  const bool same_version = datagram.size() > 16 && [&] {
    wire::ByteReader in(datagram.subspan(wire::k_clear_header_bytes + 4));
    return in.u16() == wire::k_version_major && in.u16() == wire::k_version_minor;
  }();
  if (same_version) {
    return check_message<wire::Hello>(datagram, wire::decode_hello, wire::encode_hello);
  }
  wire::Hello hello;
  const wire::PacketError error = wire::decode_hello(datagram, hello);
  if (error != wire::PacketError::none) return outcome_of(error);
  wire::Datagram encoded;
  wire::encode_hello(hello, encoded);
  wire::Hello again;
  check(wire::decode_hello(encoded.view(), again) == wire::PacketError::none &&
            again.version == hello.version && again.nonce == hello.nonce,
        "a hello of another version keeps version and nonce");
  return k_accepted;
}

/// A client shows its user what a refusal says.
Outcome check_refuse(ByteView datagram) {
  const Outcome outcome =
      check_message<wire::Refuse>(datagram, wire::decode_refuse, wire::encode_refuse);
  wire::Refuse refuse;
  if (wire::decode_refuse(datagram, refuse) == wire::PacketError::none) {
    check(!describe(refuse, wire::ProtocolVersion{}).empty(), "a refusal can be described");
  }
  return outcome;
}

}  // namespace

Outcome run_handshake(ByteView input) {
  const ExactCopy copy(input);
  const ByteView datagram = copy.view();
  const wire::ClearHeader sentinel{wire::PacketType::pong, 1, 2, 3};
  wire::ClearHeader header = sentinel;
  const wire::PacketError error = wire::read_clear_header(datagram, header);
  if (error != wire::PacketError::none) {
    check(header == sentinel, "a refused clear header changed the output");
    return outcome_of(error);
  }
  std::array<std::uint8_t, wire::k_clear_header_bytes> written{};
  wire::write_clear_header(header, written);
  check(std::equal(written.begin(), written.end(), datagram.begin()),
        "an accepted clear header is written the same");
  switch (header.type) {
    case wire::PacketType::hello:
      return check_hello(datagram);
    case wire::PacketType::challenge:
      return check_message<wire::Challenge>(datagram, wire::decode_challenge,
                                            wire::encode_challenge);
    case wire::PacketType::welcome:
      return check_welcome(datagram);
    case wire::PacketType::refuse:
      return check_refuse(datagram);
    default:
      return k_accepted;
  }
}

}  // namespace contrail::fuzz
