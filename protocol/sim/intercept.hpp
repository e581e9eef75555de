#pragma once

// Lead: when and where a shot meets what moves. All decisions are exact on a grid of subticks;
// SPEC.md, "Turrets", is the definition.

#include <cstdint>
#include <optional>

#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// A shot flies straight from the muzzle. It starts `muzzle` ahead of the pivot on the line of its
/// bore, at `speed` relative to what it inherits.
struct ShotBallistics {
  Vec3 pivot{0};                // length units, at the moment of firing
  Vec3 inherited{0};            // length units per second: the platform's velocity, or zero
  std::int32_t speed = 0;       // length units per second, 1..k_max_speed
  std::int32_t muzzle = 0;      // length units, at least 0
  Subtick max_flight_time = 0;  // subticks, 1..2^31
};

/// The first meeting of a shot with its target.
struct Intercept {
  Subtick time = 0;  // subticks after firing; 0: the target is within the muzzle's length
  WideVec3 way{0};   // length units, from the pivot along the bore; zero only at time 0
};

/// With a target of constant velocity. The first time on the grid at which a shot could have
/// reached it, none up to max_flight_time: |p + v T| <= muzzle + speed T, decided exactly. The
/// grid is one subtick, coarser (2^j) only beyond about 2^47 = relative speed times flight time,
/// lengths times 65,536.
std::optional<Intercept> intercept(const ShotBallistics& shot, const Vec3& position,
                                   const Vec3& velocity);

/// What a target's path looks like to the solver: a pure function of absolute time. Refers to the
/// callable it was made from.
class PathView {
 public:
  template <typename Path>
  explicit PathView(const Path& path)
      : path_(&path), position_([](const void* p, Subtick t) {
          return static_cast<const Path*>(p)->operator()(t);
        }) {}
  [[nodiscard]] Vec3 at(Subtick t) const { return position_(path_, t); }

 private:
  const void* path_;
  Vec3 (*position_)(const void*, Subtick);
};

/// With a target on a known path: of a track, of a missile. `fired` is the absolute time of firing,
/// max_speed (length units per second) the fastest the target ever moves. The first time at which
/// the shot could have reached it; where the target may be faster than the shot, two meetings
/// within 64 subticks may be taken for one.
std::optional<Intercept> intercept(const ShotBallistics& shot, Subtick fired, const PathView& path,
                                   std::int32_t max_speed);

/// The velocity of a shot fired along a unit bore (Q24), length units per second; within 10 km/s an
/// axis.
Vec3 shot_velocity(const ShotBallistics& shot, const Vec3& bore);

}  // namespace contrail::sim
