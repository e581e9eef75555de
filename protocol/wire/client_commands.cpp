#include <contrail/wire/client_commands.hpp>

#include <algorithm>
#include <utility>

namespace contrail::wire {

std::optional<std::uint32_t> ClientCommands::add(Command command) {
  if (open_.size() >= k_max_open_commands) return std::nullopt;
  // The server remembers the newest ids only; one whose answer is late must stay among them.
  if (!open_.empty() && next_id_ - open_.front().command.id >= k_command_memory) {
    return std::nullopt;
  }
  Open entry;
  entry.command = std::move(command);
  entry.command.id = next_id_++;
  open_.push_back(entry);
  return entry.command.id;
}

std::vector<Command> ClientCommands::due(Nanoseconds now, Nanoseconds resend_after) {
  std::vector<Command> out;
  for (Open& entry : open_) {
    if (entry.sent && now - entry.last_sent < resend_after) continue;
    entry.sent = true;
    entry.last_sent = now;
    out.push_back(entry.command);
  }
  return out;
}

void ClientCommands::answered(const CommandResult& result) {
  const auto it = std::find_if(open_.begin(), open_.end(),
                               [&](const Open& entry) { return entry.command.id == result.id; });
  if (it == open_.end()) return;
  open_.erase(it);
  results_.push_back(result);
}

std::optional<CommandResult> ClientCommands::take_result() {
  if (results_.empty()) return std::nullopt;
  const CommandResult result = results_.front();
  results_.pop_front();
  return result;
}

}  // namespace contrail::wire
