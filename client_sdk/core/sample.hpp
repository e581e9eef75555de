#pragma once

// Samples of a world at any time of its kept window, written into arrays of the caller. Everything
// is evaluated from the log: nothing is interpolated between stored positions, and asking for one
// time never changes the answer for another. Thread-safety: that of the World (one thread each).

#include <cstdint>
#include <span>

#include <contrail/core/status.hpp>
#include <contrail/core/views.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::client {

/// May `time` be asked for: at most 8 s before what the world knows, at most 8 s after.
bool in_window(const sim::World& world, sim::Subtick time);

/// Every missile in flight at `time`, by launch id, then index. `origin` in length units.
Filled sample_missiles(const sim::World& world, sim::Subtick time, const sim::Vec3& origin,
                       std::span<MissileView> out);

/// Every entity that exists at `time`, by id. EntityView::health is the world's newest value.
Filled sample_entities(const sim::World& world, sim::Subtick time, const sim::Vec3& origin,
                       std::span<EntityView> out);

/// Every missile that was in flight at some instant of [from, to], by launch id, then index: the
/// ones that have a trail to draw. from <= to, `to` inside the window; what is older than the
/// window does not count.
Filled sample_trail_ids(const sim::World& world, sim::Subtick from, sim::Subtick to,
                        std::span<MissileId> out);

/// Which instants of a flight a trail shows.
struct TrailRange {
  sim::Subtick from = 0;     // oldest, subticks; at most 8 s before the newest folded tick count
  sim::Subtick to = 0;       // newest, >= from, inside the window
  sim::Subtick step = 2048;  // subticks between points, >= 1
};

/// One missile's path over a range, newest first: the head (at `to`, or where the missile ended
/// before), then every whole multiple of `step` below it, then the launch point if it is younger
/// than `from`. Points lie on a grid of the session, not of the frame, so smoke stands still while
/// the head moves on, and every client draws the same points.
/// Empty where the missile was not in flight in the range.
Filled sample_trail(const sim::World& world, MissileId missile, const TrailRange& range,
                    const sim::Vec3& origin, std::span<TrailPoint> out);

/// Where a missile is at `time`, exactly, length units; launch and end included, so the time of an
/// impact event gives the point of the impact. unknown_missile also before the launch, after the
/// end.
Status exact_missile_position(const sim::World& world, MissileId missile, sim::Subtick time,
                              sim::Vec3& out);
/// Where an entity is at `time`, exactly, and how it is oriented. unknown_entity also where it does
/// not exist at that time.
Status exact_entity_pose(const sim::World& world, std::uint16_t entity, sim::Subtick time,
                         sim::Pose& out);

}  // namespace contrail::client
