#pragma once

// Does a missile still follow its target: what homing adds to its flight, against the weapon's
// limits. The exact test is one missile's; a bound passes a whole salvo at once.

#include <array>
#include <cstdint>

#include <contrail/sim/world.hpp>

namespace contrail::server {

/// Locks are tested at ticks whose time is a multiple of this, or of the tick where that is longer.
inline constexpr sim::Subtick k_lock_test_interval = 4096;

/// Right, up and forward, Q24.
using Axes = std::array<sim::WideVec3, 3>;

/// An entity at a lock test and one and two back steps before.
struct TargetMotion {
  std::array<sim::Vec3, 3> position;  // length units
  std::array<Axes, 3> axes;
  std::int64_t turn = 0;         // Q24, largest change of an axis of its basis over one back step
  std::int64_t turn_twice = 0;   // Q24, over two
  std::int64_t turn_change = 0;  // Q24, largest second difference
  std::int64_t aim_reach = 0;    // length units per axis, of any aim offset
};
TargetMotion target_motion(const sim::World& world, const sim::Entity& entity, sim::Subtick at);

/// The announced target of a salvo against where it was expected, without aim offset.
struct AnnouncedGap {
  std::array<sim::WideVec3, 3>
      gap;        // length units; at the lock test, one and two back steps before
  Axes expected;  // of the target's frozen basis
};
AnnouncedGap announced_gap(const sim::Salvo& salvo, const TargetMotion& target, sim::Subtick at);

/// The homing term of one missile's lock at a lock test: gap, and term now and one and two back
/// steps before. Length units.
struct HomingSample {
  sim::WideVec3 gap{0};
  std::array<sim::WideVec3, 3> term{sim::WideVec3(0), sim::WideVec3(0), sim::WideVec3(0)};
};
/// Of a missile still locked on its announced target; compiles no flight.
HomingSample first_lock_sample(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                               const TargetMotion& target, const AnnouncedGap& announced,
                               sim::Subtick at);
/// Of any lock in force.
HomingSample lock_sample(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                         sim::Subtick at);

/// Extra speed, extra acceleration or displacement beyond the weapon's limits.
bool exceeds_limits(const HomingSample& sample, const sim::Weapon& weapon);
/// True: no missile of the salvo that is locked on the announced target exceeds its limits at this
/// test. False: not known.
bool whole_salvo_holds(const sim::World& world, const sim::Salvo& salvo, const TargetMotion& target,
                       const AnnouncedGap& announced);

}  // namespace contrail::server
