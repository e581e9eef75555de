#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <contrail/sim/scenario.hpp>

namespace contrail::client {

/// One line of the weapon table, as a game shows it.
struct WeaponInfo {
  std::string name;
  std::uint32_t art = 0;     // the host's own number: which model, smoke, sound
  float radius = 0.0F;       // metres, of the missile's own sphere
  std::uint16_t damage = 0;  // hit points
};

/// One way an entity of a type can fire: the value of FireRequest::launcher is its index.
struct LauncherInfo {
  std::string name;
  std::uint8_t weapon = 0;  // index into SessionInfo::weapons
  std::uint8_t salvo = 0;   // missiles per launch
  bool on_command = true;   // fires only when told to; others fire by themselves as well
};

struct EntityTypeInfo {
  std::string name;
  std::uint32_t art = 0;         // the host's own number: which model
  std::uint16_t hit_points = 0;  // of an undamaged one
  std::vector<LauncherInfo> launchers;
};

/// What is known of a session once it has been joined. Does not change while it lasts.
struct SessionInfo {
  std::uint64_t session_id = 0;
  std::string scenario;          // its name
  std::string fingerprint;       // of the exact arithmetic, 16 hex digits; the server's and ours
  std::int64_t tick_length = 0;  // subticks of one server step
  std::vector<WeaponInfo> weapons;
  std::vector<EntityTypeInfo> entity_types;
};

/// The compiled scenario in the words above; ids and fingerprint are left to the caller.
SessionInfo session_info_of(const sim::Scenario& scenario);

}  // namespace contrail::client
