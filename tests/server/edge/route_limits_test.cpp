#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <contrail/edge/route_compiler.hpp>
#include <contrail/edge/route_thinning.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/curve.hpp>

namespace contrail::server {
namespace {

using sim::Vec3;
using sim::WideVec3;

constexpr int k_log2_tick = 11;
constexpr std::int32_t k_m = 4096;

RouteLimits limits(std::int64_t speed, std::int64_t acceleration) {
  return {speed * k_m, acceleration * k_m};
}

Waypoint at(std::int32_t x, std::int32_t y, std::int32_t z) {
  Waypoint p;
  p.position = Vec3(x, y, z) * k_m;
  return p;
}

RoutePlan open_route(std::int32_t speed, std::vector<Waypoint> waypoints) {
  RoutePlan plan;
  plan.speed = speed * k_m;
  plan.waypoints = std::move(waypoints);
  return plan;
}

/// Largest speed and acceleration of the pieces as they are flown, by differences of the track.
struct Flown {
  double speed = 0;         // m/s
  double acceleration = 0;  // m/s^2
};

Flown flown(const CompiledRoute& compiled) {
  Flown worst;
  Vec3 p0 = compiled.route.start_position;
  Vec3 v0 = compiled.route.start_velocity;
  for (const sim::RouteKey& key : compiled.route.keys) {
    const double d = static_cast<double>(1 << key.log2_ticks) / 32;  // s
    for (int end = 0; end <= 1; ++end) {
      double square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double chord = 6.0 * (key.position[axis] - p0[axis]) / (d * d);
        const double a = end == 0 ? chord - (4.0 * v0[axis] + 2.0 * key.velocity[axis]) / d
                                  : -chord + (2.0 * v0[axis] + 4.0 * key.velocity[axis]) / d;
        square += a * a;
      }
      // A unit of position more or less is this much of acceleration.
      const double slack = 12.0 / (d * d);
      worst.acceleration = std::max(worst.acceleration, (std::sqrt(square) - slack) / k_m);
    }
    worst.speed =
        std::max(worst.speed, static_cast<double>(sim::length(WideVec3(key.velocity))) / k_m);
    p0 = key.position;
    v0 = key.velocity;
  }
  return worst;
}

TEST(RouteLimits, a_route_inside_its_limits_is_left_alone) {
  const RoutePlan plan = open_route(50, {at(0, 0, 0), at(2000, 0, 0), at(4000, 0, 900)});
  const CompiledRoute free = compile_route(plan, k_log2_tick);
  const CompiledRoute held = compile_route(plan, k_log2_tick, limits(100, 100));
  EXPECT_EQ(held.route, free.route);
  EXPECT_TRUE(held.changes.fits);
  EXPECT_EQ(held.changes.slowed + held.changes.inserted, 0U);
  EXPECT_EQ(held.changes.added_time, 0);
}

TEST(RouteLimits, a_turn_too_hard_is_flown_slower) {
  const RoutePlan plan = open_route(100, {at(0, 0, 0), at(200, 0, 0), at(200, 0, 200)});
  EXPECT_GT(flown(compile_route(plan, k_log2_tick)).acceleration, 40);
  const CompiledRoute held = compile_route(plan, k_log2_tick, limits(120, 10));
  EXPECT_TRUE(held.changes.fits);
  EXPECT_GT(held.changes.slowed, 0U);
  EXPECT_GT(held.changes.added_time, 0);
  EXPECT_LT(flown(held).acceleration, 10.1);
  EXPECT_EQ(held.route.keys.back().position, plan.waypoints[2].position);
}

TEST(RouteLimits, speeds_above_the_limit_are_lowered_to_it) {
  const CompiledRoute held =
      compile_route(open_route(300, {at(0, 0, 0), at(5000, 0, 0)}), k_log2_tick, limits(120, 1000));
  EXPECT_TRUE(held.changes.fits);
  EXPECT_NEAR(flown(held).speed, 120, 1);
}

TEST(RouteLimits, only_the_turn_of_a_long_way_is_slow) {
  // 20 km there and 20 km back: braking for the turn takes 1 km, not the whole way.
  const RoutePlan plan =
      open_route(100, {at(0, 0, 0), at(20'000, 0, 0), at(20'000, 0, 60), at(0, 0, 60)});
  const CompiledRoute held = compile_route(plan, k_log2_tick, limits(120, 8));
  EXPECT_TRUE(held.changes.fits);
  EXPECT_GE(held.changes.inserted, 2U);
  EXPECT_LT(flown(held).acceleration, 8.1);
  const double seconds = static_cast<double>(route_ticks(held)) / 32;
  EXPECT_GT(seconds, 400);  // 40 km at 100 m/s
  EXPECT_LT(seconds, 480);
  ASSERT_EQ(held.legs.size(), 3U) << "a leg for each waypoint, nodes or not";
  EXPECT_EQ(held.legs[2].waypoint, 2U);
  const auto variant = route_variant(held, 2, Vec3(0));
  ASSERT_TRUE(variant);
  EXPECT_EQ(variant->start_position, plan.waypoints[2].position);
}

TEST(RouteLimits, a_stop_is_braked_for) {
  RoutePlan plan = open_route(100, {at(0, 0, 0), at(300, 0, 0), at(300, 0, 300)});
  plan.waypoints[1].corner = true;
  EXPECT_GT(flown(compile_route(plan, k_log2_tick)).acceleration, 15);
  const CompiledRoute held = compile_route(plan, k_log2_tick, limits(120, 8));
  EXPECT_TRUE(held.changes.fits);
  EXPECT_LT(flown(held).acceleration, 8.1);
  EXPECT_EQ(held.legs[1].start_velocity, Vec3(0));
}

TEST(RouteLimits, a_way_from_stop_to_stop_takes_more_time) {
  RoutePlan plan = open_route(100, {at(0, 0, 0), at(300, 0, 0)});
  for (Waypoint& p : plan.waypoints) p.corner = true;
  const CompiledRoute held = compile_route(plan, k_log2_tick, limits(120, 2));
  EXPECT_TRUE(held.changes.fits);
  EXPECT_LT(flown(held).acceleration, 2.1);
}

TEST(RouteLimits, a_timed_route_gets_more_time) {
  RoutePlan plan;
  plan.waypoints = {at(0, 0, 0), at(400, 0, 0), at(400, 0, 400), at(0, 0, 400)};
  for (std::size_t i = 0; i < 4; ++i) {
    plan.waypoints[i].time = static_cast<sim::Subtick>(i) * 4 * sim::k_subticks_per_second;
  }
  ASSERT_EQ(route_ticks(compile_route(plan, k_log2_tick)), 12U * 32);
  const CompiledRoute held = compile_route(plan, k_log2_tick, limits(60, 10));
  EXPECT_TRUE(held.changes.fits);
  EXPECT_EQ(held.changes.inserted, 0U);
  EXPECT_GT(route_ticks(held), 12U * 32);
  EXPECT_EQ(held.changes.added_time, static_cast<sim::Subtick>(route_ticks(held) - 12U * 32)
                                         << k_log2_tick);
  EXPECT_LT(flown(held).speed, 60.5);
  EXPECT_LT(flown(held).acceleration, 10.1);
}

TEST(RouteLimits, limits_of_zero_cannot_be_kept) {
  const RoutePlan plan = open_route(100, {at(0, 0, 0), at(200, 0, 0), at(200, 0, 200)});
  EXPECT_FALSE(compile_route(plan, k_log2_tick, limits(0, 10)).changes.fits);
  EXPECT_FALSE(compile_route(plan, k_log2_tick, limits(10, 0)).changes.fits);
}

TEST(RouteLimits, random_routes_keep_random_limits) {
  const char* set = std::getenv("CONTRAIL_TEST_SEED");
  const std::uint32_t seed = set != nullptr
                                 ? static_cast<std::uint32_t>(std::strtoul(set, nullptr, 0))
                                 : std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto pick = [&random](std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(high - low + 1));
  };
  int slowed = 0;
  int broke = 0;  // the control: without limits
  for (int round = 0; round < 100; ++round) {
    RoutePlan plan;
    plan.closed = true;
    plan.spline = pick(0, 1) == 0 ? RouteSpline::timed : RouteSpline::centripetal;
    plan.speed = pick(50, 300) * k_m;
    for (int i = pick(3, 9); i > 0; --i) {
      plan.waypoints.push_back(at(pick(-5000, 5000), pick(0, 2000), pick(-5000, 5000)));
      if (pick(0, 3) == 0) plan.waypoints.back().speed = pick(20, 300) * k_m;
      if (pick(0, 9) == 0) plan.waypoints.back().corner = !plan.waypoints.back().speed;
    }
    const RouteLimits held_to = limits(pick(20, 200), pick(2, 50));
    const CompiledRoute free = compile_route(plan, k_log2_tick);
    if (!free.faults.empty()) continue;
    const CompiledRoute held = compile_route(plan, k_log2_tick, held_to);
    ASSERT_TRUE(held.faults.empty());
    ASSERT_TRUE(held.changes.fits) << "round " << round;
    const double acceleration = static_cast<double>(held_to.max_acceleration) / k_m;
    ASSERT_LE(flown(held).acceleration, acceleration * 1.004 + 0.1) << "round " << round;
    ASSERT_LE(flown(held).speed, static_cast<double>(held_to.max_speed) / k_m * 1.004 + 0.1);
    ASSERT_EQ(held.route.keys.back().position, held.route.start_position);
    ASSERT_EQ(held.route.keys.back().velocity, held.route.start_velocity);
    slowed += held.changes.slowed > 0 ? 1 : 0;
    broke += flown(free).acceleration > acceleration * 1.1 ? 1 : 0;
  }
  EXPECT_GT(slowed, 50);
  EXPECT_GT(broke, 30);
}

TEST(RouteSplines, centripetal_tangents_halve_the_angle_whatever_the_lengths) {
  RoutePlan plan = open_route(100, {at(0, 0, 0), at(10, 0, 0), at(10, 0, 1000)});
  plan.spline = RouteSpline::centripetal;
  const Vec3 v = compile_route(plan, k_log2_tick).legs[1].start_velocity;
  EXPECT_NEAR(v.x, 100 * k_m * std::sqrt(0.5), 2);
  EXPECT_NEAR(v.z, 100 * k_m * std::sqrt(0.5), 2);
  // Over the lengths themselves it hardly turns away from the short leg.
  plan.spline = RouteSpline::timed;
  const Vec3 w = compile_route(plan, k_log2_tick).legs[1].start_velocity;
  EXPECT_GT(w.x, 90 * k_m);
}

TEST(RouteSplines, centripetal_tangents_of_timed_routes_keep_the_speed_of_the_times) {
  RoutePlan plan;
  plan.waypoints = {at(0, 0, 0), at(100, 0, 0), at(100, 0, 400)};
  for (std::size_t i = 0; i < 3; ++i) {
    plan.waypoints[i].time = std::array{0, 2, 6}[i] * sim::k_subticks_per_second;
  }
  const Vec3 timed = compile_route(plan, k_log2_tick).legs[1].start_velocity;
  plan.spline = RouteSpline::centripetal;
  const Vec3 v = compile_route(plan, k_log2_tick).legs[1].start_velocity;
  EXPECT_NEAR(static_cast<double>(sim::length(WideVec3(v))),
              static_cast<double>(sim::length(WideVec3(timed))), 4);
  EXPECT_EQ(v.x, v.z);
}

/// A circuit of `count` points that nobody drew: radii that vary, a hill, a hairpin.
RoutePlan circuit(int count, std::int64_t tolerance) {
  RoutePlan plan;
  plan.closed = true;
  plan.speed = 60 * k_m;
  plan.tolerance = tolerance;
  for (int i = 0; i < count; ++i) {
    const double a = 2 * 3.14159265358979 * i / count;
    const double r = 900 + 220 * std::sin(3 * a) + 90 * std::cos(7 * a) + 25 * std::sin(19 * a);
    Waypoint p;
    p.position = Vec3(static_cast<int>(r * std::cos(a) * k_m),
                      static_cast<int>((40 + 30 * std::sin(2 * a)) * k_m),
                      static_cast<int>(0.6 * r * std::sin(a) * k_m));
    plan.waypoints.push_back(p);
  }
  return plan;
}

/// The largest distance from any point of the plan to the flown track, by looking everywhere.
double brute_deviation(const RoutePlan& plan, const CompiledRoute& compiled) {
  std::vector<WideVec3> track;
  Vec3 p0 = compiled.route.start_position;
  Vec3 v0 = compiled.route.start_velocity;
  for (const sim::RouteKey& key : compiled.route.keys) {
    const int k = key.log2_ticks + k_log2_tick;
    const sim::Cubic c = sim::hermite(p0, v0, key.position, key.velocity, k);
    for (sim::Subtick t = 0; t <= sim::Subtick{1} << k; t += 256) {
      track.emplace_back(sim::cubic_point(c, t, k));
    }
    p0 = key.position;
    v0 = key.velocity;
  }
  double worst = 0;
  for (const Waypoint& p : plan.waypoints) {
    double nearest = 1e300;
    for (const WideVec3& q : track) {
      const WideVec3 d = q - WideVec3(p.position);
      const double x = static_cast<double>(d.x), y = static_cast<double>(d.y),
                   z = static_cast<double>(d.z);
      nearest = std::min(nearest, x * x + y * y + z * z);
    }
    worst = std::max(worst, std::sqrt(nearest) / k_m);
  }
  return worst;
}

TEST(RouteThinning, a_circuit_of_1400_points_is_passed_within_the_tolerance_with_few_of_them) {
  for (const std::int64_t tolerance : {8 * k_m, 1 * k_m, k_m / 4}) {
    const RoutePlan plan = circuit(1'400, tolerance);
    const CompiledRoute compiled = compile_route(plan, k_log2_tick, limits(100, 30));
    ASSERT_TRUE(compiled.faults.empty());
    EXPECT_TRUE(compiled.changes.fits);
    EXPECT_LE(compiled.max_deviation, tolerance);
    EXPECT_GT(compiled.max_deviation, 0);
    EXPECT_LT(compiled.legs.size(), 400U);
    // Samples 0.2 m apart: half of that more at most.
    const double brute = brute_deviation(plan, compiled);
    EXPECT_NEAR(brute, static_cast<double>(compiled.max_deviation) / k_m, 0.13);
    EXPECT_EQ(compiled.max_deviation, route_deviation(plan, compiled, k_log2_tick));
    RecordProperty("kept", static_cast<int>(compiled.legs.size()));
  }
}

TEST(RouteThinning, a_smaller_tolerance_keeps_more_points) {
  const auto kept = [](std::int64_t tolerance) {
    return compile_route(circuit(1'400, tolerance), k_log2_tick).legs.size();
  };
  EXPECT_LT(kept(8 * k_m), kept(k_m / 2));
  EXPECT_LT(kept(k_m / 2), kept(k_m / 16));
}

TEST(RouteThinning, control_a_displaced_key_is_farther_away_than_the_tolerance) {
  const RoutePlan plan = circuit(1'400, k_m);
  CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_LE(route_deviation(plan, compiled, k_log2_tick), k_m);
  compiled.route.keys[compiled.route.keys.size() / 2].position.y += 3 * k_m;
  EXPECT_GT(route_deviation(plan, compiled, k_log2_tick), 2 * k_m);
}

TEST(RouteThinning, a_timed_way_is_thinned_and_keeps_its_times) {
  RoutePlan plan = circuit(700, k_m / 2);
  plan.closed = false;
  plan.speed.reset();
  for (std::size_t i = 0; i < plan.waypoints.size(); ++i) {
    plan.waypoints[i].time = static_cast<sim::Subtick>(i) * 13'107;  // a fifth of a second
  }
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  EXPECT_LE(compiled.max_deviation, k_m / 2);
  EXPECT_LT(compiled.legs.size(), 350U);
  EXPECT_NEAR(static_cast<double>(route_ticks(compiled)), 699 * 13'107 / 2048.0, 1);
}

TEST(RouteThinning, points_that_turn_straight_back_become_stops) {
  RoutePlan plan = open_route(20, {});
  plan.tolerance = k_m / 4;
  for (int i = 0; i <= 200; ++i) plan.waypoints.push_back(at(i <= 100 ? 3 * i : 600 - 3 * i, 0, 0));
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty()) << compiled.faults.front().what;
  EXPECT_LE(compiled.max_deviation, k_m / 4);
}

}  // namespace
}  // namespace contrail::server
