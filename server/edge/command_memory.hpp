#pragma once

// What the server remembers of one client's commands, so that a repeated one acts once and is
// answered alike.

#include <array>
#include <cstdint>

#include <contrail/wire/commands.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::server {

class CommandMemory {
 public:
  enum class Seen : std::uint8_t {
    never,      // new
    waiting,    // taken, not answered yet
    answered,   // see result()
    forgotten,  // older than the last k_command_memory ids
  };
  [[nodiscard]] Seen look_up(std::uint32_t id) const {
    if (id == 0 || (newest_ >= wire::k_command_memory && id <= newest_ - wire::k_command_memory)) {
      return Seen::forgotten;
    }
    const Entry& entry = entries_[id % wire::k_command_memory];
    if (entry.id != id) return Seen::never;
    return entry.answered ? Seen::answered : Seen::waiting;
  }
  /// Requires look_up(id) == never.
  void take(std::uint32_t id) {
    if (id > newest_) newest_ = id;
    entries_[id % wire::k_command_memory] = {id, false, {}};
  }
  /// False when the id was forgotten meanwhile.
  bool answer(const wire::CommandResult& result) {
    Entry& entry = entries_[result.id % wire::k_command_memory];
    if (entry.id != result.id) return false;
    entry.answered = true;
    entry.result = result;
    return true;
  }
  /// Requires look_up(id) == answered.
  [[nodiscard]] const wire::CommandResult& result(std::uint32_t id) const {
    return entries_[id % wire::k_command_memory].result;
  }

 private:
  struct Entry {
    std::uint32_t id = 0;
    bool answered = false;
    wire::CommandResult result;
  };
  std::uint32_t newest_ = 0;
  std::array<Entry, wire::k_command_memory> entries_{};
};

}  // namespace contrail::server
