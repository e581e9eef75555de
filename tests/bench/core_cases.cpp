#include "core_cases.hpp"

#include <contrail/sim/batch/batch_evaluator.hpp>
#include <contrail/sim/batch/compile_flights.hpp>
#include <cstring>

#include "bench_world.hpp"
#include "textbook.hpp"

namespace contrail::bench {
namespace {

using sim::BatchEvaluator;
using sim::BatchMemory;
using sim::BatchTarget;
using sim::Subtick;
using sim::Vec3;
using sim::World;

constexpr int k_world_limit = 125'008;  // missiles of one world; more are flown in several
constexpr Subtick k_tick = 2'048;
constexpr Subtick k_frame = 1'092;  // 60 Hz

/// Keeps a result alive.
template <typename T>
void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

int repeats_for(int missiles) {
  return missiles <= 10'000 ? 60 : missiles <= 200'000 ? 15 : 5;
}

/// As many worlds as the missiles need, an evaluator each.
class Fleet {
 public:
  Fleet(int missiles, BatchTarget target, BatchMemory memory, bool motion = false) {
    for (int left = missiles / k_salvo * k_salvo; left > 0; left -= k_world_limit) {
      worlds_.push_back(bench_world(std::min(left, k_world_limit)));
      evaluators_.emplace_back(target, memory);
    }
    time_ = worlds_.front().time();
    room_ = 0;
    for (std::size_t i = 0; i < worlds_.size(); ++i) {
      room_ = std::max(room_, evaluators_[i].follow(worlds_[i]));
    }
    positions_.resize(room_);
    velocities_.resize(motion ? room_ : 0);
    orientations_.resize(motion ? room_ : 0);
  }

  /// Evaluates everything; gives the number of positions.
  std::size_t evaluate(Subtick t) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < worlds_.size(); ++i) {
      count += evaluators_[i].evaluate(worlds_[i], t, {{}, positions_, velocities_, orientations_});
    }
    use(positions_);
    return count;
  }

  [[nodiscard]] Subtick time() const { return time_; }
  [[nodiscard]] const std::vector<World>& worlds() const { return worlds_; }

 private:
  std::vector<World> worlds_;
  std::vector<BatchEvaluator> evaluators_;
  Subtick time_ = 0;
  std::size_t room_ = 0;
  std::vector<Vec3> positions_;
  std::vector<Vec3> velocities_;
  std::vector<sim::Basis> orientations_;
};

/// The targets worth measuring: one lane of doubles is for tests.
std::vector<BatchTarget> measured_targets() {
  std::vector<BatchTarget> targets = sim::batch_targets();
  std::erase(targets, BatchTarget::emulated);
  return targets;
}

double bar_of(BatchTarget target, double scalar, double avx2) {
  return target == BatchTarget::scalar ? scalar : target == BatchTarget::avx2 ? avx2 : 0;
}

}  // namespace

void compile_cases(std::vector<Figure>& figures) {
  const auto scenario = bench_scenario();
  const auto source = [&](const BenchFlight& f, int index) -> sim::FlightSource {
    return {f.launch, f.anchor, scenario->weapons[0], scenario->types[0],
            static_cast<std::uint8_t>(index)};
  };
  std::vector<BenchFlight> flights;
  for (std::uint32_t i = 0; i < 16; ++i) {
    flights.push_back(bench_flight(i));
  }
  const double units = static_cast<double>(flights.size()) * k_salvo;
  const auto one_by_one = [&](auto work) {
    return time_of(30, units, [&] {
      for (const BenchFlight& f : flights) {
        for (int i = 0; i < k_salvo; ++i) {
          work(sim::Flight(source(f, i)));
        }
      }
    });
  };
  figures.push_back({Group::compile, "scalar, one by one", 0,
                     one_by_one([](const sim::Flight& f) { use(f.points()); }), 10'000});
  figures.push_back({Group::compile, "scalar, its first position only", 0,
                     one_by_one([](const sim::Flight& f) { use(f.position(0)); })});
  for (const BatchTarget target : measured_targets()) {
    const auto salvos = [&] {
      for (const BenchFlight& f : flights) {
        use(compile_flights(target, source(f, 0), k_salvo));
      }
    };
    figures.push_back({Group::compile,
                       std::string(sim::batch_target_name(target)) + ", a salvo of 16", 0,
                       time_of(30, units, salvos), bar_of(target, 0, 4'000)});
  }
}

namespace {

/// The clock runs on, a tick a time, but never beyond the end of the first missiles.
Timing tick_after_tick(Fleet& fleet, int repeats) {
  const auto units = static_cast<double>(fleet.evaluate(fleet.time()));
  Subtick t = fleet.time();
  return time_of(std::min(repeats, 30), units, [&] {
    t += k_tick;
    fleet.evaluate(t);
  });
}

void textbook_cases(const Fleet& fleet, int missiles, std::vector<Figure>& figures) {
  const int repeats = repeats_for(missiles);
  std::vector<TextbookCurves> curves;
  std::vector<TextbookPursuit> pursuits;
  std::size_t count = 0;
  std::size_t most = 0;
  for (const World& world : fleet.worlds()) {
    curves.emplace_back(world, fleet.time());
    pursuits.emplace_back(world, fleet.time());
    count += curves.back().size();
    most = std::max(most, curves.back().size());
  }
  std::vector<glm::vec3> floats(most);
  const auto timing = [&](auto& all) {
    return time_of(repeats, static_cast<double>(count), [&] {
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].step(fleet.worlds()[i], fleet.time(), 1.0F / 60.0F, floats.data());
        use(floats);
      }
    });
  };
  figures.push_back({Group::position, k_textbook_curves, missiles, timing(curves)});
  figures.push_back({Group::position, k_textbook_pursuit, missiles, timing(pursuits)});
}

void one_by_one_case(const Fleet& fleet, int missiles, std::vector<Figure>& figures) {
  const World& world = fleet.worlds().front();
  std::size_t count = 0;
  const auto all = [&] {
    count = 0;
    for (const sim::Salvo& salvo : world.salvos()) {
      for (std::uint8_t i = 0; i < salvo.launch.count; ++i) {
        use(world.missile_position(salvo, i, fleet.time()));
        ++count;
      }
    }
  };
  all();
  figures.push_back({Group::position, "scalar, one by one", missiles,
                     time_of(repeats_for(missiles), static_cast<double>(count), all)});
}

}  // namespace

void evaluation_cases(int missiles, std::vector<Figure>& figures) {
  const int repeats = repeats_for(missiles);
  for (const BatchTarget target : measured_targets()) {
    const char* name = sim::batch_target_name(target);
    Fleet fleet(missiles, target, BatchMemory::window);
    const auto units = static_cast<double>(fleet.evaluate(fleet.time()));
    figures.push_back({Group::position, name, missiles,
                       time_of(repeats, units, [&] { fleet.evaluate(fleet.time()); }),
                       missiles == 10'000 ? bar_of(target, 25, 8) : 0});
    figures.push_back({Group::windows, name, missiles, tick_after_tick(fleet, repeats)});
    if (missiles <= k_world_limit) {  // of a million, whole flights take gigabytes
      Fleet kept(missiles, target, BatchMemory::flights);
      figures.push_back({Group::flights, name, missiles, tick_after_tick(kept, repeats)});
    }
  }
  const Fleet fleet(missiles, BatchTarget::scalar, BatchMemory::window);
  if (missiles <= 10'000) {  // the World keeps the flights that it compiles
    one_by_one_case(fleet, missiles, figures);
  }
  textbook_cases(fleet, missiles, figures);
}

void motion_cases(int missiles, std::vector<Figure>& figures) {
  for (const BatchTarget target : measured_targets()) {
    Fleet fleet(missiles, target, BatchMemory::flights, true);
    const auto units = static_cast<double>(fleet.evaluate(fleet.time()));
    Subtick t = fleet.time();
    figures.push_back(
        {Group::motion, sim::batch_target_name(target), missiles, time_of(50, units, [&] {
           t += k_frame;
           fleet.evaluate(t);
         })});
  }
}

void trail_cases(int missiles, std::vector<Figure>& figures) {
  constexpr int k_points = 64;
  constexpr Subtick k_spacing = 4'096;  // 1/16 s
  for (const BatchTarget target : measured_targets()) {
    Fleet fleet(missiles, target, BatchMemory::flights);
    std::size_t count = 0;
    const auto trails = [&] {
      count = 0;
      for (int i = 0; i < k_points; ++i) {
        count += fleet.evaluate(fleet.time() - i * k_spacing);
      }
    };
    trails();
    figures.push_back({Group::trail, sim::batch_target_name(target), missiles,
                       time_of(5, static_cast<double>(count), trails)});
  }
}

long counted_work(const char* what, BatchTarget target, int rounds) {
  if (std::strcmp(what, "compile") == 0) {
    const auto scenario = bench_scenario();
    const BenchFlight f = bench_flight(0);
    for (int i = 0; i < rounds; ++i) {
      use(compile_flights(target, {f.launch, f.anchor, scenario->weapons[0], scenario->types[0], 0},
                          k_salvo));
    }
    return long{rounds} * k_salvo;
  }
  if (std::strcmp(what, "evaluate") == 0) {
    Fleet fleet(10'000, target, BatchMemory::window);
    long count = 0;
    for (int i = 0; i < rounds; ++i) {
      count += static_cast<long>(fleet.evaluate(fleet.time()));
    }
    return count;
  }
  return 0;
}

}  // namespace contrail::bench
