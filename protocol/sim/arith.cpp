#include <contrail/sim/arith.hpp>

#include <array>
#include <bit>

#include <contrail/sim/assert.hpp>

namespace contrail::sim {
namespace {

/// 2^16 / sqrt((i + 64.5) / 256): first estimates of reciprocal roots.
constexpr std::array<std::uint32_t, 192> k_root_table = [] {
  std::array<std::uint32_t, 192> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    // The largest y with y^2 (2 i + 129) <= 2^41, by bits.
    std::uint64_t y = 0;
    for (std::uint64_t bit = 1U << 17; bit > 0; bit >>= 1) {
      const std::uint64_t more = y | bit;
      y = more * more * (2 * i + 129) <= std::uint64_t{1} << 41 ? more : y;
    }
    table[i] = static_cast<std::uint32_t>(y);
  }
  return table;
}();

/// floor(sqrt(value)), value > 0.
[[gnu::always_inline]] inline std::uint64_t root_of(std::uint64_t value) {
  // n = value scaled to [2^62, 2^64) by an even shift; y estimates 2^32 / sqrt(n), one Newton step
  // makes it good to 2^-16, and a step for the root itself to less than one unit. The loops finish
  // exactly.
  const int shift = std::countl_zero(value) & ~1;
  const std::uint64_t n = value << shift;
  const std::uint64_t top = n >> 32;
  const std::uint64_t y0 = k_root_table[(n >> 56) - 64];                     // Q16
  const std::uint64_t square = (top * ((y0 * y0) >> 4)) >> 30;               // Q30, near 1
  const std::uint64_t y = (y0 * ((std::uint64_t{3} << 30) - square)) >> 17;  // Q30
  const std::uint64_t rough = (top * y) >> 30;
  const auto rest = static_cast<std::int64_t>(n - rough * rough);
  const auto slope = static_cast<std::int64_t>(y >> 15);  // Q15
  const std::int64_t fine = static_cast<std::int64_t>(rough) + (((rest >> 16) * slope) >> 32);
  auto root = static_cast<std::uint64_t>(fine >> (shift / 2));
  while (root * root > value) {
    --root;
  }
  while (value - root * root > 2 * root) {
    ++root;
  }
  return root;
}

/// v scaled so that its largest axis lies in [2^24, 2^25], and its length there.
struct Scaled {
  WideVec3 w{0};
  std::int64_t length = 0;
  int shift = 0;  // right shift that was applied; negative: left
};

/// v must not be zero.
[[gnu::always_inline]] inline Scaled scale(const WideVec3& v) {
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(max_abs(v))));
  Scaled result;
  result.shift = bits - 25;
  if (result.shift >= 0) {
    result.w = shift_right(v, result.shift);
  } else {
    const std::int64_t factor = std::int64_t{1} << -result.shift;
    result.w = v * factor;
  }
  const WideVec3& w = result.w;
  const std::int64_t square = w.x * w.x + w.y * w.y + w.z * w.z;
  result.length = static_cast<std::int64_t>(root_of(static_cast<std::uint64_t>(square)));
  return result;
}

}  // namespace

std::int64_t isqrt(std::int64_t x) {
  return x <= 0 ? 0 : static_cast<std::int64_t>(root_of(static_cast<std::uint64_t>(x)));
}

WideVec3 wide_unit(const WideVec3& v) {
  require(!is_zero(v), "a vector that is normalised is not zero");
  const Scaled s = scale(v);
  // One division for three: each quotient from the reciprocal is off by at most one, then exact.
  const std::int64_t reciprocal = (std::int64_t{1} << 51) / s.length;
  const std::int64_t half = s.length >> 1;
  const auto axis = [&](std::int64_t w) {
    std::int64_t q = (w * reciprocal + (std::int64_t{1} << 26)) >> 27;
    const std::int64_t rest = w * k_one + half - q * s.length;
    q += static_cast<std::int64_t>(rest >= s.length) - static_cast<std::int64_t>(rest < 0);
    return q;
  };
  return {axis(s.w.x), axis(s.w.y), axis(s.w.z)};
}

Vec3 unit(const WideVec3& v) {
  return Vec3(wide_unit(v));
}

Vec3 unit_or(const WideVec3& v, const Vec3& fallback) {
  return is_zero(v) ? fallback : unit(v);
}

std::int64_t length(const WideVec3& v) {
  if (is_zero(v)) {
    return 0;
  }
  const Scaled s = scale(v);
  return s.shift >= 0 ? s.length << s.shift : s.length >> -s.shift;
}

Vec3 ball(std::uint32_t key, std::uint32_t number) {
  const std::uint32_t a = draw(key, number);
  const std::uint32_t b = draw(key, number + 1);
  WideVec3 p(static_cast<std::int16_t>(a & 0xFFFFU), static_cast<std::int16_t>(a >> 16),
             static_cast<std::int16_t>(b & 0xFFFFU));
  if (p.x * p.x + p.y * p.y + p.z * p.z > std::int64_t{1} << 30) {
    p = shift_right(p, 1);
  }
  return Vec3(p);
}

std::uint32_t launch_seed(std::uint64_t session_seed, std::uint32_t launch) {
  const auto low = static_cast<std::uint32_t>(session_seed & 0xFFFF'FFFFU);
  const auto high = static_cast<std::uint32_t>(session_seed >> 32);
  return draw(low ^ mix(high), launch);
}

}  // namespace contrail::sim
