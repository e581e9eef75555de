#include <contrail/wire/key_schedule.hpp>

#include <array>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/handshake.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

Digest transcript_hash(std::span<const std::uint8_t> hello, const PublicKey& server) {
  sim::require(hello.size() == k_hello_bytes, "a hello has 1,200 bytes");
  // Flags, wish and nonce lie between: the flag byte is covered as 0, the cookie as zeros.
  static constexpr std::array<std::uint8_t, 1> k_no_flags{};
  static constexpr std::array<std::uint8_t, k_hello_cookie_bytes> k_no_cookie{};
  const std::size_t after_flags = k_hello_flags_at + 1;
  return hash("contrail handshake 1",
              {hello.first(k_hello_flags_at), k_no_flags,
               hello.subspan(after_flags, k_hello_cookie_at - after_flags), k_no_cookie,
               hello.subspan(k_hello_cookie_at + k_hello_cookie_bytes), server});
}

ConnectionKeys derive_connection_keys(const Key& shared, const Key& secret,
                                      const Digest& transcript) {
  const Key root = derive_key(secret, "contrail root", {shared.bytes(), transcript});
  ConnectionKeys keys;
  keys.client_to_server = derive_key(root, "contrail client to server");
  keys.server_to_client = derive_key(root, "contrail server to client");
  keys.welcome = derive_key(root, "contrail welcome");
  keys.resume = derive_key(root, "contrail resume");
  return keys;
}

}  // namespace contrail::wire
