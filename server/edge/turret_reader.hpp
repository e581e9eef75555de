#pragma once

// [[type.turret]] of a scenario file: mounts that turn, and their guns.

#include <vector>

#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/decimal.hpp>
#include <contrail/edge/table_reader.hpp>

#include <contrail/sim/scenario.hpp>
#include <contrail/sim/turret.hpp>

namespace contrail::server {

/// Turret angles, and what an axis turns in a second.
inline constexpr Unit k_turret_degrees{"degrees", sim::k_turret_turn, 360};
inline constexpr Unit k_turret_speed{"degrees/s", sim::k_turret_turn, 360};
inline constexpr Unit k_turret_acceleration{"degrees/s^2", sim::k_turret_turn, 360};

/// yaw, pitch and roll of a table, in degrees, as axes of the body.
sim::Basis read_orientation(TableReader& reader);

/// The turrets of a type's table. Problems are added; values they concern are harmless ones.
void read_turrets(TableReader& type, std::vector<sim::Turret>& turrets, ConfigProblems& problems);

}  // namespace contrail::server
