#include <contrail/sim/arith.hpp>

#include <bit>

#include <contrail/sim/assert.hpp>

namespace contrail::sim {
namespace {

/// v scaled so that its largest axis lies in [2^24, 2^25], and its length there.
struct Scaled {
  WideVec3 w{0};
  std::int64_t length = 0;
  int shift = 0;  // right shift that was applied; negative: left
};

Scaled scale(const WideVec3& v) {
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
  result.length = isqrt(w.x * w.x + w.y * w.y + w.z * w.z);
  return result;
}

}  // namespace

WideVec3 floor_div(const WideVec3& a, std::int64_t b) {
  return {floor_div(a.x, b), floor_div(a.y, b), floor_div(a.z, b)};
}

std::int64_t isqrt(std::int64_t x) {
  if (x <= 0) {
    return 0;
  }
  // Newton from above: the sequence falls until it reaches the floor, then stops falling.
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
  std::int64_t root = std::int64_t{1} << ((bits + 1) / 2);
  while (true) {
    const std::int64_t next = (root + x / root) >> 1;
    if (next >= root) {
      return root;
    }
    root = next;
  }
}

Vec3 unit(const WideVec3& v) {
  require(!is_zero(v), "a vector that is normalised is not zero");
  const Scaled s = scale(v);
  const std::int64_t half = s.length >> 1;
  return Vec3(floor_div(s.w * std::int64_t{k_one} + WideVec3(half), s.length));
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
