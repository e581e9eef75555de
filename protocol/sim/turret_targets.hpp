#pragma once

// Which turret takes which target: pure functions over numbers that the caller has found out.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// How much sooner another target has to hit before a turret leaves the one it has, subticks.
inline constexpr Subtick k_switch_margin = k_subticks_per_second / 4;

/// Something that may be shot at.
struct Threat {
  std::uint64_t id = 0;             // unique; the last criterion of every ranking
  Subtick impact = 0;               // subticks until it hits the own side; k_no_impact: it will not
  std::int32_t shots_wanted = 1;    // how many shots are enough for it
  std::int32_t shots_assigned = 0;  // in flight, or of turrets that aim at it
};
inline constexpr Subtick k_no_impact = Subtick{1} << 40;

/// What one turret can do about one threat.
struct TurretOption {
  std::size_t threat = 0;  // index into the threats
  bool in_arc = false;     // the lead exists and lies between the stops
  std::int64_t range = 0;  // length units, to the meeting
  Subtick ready = 0;       // subticks until the turret bears and is loaded
  Subtick flight = 0;      // subticks a shot then flies
};

/// The option whose threat hits soonest; of equal ones the nearest, then the smallest id. No
/// options are those out of the arc, those whose shots would come after the impact, and those whose
/// threat has all the shots it wants. `current` (an index into the threats) is kept while it is an
/// option and none hits sooner by k_switch_margin; what this turret itself assigned to it must not
/// be counted. Returns an index into the options.
std::optional<std::size_t> choose_target(std::span<const Threat> threats,
                                         std::span<const TurretOption> options,
                                         std::optional<std::size_t> current);

/// One turret that wants a target.
struct TurretRequest {
  std::vector<TurretOption> options;
  std::optional<std::size_t> current;  // index into the threats
  std::int32_t shots = 1;              // of one burst
};
/// Targets for several turrets: first those that keep the one they have, then the others, each in
/// the given order. What one takes is assigned before the next chooses, so a salvo is shared out
/// and nothing is shot at twice without need. An index into the threats each.
std::vector<std::optional<std::size_t>> share_out(std::vector<Threat> threats,
                                                  std::span<const TurretRequest> turrets);

}  // namespace contrail::sim
