#include "batch_stages.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include <contrail/sim/batch/batch_evaluator.hpp>
#include <contrail/sim/batch/batch_self_check.hpp>
#include <contrail/sim/batch/compile_flights.hpp>
#include <contrail/support/random_log.hpp>

#include "flight_samples.hpp"

namespace contrail::battery {
namespace {

using sim::BatchMemory;
using sim::BatchTarget;
using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;
using support::Dice;

/// The expected hash if every target gives it, else one that tells.
sim::Hash64 agreed(const char* stage, sim::Hash64 expected,
                   const std::function<sim::Hash64(BatchTarget)>& run) {
  sim::Hash64 result = expected;
  for (const BatchTarget target : sim::batch_targets()) {
    const sim::Hash64 found = run(target);
    if (found != expected) {
      std::fprintf(stderr, "battery: %s: target %s gives %s, one by one %s\n", stage,
                   sim::batch_target_name(target), found.hex().c_str(), expected.hex().c_str());
      result.add(found.a);
    }
  }
  return result;
}

void add(sim::Hash64& hash, const sim::Flight& flight) {
  for (const Vec3& point : flight.points()) {
    hash.add_vector(WideVec3(point));
  }
}

/// Salvos of 1 .. 40 missiles: every length of a tail, in any direction.
using AddSalvo = std::function<void(const test::FlightSample&, std::size_t, sim::Hash64&)>;
sim::Hash64 salvos(const AddSalvo& add_salvo) {
  test::Numbers numbers(11);
  sim::Hash64 hash;
  for (std::size_t count = 1; count <= 40; ++count) {
    const std::int64_t reach = std::int64_t{1} << (14 + count % 17);
    test::FlightSample sample = test::random_flight(numbers, reach);
    sample.index = static_cast<std::uint8_t>(sample.index % (255 - count));
    add_salvo(sample, count, hash);
  }
  return hash;
}

sim::Hash64 compile_one_by_one() {
  return salvos([](const test::FlightSample& sample, std::size_t count, sim::Hash64& hash) {
    test::FlightSample one = sample;
    for (std::size_t i = 0; i < count; ++i) {
      one.index = static_cast<std::uint8_t>(sample.index + i);
      add(hash, sim::Flight(one.source()));
    }
  });
}

sim::Hash64 compile_side_by_side(BatchTarget target) {
  return salvos([&](const test::FlightSample& sample, std::size_t count, sim::Hash64& hash) {
    for (const sim::Flight& flight : sim::compile_flights(target, sample.source(), count)) {
      add(hash, flight);
    }
  });
}

constexpr std::uint32_t k_first_tick = 2;

/// Worlds of random logs, seen at their own time, beyond it and back in the past.
using AddWorld = std::function<void(const sim::World&, Subtick, sim::Hash64&)>;
sim::Hash64 worlds(const AddWorld& add_world) {
  sim::Hash64 hash;
  for (std::uint64_t seed = 21; seed <= 26; ++seed) {
    Dice dice(seed);
    sim::World world(support::random_scenario(dice));
    for (int tick = 1; tick <= 160; ++tick) {
      const auto folded = world.fold(support::random_record(world, dice));
      require_same(folded.error == sim::FoldError::none, "a record fits");
      if (tick % 2 == 0) {  // from k_first_tick on
        const Subtick back = dice.between(0, std::min<Subtick>(world.time(), 200'000));
        add_world(world, world.time(), hash);
        add_world(world, world.time() - back, hash);
        add_world(world, world.time() + dice.between(1, 4'000), hash);
      }
    }
  }
  return hash;
}

void add(sim::Hash64& hash, const Vec3& position, const Vec3& velocity, const sim::Basis& basis) {
  hash.add_vector(WideVec3(position));
  hash.add_vector(WideVec3(velocity));
  hash.add_vector(WideVec3(basis.forward));
  hash.add_vector(WideVec3(basis.up));
}

sim::Hash64 evaluate_one_by_one() {
  std::uint32_t missiles = 0;
  const sim::Hash64 result = worlds([&](const sim::World& world, Subtick t, sim::Hash64& hash) {
    for (const sim::Salvo& salvo : world.salvos()) {
      for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        if (world.missile_flies(salvo, index, t)) {
          add(hash, world.missile_position(salvo, index, t),
              world.missile_velocity(salvo, index, t), world.missile_basis(salvo, index, t));
          ++missiles;
        }
      }
    }
  });
  require_same(missiles > 1'000, "the worlds of the batch battery have missiles");
  return result;
}

sim::Hash64 evaluate_side_by_side(BatchTarget target, BatchMemory memory) {
  sim::BatchEvaluator evaluator(target, memory);
  std::vector<Vec3> positions;
  std::vector<Vec3> velocities;
  std::vector<sim::Basis> bases;
  return worlds([&](const sim::World& world, Subtick t, sim::Hash64& hash) {
    if (world.tick() == k_first_tick) {
      evaluator.reset();  // another world
    }
    const std::size_t room = evaluator.follow(world);
    positions.resize(room);
    velocities.resize(room);
    bases.resize(room);
    const std::size_t count = evaluator.evaluate(world, t, {{}, positions, velocities, bases});
    for (std::size_t i = 0; i < count; ++i) {
      add(hash, positions[i], velocities[i], bases[i]);
    }
  });
}

}  // namespace

void batch_stages(Stages& stages) {
  stages.push_back(
      {"batch_compile", agreed("batch_compile", compile_one_by_one(),
                               [](BatchTarget t) { return compile_side_by_side(t); })});
  sim::Hash64 evaluated = evaluate_one_by_one();
  for (const BatchMemory memory : {BatchMemory::window, BatchMemory::flights}) {
    evaluated = agreed("batch_evaluate", evaluated,
                       [&](BatchTarget t) { return evaluate_side_by_side(t, memory); });
  }
  stages.push_back({"batch_evaluate", evaluated});
  const sim::Hash64 start_up = sim::batch_fingerprint(BatchTarget::scalar);
  stages.push_back(
      {"batch_self_check", agreed("batch_self_check", start_up, sim::batch_fingerprint)});
}

std::string batch_target_list() {
  std::string list;
  for (const BatchTarget target : sim::batch_targets()) {
    list += list.empty() ? "" : " ";
    list += sim::batch_target_name(target);
  }
  return list;
}

}  // namespace contrail::battery
