#include <contrail/sim/arith.hpp>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/inline_unit.hpp>

namespace contrail::sim {
std::int64_t isqrt(std::int64_t x) {
  return x <= 0 ? 0 : static_cast<std::int64_t>(root_of(static_cast<std::uint64_t>(x)).root);
}

WideVec3 divided_by_length(const WideVec3& w, std::int64_t length) {
  return floor_div(w * std::int64_t{k_one} + WideVec3(length >> 1), length);
}

WideVec3 wide_unit(const WideVec3& v) {
  require(!is_zero(v), "a vector that is normalised is not zero");
  return inline_unit(v);
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
  const ScaledVector s = scale_vector(v);
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
