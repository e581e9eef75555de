#pragma once

// The first subtick at which a missile touches one body, or stops touching it, inside one tick.
// Bisection on the subticks: intervals are ruled out by certificates that hold for every subtick in
// them, and the rest is evaluated exactly.

#include <optional>
#include <vector>

#include <contrail/flow/body_tick.hpp>
#include <contrail/flow/missile_course.hpp>
#include <contrail/flow/motion_bound.hpp>
#include <contrail/sim/hit.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

/// Counts for benchmarks and tests; they decide nothing.
struct SearchCounters {
  std::uint64_t evaluations = 0;
};

/// A missile in the world's next tick, at subticks [first, last] of it.
class MissileMotion {
 public:
  /// `error_percent`: test seam, 100 in a conforming resolver; less makes certificates lie.
  MissileMotion(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                sim::Subtick first, sim::Subtick last, int error_percent = 100);

  [[nodiscard]] sim::Vec3 position(sim::Subtick t) const {
    return world_.missile_position(salvo_, index_, t);
  }
  /// Largest distance from the straight line between the positions at a and b, both inside one
  /// piece of the flight; length units.
  [[nodiscard]] std::int64_t deviation(sim::Subtick a, sim::Subtick b, const sim::WideVec3& at_a,
                                       const sim::WideVec3& at_b) const;
  /// The end of the flight piece that t lies in, at most last.
  [[nodiscard]] sim::Subtick piece_end(sim::Subtick t) const;
  [[nodiscard]] const sim::World& world() const { return world_; }
  [[nodiscard]] const sim::Weapon& weapon() const { return weapon_; }
  [[nodiscard]] sim::Subtick first() const { return first_; }
  [[nodiscard]] sim::Subtick last() const { return last_; }
  [[nodiscard]] int error_percent() const { return error_percent_; }

 private:
  /// The term of the lock in force.
  struct Homing {
    bool smooth = true;          // second-order bounds hold
    std::int64_t gap = 0;        // largest, length units
    std::int64_t gap_speed = 0;  // without rotation, length units per second
    Arc track;                   // of the target
    Spin spin;                   // of the target
    Arm arm;                     // of the aim offset
    sim::Subtick window = 1;     // subticks of the ramp
  };
  void look_at_target(const sim::LockInForce& lock);
  [[nodiscard]] const Arc& arc_at(sim::Subtick t) const;

  const sim::World& world_;
  const sim::Salvo& salvo_;
  std::uint8_t index_;
  const sim::Weapon& weapon_;
  sim::Subtick first_;
  sim::Subtick last_;
  int error_percent_;
  sim::Subtick launched_ = 0;
  std::int64_t kept_speed_ = 0;  // length units per second
  bool locked_ = false;
  Homing homing_;
  mutable int arc_piece_ = -1;
  mutable Arc arc_;
};

/// A course over a part of the tick stays clear of the hull: certain, without a compiled flight.
bool apart(const Course& course, const BodyTick& body, const sim::Weapon& weapon);
/// A departing missile stays clear of the hull from its launch on, through the departure's span.
bool departs_clear(const Departure& departure, const BodyTick& body, const sim::Weapon& weapon);

/// First subtick of [from, missile.last()] at which the missile touches the hull (`touching`) or
/// does not. from >= missile.first().
std::optional<sim::Subtick> first_on_hull(const MissileMotion& missile, const HullMotion& hull,
                                          bool touching, sim::Subtick from,
                                          SearchCounters& counters);
/// First touch of a static capsule, world axes.
std::optional<sim::Subtick> first_on_obstacle(const MissileMotion& missile,
                                              const sim::HullPart& obstacle,
                                              SearchCounters& counters);
/// First touch of the ground.
std::optional<sim::Subtick> first_on_ground(const MissileMotion& missile, SearchCounters& counters);

}  // namespace contrail::server
