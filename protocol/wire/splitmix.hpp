#pragma once

// 64-bit mixing for nonces, connection ids and retry times: spreads, does not hide. Nothing of the
// specified arithmetic is computed with it.

#include <cstdint>

namespace contrail::wire {

/// A bijection of 64 bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// The next number of a sequence (splitmix64).
constexpr std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  return mix64(state);
}

}  // namespace contrail::wire
