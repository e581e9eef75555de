#include <contrail/flow_rig/session_rig.hpp>

#include <contrail/sim/fingerprint.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::flow_test {
namespace {

const wire::Address k_server = wire::ipv4_address(10, 0, 0, 1, 7777);

wire::SessionHeader header_of(const sim::Scenario& scenario) {
  wire::SessionHeader header;
  header.fingerprint = sim::compute_fingerprint().all;
  header.session_id = 0xC0FFEE;
  header.scenario = scenario;
  return header;
}

}  // namespace

SessionRig::SessionRig(std::shared_ptr<const sim::Scenario> scenario, std::uint64_t network_seed,
                       const LinkConditions& conditions)
    : match(scenario),
      network(network_seed),
      tick_length_(wire::tick_nanoseconds(scenario->log2_tick)),
      seed_(network_seed) {
  network.set_conditions(conditions);
  const wire::SessionHeader session = header_of(*scenario);
  header = wire::encode_session_header(session);
  server::BroadcasterConfig config;
  config.insecure = true;
  config.version.fingerprint = session.fingerprint;
  config.session_id = session.session_id;
  config.log2_tick = scenario->log2_tick;
  config.secret = {network_seed, ~network_seed};
  broadcaster = std::make_unique<server::Broadcaster>(config, header);
}

Seat& SessionRig::join(client::Role role, std::uint16_t entity, client::TestFault fault) {
  client::ClientConfig config;
  config.role = role;
  config.entity = entity;
  config.seed = ++seed_;
  seats.push_back(std::make_unique<Seat>(config));
  Seat& seat = *seats.back();
  seat.address = wire::ipv4_address(10, 0, 1, 1, static_cast<std::uint16_t>(20'000 + seats.size()));
  seat.core.plant_fault(fault);
  seat.core.connect(now);
  return seat;
}

void SessionRig::play(int ticks) {
  constexpr int k_polls = 4;
  for (int i = 0; i < ticks; ++i) {
    step_server();
    for (int poll = 0; poll < k_polls; ++poll) {
      exchange();
      now += tick_length_ / k_polls;
    }
  }
}

void SessionRig::settle(Nanoseconds duration) {
  for (const Nanoseconds end = now + duration; now < end; now += tick_length_ / 4) {
    exchange();
  }
}

void SessionRig::step_server() {
  for (const server::ClientCommand& command : broadcaster->take_commands()) {
    match.submit(command.client, command.command);
  }
  const server::StepResult step = match.step();
  inputs.insert(inputs.end(), step.accepted.begin(), step.accepted.end());
  events.insert(events.end(), step.entry.events.begin(), step.entry.events.end());
  if (!step.entry.bytes.empty()) {
    log[step.entry.record.tick] = step.entry.bytes;
  }
  broadcaster->on_record(step.entry.record, step.entry.bytes, now);
  for (const server::InputResult& result : step.results) {
    broadcaster->answer(result.input.client, result.result);
  }
  if (broadcaster->wants_snapshot()) {
    broadcaster->give_snapshot(
        wire::encode_snapshot(match.world().snapshot(), match.world().scenario().log2_tick));
  }
}

void SessionRig::exchange() {
  broadcaster->poll_outgoing(now, *this);
  while (const auto delivery = network.next(now)) {
    if (delivery->to == k_server) {
      broadcaster->receive(delivery->from, delivery->bytes, now);
      continue;
    }
    for (const auto& seat : seats) {
      if (seat->address == delivery->to) {
        seat->core.receive(delivery->bytes, now);
      }
    }
  }
  for (const auto& seat : seats) {
    seat->core.update(now);
    wire::Datagram datagram;
    while (seat->core.next_datagram(now, datagram)) {
      network.send(seat->address, k_server, datagram.view(), now);
    }
    client::Event event;
    while (seat->core.next_event(event)) {
      seat->events.push_back(event);
    }
    client::CommandResult result;
    while (seat->core.next_command_result(result)) {
      seat->results.push_back(result);
    }
  }
}

void SessionRig::send(const wire::Address& to, std::span<const std::uint8_t> datagram) {
  network.send(k_server, to, datagram, now);
}

}  // namespace contrail::flow_test
