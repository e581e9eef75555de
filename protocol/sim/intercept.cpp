#include <contrail/sim/intercept.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>

namespace contrail::sim {
namespace {

/// The sign of a sum of squares, some of them negative, of up to eight numbers below 2^48: exact,
/// although the squares are not below 2^53. x = h 2^24 + l, 0 <= l < 2^24, |h| <= 2^24; of h^2, 2 h
/// l and l^2 each eight stay below 2^52.
class SquareSum {
 public:
  void add(std::int64_t x) {
    const std::int64_t h = x >> 24;
    const std::int64_t l = x & k_mask;
    high_ += h * h;
    middle_ += 2 * h * l;
    low_ += l * l;
  }
  void subtract(std::int64_t x) {
    const std::int64_t h = x >> 24;
    const std::int64_t l = x & k_mask;
    high_ -= h * h;
    middle_ -= 2 * h * l;
    low_ -= l * l;
  }
  void add(const WideVec3& v) {
    add(v.x);
    add(v.y);
    add(v.z);
  }
  void subtract(const WideVec3& v) {
    subtract(v.x);
    subtract(v.y);
    subtract(v.z);
  }
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const {
    const std::int64_t middle = middle_ + (low_ >> 24);
    const std::int64_t high = high_ + (middle >> 24);
    if (high != 0) {
      return high < 0 ? -1 : 1;
    }
    return (middle & k_mask) != 0 || (low_ & k_mask) != 0 ? 1 : 0;
  }

 private:
  static constexpr std::int64_t k_mask = (std::int64_t{1} << 24) - 1;
  std::int64_t high_ = 0;
  std::int64_t middle_ = 0;
  std::int64_t low_ = 0;
};

/// The least t in (low, high] for which `holds`, which is false at low, true at high and changes
/// once.
template <typename Predicate>
std::int64_t first_that(std::int64_t low, std::int64_t high, const Predicate& holds) {
  while (high - low > 1) {
    const std::int64_t middle = (low + high) >> 1;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

int bits(std::int64_t magnitude) {
  int n = 0;
  while ((magnitude >> n) != 0) {
    ++n;
  }
  return n;
}

/// The chase of a target of constant velocity, in lengths of 2^-(16 - j) and times of 2^j subticks:
/// all numbers are exact there.
class StraightChase {
 public:
  StraightChase(const ShotBallistics& shot, const WideVec3& way, const WideVec3& velocity)
      : velocity_(velocity), speed_(shot.speed) {
    const std::int64_t fastest = std::max(max_abs(velocity), speed_);
    const std::int64_t farthest = std::max(max_abs(way), std::int64_t{shot.muzzle});
    shift_ = std::max({0, bits(fastest) + bits(shot.max_flight_time) - 47, bits(farthest) - 31});
    way_ = way * (std::int64_t{65536} >> shift_);
    muzzle_ = std::int64_t{shot.muzzle} * (std::int64_t{65536} >> shift_);
    last_ = shot.max_flight_time >> shift_;
  }

  /// Whether a shot can have reached the target at t.
  [[nodiscard]] bool reached(std::int64_t t) const {
    SquareSum gap;
    gap.add(way_ + velocity_ * t);
    gap.subtract(muzzle_ + speed_ * t);
    return gap.sign() <= 0;
  }
  /// Whether |way|^2 - reach^2 is no smaller at t + 1 than at t.
  [[nodiscard]] bool rises(std::int64_t t) const {
    SquareSum change;
    change.add(way_ + velocity_ * (t + 1));
    change.subtract(muzzle_ + speed_ * (t + 1));
    change.subtract(way_ + velocity_ * t);
    change.add(muzzle_ + speed_ * t);
    return change.sign() >= 0;
  }
  /// Whether the target is faster than the shot: then the difference of squares is convex.
  [[nodiscard]] bool target_is_faster() const {
    SquareSum difference;
    difference.add(velocity_);
    difference.subtract(speed_);
    return difference.sign() > 0;
  }
  /// The first grid time at which the shot can have reached the target, or none.
  [[nodiscard]] std::optional<Subtick> meeting() const {
    const auto meets = [this](std::int64_t t) { return reached(t); };
    if (reached(0)) {
      return 0;
    }
    if (reached(last_)) {
      // Not reached at first, reached at last: a parabola crosses zero once between.
      return first_that(0, last_, meets) << shift_;
    }
    if (!target_is_faster() || rises(0) || !rises(last_ - 1)) {
      return std::nullopt;
    }
    const std::int64_t lowest =
        first_that(0, last_ - 1, [this](std::int64_t t) { return rises(t); });
    if (!reached(lowest)) {
      return std::nullopt;
    }
    return first_that(0, lowest, meets) << shift_;
  }

 private:
  WideVec3 way_;
  WideVec3 velocity_;
  std::int64_t speed_;
  std::int64_t muzzle_;
  int shift_;
  std::int64_t last_;
};

/// The chase of a target on a known path.
struct PathChase {
  const ShotBallistics& shot;
  Subtick fired;
  const PathView& path;

  [[nodiscard]] WideVec3 way(Subtick t) const {
    return WideVec3(path.at(fired + t)) - WideVec3(shot.pivot) - drift(shot.inherited, t);
  }
  [[nodiscard]] std::int64_t reach(Subtick t) const {
    return shot.muzzle + drift(std::int64_t{shot.speed}, t);
  }
  [[nodiscard]] bool reached(Subtick t) const {
    SquareSum gap;
    gap.add(way(t));
    gap.subtract(reach(t));
    return gap.sign() <= 0;
  }
  /// A time no later than the first meeting: the gap closes at `closing` at the most. At least
  /// k_stride ahead.
  [[nodiscard]] Subtick advanced(Subtick t, std::int64_t closing) const {
    const std::int64_t gap = length(way(t));
    // length() is good to 24 bits; positions, drift and reach are floored.
    const std::int64_t surely = gap - reach(t) - (gap >> 20) - 8;
    const std::int64_t ahead = std::clamp<std::int64_t>(surely, 0, k_far);
    return t + std::max(k_stride, floor_div(ahead << 15, (closing >> 1) + 1));
  }

  static constexpr Subtick k_stride = 64;
  static constexpr std::int64_t k_far = std::int64_t{1} << 35;
};

// Above this margin of speed the difference of gap and reach falls at every subtick, by more than
// rounding moves it: four length units a subtick.
constexpr std::int64_t k_surely_faster = 4 * k_subticks_per_second;

void check_shot(const ShotBallistics& shot) {
  require(shot.speed >= 1 && shot.speed <= k_max_speed, "a shot flies, at 10 km/s at the most");
  require(shot.muzzle >= 0, "a muzzle lies ahead of the pivot");
  require(shot.max_flight_time >= 1 && shot.max_flight_time <= std::int64_t{1} << 31,
          "a shot flies 1..2^31 subticks");
}

}  // namespace

std::optional<Intercept> intercept(const ShotBallistics& shot, const Vec3& position,
                                   const Vec3& velocity) {
  check_shot(shot);
  const WideVec3 way = WideVec3(position) - WideVec3(shot.pivot);
  const WideVec3 relative = WideVec3(velocity) - WideVec3(shot.inherited);
  const std::optional<Subtick> time = StraightChase(shot, way, relative).meeting();
  if (!time) {
    return std::nullopt;
  }
  return Intercept{*time, way + WideVec3(drift(relative.x, *time), drift(relative.y, *time),
                                         drift(relative.z, *time))};
}

std::optional<Intercept> intercept(const ShotBallistics& shot, Subtick fired, const PathView& path,
                                   std::int32_t max_speed) {
  check_shot(shot);
  const PathChase chase{shot, fired, path};
  const Subtick last = shot.max_flight_time;
  if (chase.reached(0)) {
    return Intercept{0, chase.way(0)};
  }
  const auto meets = [&chase](Subtick t) { return chase.reached(t); };
  const std::int64_t target = max_speed + length(WideVec3(shot.inherited));
  Subtick time = last;
  if (shot.speed - target > k_surely_faster) {
    if (!chase.reached(last)) {
      return std::nullopt;
    }
    time = first_that(0, last, meets);
  } else {
    const std::int64_t closing = shot.speed + target;
    Subtick before = 0;
    Subtick t = std::min(chase.advanced(0, closing), last);
    while (!chase.reached(t)) {
      if (t == last) {
        return std::nullopt;
      }
      before = t;
      t = std::min(chase.advanced(t, closing), last);
    }
    time = first_that(before, t, meets);
  }
  return Intercept{time, chase.way(time)};
}

Vec3 shot_velocity(const ShotBallistics& shot, const Vec3& bore) {
  return clamp(WideVec3(shot.inherited) + round24(WideVec3(bore) * std::int64_t{shot.speed}),
               k_max_speed);
}

}  // namespace contrail::sim
