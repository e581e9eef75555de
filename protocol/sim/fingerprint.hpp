#pragma once

// A hash of what the arithmetic computes on a fixed battery. Two programs with the same fingerprint
// fly the same paths; the handshake refuses a peer with another one. SPEC.md, "Fingerprint",
// defines hash and battery.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// 64 bits as two independent 32-bit lanes of mix(); printed as 16 hex digits, lane a first.
struct Hash64 {
  std::uint32_t a = 0x243F6A88;
  std::uint32_t b = 0x85A308D3;
  void add(std::uint32_t word);                                // one 32-bit word into both lanes
  void add_signed(std::int64_t value);                         // low word, then high word
  void add_bytes(const std::uint8_t* data, std::size_t size);  // length, then bytes in order
  void add_vector(const WideVec3& v);                          // x, y, z as signed values
  [[nodiscard]] std::string hex() const;
  bool operator==(const Hash64&) const = default;
};

enum class Stage : std::uint8_t {
  mix,
  noise,
  frame,
  flight,
  track,
  homing,
  flight_model,
  turret,
  hit
};
inline constexpr int k_stages = 9;
const char* stage_name(Stage stage);

/// Hashes of a fixed battery, per stage and over all. Equal on every conforming implementation.
struct Fingerprint {
  std::array<Hash64, k_stages> stages;
  Hash64 all;
  bool operator==(const Fingerprint&) const = default;
};
/// Takes a few milliseconds; has no state.
Fingerprint compute_fingerprint();

}  // namespace contrail::sim
