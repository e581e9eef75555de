// Cost of hit resolution: whole ticks of a match, and the resolver, fold and state hash of the same
// log apart. Times are CPU time of this thread.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <contrail/flow/hit_resolver.hpp>

#include "hit_scene.hpp"
#include "hit_sweeps.hpp"
#include "report.hpp"

namespace contrail::bench {
namespace {

constexpr double k_ms = 1e3;

struct Sample {
  std::vector<double> values;
  void add(double seconds) { values.push_back(seconds * k_ms); }
  double at(double quantile) {
    if (values.empty()) {
      return 0;
    }
    std::sort(values.begin(), values.end());
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(quantile * last + 0.5)];
  }
  double mean() const {
    double sum = 0;
    for (const double v : values) {
      sum += v;
    }
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }
};

struct Row {
  std::string name;
  SceneSize size;
  std::uint32_t burst = 0;  // missiles launched in one tick, now and then
};

/// The same log over a world of its own, stage by stage.
class Stages {
 public:
  explicit Stages(std::shared_ptr<const sim::Scenario> scenario) : world_(std::move(scenario)) {}

  void play(const sim::TickRecord& record, bool counted) {
    sim::TickRecord bare = record;
    bare.state_hashes.clear();
    std::vector<sim::Salvo> staged;
    for (const sim::Launch& l : bare.launches) {
      staged.push_back(world_.prepare_salvo(
          l, world_.next_launch() + static_cast<std::uint32_t>(staged.size()), bare.tick));
    }
    sim::TickRecord undecided = bare;
    undecided.guidance.clear();
    const double t0 = thread_seconds();
    guidance_.step(world_, staged, undecided);
    const double t1 = thread_seconds();
    resolver_.find(world_, staged, contacts_);
    const double t2 = thread_seconds();
    events_.clear();
    (void)world_.fold(bare, &events_);
    const double t3 = thread_seconds();
    resolver_.follow(world_, events_);
    const double t4 = thread_seconds();
    if (!record.state_hashes.empty()) {
      (void)world_.take_state_hash();
      if (counted) {
        hash.add(thread_seconds() - t4);
      }
    }
    if (!counted) {
      return;
    }
    guide.add(t1 - t0);
    resolve.add(t2 - t1 + t4 - t3);
    fold.add(t3 - t2);
    contacts += contacts_.size();
    const server::ResolverCounters& c = resolver_.counters();
    windows += c.windows;
    pairs += c.pairs;
    planes += c.planes;
    searches += c.searches;
    evaluations += c.evaluations;
    compiled += c.compiled;
    launches += bare.launches.size();
  }
  [[nodiscard]] const sim::World& world() const { return world_; }
  [[nodiscard]] const server::HitResolver& resolver() const { return resolver_; }

  Sample guide;  // every second tick has a lock test
  Sample resolve;
  Sample fold;
  Sample hash;
  std::uint64_t contacts = 0;
  std::uint64_t windows = 0;
  std::uint64_t pairs = 0;
  std::uint64_t planes = 0;
  std::uint64_t searches = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t compiled = 0;
  std::uint64_t launches = 0;

 private:
  sim::World world_;
  std::shared_ptr<const server::Rules> rules_ = server::standard_rules();
  server::GuidanceControl guidance_{*rules_};
  server::HitResolver resolver_;
  std::vector<server::Contact> contacts_;
  std::vector<sim::WorldEvent> events_;
};

/// What it costs to open a flight and compile the piece it is in, seconds.
double compile_seconds(const sim::World& world) {
  std::size_t flights = 0;
  const double before = thread_seconds();
  for (const sim::Salvo& s : world.salvos()) {
    for (std::size_t i = 0; i < s.missiles.size() && flights < 2'000; i += 5) {
      const auto index = static_cast<std::uint8_t>(i);
      if (world.missile_flies(s, index, world.time())) {
        (void)world.compiled(s, index).flight.position(world.time() -
                                                       world.missile_launch_time(s, index));
        world.release(s, index);
        ++flights;
      }
    }
  }
  return (thread_seconds() - before) / static_cast<double>(std::max<std::size_t>(flights, 1));
}

/// Bytes a world holds for its missiles.
std::size_t world_bytes(const sim::World& world) {
  std::size_t sum = world.salvos().size() * sizeof(sim::Salvo);
  for (const sim::Salvo& s : world.salvos()) {
    sum += s.missiles.capacity() * sizeof(sim::Missile) +
           s.events.capacity() * sizeof(sim::SnapshotEvent) + s.compiled.capacity() * sizeof(void*);
    for (const auto& c : s.compiled) {
      if (c != nullptr) {
        sum += sizeof(sim::CompiledMissile) + 2000 +
               static_cast<std::size_t>(c->flight.pieces()) * 3 * sizeof(sim::Vec3);
      }
    }
  }
  return sum;
}

void run(const Row& row, int warm_ticks, int ticks) {
  const auto scenario = scene_scenario(row.size);
  server::Match match(scenario);
  SceneGunner gunner(row.size);
  Stages stages(scenario);
  Sample whole;
  Sample burst;
  std::uint64_t live = 0;
  for (int n = 0; n < warm_ticks + ticks; ++n) {
    const bool counted = n >= warm_ticks;
    const bool bursts = row.burst != 0 && counted && (n - warm_ticks) % 64 == 5;
    if (bursts) {
      gunner.burst(match, row.burst);
    } else {
      gunner.fire(match);
    }
    const double before = thread_seconds();
    const server::StepResult result = match.step();
    const double took = thread_seconds() - before;
    stages.play(result.entry.record, counted);
    if (bursts) {
      burst.add(took);
    } else if (counted) {
      whole.add(took);
      live += match.world().live_missiles();
    }
  }
  const auto per_tick = [&](std::uint64_t n) { return static_cast<double>(n) / ticks; };
  const double tick_ms = static_cast<double>(scenario->tick_length()) / 65.536;
  const double missiles = static_cast<double>(live) / static_cast<double>(whole.values.size());
  std::printf("%-22s %7.0f | tick %6.2f / %6.2f ms = %4.1f / %4.1f %% | %4.0f ns a missile\n",
              row.name.c_str(), missiles, whole.at(0.5), whole.at(0.99),
              100 * whole.at(0.5) / tick_ms, 100 * whole.at(0.99) / tick_ms,
              1e6 * whole.at(0.5) / std::max(missiles, 1.0));
  const double compile_ms = k_ms * compile_seconds(stages.world()) * per_tick(stages.compiled);
  std::printf(
      "%31s | resolve %.2f / %.2f (compiling flights: at most %.2f) guidance %.2f / %.2f fold %.2f "
      "/ %.2f "
      "state hash %.2f / %.2f\n",
      "", stages.resolve.at(0.5), stages.resolve.at(0.99), compile_ms, stages.guide.at(0.5),
      stages.guide.at(0.99), stages.fold.at(0.5), stages.fold.at(0.99), stages.hash.at(0.5),
      stages.hash.at(0.99));
  std::printf(
      "%31s | a tick: %.0f salvos, %.0f windows, %.0f pairs, %.0f planes, %.0f searches, %.0f "
      "exact "
      "positions, %.0f flights opened, %.1f contacts; log %s\n",
      "", per_tick(stages.launches), per_tick(stages.windows), per_tick(stages.pairs),
      per_tick(stages.planes), per_tick(stages.searches), per_tick(stages.evaluations),
      per_tick(stages.compiled), per_tick(stages.contacts), match.log().hash().hex().c_str());
  const double alive = std::max<double>(1, match.world().live_missiles());
  std::printf(
      "%31s | memory a live missile: resolver %.0f B, world %.0f B (8 s of ended ones "
      "included)\n",
      "", static_cast<double>(stages.resolver().bytes()) / alive,
      static_cast<double>(world_bytes(stages.world())) / alive);
  if (!burst.values.empty()) {
    std::printf("%31s | ticks with %u launches: %.2f / %.2f ms (p50, worst)\n", "", row.burst,
                burst.at(0.5), burst.at(1));
  }
  std::fflush(stdout);
}

void million(int warm_ticks, int ticks) {
  std::vector<std::unique_ptr<server::Match>> matches;
  std::vector<SceneGunner> gunners;
  SceneSize size;
  size.missiles = 100'000;
  size.entities = 1000;
  for (int i = 0; i < 10; ++i) {
    auto scenario = std::make_shared<sim::Scenario>(*scene_scenario(size));
    scenario->seed += static_cast<std::uint64_t>(i);
    matches.push_back(std::make_unique<server::Match>(std::move(scenario)));
    gunners.emplace_back(size);
  }
  Sample whole;
  std::uint64_t live = 0;
  for (int n = 0; n < warm_ticks + ticks; ++n) {
    double took = 0;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      gunners[i].fire(*matches[i]);
      const double before = thread_seconds();
      matches[i]->step();
      took += thread_seconds() - before;
      live += n >= warm_ticks ? matches[i]->world().live_missiles() : 0;
    }
    if (n >= warm_ticks) {
      whole.add(took);
    }
  }
  std::printf(
      "1 M as ten matches     %7.0f | tick %6.2f / %6.2f ms (a world holds at most 131,072)\n",
      static_cast<double>(live) / ticks, whole.at(0.5), whole.at(0.99));
}

}  // namespace
}  // namespace contrail::bench

int main(int argc, char** argv) {
  using namespace contrail::bench;
  std::string only;
  int ticks = 256;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      ticks = 64;
    } else {
      only = argv[i];
    }
  }
  std::vector<Row> rows;
  for (const std::uint32_t missiles : {1'000U, 10'000U, 100'000U}) {
    for (const std::uint32_t entities : {10U, 100U, 1'000U}) {
      rows.push_back({std::to_string(missiles / 1000) + "k x " + std::to_string(entities),
                      {missiles, entities},
                      0});
    }
  }
  Row small{"100k x 1000, 3 km", {100'000, 1'000, 3'000}, 0};
  Row burst{"96k x 1000, bursts", {96'000, 1'000}, 4096};
  rows.push_back(small);
  rows.push_back(burst);
  std::printf("%-22s %7s | p50 / p99, CPU time of the thread, 32 Hz\n", "scene", "live");
  constexpr int k_warm = 9 * 32;
  for (const Row& row : rows) {
    if (only.empty() || row.name == only) {
      run(row, k_warm, ticks);
    }
  }
  if (only.empty() || only == "million") {
    million(k_warm, std::min(ticks, 32));
  }
  if (only.empty() || only == "sweeps") {
    compare_sweeps();
  }
  return 0;
}
