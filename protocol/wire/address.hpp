#pragma once

#include <array>
#include <cstdint>

namespace contrail::wire {

/// Where a datagram came from: an IPv6 address (IPv4 as ::ffff:a.b.c.d) and a port in host order.
struct Address {
  std::array<std::uint8_t, 16> ip{};
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
  /// Some order, for maps.
  friend bool operator<(const Address& a, const Address& b) {
    return a.ip != b.ip ? a.ip < b.ip : a.port < b.port;
  }
};

/// ::ffff:a.b.c.d
constexpr Address ipv4_address(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d,
                               std::uint16_t port) {
  return Address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, a, b, c, d}, port};
}

}  // namespace contrail::wire
