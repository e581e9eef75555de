#include <contrail/wire/commands.hpp>

namespace contrail::wire {

const char* describe(CommandStatus status) {
  switch (status) {
    case CommandStatus::launched:
      return "launched";
    case CommandStatus::refused_role:
      return "senders of this role do not command that";
    case CommandStatus::refused_entity:
      return "the entity is not there or not this client's";
    case CommandStatus::refused_launcher:
      return "the entity has no such launcher";
    case CommandStatus::refused_target:
      return "the target is not there or is the launcher itself";
    case CommandStatus::refused_range:
      return "the target is out of the weapon's range";
    case CommandStatus::refused_reloading:
      return "the launcher is reloading";
    case CommandStatus::refused_ammunition:
      return "the launcher has no missiles left";
    case CommandStatus::refused_late:
      return "the wanted time is too long ago";
    case CommandStatus::refused_early:
      return "the wanted time is too far ahead";
    case CommandStatus::refused_limit:
      return "too many missiles in flight, or too much for one tick";
    case CommandStatus::refused_busy:
      return "too many commands in one tick";
    case CommandStatus::refused_ended:
      return "the match is over";
    case CommandStatus::refused_arc:
      return "the target is outside the launcher's fire arc";
    case CommandStatus::refused_lock:
      return "the target was not in the seeker's sight for long enough";
    case CommandStatus::refused_team:
      return "the target is of the same team";
    case CommandStatus::refused_rules:
      return "the rules of this match do not allow it";
    case CommandStatus::taken:
      return "taken";
    case CommandStatus::refused_stale:
      return "a newer command for the same entity came before";
    case CommandStatus::refused_salvo:
      return "no such salvo is in flight, or it is not this client's";
    case CommandStatus::refused_decoys:
      return "the entity has no decoys to throw";
    case CommandStatus::refused_speed:
      return "faster than the entity's type can fly or turn";
    case CommandStatus::refused_type:
      return "there is no such entity type";
    case CommandStatus::refused_full:
      return "there is no room for another entity";
    case CommandStatus::refused_value:
      return "a part of the command is outside its range";
  }
  return "unknown status";
}

}  // namespace contrail::wire
