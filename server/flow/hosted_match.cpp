#include <contrail/flow/hosted_match.hpp>

#include <utility>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {

HostedMatch::HostedMatch(std::shared_ptr<const sim::Scenario> scenario,
                         std::shared_ptr<const Rules> rules)
    : match_(std::move(scenario), std::move(rules)) {
  const wire::CodecResult checked = wire::check_scenario(match_.world().scenario());
  sim::require(static_cast<bool>(checked), checked.field);
}

std::uint32_t HostedMatch::ask(wire::Command command) {
  command.id = ++last_command_;
  match_.submit(wire::k_host_client, command);
  return command.id;
}

std::uint32_t HostedMatch::spawn(sim::Spawn spawn) {
  spawn.entity = 0;
  wire::Command command;
  command.kind = wire::CommandKind::spawn;
  command.spawn = spawn;
  return ask(std::move(command));
}

std::uint32_t HostedMatch::despawn(std::uint16_t entity) {
  wire::Command command;
  command.kind = wire::CommandKind::despawn;
  command.despawn = entity;
  return ask(std::move(command));
}

std::uint32_t HostedMatch::drive(std::uint16_t entity, const sim::Vec3& position,
                                 const sim::Vec3& velocity) {
  wire::Command command;
  command.kind = wire::CommandKind::drive;
  command.drive = {entity, position, velocity, soon()};
  return ask(std::move(command));
}

std::uint32_t HostedMatch::steer(std::uint16_t entity, const sim::Steer& steer) {
  wire::Command command;
  command.kind = wire::CommandKind::steer;
  command.steer = {entity, steer, soon()};
  return ask(std::move(command));
}

std::uint32_t HostedMatch::fire(std::uint16_t entity, std::uint8_t launcher, std::uint16_t target) {
  wire::Command command;
  command.fire = {entity, target, launcher, soon()};
  return ask(std::move(command));
}

std::uint32_t HostedMatch::release(std::uint16_t entity) {
  wire::Command command;
  command.kind = wire::CommandKind::release;
  command.release = {entity, soon()};
  return ask(std::move(command));
}

std::uint32_t HostedMatch::self_destruct(std::uint32_t launch) {
  wire::Command command;
  command.kind = wire::CommandKind::self_destruct;
  command.self_destruct = {launch, soon()};
  return ask(std::move(command));
}

std::uint32_t HostedMatch::custom(std::uint16_t kind, std::span<const std::uint8_t> bytes) {
  wire::Command command;
  command.kind = wire::CommandKind::custom;
  command.custom.kind = kind;
  command.custom.bytes.assign(bytes.begin(), bytes.end());
  return ask(std::move(command));
}

void HostedMatch::submit(std::uint32_t client, const wire::Command& command) {
  sim::require(client != wire::k_host_client, "players have numbers of their own");
  match_.submit(client, command);
}

HostedStep HostedMatch::step() {
  const StepResult played = match_.step();
  answers_.clear();
  for (const InputResult& result : played.results) {
    answers_.push_back(result.result);
  }
  return {played.entry.record.tick,
          played.entry.record,
          played.entry.bytes,
          played.entry.events,
          answers_,
          played.accepted};
}

wire::Bytes HostedMatch::session_header(std::uint64_t session_id) const {
  wire::SessionHeader header;
  header.fingerprint = sim::compute_fingerprint().all;
  header.session_id = session_id;
  header.scenario = match_.world().scenario();
  return wire::encode_session_header(header);
}

wire::Bytes HostedMatch::snapshot() const {
  return wire::encode_snapshot(match_.world().snapshot(), match_.world().scenario().log2_tick);
}

}  // namespace contrail::server
