#include <contrail/wire/crypto.hpp>

#include <algorithm>

#include <sodium.h>

#include <contrail/sim/assert.hpp>

namespace contrail::wire {

namespace {

static_assert(k_key_bytes == crypto_aead_chacha20poly1305_ietf_KEYBYTES);
static_assert(k_key_bytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(k_key_bytes == crypto_scalarmult_curve25519_SCALARBYTES);
static_assert(k_long_nonce_bytes == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(k_authenticator_bytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

/// Chooses the fastest code for this processor, once.
void prepare() {
  static const bool ready = sodium_init() >= 0;
  sim::require(ready, "libsodium starts");
}

Digest blake2b(const Key* key, std::string_view label, std::initializer_list<ByteView> parts) {
  prepare();
  crypto_generichash_state state;
  crypto_generichash_init(&state, key != nullptr ? key->bytes().data() : nullptr,
                          key != nullptr ? k_key_bytes : 0, sizeof(Digest));
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(label.data()),
                            label.size());
  for (const ByteView part : parts) {
    crypto_generichash_update(&state, part.data(), part.size());
  }
  Digest out{};
  crypto_generichash_final(&state, out.data(), out.size());
  sodium_memzero(&state, sizeof state);
  return out;
}

using ShortNonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

ShortNonce numbered_nonce(std::uint64_t number) {
  ShortNonce nonce{};
  for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  return nonce;
}

}  // namespace

void secure_wipe(std::span<std::uint8_t> bytes) {
  sodium_memzero(bytes.data(), bytes.size());
}

bool equal_in_constant_time(ByteView a, ByteView b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

Digest hash(std::string_view label, std::initializer_list<ByteView> parts) {
  return blake2b(nullptr, label, parts);
}

Digest keyed_hash(const Key& key, std::string_view label, std::initializer_list<ByteView> parts) {
  return blake2b(&key, label, parts);
}

Key derive_key(const Key& key, std::string_view label, std::initializer_list<ByteView> parts) {
  Digest digest = blake2b(&key, label, parts);
  Key out(digest);
  secure_wipe(digest);
  return out;
}

PublicKey public_key_of(const Key& secret) {
  prepare();
  PublicKey out{};
  crypto_scalarmult_curve25519_base(out.data(), secret.bytes().data());
  return out;
}

bool shared_secret(const Key& secret, const PublicKey& peer, Key& out) {
  prepare();
  return crypto_scalarmult_curve25519(out.bytes().data(), secret.bytes().data(), peer.data()) == 0;
}

void seal_numbered(const Key& key, std::uint64_t number, ByteView associated, ByteView plain,
                   std::span<std::uint8_t> out) {
  prepare();
  sim::require(out.size() == plain.size() + k_authenticator_bytes, "sealing adds 16 bytes");
  const ShortNonce nonce = numbered_nonce(number);
  crypto_aead_chacha20poly1305_ietf_encrypt(out.data(), nullptr, plain.data(), plain.size(),
                                            associated.data(), associated.size(), nullptr,
                                            nonce.data(), key.bytes().data());
}

bool open_numbered(const Key& key, std::uint64_t number, ByteView associated, ByteView sealed,
                   std::span<std::uint8_t> out) {
  prepare();
  sim::require(
      sealed.size() >= k_authenticator_bytes && out.size() == sealed.size() - k_authenticator_bytes,
      "opening takes 16 bytes away");
  const ShortNonce nonce = numbered_nonce(number);
  return crypto_aead_chacha20poly1305_ietf_decrypt(
             out.data(), nullptr, nullptr, sealed.data(), sealed.size(), associated.data(),
             associated.size(), nonce.data(), key.bytes().data()) == 0;
}

void seal_letter(const Key& key, const LongNonce& nonce, ByteView associated, ByteView plain,
                 std::span<std::uint8_t> out) {
  prepare();
  sim::require(out.size() == plain.size() + k_authenticator_bytes, "sealing adds 16 bytes");
  crypto_aead_xchacha20poly1305_ietf_encrypt(out.data(), nullptr, plain.data(), plain.size(),
                                             associated.data(), associated.size(), nullptr,
                                             nonce.data(), key.bytes().data());
}

bool open_letter(const Key& key, const LongNonce& nonce, ByteView associated, ByteView sealed,
                 std::span<std::uint8_t> out) {
  prepare();
  sim::require(
      sealed.size() >= k_authenticator_bytes && out.size() == sealed.size() - k_authenticator_bytes,
      "opening takes 16 bytes away");
  return crypto_aead_xchacha20poly1305_ietf_decrypt(
             out.data(), nullptr, nullptr, sealed.data(), sealed.size(), associated.data(),
             associated.size(), nonce.data(), key.bytes().data()) == 0;
}

void RandomStream::fill(std::span<std::uint8_t> out) {
  for (std::uint64_t block_number = 0; !out.empty(); ++block_number) {
    std::array<std::uint8_t, 8> number{};
    for (std::size_t i = 0; i < 8; ++i) {
      number[i] = static_cast<std::uint8_t>(block_number >> (8 * i));
    }
    Digest block = keyed_hash(seed_, "contrail random", {number});
    const std::size_t part = std::min(out.size(), block.size());
    std::copy_n(block.begin(), part, out.begin());
    secure_wipe(block);
    out = out.subspan(part);
  }
  seed_ = derive_key(seed_, "contrail random next");
}

Key RandomStream::key() {
  Key out;
  fill(out.bytes());
  return out;
}

LongNonce RandomStream::long_nonce() {
  LongNonce out{};
  fill(out);
  return out;
}

std::uint64_t RandomStream::u64() {
  std::array<std::uint8_t, 8> bytes{};
  fill(bytes);
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i) out |= std::uint64_t{bytes[i]} << (8 * i);
  return out;
}

void fill_from_system(std::span<std::uint8_t> out) {
  prepare();
  randombytes_buf(out.data(), out.size());
}

Entropy entropy_from_system() {
  Entropy out{};
  fill_from_system(out);
  return out;
}

}  // namespace contrail::wire
