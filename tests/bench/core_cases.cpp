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
  Fleet(int missiles, BatchTarget target, BatchMemory memory, bool motion = false)
      : motion_(motion) {
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
  [[nodiscard]] const World& world() const { return worlds_.front(); }

 private:
  bool motion_;
  std::vector<World> worlds_;
  std::vector<BatchEvaluator> evaluators_;
  Subtick time_ = 0;
  std::size_t room_ = 0;
  std::vector<Vec3> positions_;
  std::vector<Vec3> velocities_;
  std::vector<sim::Basis> orientations_;
};

std::string with_count(const char* what, int missiles, const char* how) {
  return std::string(what) + " of " + std::to_string(missiles) + ", " + how;
}

double bar_of(BatchTarget target, double scalar, double avx2) {
  return target == BatchTarget::scalar ? scalar : target == BatchTarget::avx2 ? avx2 : 0;
}

}  // namespace

void compile_cases(std::vector<Line>& lines) {
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
  lines.push_back({"compile, one by one", "flight",
                   time_of(30, units,
                           [&] {
                             for (const BenchFlight& f : flights) {
                               for (int i = 0; i < k_salvo; ++i) {
                                 use(sim::Flight(source(f, i)).points());
                               }
                             }
                           }),
                   10'000});
  lines.push_back({"first position of a new flight, one by one", "flight", time_of(30, units, [&] {
                     for (const BenchFlight& f : flights) {
                       for (int i = 0; i < k_salvo; ++i) {
                         use(sim::Flight(source(f, i)).position(0));
                       }
                     }
                   })});
  for (const BatchTarget target : sim::batch_targets()) {
    lines.push_back({std::string("compile, batches of 16, ") + sim::batch_target_name(target),
                     "flight",
                     time_of(30, units,
                             [&] {
                               for (const BenchFlight& f : flights) {
                                 use(compile_flights(target, source(f, 0), k_salvo));
                               }
                             }),
                     bar_of(target, 10'000, 4'000)});
  }
}

void evaluation_cases(int missiles, std::vector<Line>& lines) {
  const int repeats = repeats_for(missiles);
  for (const BatchTarget target : sim::batch_targets()) {
    if (target == BatchTarget::emulated) {
      continue;
    }
    const char* name = sim::batch_target_name(target);
    {
      Fleet fleet(missiles, target, BatchMemory::flights);
      const auto units = static_cast<double>(fleet.evaluate(fleet.time()));
      lines.push_back({with_count("position", missiles, name) + ", pieces in place", "position",
                       time_of(repeats, units, [&] { fleet.evaluate(fleet.time()); }),
                       missiles == 10'000 ? bar_of(target, 25, 8) : 0});
      Subtick t = fleet.time();
      lines.push_back({with_count("position", missiles, name) + ", tick after tick, flights",
                       "position", time_of(std::min(repeats, 30), units, [&] {
                         t += k_tick;
                         fleet.evaluate(t);
                       })});
    }
    Fleet fleet(missiles, target, BatchMemory::window);
    const auto units = static_cast<double>(fleet.evaluate(fleet.time()));
    Subtick t = fleet.time();
    lines.push_back({with_count("position", missiles, name) + ", tick after tick, windows",
                     "position", time_of(std::min(repeats, 30), units, [&] {
                       t += k_tick;
                       fleet.evaluate(t);
                     })});
  }
  if (missiles > k_world_limit) {
    return;
  }
  const World world = bench_world(missiles / k_salvo * k_salvo);
  const Subtick begin = world.time();
  std::size_t count = 0;
  const auto one_by_one = [&] {
    count = 0;
    for (const sim::Salvo& salvo : world.salvos()) {
      for (std::uint8_t i = 0; i < salvo.launch.count; ++i) {
        use(world.missile_position(salvo, i, begin));
        ++count;
      }
    }
  };
  one_by_one();
  lines.push_back({with_count("position", missiles, "one by one (World)"), "position",
                   time_of(repeats, static_cast<double>(count), one_by_one)});
  std::vector<glm::vec3> floats(count);
  TextbookCurves curves(world, begin);
  lines.push_back({with_count("position", missiles, "textbook: float Bezier, Perlin, reflections"),
                   "position", time_of(repeats, static_cast<double>(curves.size()), [&] {
                     curves.step(world, begin, 1.0F / 60.0F, floats.data());
                     use(floats);
                   })});
  TextbookPursuit pursuit(world, begin);
  lines.push_back({with_count("position", missiles, "textbook: float pursuit, Euler"), "position",
                   time_of(repeats, static_cast<double>(pursuit.size()), [&] {
                     pursuit.step(world, begin, 1.0F / 60.0F, floats.data());
                     use(floats);
                   })});
}

void motion_cases(int missiles, std::vector<Line>& lines) {
  for (const BatchTarget target : sim::batch_targets()) {
    if (target == BatchTarget::emulated) {
      continue;
    }
    Fleet fleet(missiles, target, BatchMemory::flights, true);
    const auto units = static_cast<double>(fleet.evaluate(fleet.time()));
    Subtick t = fleet.time();
    lines.push_back(
        {with_count("position, velocity, orientation", missiles, sim::batch_target_name(target)) +
             ", 60 Hz",
         "missile", time_of(50, units, [&] {
           t += k_frame;
           fleet.evaluate(t);
         })});
  }
}

void trail_cases(int missiles, std::vector<Line>& lines) {
  constexpr int k_points = 64;
  constexpr Subtick k_spacing = 4'096;  // 1/16 s
  for (const BatchTarget target : sim::batch_targets()) {
    if (target == BatchTarget::emulated || target == BatchTarget::ssse3) {
      continue;
    }
    Fleet fleet(missiles, target, BatchMemory::flights);
    std::size_t count = 0;
    const auto trails = [&] {
      count = 0;
      for (int i = 0; i < k_points; ++i) {
        count += fleet.evaluate(fleet.time() - i * k_spacing);
      }
    };
    trails();
    lines.push_back({with_count("trail point", missiles, sim::batch_target_name(target)), "point",
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
    Fleet fleet(1'600, target, BatchMemory::flights);
    long count = 0;
    for (int i = 0; i < rounds; ++i) {
      count += static_cast<long>(fleet.evaluate(fleet.time()));
    }
    return count;
  }
  return 0;
}

}  // namespace contrail::bench
