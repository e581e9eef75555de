#pragma once

// Wobble of a missile in the plane across its path: two channels of smooth noise over time, a pure
// function of seed, missile index and argument. |(x, y)| <= k_noise_one up to one unit of rounding.

#include <array>
#include <cstdint>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/scenario.hpp>

namespace contrail::sim {

/// 1.0 of a noise value: 6 * 2^15, the six from the B-spline's weights.
inline constexpr std::int64_t k_noise_one = 6 * 32'768;

struct Noise2 {
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool operator==(const Noise2&) const = default;
};

/// All there is to the noise of one missile.
struct NoiseKeys {
  NoiseKind kind = NoiseKind::bspline;
  std::uint32_t x = 0;  // B-spline: of the knots; Perlin: of the x channel
  std::uint32_t y = 0;  // Perlin: of the y channel
};

/// The noise of one missile. Cheap to make, no memory of its own beyond keys.
class Noise {
 public:
  Noise(NoiseKind kind, std::uint32_t seed, std::uint32_t index);
  explicit Noise(const NoiseKeys& keys) : keys_(keys) {}
  /// `cells` is the noise argument, Q16 cells, 0 <= cells < 2^41.
  [[nodiscard]] Noise2 at(std::int64_t cells) const;
  [[nodiscard]] const NoiseKeys& keys() const { return keys_; }

 private:
  NoiseKeys keys_;
};

/// The same noise for whoever asks in ascending order: the B-spline's four knots in use are kept.
class NoiseWalk {
 public:
  explicit NoiseWalk(const Noise& noise) : noise_(noise) {}
  [[nodiscard]] Noise2 at(std::int64_t cells);

 private:
  Noise noise_;
  std::int64_t cell_ = -2;
  std::array<Noise2, 4> knots_;
};

/// A knot of the B-spline, Q15 in the unit disc.
Noise2 noise_knot(std::uint32_t key, std::uint32_t number);
/// Six times the uniform cubic B-spline over four neighbouring knots; t is Q16 within the cell.
Noise2 bspline_noise(const Noise2& k0, const Noise2& k1, const Noise2& k2, const Noise2& k3,
                     std::int64_t t);
/// Gradient noise of one channel. The key's draw 0 gives its phase, draw 1 + c the gradient at c.
std::int64_t perlin_noise(std::uint32_t key, std::int64_t cells);

}  // namespace contrail::sim
