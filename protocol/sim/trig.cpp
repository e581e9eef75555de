#include <contrail/sim/trig.hpp>

#include <algorithm>
#include <array>
#include <bit>

#include <contrail/sim/units.hpp>

namespace contrail::sim {
namespace {

// Taylor coefficients, Q28, of sin(x pi/2) / x and cos(x pi/2) in powers of x^2, x <= 1/2.
constexpr std::array<std::int64_t, 6> k_sine{421'657'428, -173'399'667, 21'392'326,
                                             -1'256'749,  43'068,       -966};
constexpr std::array<std::int64_t, 7> k_cosine{268'435'456, -331'168'970, 68'093'890, -5'600'498,
                                               246'762,     -6'765,       126};
// Taylor coefficients, Q30, of atan(z) / (2 pi z) in powers of z^2, z <= 3/7.
constexpr std::array<std::int64_t, 11> k_arc{170'891'319, -56'963'773, 34'178'264, -24'413'046,
                                             18'987'924,  -15'535'574, 13'145'486, -11'392'755,
                                             10'052'431,  -8'994'280,  8'137'682};

/// Horner's rule; y is Q26.
template <std::size_t N>
std::int64_t polynomial(const std::array<std::int64_t, N>& coefficients, std::int64_t y) {
  std::int64_t sum = coefficients[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) {
    sum = coefficients[i] + ((sum * y) >> 26);
  }
  return sum;
}

/// sin of an angle within the first quarter, Q24; quarter = 2^30 is 90 degrees.
std::int64_t quarter_sine(std::int64_t quarter) {
  const bool past_octant = quarter > (std::int64_t{1} << 29);
  const std::int64_t octant = past_octant ? (std::int64_t{1} << 30) - quarter : quarter;
  const std::int64_t x = (octant + 1) >> 1;       // Q29 quarters, at most 2^28
  const std::int64_t coarse = (octant + 4) >> 3;  // Q27 quarters, at most 2^26
  const std::int64_t y = (coarse * coarse + (std::int64_t{1} << 27)) >> 28;  // Q26
  if (past_octant) {
    return (polynomial(k_cosine, y) + 8) >> 4;
  }
  const std::int64_t slope = (polynomial(k_sine, y) + 8) >> 4;  // Q24
  return (x * slope + (std::int64_t{1} << 28)) >> 29;
}

}  // namespace

std::int32_t sin_angle(std::int32_t angle) {
  const auto turn = static_cast<std::uint32_t>(angle);
  const std::int64_t half_turn = turn & 0x7FFF'FFFFU;
  const std::int64_t fold = std::int64_t{1} << 31;
  const std::int64_t quarter = half_turn > (std::int64_t{1} << 30) ? fold - half_turn : half_turn;
  const auto sine = static_cast<std::int32_t>(quarter_sine(quarter));
  return (turn >> 31) != 0 ? -sine : sine;
}

std::int32_t cos_angle(std::int32_t angle) {
  const std::uint32_t quarter_turn = 0x4000'0000U;
  return sin_angle(static_cast<std::int32_t>(static_cast<std::uint32_t>(angle) + quarter_turn));
}

std::int32_t atan2_angle(std::int64_t y, std::int64_t x) {
  std::int64_t across = y < 0 ? -y : y;
  std::int64_t ahead = x < 0 ? -x : x;
  const std::int64_t largest = std::max(across, ahead);
  if (largest == 0) {
    return 0;
  }
  // The larger one into [2^25, 2^26).
  const int shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest))) - 26;
  if (shift >= 0) {
    across >>= shift;
    ahead >>= shift;
  } else {
    across <<= -shift;
    ahead <<= -shift;
  }
  const bool steep = across > ahead;
  const std::int64_t low = std::min(across, ahead);
  const std::int64_t high = std::max(across, ahead);
  const bool reduce = 5 * low > 2 * high;  // atan(q) = 45 degrees - atan((1 - q) / (1 + q))
  const std::int64_t numerator = reduce ? high - low : low;
  const std::int64_t denominator = reduce ? high + low : high;
  const std::int64_t z = ((numerator << 25) + (denominator >> 1)) / denominator;  // Q25
  const std::int64_t square = (z * z + (std::int64_t{1} << 23)) >> 24;            // Q26
  std::int64_t angle = (z * polynomial(k_arc, square) + (std::int64_t{1} << 22)) >> 23;
  if (reduce) {
    angle = (std::int64_t{1} << 29) - angle;
  }
  if (steep) {
    angle = (std::int64_t{1} << 30) - angle;
  }
  if (x < 0) {
    angle = (std::int64_t{1} << 31) - angle;
  }
  if (y < 0) {
    angle = -angle;
  }
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(angle & 0xFFFF'FFFF));
}

}  // namespace contrail::sim
