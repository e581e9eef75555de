#pragma once

// A client's unanswered commands: sent until the server answers.

#include <deque>
#include <optional>
#include <vector>

#include <contrail/wire/commands.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

class ClientCommands {
 public:
  /// The new command's id, which takes the place of the given one; or nothing when
  /// k_max_open_commands are unanswered or the oldest of them is k_command_memory ids old.
  std::optional<std::uint32_t> add(Command command);
  /// Commands to send now: never sent, or `resend_after` ago. Counted as sent.
  std::vector<Command> due(Nanoseconds now, Nanoseconds resend_after);
  /// An answer; repeated and unknown ones are ignored.
  void answered(const CommandResult& result);
  std::optional<CommandResult> take_result();

 private:
  struct Open {
    Command command;
    bool sent = false;
    Nanoseconds last_sent = 0;
  };
  std::uint32_t next_id_ = 1;
  std::vector<Open> open_;  // ascending ids
  std::deque<CommandResult> results_;
};

}  // namespace contrail::wire
