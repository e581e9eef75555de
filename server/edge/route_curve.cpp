#include <contrail/edge/route_curve.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>

namespace contrail::server {

namespace {

using sim::WideVec3;

constexpr int k_length_segments = 32;
constexpr int k_speed_samples = 64;

}  // namespace

std::int64_t divide(Int128 numerator, Int128 denominator) {
  const Int128 doubled = 2 * numerator + denominator;
  Int128 quotient = doubled / (2 * denominator);
  if (doubled % (2 * denominator) < 0) --quotient;
  return static_cast<std::int64_t>(quotient);
}

WideVec3 RouteCurve::position(std::int64_t j, std::int64_t n) const {
  const Int128 jj = Int128{j} * j;
  const Int128 rise = jj * (3 * n - 2 * j);
  const Int128 start = Int128{j} * (n - j) * (n - j);
  const Int128 end = jj * (j - n);
  const Int128 nn = Int128{n} * n;
  WideVec3 result{0};
  for (int axis = 0; axis < 3; ++axis) {
    const Int128 chord = Int128{std::int64_t{p1[axis]} - p0[axis]} * rise * 65536;
    const Int128 swing = (v0[axis] * start + v1[axis] * end) * duration;
    result[axis] = p0[axis] + divide(chord + swing, nn * n * 65536);
  }
  return result;
}

WideVec3 RouteCurve::velocity(std::int64_t j, std::int64_t n) const {
  const Int128 nn = Int128{n} * n;
  const Int128 start = nn - Int128{4} * j * n + Int128{3} * j * j;
  const Int128 end = Int128{3} * j * j - Int128{2} * j * n;
  WideVec3 result{0};
  for (int axis = 0; axis < 3; ++axis) {
    const Int128 chord = Int128{std::int64_t{p1[axis]} - p0[axis]} * 6 * j * (n - j) * 65536;
    const Int128 swing = (v0[axis] * start + v1[axis] * end) * duration;
    result[axis] = divide(chord + swing, nn * duration);
  }
  return result;
}

WideVec3 RouteCurve::end_acceleration(bool at_end) const {
  WideVec3 result{0};
  for (int axis = 0; axis < 3; ++axis) {
    const Int128 chord = Int128{std::int64_t{p1[axis]} - p0[axis]} * (at_end ? -6 : 6) * 65536;
    const Int128 swing =
        Int128{v0[axis]} * (at_end ? 2 : -4) + Int128{v1[axis]} * (at_end ? 4 : -2);
    result[axis] = divide((chord + swing * duration) * 65536, Int128{duration} * duration);
  }
  return result;
}

std::int64_t RouteCurve::arc_length() const {
  std::int64_t sum = 0;
  WideVec3 last(p0);
  for (int j = 1; j <= k_length_segments; ++j) {
    const WideVec3 here = position(j, k_length_segments);
    sum += sim::length(here - last);
    last = here;
  }
  return sum;
}

std::int64_t RouteCurve::top_speed() const {
  std::int64_t top = 0;
  for (int j = 0; j <= k_speed_samples; ++j) {
    top = std::max(top, sim::length(velocity(j, k_speed_samples)));
  }
  return top;
}

}  // namespace contrail::server
