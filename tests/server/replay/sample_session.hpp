#pragma once

// Real sessions, played and recorded into bytes or files for the replay tests.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <contrail/edge/recorder.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/support/recording_tools.hpp>
#include <contrail/support/small_scenario.hpp>
#include <contrail/support/temporary_directory.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {

struct SampleSession {
  std::vector<std::uint8_t> file;
  std::vector<sim::StateHash> states;  // after tick i, from 0 on
  std::vector<std::uint64_t> sizes;    // of the unclosed file after tick i
  sim::Hash64 log_hash;
  std::uint64_t records = 0;
  std::uint64_t inputs = 0;
};

/// Two moving ships that fire at one another on command, and a bystander that is hit: launches,
/// impacts, health, destruction, respawns, snapshots every 50 ticks.
inline SampleSession record_sample_session(std::uint32_t ticks,
                                           std::shared_ptr<const Rules> rules = standard_rules()) {
  sim::Scenario scenario = support::small_scenario();
  scenario.rules = rules->name();
  scenario.types[0].hit_points = 60;
  for (const int team : {1, 2, 2}) {
    support::add_ball(scenario, static_cast<std::uint8_t>(team),
                      {0, 0, support::metres(team * 300)},
                      {support::metres(10 * team), support::metres(5), 0});
    scenario.entities.back().respawn_ticks = 40;
  }
  scenario.entities[2].position.y = support::metres(100);

  wire::SessionHeader header;
  header.session_id = 0x1234;
  header.fingerprint = sim::compute_fingerprint().all;
  header.scenario = scenario;

  const support::TemporaryDirectory directory;
  RecorderConfig config;
  config.path = directory.file("session.mcap");
  config.session_id = header.session_id;
  config.log2_tick = scenario.log2_tick;
  config.snapshot_interval = 50;
  Recorder recorder(config);
  bool good = recorder.open(wire::encode_session_header(header));

  SampleSession sample;
  Match match(support::share(scenario), std::move(rules));
  sample.states.push_back(match.world().state_hash());
  sample.sizes.push_back(recorder.statistics().bytes);
  std::uint32_t command_id = 0;
  for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
    if (tick % 12 == 5) {
      for (std::uint32_t client = 1; client <= 2; ++client) {
        wire::Command command;
        command.id = ++command_id;
        command.fire.entity = static_cast<std::uint16_t>(client - 1);
        command.fire.target = static_cast<std::uint16_t>(client == 1 ? 1 + tick % 2 : 0);
        command.fire.launcher = static_cast<std::uint8_t>(tick % 24 == 5);
        command.fire.at = match.world().time() + 1;
        match.submit(client, command);
      }
    }
    const StepResult step = match.step();
    good = good && recorder.tick(tick, step.accepted, step.entry.bytes);
    sample.records += step.entry.bytes.empty() ? 0 : 1;
    sample.inputs += step.accepted.size();
    if (recorder.wants_snapshot(tick)) {
      good = good && recorder.snapshot(
                         tick, wire::encode_snapshot(match.world().snapshot(), scenario.log2_tick));
    }
    sample.states.push_back(match.world().state_hash());
    sample.sizes.push_back(recorder.statistics().bytes);
  }
  good = good && recorder.close();
  sample.log_hash = match.log().hash();
  if (good) {
    sample.file = support::read_file(recorder.path());
  }
  return sample;
}

}  // namespace contrail::server
