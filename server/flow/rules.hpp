#pragma once

// The rules of the game that are not physics: who is an enemy, what a hit costs.

#include <cstdint>

#include <contrail/sim/world.hpp>

namespace contrail::server {

/// Entities of other teams are enemies; team 0 is nobody's.
inline bool is_enemy(const sim::Entity& a, const sim::Entity& b) {
  return a.team != b.team && a.team != 0 && b.team != 0;
}

/// Hit points a missile of this weapon takes from whatever it hits, friend or foe.
inline std::uint16_t damage_of(const sim::Weapon& weapon) {
  return weapon.damage;
}

}  // namespace contrail::server
