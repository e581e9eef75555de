#include <contrail/wire/connect_token.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/byte_io.hpp>

namespace contrail::wire {

namespace {

constexpr std::uint32_t k_token_magic = 0x4B545443;  // "CTTK"
constexpr std::uint8_t k_token_format = 1;
constexpr std::size_t k_fixed_face_bytes = 28;
constexpr std::size_t k_address_bytes = 18;
constexpr std::size_t k_fixed_grant_bytes = 8 + 1 + 1 + 2 + k_key_bytes;
constexpr std::size_t k_max_grant_bytes =
    k_fixed_grant_bytes + 2 * k_max_token_entities + k_max_user_data_bytes;

static_assert(k_fixed_face_bytes + k_max_token_addresses * k_address_bytes + k_long_nonce_bytes +
                  k_max_grant_bytes + k_authenticator_bytes ==
              k_max_token_bytes);

constexpr std::size_t face_bytes(std::size_t addresses) {
  return k_fixed_face_bytes + addresses * k_address_bytes;
}

/// What is authenticated with the sealed part: the protocol's name and version, and the face.
Bytes associated(ByteView face) {
  Bytes out(6 + face.size());
  ByteWriter writer(out);
  writer.u32(k_protocol_magic);
  writer.u16(k_version_major);
  writer.bytes(face);
  return out;
}

Bytes encode_face(const TokenFace& face) {
  Bytes out(face_bytes(face.addresses.size()));
  ByteWriter writer(out);
  writer.u32(k_token_magic);
  writer.u8(k_token_format);
  writer.u8(static_cast<std::uint8_t>(face.addresses.size()));
  writer.u16(face.timeout);
  writer.u32(face.key_id);
  writer.i64(face.created);
  writer.i64(face.expires);
  for (const Address& address : face.addresses) {
    writer.bytes(address.ip);
    writer.u16(address.port);
  }
  return out;
}

Bytes encode_grant(const TokenGrant& grant) {
  Bytes out(k_fixed_grant_bytes + 2 * grant.entities.size() + grant.user_data.size());
  ByteWriter writer(out);
  writer.u64(grant.account);
  writer.u8(static_cast<std::uint8_t>(grant.role));
  writer.u8(static_cast<std::uint8_t>(grant.entities.size()));
  writer.u16(static_cast<std::uint16_t>(grant.user_data.size()));
  writer.bytes(grant.secret.bytes());
  for (const std::uint16_t entity : grant.entities) writer.u16(entity);
  writer.bytes(grant.user_data);
  return out;
}

bool decode_grant(ByteView bytes, TokenGrant& out) {
  ByteReader in(bytes);
  TokenGrant grant;
  grant.account = in.u64();
  const std::uint8_t role = in.u8();
  const std::size_t entities = in.u8();
  const std::size_t user_data = in.u16();
  const ByteView secret = in.bytes(k_key_bytes);
  if (in.failed() || role > static_cast<std::uint8_t>(k_last_role) ||
      entities > k_max_token_entities || user_data > k_max_user_data_bytes ||
      in.left() != 2 * entities + user_data) {
    return false;
  }
  grant.role = static_cast<Role>(role);
  std::copy(secret.begin(), secret.end(), grant.secret.bytes().begin());
  for (std::size_t i = 0; i < entities; ++i) grant.entities.push_back(in.u16());
  const ByteView data = in.bytes(user_data);
  grant.user_data.assign(data.begin(), data.end());
  out = grant;
  return true;
}

}  // namespace

const char* describe(TokenForm form) {
  switch (form) {
    case TokenForm::good:
      return "a token";
    case TokenForm::truncated:
      return "cut short, or with something behind it";
    case TokenForm::not_a_token:
      return "not a connect token";
    case TokenForm::wrong_format:
      return "a connect token of another format version";
    case TokenForm::bad_value:
      return "a connect token with a value out of range";
  }
  return "unknown";
}

Bytes issue_token(const TokenFace& face, const TokenGrant& grant, const TokenKey& key,
                  const LongNonce& nonce) {
  sim::require(face.addresses.size() <= k_max_token_addresses, "a token names at most 8 servers");
  sim::require(grant.entities.size() <= k_max_token_entities, "a token grants at most 8 entities");
  sim::require(grant.user_data.size() <= k_max_user_data_bytes, "user data fits the token");
  sim::require(face.key_id == key.id, "a token names the key that seals it");
  Bytes token = encode_face(face);
  const Bytes context = associated(token);
  Bytes plain = encode_grant(grant);
  Bytes sealed(plain.size() + k_authenticator_bytes);
  seal_letter(key.key, nonce, context, plain, sealed);
  secure_wipe(plain);
  token.insert(token.end(), nonce.begin(), nonce.end());
  token.insert(token.end(), sealed.begin(), sealed.end());
  token.insert(token.end(), grant.secret.bytes().begin(), grant.secret.bytes().end());
  return token;
}

std::optional<SplitToken> split_token(ByteView token) {
  if (token.size() <= k_key_bytes || token.size() - k_key_bytes > k_max_token_bytes) {
    return std::nullopt;
  }
  SplitToken out;
  const ByteView pass = token.first(token.size() - k_key_bytes);
  out.pass.assign(pass.begin(), pass.end());
  const ByteView secret = token.last(k_key_bytes);
  std::copy(secret.begin(), secret.end(), out.secret.bytes().begin());
  return out;
}

TokenForm read_face(ByteView bytes, bool whole, TokenFace& out) {
  ByteReader in(bytes);
  const std::uint32_t magic = in.u32();
  const std::uint8_t format = in.u8();
  if (in.failed()) return TokenForm::truncated;
  if (magic != k_token_magic) return TokenForm::not_a_token;
  if (format != k_token_format) return TokenForm::wrong_format;
  TokenFace face;
  const std::size_t addresses = in.u8();
  if (addresses > k_max_token_addresses) return TokenForm::bad_value;
  const std::size_t around = face_bytes(addresses) + k_long_nonce_bytes + k_authenticator_bytes +
                             (whole ? k_key_bytes : 0);
  if (bytes.size() < around + k_fixed_grant_bytes || bytes.size() > around + k_max_grant_bytes) {
    return TokenForm::truncated;
  }
  face.timeout = in.u16();
  face.key_id = in.u32();
  face.created = in.i64();
  face.expires = in.i64();
  for (std::size_t i = 0; i < addresses; ++i) {
    Address address;
    const ByteView ip = in.bytes(address.ip.size());
    std::copy(ip.begin(), ip.end(), address.ip.begin());
    address.port = in.u16();
    face.addresses.push_back(address);
  }
  if (face.created < 0 || face.expires < face.created) return TokenForm::bad_value;
  out = face;
  return TokenForm::good;
}

bool open_pass(ByteView pass, const TokenKey& key, TokenGrant& out) {
  TokenFace face;
  if (read_face(pass, false, face) != TokenForm::good || face.key_id != key.id) return false;
  const std::size_t head = face_bytes(face.addresses.size());
  LongNonce nonce{};
  std::copy_n(pass.begin() + static_cast<std::ptrdiff_t>(head), nonce.size(), nonce.begin());
  const ByteView sealed = pass.subspan(head + k_long_nonce_bytes);
  Bytes plain(sealed.size() - k_authenticator_bytes);
  const bool good = open_letter(key.key, nonce, associated(pass.first(head)), sealed, plain) &&
                    decode_grant(plain, out);
  secure_wipe(plain);
  return good;
}

TokenId token_id(ByteView pass) {
  const Digest digest = hash("contrail token id", {pass});
  TokenId id{};
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

}  // namespace contrail::wire
