#include "whole_stack.hpp"

#include <algorithm>

#include <contrail/sim/fingerprint.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::flow_test {
namespace {

constexpr wire::Address k_server = wire::ipv4_address(10, 0, 0, 1, 7777);
constexpr std::uint64_t k_session = 0x0123'4567'89AB'CDEF;
constexpr Nanoseconds k_step = 2 * wire::k_millisecond;

server::BroadcasterConfig broadcaster_config(
    const sim::Scenario& scenario, std::uint64_t seed,
    const std::optional<server::AdmissionConfig>& admission) {
  server::BroadcasterConfig config;
  config.admission.insecure = true;
  if (admission) config.admission = *admission;
  config.version.fingerprint = sim::compute_fingerprint().all;
  config.session_id = k_session;
  config.log2_tick = scenario.log2_tick;
  config.secret[0] = static_cast<std::uint8_t>(seed);
  return config;
}

std::optional<SeenEvent> seen(const sim::WorldEvent& event) {
  using Kind = sim::WorldEvent::Kind;
  switch (event.kind) {
    case Kind::launch:
      return SeenEvent{event.time, client::EventKind::launch, event.salvo, 0, {}, event.entity};
    case Kind::missile_end:
      return SeenEvent{event.time,
                       event.end == sim::EndKind::impact ? client::EventKind::impact
                                                         : client::EventKind::missile_end,
                       event.salvo,
                       event.index,
                       event.end,
                       event.entity};
    case Kind::destroyed:
      return SeenEvent{event.time, client::EventKind::destroyed, 0, 0, {}, event.entity};
    default:
      return std::nullopt;
  }
}

std::optional<SeenEvent> seen(const client::Event& event) {
  switch (event.kind) {
    case client::EventKind::launch:
    case client::EventKind::impact:
    case client::EventKind::missile_end:
      return SeenEvent{event.time,          event.kind, event.missile.launch,
                       event.missile.index, event.end,  event.entity};
    case client::EventKind::destroyed:
      return SeenEvent{event.time, event.kind, 0, 0, {}, event.entity};
    default:
      return std::nullopt;
  }
}

}  // namespace

wire::Bytes session_header(const sim::Scenario& scenario) {
  wire::SessionHeader header;
  header.fingerprint = sim::compute_fingerprint().all;
  header.session_id = k_session;
  header.scenario = scenario;
  return wire::encode_session_header(header);
}

Watcher::Watcher(client::ClientConfig config, std::uint64_t number)
    : address(wire::ipv4_address(10, 0, 1, static_cast<std::uint8_t>(number), 5000)),
      core(std::move(config)),
      clock_offset(static_cast<Nanoseconds>(number) * 1'000'003 * wire::k_millisecond) {}

WholeStack::WholeStack(std::shared_ptr<const sim::Scenario> given, std::uint64_t seed,
                       const std::optional<server::AdmissionConfig>& admission)
    : scenario(std::move(given)),
      network(seed),
      match(scenario),
      broadcaster(broadcaster_config(*scenario, seed, admission), session_header(*scenario)),
      next_tick_(wire::tick_nanoseconds(scenario->log2_tick)) {}

Watcher& WholeStack::join(client::ClientConfig config, client::TestFault fault) {
  const std::uint64_t number = watchers.size() + 1;
  config.seed = number;
  watchers.push_back(std::make_unique<Watcher>(std::move(config), number));
  Watcher& watcher = *watchers.back();
  watcher.core.plant_fault(fault);
  watcher.core.connect(now + watcher.clock_offset);
  watcher.next_frame = now;
  return watcher;
}

void WholeStack::send(const wire::Address& to, std::span<const std::uint8_t> datagram) {
  network.send(k_server, to, datagram, now);
}

void WholeStack::tick() {
  for (const server::ClientCommand& command : broadcaster.take_commands()) {
    match.submit(command.client, command.command);
  }
  const server::StepResult step = match.step();
  inputs.insert(inputs.end(), step.accepted.begin(), step.accepted.end());
  folded.insert(folded.end(), step.entry.events.begin(), step.entry.events.end());
  if (!step.entry.bytes.empty()) log[step.entry.record.tick] = step.entry.bytes;
  std::vector<SeenEvent> events;
  for (const sim::WorldEvent& event : step.entry.events) {
    if (const auto one = seen(event)) events.push_back(*one);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const SeenEvent& a, const SeenEvent& b) { return a.time < b.time; });
  happened_.insert(happened_.end(), events.begin(), events.end());
  broadcaster.on_record(step.entry.record, step.entry.bytes, next_tick_);
  for (const server::InputResult& result : step.results) {
    broadcaster.answer(result.input.client, result.result);
  }
}

void WholeStack::take_events(Watcher& watcher, sim::Subtick shown_before) {
  client::Event event;
  while (watcher.core.next_event(event)) {
    if (event.kind == client::EventKind::world_reset) {
      ++watcher.resets;
      watcher.reset_time = event.time;
      watcher.events.clear();
      watcher.lateness.clear();
      continue;
    }
    if (const auto one = seen(event)) {
      watcher.events.push_back(*one);
      watcher.lateness.push_back(std::max<sim::Subtick>(0, shown_before - event.time + 1));
    }
  }
}

void WholeStack::frame(Watcher& watcher) {
  const Nanoseconds own = now + watcher.clock_offset;
  client::ClientCore& core = watcher.core;
  core.update(own);
  if (core.take_new_port()) {
    ++watcher.ports;
    ++watcher.address.port;
  }
  if (core.state() == client::State::live) {
    if (watcher.was_live && core.render_time() < watcher.last_render_time) {
      ++watcher.render_time_steps_back;
    }
    take_events(watcher, watcher.was_live ? watcher.last_render_time : core.render_time());
    watcher.was_live = true;
    watcher.last_render_time = core.render_time();
    ++watcher.live_frames;
    if (core.missiles(core.render_time(), {0, 0, 0}, {}).provisional) ++watcher.provisional_frames;
  }
  client::CommandResult result;
  while (core.next_command_result(result)) watcher.results.push_back(result);
  wire::Datagram datagram;
  while (core.next_datagram(own, datagram)) {
    network.send(watcher.address, k_server, datagram.view(), now);
  }
}

void WholeStack::run(Nanoseconds duration) {
  const Nanoseconds end = now + duration;
  for (; now < end; now += k_step) {
    while (const auto delivery = network.next(now)) {
      if (delivery->to == k_server) {
        broadcaster.receive(delivery->from, delivery->bytes, now);
        continue;
      }
      for (const auto& watcher : watchers) {
        if (watcher->address != delivery->to || watcher->asleep) continue;
        watcher->core.receive(delivery->bytes, now + watcher->clock_offset);
      }
    }
    if (now >= next_tick_) {
      tick();
      if (broadcaster.wants_snapshot()) {
        broadcaster.give_snapshot(
            wire::encode_snapshot(match.world().snapshot(), scenario->log2_tick));
      }
      next_tick_ += wire::tick_nanoseconds(scenario->log2_tick);
    }
    broadcaster.poll_outgoing(now, *this);
    for (const auto& watcher : watchers) {
      if (watcher->asleep || now < watcher->next_frame) continue;
      watcher->next_frame = now + watcher->frame;
      frame(*watcher);
    }
  }
}

std::vector<SeenEvent> WholeStack::happened(sim::Subtick from, sim::Subtick to) const {
  std::vector<SeenEvent> all;
  std::copy_if(happened_.begin(), happened_.end(), std::back_inserter(all),
               [&](const SeenEvent& event) { return event.time > from && event.time <= to; });
  return all;
}

}  // namespace contrail::flow_test
