#pragma once

// Proof that a client receives what is sent to its address, without keeping anything about it.

#include <array>
#include <cstdint>

#include <contrail/wire/address.hpp>
#include <contrail/wire/crypto.hpp>
#include <contrail/wire/time.hpp>

namespace contrail::wire {

/// Proof that its bearer received a challenge at its address.
struct Cookie {
  std::uint32_t issued = 0;  // seconds of the server's clock, low bits
  std::array<std::uint8_t, 16> code{};
  bool operator==(const Cookie&) const = default;
};

/// Makes and checks cookies with a secret of the process. Stateless.
class CookieJar {
 public:
  /// `key`: random, fresh for every process.
  explicit CookieJar(const Key& key) : key_(key) {}
  [[nodiscard]] Cookie bake(const Address& address, std::uint64_t nonce, Nanoseconds now) const;
  /// Made by this jar for this address and nonce, at most k_cookie_lifetime ago.
  [[nodiscard]] bool valid(const Cookie& cookie, const Address& address, std::uint64_t nonce,
                           Nanoseconds now) const;

 private:
  Key key_;
};

}  // namespace contrail::wire
