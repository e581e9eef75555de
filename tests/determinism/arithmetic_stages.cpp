#include "arithmetic_stages.hpp"

#include <contrail/sim/arith.hpp>
#include <contrail/sim/trig.hpp>
#include <contrail/support/random_log.hpp>

namespace contrail::battery {
namespace {

using support::Dice;

/// In [-2^bits, 2^bits], small magnitudes as likely as large ones.
std::int64_t graded(Dice& dice, int bits) {
  const std::int64_t limit = std::int64_t{1} << bits;
  const std::int64_t value = dice.between(-limit, limit);
  return value >> dice.between(0, bits);
}

sim::Hash64 rounding() {
  Dice dice(1);
  sim::Hash64 hash;
  for (int i = 0; i < 8'000; ++i) {
    const std::int64_t x = graded(dice, 51);
    hash.add_signed(sim::round24(x));
    // Beside and on the halves, where rounding decides.
    const std::int64_t half = graded(dice, 27) * (1 << 24) + (1 << 23);
    for (const std::int64_t beside : {half - 1, half, half + 1}) {
      hash.add_signed(sim::round24(beside));
    }
    hash.add_signed(sim::floor_div(x, dice.between(1, (1 << 27) - 1)));
    const int k = static_cast<int>(dice.between(0, 20));
    const std::int64_t t = dice.between(0, std::int64_t{1} << k);
    const std::int64_t a = graded(dice, 31);
    hash.add_signed(sim::lerp(a, graded(dice, 31), t, k));
    const std::int64_t velocity = graded(dice, 26);
    hash.add_signed(sim::drift(velocity, graded(dice, 36)));
    hash.add_signed(sim::isqrt(x < 0 ? -x : x));
    const sim::WideVec3 v(a, graded(dice, 31), x >> 20);
    hash.add_vector(sim::shift_right(v, k));
    hash.add_signed(sim::length(v));
    const sim::Vec3 direction = sim::unit_or(v, sim::Vec3(0, 0, sim::k_one));
    hash.add_vector(sim::WideVec3(direction));
    hash.add_vector(sim::along(direction, a < 0 ? -a : a));
  }
  return hash;
}

sim::Hash64 trig() {
  Dice dice(2);
  sim::Hash64 hash;
  for (int i = 0; i < 8'000; ++i) {
    const auto angle = static_cast<std::int32_t>(dice.next() & 0xFFFF'FFFFU);
    hash.add_signed(sim::sin_angle(angle));
    hash.add_signed(sim::cos_angle(angle));
    const std::int64_t y = graded(dice, 51);
    hash.add_signed(sim::atan2_angle(y, graded(dice, 51)));
  }
  return hash;
}

}  // namespace

void arithmetic_stages(Stages& stages) {
  stages.push_back({"rounding", rounding()});
  stages.push_back({"trig", trig()});
}

}  // namespace contrail::battery
