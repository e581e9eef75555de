// How turrets slew: overshoot, settling time and lag of both controllers beside the textbook's, and
// what a step and a lead solution cost. With a file name it also writes the plot there.

#include <cstdio>
#include <fstream>

#include <contrail/sim/intercept.hpp>
#include <contrail/sim/track.hpp>
#include <contrail/sim/turret_aim.hpp>

#include "report.hpp"
#include "turret_runs.hpp"

namespace contrail::bench {
namespace {

const std::vector<SlewLimits> k_limits{{2, 2}, {2, 8}, {6, 6}};

void print_time(double seconds) {
  if (seconds < 0) {
    std::printf("%11s", "never");
  } else {
    std::printf("%9.3f s", seconds);
  }
}

void print_slews(const std::vector<std::vector<SlewCurve>>& curves) {
  std::printf(
      "Slew of %.0f degrees to a fixed target at 32 Hz: within 1 degree for good, and on it to\n"
      "the last bit; lag behind a target that turns at half the speed limit\n",
      k_slew_degrees);
  std::printf("  %-7s%-9s%-16s%14s%11s%11s%14s\n", "rad/s", "rad/s^2", "controller", "overshoot",
              "settled", "landed", "lag");
  for (std::size_t i = 0; i < k_limits.size(); ++i) {
    for (const SlewCurve& c : curves[i]) {
      std::printf("  %-7g%-9g%-16s%10.3f deg", k_limits[i].speed, k_limits[i].acceleration,
                  c.name.c_str(), c.overshoot);
      print_time(c.settling);
      print_time(c.landing);
      std::printf("%10.3f deg\n", c.lag);
    }
  }
}

void print_costs() {
  constexpr int k_steps = 100'000;
  sim::TurretMount mount;
  mount.muzzles = {sim::Vec3(0)};
  for (sim::TurretAxis* axis : {&mount.yaw, &mount.pitch}) {
    axis->max_speed = sim::k_turret_turn / 3;
    axis->max_acceleration = sim::k_turret_turn / 4;
  }
  mount.pitch.full_turn = false;
  mount.pitch.low = -sim::k_turret_turn / 4;
  mount.pitch.high = sim::k_turret_turn / 4;
  sim::TurretState state;
  std::int32_t goal = 0;
  const Timing step = time_of(9, k_steps, [&] {
    for (int i = 0; i < k_steps; ++i) {
      goal += 123'457;
      state = turret_step(mount, state, {{goal, 123'457, false}, {goal >> 3, 15'432, false}}, 11);
    }
  });
  sim::Track track(0, false, sim::Vec3(2'000'000, 0, 0), sim::Vec3(0, 0, 409'600), {});
  track.start_piece(0, 17, sim::Vec3(2'000'000, 100'000, 400'000), sim::Vec3(-409'600, 0, 0));
  const auto at = [&track](sim::Subtick t) { return track.position(t); };
  sim::ShotBallistics shot;
  shot.speed = 4'096'000;
  shot.max_flight_time = 4 * sim::k_subticks_per_second;
  constexpr int k_leads = 10'000;
  sim::Subtick sum = 0;
  const Timing straight = time_of(9, k_leads, [&] {
    for (int i = 0; i < k_leads; ++i) {
      sum += intercept(shot, sim::Vec3(2'000'000, i, 0), sim::Vec3(0, 0, 409'600))->time;
    }
  });
  const Timing known = time_of(9, k_leads, [&] {
    for (int i = 0; i < k_leads; ++i) {
      sum += intercept(shot, i, sim::PathView(at), 819'200)->time;
    }
  });
  std::printf("\n  %-44s%9.0f ns\n", "a turret stepped, both axes", step.median);
  std::printf("  %-44s%9.0f ns\n", "lead on a straight target", straight.median);
  std::printf("  %-44s%9.0f ns\n", "lead on a track", known.median);
  if (sum == 0 || state.yaw.rate == 0) std::printf("  nothing was computed\n");
}

}  // namespace
}  // namespace contrail::bench

int main(int argc, char** argv) {
  using namespace contrail::bench;  // NOLINT(google-build-using-namespace)
  std::vector<std::vector<SlewCurve>> curves;
  for (const SlewLimits& limits : k_limits) curves.push_back(slew_curves(limits));
  print_slews(curves);
  print_costs();
  if (argc > 1) {
    std::ofstream file(argv[1]);
    file << slew_plot(k_limits, curves);
    if (!file.flush()) {
      std::fprintf(stderr, "bench_turrets: cannot write '%s'\n", argv[1]);
      return 1;
    }
    std::printf("\n  plot: %s\n", argv[1]);
  }
  // The optimal controller's promises are no matter of speed.
  for (const auto& of_limits : curves) {
    if (of_limits.front().overshoot > 0 || of_limits.front().landing < 0) return 1;
  }
  return 0;
}
