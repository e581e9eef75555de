#include "seeds.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <contrail/fuzz/stage_scenario.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/wire/byte_io.hpp>
#include <contrail/wire/codec.hpp>

#include "../protocol/wire/codec_samples.hpp"
#include "../server/replay/sample_session.hpp"

namespace contrail::fuzz {
namespace {

using wire::Bytes;
namespace samples = wire::samples;

constexpr int k_log2_tick = 11;

Bytes with_log2_tick(const Bytes& bytes, int log2_tick = k_log2_tick) {
  Bytes input{static_cast<std::uint8_t>(log2_tick - 9)};
  input.insert(input.end(), bytes.begin(), bytes.end());
  return input;
}

/// One of each combination of kinds that a played session has, named after them.
std::string kinds_of(const sim::TickRecord& r) {
  std::string name;
  const auto add = [&](bool present, const char* word) {
    if (present) name += (name.empty() ? "" : "_and_") + std::string(word);
  };
  add(!r.launches.empty(), "launch");
  add(!r.outcomes.empty(), "outcome");
  add(!r.guidance.empty(), "guidance");
  add(!r.health.empty(), "health");
  add(!r.despawns.empty(), "despawn");
  add(!r.spawns.empty(), "spawn");
  add(!r.track_keys.empty(), "track");
  add(!r.relative_keys.empty(), "relative");
  add(!r.state_hashes.empty(), "hash");
  return name;
}

void add_session(std::vector<Seed>& out) {
  const server::SampleSession session = server::record_sample_session(110);
  std::set<std::string> seen;
  std::size_t snapshots = 0;
  for (const support::RecordedEntry& entry : support::entries_of(session.file)) {
    switch (entry.kind) {
      case recording::EntryKind::session:
        out.push_back({"session_header", "played_session", entry.payload});
        break;
      case recording::EntryKind::record: {
        sim::TickRecord record;
        wire::decode_record(entry.payload, k_log2_tick, record);
        const std::string name = "played_" + kinds_of(record);
        if (seen.insert(name).second) {
          out.push_back({"tick_record", name, with_log2_tick(entry.payload)});
        }
        break;
      }
      case recording::EntryKind::input:
        if (seen.insert("input").second) out.push_back({"input", "played_fire", entry.payload});
        break;
      case recording::EntryKind::snapshot:
        out.push_back({"snapshot", "played_at_tick_" + std::to_string(50 * ++snapshots),
                       with_log2_tick(entry.payload)});
        break;
    }
  }
}

/// `from` with the elements of one kind only.
template <class Member>
sim::TickRecord only(const sim::TickRecord& from, Member member) {
  sim::TickRecord record;
  record.tick = from.tick;
  record.*member = from.*member;
  return record;
}

void add_records(std::vector<Seed>& out) {
  support::Dice dice(1);
  using R = sim::TickRecord;
  const auto add_kind = [&](auto member, const std::string& name) {
    for (;;) {
      const R record = only(samples::random_record(dice, 1000, k_log2_tick, 2), member);
      if (record.empty()) continue;
      out.push_back({"tick_record", "only_" + name,
                     with_log2_tick(wire::encode_record(record, k_log2_tick))});
      return;
    }
  };
  add_kind(&R::launches, "launches");
  add_kind(&R::outcomes, "outcomes");
  add_kind(&R::guidance, "guidance");
  add_kind(&R::health, "health");
  add_kind(&R::despawns, "despawns");
  add_kind(&R::spawns, "spawns");
  add_kind(&R::turret_modes, "turret_modes");
  add_kind(&R::shots, "shots");
  add_kind(&R::track_keys, "track_keys");
  add_kind(&R::relative_keys, "relative_keys");
  add_kind(&R::attitude_keys, "attitude_keys");
  add_kind(&R::customs, "customs");
  add_kind(&R::timelines, "timelines");
  add_kind(&R::state_hashes, "state_hashes");
  for (int log2_tick = 9; log2_tick <= 13; ++log2_tick) {
    const R record = samples::random_record(dice, 70, log2_tick, 2);
    out.push_back({"tick_record", "of_tick_length_2_to_the_" + std::to_string(log2_tick),
                   with_log2_tick(wire::encode_record(record, log2_tick), log2_tick)});
  }
}

Bytes packet_body(const std::vector<sim::TickRecord>& records, std::uint32_t last_tick,
                  std::uint32_t complete, int log2_tick) {
  std::vector<const sim::TickRecord*> pointers;
  pointers.reserve(records.size());
  for (const sim::TickRecord& record : records) pointers.push_back(&record);
  std::array<std::uint8_t, 9> head{};
  wire::ByteWriter writer(head);
  writer.u8(static_cast<std::uint8_t>(log2_tick - 9));
  writer.u32(last_tick);
  writer.u32(complete);
  Bytes input(head.begin(), head.end());
  const Bytes body = wire::encode_packet_body(pointers, last_tick, log2_tick);
  input.insert(input.end(), body.begin(), body.end());
  return input;
}

void add_packet_bodies(std::vector<Seed>& out) {
  constexpr std::uint32_t k_all = 0xFFFF'FFFF;
  support::Dice dice(2);
  const auto add = [&](const std::string& name, std::vector<std::uint32_t> ticks, int most,
                       int log2_tick) {
    std::vector<sim::TickRecord> records;
    records.reserve(ticks.size());
    for (const std::uint32_t tick : ticks) {
      records.push_back(samples::random_record(dice, tick, log2_tick, most));
      records.back().timelines.clear();
    }
    std::erase_if(records, [](const sim::TickRecord& record) { return record.empty(); });
    out.push_back({"packet_body", name, packet_body(records, 500, k_all, log2_tick)});
  };
  add("newest_tick", {500}, 2, 11);
  add("oldest_tick_of_the_window", {469}, 2, 11);
  add("first_and_last_tick", {469, 500}, 2, 11);
  add("eight_ticks_in_a_row", {493, 494, 495, 496, 497, 498, 499, 500}, 1, 11);
  add("sixteen_ticks_a_second", {485, 490, 500}, 1, 12);
  add("eight_ticks_a_second", {493, 500}, 1, 13);
  out.push_back({"packet_body", "no_records", packet_body({}, 500, k_all, 11)});
  sim::TickRecord first;
  first.tick = 1;
  first.health.push_back({});
  out.push_back({"packet_body", "first_tick_of_all", packet_body({first}, 2, 3, 11)});
}

void add_headers_and_snapshots(std::vector<Seed>& out) {
  support::Dice dice(3);
  const auto small = [](const Bytes& bytes) { return bytes.size() < 5000; };
  for (int i = 1; i <= 3;) {
    const Bytes bytes = wire::encode_session_header(samples::random_header(dice));
    if (!small(bytes)) continue;
    out.push_back({"session_header", "of_every_part_" + std::to_string(i++), bytes});
  }
  for (int log2_tick = 9; log2_tick <= 13;) {
    const Bytes bytes = wire::encode_snapshot(samples::random_snapshot(dice, log2_tick), log2_tick);
    if (!small(bytes)) continue;
    out.push_back({"snapshot", "of_tick_length_2_to_the_" + std::to_string(log2_tick),
                   with_log2_tick(bytes, log2_tick)});
    ++log2_tick;
  }
  const sim::World world(stage_scenario());
  out.push_back({"snapshot", "empty_world",
                 with_log2_tick(wire::encode_snapshot(world.snapshot(), world.scenario().log2_tick),
                                world.scenario().log2_tick)});
}

void add_inputs_and_commands(std::vector<Seed>& out) {
  constexpr std::array<const char*, 8> k_kinds{"fire",  "steer", "release", "self_destruct",
                                               "drive", "spawn", "despawn", "custom"};
  support::Dice dice(4);
  std::set<wire::CommandKind> seen;
  while (seen.size() < k_kinds.size()) {
    const wire::Input input = samples::random_input(dice);
    const wire::CommandKind kind = input.command.kind;
    if (!seen.insert(kind).second) continue;
    const std::string name = k_kinds[static_cast<std::size_t>(kind)];
    out.push_back({"input", name, wire::encode_input(input)});
    if (kind <= wire::k_last_client_kind) {
      out.push_back({"commands", "one_" + name, wire::encode_commands({&input.command, 1})});
    }
  }
  std::vector<wire::Command> all;
  while (all.size() < 24) {
    all = samples::random_commands(dice);
  }
  all.resize(24);
  out.push_back({"commands", "of_every_kind", wire::encode_commands(all)});
}

Bytes message(int kind, const Bytes& bytes) {
  Bytes out{static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(bytes.size()),
            static_cast<std::uint8_t>(bytes.size() >> 8)};
  out.insert(out.end(), bytes.begin(), bytes.end());
  return out;
}

void add_folds(std::vector<Seed>& out) {
  const auto scenario = stage_scenario();
  support::Dice dice(5);
  sim::World world(scenario);
  Bytes log;
  for (int part = 1; part <= 3; ++part) {
    Bytes part_of_log =
        part == 1 ? Bytes{}
                  : message(3, wire::encode_snapshot(world.snapshot(), scenario->log2_tick));
    for (int tick = 0; tick < 24; ++tick) {
      sim::TickRecord record = support::random_record(world, dice);
      if (record.empty()) {
        world.advance(record.tick);
        continue;
      }
      world.fold(record);
      if (tick % 8 == 7) record.state_hashes.push_back(world.take_state_hash());
      const Bytes bytes = message(0, wire::encode_record(record, scenario->log2_tick));
      if (part_of_log.size() + bytes.size() > 3900) continue;
      part_of_log.insert(part_of_log.end(), bytes.begin(), bytes.end());
    }
    out.push_back({"world_fold",
                   part == 1 ? "from_the_first_tick" : "from_snapshot_" + std::to_string(part),
                   part_of_log});
  }
}

}  // namespace

std::vector<Seed> codec_seeds() {
  std::vector<Seed> out;
  add_session(out);
  add_records(out);
  add_packet_bodies(out);
  add_headers_and_snapshots(out);
  add_inputs_and_commands(out);
  add_folds(out);
  return out;
}

}  // namespace contrail::fuzz
