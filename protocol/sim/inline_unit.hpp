#pragma once

// Roots and directions inline, for the loops in which they are most of the work: three directions a
// control point. Everyone else calls arith.hpp.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <contrail/sim/arith.hpp>

namespace contrail::sim {

/// 2^16 / sqrt((i + 256.5) / 1024): first estimates of reciprocal roots, good to 2^-10.
inline constexpr std::array<std::uint32_t, 768> k_root_table = [] {
  std::array<std::uint32_t, 768> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    // The largest y with y^2 (2 i + 513) <= 2^43, by bits.
    std::uint64_t y = 0;
    for (std::uint64_t bit = 1U << 17; bit > 0; bit >>= 1) {
      const std::uint64_t more = y | bit;
      y = more * more * (2 * i + 513) <= std::uint64_t{1} << 43 ? more : y;
    }
    table[i] = static_cast<std::uint32_t>(y);
  }
  return table;
}();

struct Root {
  std::uint64_t root = 0;     // floor(sqrt(value))
  std::uint64_t inverse = 0;  // 2^62 / sqrt(value), too small by a part in 2^18 at most
};

/// value > 0.
[[gnu::always_inline]] inline Root root_of(std::uint64_t value) {
  // n = value scaled to [2^62, 2^64) by an even shift; y estimates 2^62 / sqrt(n), one Newton step
  // makes it good to 2^-19, and a step for the root itself to less than one unit. The loops finish
  // exactly.
  const int shift = std::countl_zero(value) & ~1;
  const std::uint64_t n = value << shift;
  const std::uint64_t top = n >> 32;
  const std::uint64_t y0 = k_root_table[(n >> 54) - 256];                    // Q16
  const std::uint64_t square = (top * ((y0 * y0) >> 4)) >> 30;               // Q30, near 1
  const std::uint64_t y = (y0 * ((std::uint64_t{3} << 30) - square)) >> 17;  // Q30
  const std::uint64_t rough = (top * y) >> 30;
  const auto rest = static_cast<std::int64_t>(n - rough * rough);
  const auto slope = static_cast<std::int64_t>(y >> 15);  // Q15
  const std::int64_t fine = static_cast<std::int64_t>(rough) + (((rest >> 16) * slope) >> 32);
  auto root = static_cast<std::uint64_t>(fine >> (shift / 2));
  if (value - root * root > 2 * root) [[unlikely]] {  // too small, or too large and wrapped
    while (root * root > value) {
      --root;
    }
    while (value - root * root > 2 * root) {
      ++root;
    }
  }
  return {root, y << (shift / 2)};
}

/// v scaled so that its largest axis lies in [2^24, 2^25], and its length there.
struct ScaledVector {
  WideVec3 w{0};
  std::int64_t length = 0;
  std::uint64_t inverse = 0;  // see Root
  int shift = 0;              // right shift that was applied; negative: left
};

/// v must not be zero.
[[gnu::always_inline]] inline ScaledVector scale_vector(const WideVec3& v) {
  const auto magnitude = [](std::int64_t x) { return static_cast<std::uint64_t>(x < 0 ? -x : x); };
  const int bits =
      static_cast<int>(std::bit_width(magnitude(v.x) | magnitude(v.y) | magnitude(v.z)));
  ScaledVector result;
  result.shift = bits - 25;
  if (result.shift >= 0) {
    result.w = shift_right(v, result.shift);
  } else {
    const std::int64_t factor = std::int64_t{1} << -result.shift;
    result.w = v * factor;
  }
  const WideVec3& w = result.w;
  const std::int64_t square = w.x * w.x + w.y * w.y + w.z * w.z;
  const Root root = root_of(static_cast<std::uint64_t>(square));
  result.length = static_cast<std::int64_t>(root.root);
  result.inverse = root.inverse;
  return result;
}

/// fdiv((w << 24) + (l >> 1), l) an axis, as it is specified.
WideVec3 divided_by_length(const WideVec3& w, std::int64_t length);

/// 2^62 / length to 3 units, from an estimate good to 2^-18; 2^24 <= length < 2^26.
[[gnu::always_inline]] inline std::uint64_t inverse_length(std::uint64_t length,
                                                           std::uint64_t estimate) {
  const std::uint64_t error = (std::uint64_t{1} << 62) - length * estimate;  // signed, < 2^44
  const auto step = static_cast<std::int64_t>(error) >> 18;
  return estimate +
         static_cast<std::uint64_t>((static_cast<std::int64_t>(estimate >> 12) * step) >> 32);
}

/// wide_unit(); v must not be zero.
[[gnu::always_inline]] inline WideVec3 inline_unit(const WideVec3& v) {
  const ScaledVector s = scale_vector(v);
  // One inverse for three quotients: (w + l) R / 2^62 is w / l + 1 to less than 2^-34, so that
  // with half a unit the floor in Q24 is the quotient, unless the rest is within 2^-10 of a whole.
  constexpr std::uint64_t k_near = std::uint64_t{1} << 28;  // 2^-10 of a unit
  constexpr std::uint64_t k_rest = (std::uint64_t{1} << 38) - 2 * k_near;
  const auto l = static_cast<std::uint64_t>(s.length);
  const std::uint64_t r = inverse_length(l, s.inverse);
  const std::uint64_t base = l * r + (std::uint64_t{1} << 37) + k_near;
  const std::uint64_t x = base + static_cast<std::uint64_t>(s.w.x) * r;
  const std::uint64_t y = base + static_cast<std::uint64_t>(s.w.y) * r;
  const std::uint64_t z = base + static_cast<std::uint64_t>(s.w.z) * r;
  if ((x & k_rest) == 0 || (y & k_rest) == 0 || (z & k_rest) == 0) [[unlikely]] {
    return divided_by_length(s.w, s.length);
  }
  return {static_cast<std::int64_t>(x >> 38) - k_one, static_cast<std::int64_t>(y >> 38) - k_one,
          static_cast<std::int64_t>(z >> 38) - k_one};
}

}  // namespace contrail::sim
