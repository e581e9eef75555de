#pragma once

// A match inside a host game: the host brings its ships, says each tick where they are, gives fire
// orders, and takes the log. No sockets, clocks, files or threads.
//
//   HostedMatch match(scenario);
//   const auto ask = match.spawn({.type = 0, .team = 1, .position = p, .velocity = v});
//   each tick:
//     match.drive(ship, position, velocity);            // as of the end of the coming tick
//     const HostedStep step = match.step();
//     for (const wire::CommandResult& answer : step.answers) ...   // by the ids asked with
//     send(step.tick, step.bytes);                      // the log; empty for a silent tick
//
// One thread at a time per object; objects are independent. What a host asks against the limits of
// the game is answered with a reason; what breaks a comment here is asserted
// (sim::AssertionFailure).

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <contrail/flow/match.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/commands.hpp>

namespace contrail::server {

/// One tick played. Valid until the next step.
struct HostedStep {
  std::uint32_t tick = 0;
  const sim::TickRecord& record;
  const wire::Bytes& bytes;                         // canonical; empty for a silent tick
  const std::vector<sim::WorldEvent>& events;       // what happened in it
  const std::vector<wire::CommandResult>& answers;  // to what was asked before it, by id
  const std::vector<wire::Input>& inputs;           // what a recording keeps, to run it again
};

class HostedMatch {
 public:
  /// `scenario` satisfies wire::check_scenario; `rules` are those it names.
  explicit HostedMatch(std::shared_ptr<const sim::Scenario> scenario,
                       std::shared_ptr<const Rules> rules = standard_rules());

  // Each asks for something in the coming tick and gives an id, which names it in the answers of
  // the next step: `launched` or `taken`, else why not (refused_value: what the log can't hold). A
  // refused wish changes nothing.

  /// A new entity; the answer's `launch` is its id, `entity` of the argument is not read. It is
  /// there at the end of the tick. Position within the world, velocity within the type's max_speed
  /// (else refused_speed), unit attitude.
  std::uint32_t spawn(sim::Spawn spawn);
  std::uint32_t despawn(std::uint16_t entity);
  /// Where an entity is at the end of the coming tick: length units, and length units per second.
  /// The track follows within 5 cm plus what its type's acceleration does in one tick; keys are
  /// written only where it would not. refused_speed where the type can't fly like that, measured
  /// from what was driven last and from where the track is. After a pause the track catches up
  /// within the type's max_speed and twice its acceleration, in at most 2 s; if it can't, every
  /// drive is refused_speed until the ship is where the track can get. There is no teleport: to
  /// move a ship at once, despawn it and spawn it there, as another entity.
  std::uint32_t drive(std::uint16_t entity, const sim::Vec3& position, const sim::Vec3& velocity);
  /// Steers it with the flight model instead, until the next drive or steer.
  std::uint32_t steer(std::uint16_t entity, const sim::Steer& steer);
  /// Launches a salvo right after the last tick; the answer's `launch` is the launch id.
  std::uint32_t fire(std::uint16_t entity, std::uint8_t launcher, std::uint16_t target);
  /// Throws decoys.
  std::uint32_t release(std::uint16_t entity);
  /// Blows up what flies of a salvo.
  std::uint32_t self_destruct(std::uint32_t launch);
  /// An entry of the host's own in the log: at most 200 bytes, delivered to every client. A tick
  /// has room for 128 KiB of them, 4 bytes each included; then refused_limit.
  std::uint32_t custom(std::uint16_t kind, std::span<const std::uint8_t> bytes);

  /// A command of one of the host's players, whom the host has checked. `client` names the player
  /// and is below wire::k_host_client; answers are among the others, with the command's own id.
  /// At most 16 of one client in a tick, else refused_busy.
  void submit(std::uint32_t client, const wire::Command& command);

  HostedStep step();

  /// What a reader of the log starts from.
  [[nodiscard]] wire::Bytes session_header(std::uint64_t session_id) const;
  /// The state after the last step, for whoever joins late: the log goes on behind it.
  [[nodiscard]] wire::Bytes snapshot() const;
  /// For reading; valid until the next step.
  [[nodiscard]] const sim::World& world() const { return match_.world(); }
  [[nodiscard]] const Match& match() const { return match_; }

 private:
  std::uint32_t ask(wire::Command command);
  [[nodiscard]] sim::Subtick soon() const { return match_.world().time() + 1; }

  Match match_;
  std::uint32_t last_command_ = 0;
  std::vector<wire::CommandResult> answers_;
};

}  // namespace contrail::server
