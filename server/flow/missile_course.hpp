#pragma once

// Where a missile can be over some span of time, without compiling its flight: around a straight
// line between two points of its base curve, homing included.

#include <array>
#include <cstdint>
#include <vector>

#include <contrail/flow/body_tick.hpp>
#include <contrail/flow/horizon.hpp>
#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

/// What all missiles of a salvo have in common.
struct SalvoHeader {
  sim::Launch launch;
  sim::Vec3 target_position{0};  // at t0
  sim::Vec3 target_velocity{0};
  std::array<sim::Vec3, 3> target_axes;  // right, up, forward of its frozen basis, Q24
  std::uint64_t inverse_duration = 0;    // 2^62 / duration of a flight
  std::int64_t smoothing = 0;  // 3 / (2 pieces^2), Q20, rounded up: MARGINS.md, "B-spline"
  std::uint32_t id = 0;
  std::uint32_t left = 0;            // missiles alive
  std::vector<std::uint32_t> slots;  // of its missiles, by index; k_no_slot: ended
};
inline constexpr std::uint32_t k_no_slot = 0xFFFF'FFFF;
/// All but the slots.
SalvoHeader salvo_header(const sim::Salvo& salvo);

/// One live missile as the resolver keeps it. Two cache lines: windows wait for memory.
struct alignas(32) HotMissile {
  sim::Cubic base{};           // length units
  sim::Vec3 offset{0};         // aim offset on the announced target, body axes, length units
  std::int32_t amplitude = 0;  // length units
  std::int32_t bend = 0;       // largest second difference of base, 16 length units
  std::int32_t step = 0;       // largest first difference of base, 16 length units
  std::uint32_t header = 0;    // of its salvo, in the store
  std::uint32_t free_after = k_no_slot;     // subticks after launch when it was off its launcher
  std::uint32_t generation = 0;             // of the slot
  std::uint32_t next_window = 0;            // tick
  std::uint16_t target = sim::k_no_entity;  // locked on
  std::uint8_t index = 0;
  std::uint8_t events = 0;  // guidance events so far
};
static_assert(sizeof(HotMissile) == 96);
HotMissile hot_missile(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index);

/// A moving ball: its centre goes straight from `from` (at begin) to `to` (at end).
struct Course {
  sim::Subtick begin = 0;
  sim::Subtick end = 0;
  sim::WideVec3 from{0};    // length units
  sim::WideVec3 to{0};      // length units
  std::int64_t radius = 0;  // length units
};

/// The part of a flight that a course is made for.
struct CourseQuery {
  const sim::World& world;
  const SalvoHeader& salvo;
  const HotMissile& missile;
  const Horizon* target = nullptr;        // of the locked target, null: not locked
  const BodyTick* in_tick = nullptr;      // the same, where the query is about the tick searched
  const sim::EntityType* type = nullptr;  // of the locked target
  sim::LockInForce lock{};                // with events only
  sim::Subtick lock_time = 0;             // the time `lock` is as of
  sim::Vec3 end_point{0};                 // of the flight, with events only
  sim::Subtick horizon_begin = 0;         // the time `target` is as of
  sim::Subtick begin = 0;                 // >= horizon_begin, >= launch
  sim::Subtick end = 0;                   // <= the flight's end
  sim::Subtick launched = 0;              // the missile
  sim::Subtick flight_end = 0;
  int log2_tick = 0;
};
/// Of a missile without a lock, no times asked for yet.
CourseQuery course_query(const sim::World& world, const SalvoHeader& salvo,
                         const HotMissile& missile);
Course course_of(const CourseQuery& query);
/// How a missile leaves: within growth * (T - launch)^2 / span^2 of
/// start + way * (T - launch) / span, for T up to span subticks after its launch.
struct Departure {
  bool known = false;  // else nothing is promised
  sim::Subtick launched = 0;
  sim::Subtick span = 1;
  sim::WideVec3 start{0};   // length units
  sim::WideVec3 way{0};     // length units
  std::int64_t growth = 0;  // length units, roundings not included
};
/// For a query that begins at the launch.
Departure departure_of(const CourseQuery& query);
/// Of an entity whose horizon is as of `now`, begin >= now.
Course course_of(const Horizon& horizon, int log2_tick, sim::Subtick now, sim::Subtick begin,
                 sim::Subtick end);
/// Of an entity in the tick searched, begin .. end inside it.
Course course_of(const BodyTick& body, sim::Subtick begin, sim::Subtick end);

/// The times at which two courses over the same span may be within `distance` of each other.
struct Meeting {
  bool possible = false;
  sim::Subtick first = 0;
  sim::Subtick last = 0;
};
Meeting meeting(const Course& a, const Course& b, std::int64_t distance);

}  // namespace contrail::server
