#pragma once

// Who may launch what, and when: fire requests and the launchers' own triggers become launches.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <contrail/sim/world.hpp>
#include <contrail/wire/commands.hpp>

#include <contrail/flow/rules.hpp>

namespace contrail::server {

/// The answer to one input, in the order the inputs were taken.
struct InputResult {
  wire::Input input;
  wire::CommandResult result;
};

class FireControl {
 public:
  explicit FireControl(std::uint64_t session_seed,
                       std::shared_ptr<const Rules> rules = standard_rules())
      : session_seed_(session_seed), rules_(std::move(rules)) {}

  /// Launches of the world's next tick: inputs first, by (client, command id), then triggers by
  /// (entity, launcher). A refused input changes nothing.
  void step(const sim::World& world, std::span<const wire::Input> inputs,
            std::vector<sim::Launch>& launches, std::vector<InputResult>& results);

 private:
  struct LauncherState {
    std::uint32_t ammunition = 0;
    sim::Subtick ready = 0;
  };
  using Battery = std::vector<LauncherState>;

  /// The tick being decided.
  struct Step {
    const sim::World& world;
    std::vector<sim::Launch>& launches;
    std::uint64_t missiles;
    sim::Subtick begin;
    sim::Subtick end;
  };

  void refresh_batteries(const sim::World& world);
  wire::CommandResult command(Step& step, const wire::Command& command);
  void triggers(Step& step, const sim::Entity& entity, Battery& battery);
  [[nodiscard]] bool has_room(const Step& step, std::uint32_t missiles) const;
  std::uint32_t launch(Step& step, const sim::Entity& from, std::uint8_t index,
                       LauncherState& state, const sim::Entity& target, sim::Subtick t0);

  std::uint64_t session_seed_;
  std::shared_ptr<const Rules> rules_;
  std::map<std::uint16_t, Battery> batteries_;  // by entity
};

}  // namespace contrail::server
