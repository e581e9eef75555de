#pragma once

// The primitives that everything secret is made of. crypto.cpp is the only file that knows
// libsodium; the project has no cipher, hash or curve of its own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include <contrail/wire/bytes.hpp>

namespace contrail::wire {

inline constexpr std::size_t k_key_bytes = 32;
inline constexpr std::size_t k_long_nonce_bytes = 24;

using PublicKey = std::array<std::uint8_t, k_key_bytes>;  // X25519
using Digest = std::array<std::uint8_t, 32>;
using LongNonce = std::array<std::uint8_t, k_long_nonce_bytes>;
/// Random bytes from whoever starts a process or a connection.
using Entropy = std::array<std::uint8_t, 32>;

/// Overwrites with zeros in a way the compiler keeps.
void secure_wipe(std::span<std::uint8_t> bytes);
/// Equality in a time that depends on the length alone. False when lengths differ.
bool equal_in_constant_time(ByteView a, ByteView b);

/// 32 secret bytes. Every copy is wiped when it ends or is overwritten.
class Key {
 public:
  Key() = default;  // zeros
  explicit Key(const std::array<std::uint8_t, k_key_bytes>& bytes) : bytes_(bytes) {}
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key() { secure_wipe(bytes_); }

  [[nodiscard]] const std::array<std::uint8_t, k_key_bytes>& bytes() const { return bytes_; }
  [[nodiscard]] std::array<std::uint8_t, k_key_bytes>& bytes() { return bytes_; }
  friend bool operator==(const Key& a, const Key& b) {
    return equal_in_constant_time(a.bytes_, b.bytes_);
  }

 private:
  std::array<std::uint8_t, k_key_bytes> bytes_{};
};

/// BLAKE2b with 32 bytes of output, of the label and the parts one after the other, none of them
/// delimited: every use has parts of fixed lengths, or one of free length at the end.
Digest hash(std::string_view label, std::initializer_list<ByteView> parts);
/// The same, keyed: a message authentication code, or one step of a key derivation.
Digest keyed_hash(const Key& key, std::string_view label, std::initializer_list<ByteView> parts);
/// keyed_hash() as a key.
Key derive_key(const Key& key, std::string_view label, std::initializer_list<ByteView> parts = {});

/// X25519: the public key of 32 random bytes.
PublicKey public_key_of(const Key& secret);
/// X25519. False when the peer's key is one of those that make every secret the same.
[[nodiscard]] bool shared_secret(const Key& secret, const PublicKey& peer, Key& out);

inline constexpr std::size_t k_authenticator_bytes = 16;
/// ChaCha20-Poly1305 (RFC 8439), nonce = 4 zero bytes and the number in little endian. A number may
/// be used once per key. `out` has plain.size() + 16 bytes.
void seal_numbered(const Key& key, std::uint64_t number, ByteView associated, ByteView plain,
                   std::span<std::uint8_t> out);
/// `out` has sealed.size() - 16 bytes. False when anything was changed; `out` is zeros then.
[[nodiscard]] bool open_numbered(const Key& key, std::uint64_t number, ByteView associated,
                                 ByteView sealed, std::span<std::uint8_t> out);

/// XChaCha20-Poly1305 with a random nonce, for what travels apart from a connection.
void seal_letter(const Key& key, const LongNonce& nonce, ByteView associated, ByteView plain,
                 std::span<std::uint8_t> out);
[[nodiscard]] bool open_letter(const Key& key, const LongNonce& nonce, ByteView associated,
                               ByteView sealed, std::span<std::uint8_t> out);

/// Random bytes that follow from a seed, for as long as needed. Whoever does not know the seed
/// can't tell them from chance, and whoever learns what the stream holds now can't tell what it
/// gave before: after every call the seed is replaced by a hash of itself.
class RandomStream {
 public:
  explicit RandomStream(const Entropy& seed) : seed_(seed) {}
  void fill(std::span<std::uint8_t> out);
  Key key();
  LongNonce long_nonce();
  std::uint64_t u64();

 private:
  Key seed_;
};

/// The operating system's randomness. For the edges of the system: nothing that has to give the
/// same result twice may call it.
void fill_from_system(std::span<std::uint8_t> out);
Entropy entropy_from_system();

}  // namespace contrail::wire
