#pragma once

// Turrets and rounds of a world as they can be drawn, and where to aim. Thread-safety: that of the
// World (one thread each).

#include <cstdint>
#include <span>

#include <contrail/core/status.hpp>
#include <contrail/core/views.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::client {

/// Turret `index` of an entity at `time`, subticks: exact within the newest folded tick,
/// (world.time() - tick, world.time()]; ahead of it the newest pose. outside_window before that
/// tick and more than 8 s ahead, unknown_entity where the entity does not live at world.time() or
/// did not yet exist at `time`, out_of_range where its type has no such turret.
Status sample_turret(const sim::World& world, std::uint16_t entity, std::uint8_t index,
                     sim::Subtick time, const sim::Vec3& origin, TurretView& out);

/// Every round that flies at `time`, by burst, then round. What a hit ended flies on here until
/// its time is over: hits are in the log's health and outcomes. `origin` in length units.
Filled sample_rounds(const sim::World& world, sim::Subtick time, const sim::Vec3& origin,
                     std::span<RoundView> out);

/// Where turret `index` of `entity` has to aim at world.time() to meet `target` with a round.
/// Provisional: the target coasts on. unknown_entity where one of the two does not live or both are
/// the same, out_of_range where there is no such turret.
Status sample_lead(const sim::World& world, std::uint16_t entity, std::uint8_t index,
                   std::uint16_t target, const sim::Vec3& origin, LeadView& out);

}  // namespace contrail::client
