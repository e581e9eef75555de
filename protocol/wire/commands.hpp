#pragma once

// What a client asks of the server. The log never carries commands, only what the server made of
// them; accepted ones are recorded as inputs, so that a match can be run again.

#include <cstdint>

#include <contrail/sim/units.hpp>

namespace contrail::wire {

enum class CommandKind : std::uint8_t { fire = 0 };
inline constexpr CommandKind k_last_command_kind = CommandKind::fire;

/// Launch one salvo.
struct FireCommand {
  std::uint16_t entity = 0;   // that fires
  std::uint16_t target = 0;   // entity
  std::uint8_t launcher = 0;  // index into the launchers of the entity's type
  sim::Subtick at = 0;        // wanted launch time; late ones launch as soon as they can
  bool operator==(const FireCommand&) const = default;
};

struct Command {
  std::uint32_t id = 0;  // the client's own, ascending
  CommandKind kind = CommandKind::fire;
  FireCommand fire;
  bool operator==(const Command&) const = default;
};

/// A command as the match took it: processed in tick `tick`, in order of (client, command id).
struct Input {
  std::uint32_t tick = 0;    // >= 1
  std::uint32_t client = 0;  // number of the client in the session
  Command command;
  bool operator==(const Input&) const = default;
};

enum class CommandStatus : std::uint8_t {
  launched = 0,
  refused_role,      // spectators do not command
  refused_entity,    // not there, gone, or not this client's
  refused_launcher,  // no such launcher
  refused_target,    // not there, gone, or itself
  refused_range,     // nearer than the weapon's minimum or beyond its maximum
  refused_reloading,
  refused_ammunition,
  refused_late,   // more than 250 ms after the wanted time
  refused_early,  // more than 1 s before the wanted time
  refused_limit,  // too many salvos or missiles in flight
  refused_busy,   // too many commands of one client in a tick
  refused_ended,  // the match is over
  refused_arc,    // outside the launcher's fire arc
  refused_lock,   // not long enough in the seeker's sight
  refused_team,   // of the same team
  refused_rules,  // the host's rules say no
};
inline constexpr CommandStatus k_last_command_status = CommandStatus::refused_rules;
/// A short English phrase, static storage.
const char* describe(CommandStatus status);

/// The server's answer to one command, to its sender only.
struct CommandResult {
  std::uint32_t id = 0;  // of the command
  CommandStatus status = CommandStatus::launched;
  std::uint32_t launch = 0;  // launch id when launched, else 0
  bool operator==(const CommandResult&) const = default;
};

}  // namespace contrail::wire
