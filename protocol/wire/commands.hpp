#pragma once

// What a client asks of the server. The log never carries commands, only what the server made of
// them; accepted ones are recorded as inputs, so that a match can be run again.

#include <cstdint>
#include <vector>

#include <contrail/sim/flight_model.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::wire {

/// Clients send the kinds up to `drive`; the rest is the host's, which runs the match.
enum class CommandKind : std::uint8_t {
  fire = 0,
  steer,
  release,
  self_destruct,
  drive,
  spawn,
  despawn,
  custom
};
inline constexpr CommandKind k_last_client_kind = CommandKind::drive;
inline constexpr CommandKind k_last_command_kind = CommandKind::custom;
/// Its number as a sender of inputs.
inline constexpr std::uint32_t k_host_client = 0xFFFF'FFFF;

/// Launch one salvo.
struct FireCommand {
  std::uint16_t entity = 0;   // that fires
  std::uint16_t target = 0;   // entity
  std::uint8_t launcher = 0;  // index into the launchers of the entity's type
  sim::Subtick at = 0;        // wanted launch time; late ones launch as soon as they can
  bool operator==(const FireCommand&) const = default;
};

/// Fly like this until another command says otherwise.
struct SteerCommand {
  std::uint16_t entity = 0;
  sim::Steer steer;     // value: each axis within +-2^30; 0 with coast
  sim::Subtick at = 0;  // when the pilot wanted it
  bool operator==(const SteerCommand&) const = default;
};

/// Throw decoys out of an entity's dispenser.
struct ReleaseCommand {
  std::uint16_t entity = 0;
  sim::Subtick at = 0;
  bool operator==(const ReleaseCommand&) const = default;
};

/// Blow up what still flies of a salvo; missiles still to be launched follow when they are.
struct SelfDestructCommand {
  std::uint32_t salvo = 0;  // launch id
  sim::Subtick at = 0;
  bool operator==(const SelfDestructCommand&) const = default;
};

/// Where an entity is that somebody else moves. Send one each tick.
struct DriveCommand {
  std::uint16_t entity = 0;
  sim::Vec3 position{0};  // length units, at the end of the tick that takes it
  sim::Vec3 velocity{0};  // length units per second
  sim::Subtick at = 0;
  bool operator==(const DriveCommand&) const = default;
};

struct Command {
  std::uint32_t id = 0;  // the client's own, ascending over all kinds
  CommandKind kind = CommandKind::fire;
  // Of the kind's own member only; the others hold their defaults.
  FireCommand fire = {};
  SteerCommand steer = {};
  ReleaseCommand release = {};
  SelfDestructCommand self_destruct = {};
  DriveCommand drive = {};
  sim::Spawn spawn = {};  // entity 0: the match gives the id
  std::uint16_t despawn = 0;
  sim::Custom custom = {};
  bool operator==(const Command&) const = default;
};

/// A command as the match took it: processed in tick `tick`, in order of (client, command id).
struct Input {
  std::uint32_t tick = 0;    // >= 1
  std::uint32_t client = 0;  // number of the client in the session, or k_host_client
  Command command;
  bool operator==(const Input&) const = default;
};

enum class CommandStatus : std::uint8_t {
  launched = 0,
  refused_role,      // spectators do not command, and players not what is the host's
  refused_entity,    // not there, gone, or not this client's
  refused_launcher,  // no such launcher
  refused_target,    // not there, gone, or itself
  refused_range,     // nearer than the weapon's minimum or beyond its maximum
  refused_reloading,
  refused_ammunition,
  refused_late,    // more than 250 ms after the wanted time
  refused_early,   // more than 1 s before the wanted time
  refused_limit,   // too many salvos or missiles in flight, or too much for one tick
  refused_busy,    // too many commands of one client in a tick
  refused_ended,   // the match is over
  refused_arc,     // outside the launcher's fire arc
  refused_lock,    // not long enough in the seeker's sight
  refused_team,    // of the same team
  refused_rules,   // the host's rules say no
  taken,           // accepted, and not a launch
  refused_stale,   // a newer command for the same entity came before it
  refused_salvo,   // no such salvo in flight, or not this client's
  refused_decoys,  // no decoys to throw
  refused_speed,   // faster than the entity's type can fly or turn
  refused_type,    // no such entity type
  refused_full,    // no room for another entity
  refused_value,   // a part of it is outside its range
};
inline constexpr CommandStatus k_last_command_status = CommandStatus::refused_value;
constexpr bool is_accepted(CommandStatus status) {
  return status == CommandStatus::launched || status == CommandStatus::taken;
}
/// A short English phrase, static storage.
const char* describe(CommandStatus status);

/// The server's answer to one command, to its sender only.
struct CommandResult {
  std::uint32_t id = 0;  // of the command
  CommandStatus status = CommandStatus::launched;
  /// launched: the launch id. taken: the tick that took it, of a spawn the new entity. Else 0.
  std::uint32_t launch = 0;
  bool operator==(const CommandResult&) const = default;
};

}  // namespace contrail::wire
