// Input: messages {kind u8, length u16, bytes}: kind 3 is a snapshot, any other remainder of 4 the
// record of a tick. Decoded ones are folded into a world over the stage's scenario, as a client
// does with what a server sends.

#include <contrail/fuzz/target.hpp>

#include <algorithm>
#include <optional>

#include <contrail/fuzz/stage_scenario.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {
namespace {

constexpr std::uint32_t k_gap = 256;  // ticks; the transport bounds them, the fold does not
constexpr std::size_t k_looked_at = 3;

/// What drawing and judging ask of a world, for a few of its missiles.
void look_at(const sim::World& world) {
  std::size_t salvos = 0;
  for (const sim::Salvo& salvo : world.salvos()) {
    if (++salvos > k_looked_at) break;
    for (std::uint8_t i = 0; i < std::min(salvo.missiles.size(), k_looked_at); ++i) {
      const sim::Subtick launch = world.missile_launch_time(salvo, i);
      const sim::Subtick end = world.missile_end_time(salvo, i);
      for (const sim::Subtick t : {launch, world.time(), end}) {
        if (t < launch || t > end) continue;
        static_cast<void>(world.missile_position(salvo, i, t));
        static_cast<void>(world.missile_basis(salvo, i, t));
        static_cast<void>(world.homing_gap(salvo, i, t));
      }
    }
  }
}

Outcome refusal(sim::FoldError error) {
  return {false, describe(error), "fold"};
}

Outcome fold_record(ByteView bytes, sim::World& world) {
  const int log2_tick = world.scenario().log2_tick;
  sim::TickRecord record;
  const wire::CodecResult result = wire::decode_record(bytes, log2_tick, record);
  if (!result) return outcome_of(result);
  if (record.tick > world.tick() && record.tick - world.tick() > k_gap) return {false, "gap", {}};
  if (record.tick > world.tick()) world.advance(record.tick - 1);
  const sim::StateHash before = world.state_hash();
  const std::uint32_t tick = world.tick();
  const sim::FoldResult folded = world.fold(record);
  if (folded.error != sim::FoldError::none) {
    check(world.tick() == tick && world.state_hash() == before,
          "a refused record changed the world");
    return refusal(folded.error);
  }
  check(world.tick() == record.tick, "a folded record is the world's newest tick");
  look_at(world);
  return k_accepted;
}

Outcome restore_snapshot(ByteView bytes, std::optional<sim::World>& world) {
  sim::Snapshot snapshot;
  const wire::CodecResult result =
      wire::decode_snapshot(bytes, world->scenario().log2_tick, snapshot);
  if (!result) return outcome_of(result);
  const sim::StateHash before = world->state_hash();
  std::optional<sim::World> other;
  const sim::FoldError error = sim::World::restore(world->shared_scenario(), snapshot, other);
  if (error != sim::FoldError::none) {
    check(!other && world->state_hash() == before, "a refused snapshot gave a world");
    return refusal(error);
  }
  world = std::move(other);
  look_at(*world);
  return k_accepted;
}

/// Whatever state a log leads to can be sent to whoever joins.
void check_snapshot(const sim::World& world) {
  const int log2_tick = world.scenario().log2_tick;
  sim::Snapshot snapshot;
  check(static_cast<bool>(wire::decode_snapshot(wire::encode_snapshot(world.snapshot(), log2_tick),
                                                log2_tick, snapshot)),
        "the snapshot of a world is decoded");
  std::optional<sim::World> restored;
  check(sim::World::restore(world.shared_scenario(), snapshot, restored) == sim::FoldError::none,
        "the snapshot of a world is restored");
  check(restored->state_hash() == world.state_hash(), "a restored world has the same state");
}

}  // namespace

Outcome run_world_fold(ByteView input) {
  static const auto scenario = stage_scenario();
  std::optional<sim::World> world(std::in_place, scenario);
  wire::ByteReader reader(input);
  Outcome outcome;
  while (reader.left() > 0 && !reader.failed()) {
    const int kind = reader.u8() % 4;
    const std::size_t length = reader.u16();
    const ExactCopy copy(reader.bytes(std::min(length, reader.left())));
    const Outcome next =
        kind == 3 ? restore_snapshot(copy.view(), world) : fold_record(copy.view(), *world);
    if (outcome.accepted) outcome = next;
  }
  check_snapshot(*world);
  return outcome;
}

}  // namespace contrail::fuzz
