#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <contrail/edge/route_compiler.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/track.hpp>

namespace contrail::server {
namespace {

using sim::Vec3;

constexpr int k_log2_tick = 11;
constexpr std::int32_t k_m = 4096;

Waypoint at(std::int32_t x, std::int32_t y, std::int32_t z) {
  Waypoint p;
  p.position = {x * k_m, y * k_m, z * k_m};
  return p;
}

Waypoint at_time(std::int32_t x, std::int32_t y, std::int32_t z, sim::Subtick seconds) {
  Waypoint p = at(x, y, z);
  p.time = seconds * sim::k_subticks_per_second;
  return p;
}

RoutePlan square(std::int32_t speed) {
  RoutePlan plan;
  plan.name = "square";
  plan.closed = true;
  plan.speed = speed * k_m;
  plan.waypoints = {at(0, 0, 0), at(800, 100, 0), at(900, 50, 700), at(-50, 0, 650)};
  return plan;
}

/// The track a server flies along a route: one key after the other, as long as its pieces last.
sim::Track fly(const sim::Route& route, int rounds) {
  sim::Track track(0, false, route.start_position, route.start_velocity, sim::Quaternion{});
  sim::Subtick start = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const sim::RouteKey& key : route.keys) {
      const int log2_duration = key.log2_ticks + k_log2_tick;
      // A piece can't start where the spawn's own does.
      if (start > 0) {
        track.start_piece(start, log2_duration, key.position, key.velocity);
      } else {
        track = sim::Track(false,
                           {{0,
                             static_cast<std::uint8_t>(log2_duration),
                             false,
                             route.start_position,
                             route.start_velocity,
                             key.position,
                             key.velocity,
                             {0, 0, 16384}}},
                           {});
      }
      start += sim::Subtick{1} << log2_duration;
    }
  }
  return track;
}

double metres(const sim::WideVec3& v) {
  const double x = static_cast<double>(v.x), y = static_cast<double>(v.y),
               z = static_cast<double>(v.z);
  return std::sqrt(x * x + y * y + z * z) / k_m;
}

TEST(RouteCompiler, ClosedRouteEndsInItsStartState) {
  const CompiledRoute compiled = compile_route(square(100), k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  ASSERT_EQ(compiled.legs.size(), 4U);
  const sim::Route& route = compiled.route;
  EXPECT_EQ(route.start_position, Vec3(0));
  EXPECT_EQ(route.keys.back().position, route.start_position);
  EXPECT_EQ(route.keys.back().velocity, route.start_velocity);
  EXPECT_NE(route.start_velocity, Vec3(0));
}

TEST(RouteCompiler, PassesEveryWaypointAtItsSpeed) {
  RoutePlan plan = square(100);
  plan.waypoints[2].speed = 60 * k_m;
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  const sim::Track track = fly(compiled.route, 1);
  sim::Subtick t = 0;
  for (std::size_t i = 0; i < compiled.legs.size(); ++i) {
    EXPECT_EQ(track.position(t), plan.waypoints[i].position) << i;
    const double speed = metres(sim::WideVec3(track.velocity(t)));
    EXPECT_NEAR(speed, i == 2 ? 60 : 100, 0.01) << i;
    t += sim::Subtick{compiled.legs[i].ticks} << k_log2_tick;
  }
}

TEST(RouteCompiler, SpeedStaysNearTheWaypointsSpeedsBetweenThem) {
  const CompiledRoute compiled = compile_route(square(100), k_log2_tick);
  for (const RouteLeg& leg : compiled.legs) {
    EXPECT_GT(leg.top_speed, 95 * k_m);
    EXPECT_LT(leg.top_speed, 118 * k_m);
    EXPECT_GT(leg.top_acceleration, 0);
  }
}

/// All pieces of a leg are parts of one cubic: the middle piece borders lie where the leg's own
/// Hermite curve passes, which two ends and two velocities define.
TEST(RouteCompiler, PiecesLieOnTheLegsOwnCurve) {
  RoutePlan plan;
  plan.waypoints = {at_time(0, 0, 0, 0), at_time(500, 300, 200, 7), at_time(900, -100, 800, 18),
                    at_time(700, 0, 2000, 31)};
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  const sim::Route& route = compiled.route;
  Vec3 p0 = route.start_position;
  Vec3 v0 = route.start_velocity;
  std::size_t checked = 0;
  for (std::size_t leg = 0; leg < compiled.legs.size(); ++leg) {
    const std::size_t first = compiled.legs[leg].first_key;
    const std::size_t end =
        leg + 1 < compiled.legs.size() ? compiled.legs[leg + 1].first_key : route.keys.size();
    const sim::RouteKey& last = route.keys[end - 1];
    const double n = compiled.legs[leg].ticks;
    const double duration = n / 32;  // s
    double j = 0;
    for (std::size_t k = first; k < end; ++k) {
      j += 1U << route.keys[k].log2_ticks;
      const double u = j / n;
      for (int axis = 0; axis < 3; ++axis) {
        const double hermite = (2 * u * u * u - 3 * u * u + 1) * p0[axis] +
                               (u * u * u - 2 * u * u + u) * duration * v0[axis] +
                               (3 * u * u - 2 * u * u * u) * last.position[axis] +
                               (u * u * u - u * u) * duration * last.velocity[axis];
        EXPECT_NEAR(route.keys[k].position[axis], hermite, 1.0);
        ++checked;
      }
    }
    EXPECT_EQ(j, n);
    p0 = last.position;
    v0 = last.velocity;
  }
  EXPECT_GT(checked, 12U) << "the legs must have inner pieces";
}

TEST(RouteCompiler, PiecesArePowersOfTwoAsLongAsPossible) {
  RoutePlan plan;
  plan.waypoints = {at_time(0, 0, 0, 0), at_time(0, 0, 9000, 50)};  // 1600 ticks = 3 * 512 + 64
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  ASSERT_EQ(compiled.route.keys.size(), 4U);
  EXPECT_EQ(compiled.route.keys[0].log2_ticks, 9);
  EXPECT_EQ(compiled.route.keys[2].log2_ticks, 9);
  EXPECT_EQ(compiled.route.keys[3].log2_ticks, 6);
  // At 8 Hz a tick is 2^13 subticks and a piece at most 2^20.
  const CompiledRoute slow = compile_route(plan, 13);
  ASSERT_TRUE(slow.faults.empty());
  for (const sim::RouteKey& key : slow.route.keys) EXPECT_LE(key.log2_ticks + 13, 20);
}

TEST(RouteCompiler, LegsRuledBySpeedTakeAHandyTime) {
  RoutePlan plan;
  plan.speed = 100 * k_m;
  plan.waypoints = {at(0, 0, 0), at(0, 0, 1575)};  // 504 ticks would be six pieces
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  EXPECT_EQ(compiled.legs[0].ticks, 512U);
  EXPECT_EQ(compiled.route.keys.size(), 1U);
}

TEST(RouteCompiler, TimedTangentsAreTheNonuniformCatmullRomOnes) {
  RoutePlan plan;
  plan.waypoints = {at_time(0, 0, 0, 0), at_time(100, 0, 0, 2), at_time(100, 0, 400, 6)};
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  // (50, 0, 0) m/s over 2 s and (0, 0, 100) m/s over 4 s, each weighted with the other's interval.
  const Vec3 v = compiled.legs[1].start_velocity;
  EXPECT_EQ(v.x, (50 * k_m * 4 + 3) / 6);
  EXPECT_EQ(v.y, 0);
  EXPECT_EQ(v.z, (100 * k_m * 2 + 3) / 6);
  EXPECT_EQ(compiled.route.start_velocity, Vec3(50 * k_m, 0, 0));
}

TEST(RouteCompiler, CornersStopAndGivenVelocitiesHold) {
  RoutePlan plan = square(80);
  plan.waypoints[1].corner = true;
  plan.waypoints[3].velocity = Vec3(0, 10 * k_m, -70 * k_m);
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_TRUE(compiled.faults.empty());
  EXPECT_EQ(compiled.legs[1].start_velocity, Vec3(0));
  EXPECT_EQ(compiled.legs[3].start_velocity, Vec3(0, 10 * k_m, -70 * k_m));
}

TEST(RouteCompiler, VariantStartsAtAnotherWaypointAndMoves) {
  const CompiledRoute compiled = compile_route(square(100), k_log2_tick);
  const Vec3 offset(10 * k_m, 20 * k_m, -30 * k_m);
  const auto variant = route_variant(compiled, 2, offset);
  ASSERT_TRUE(variant);
  EXPECT_EQ(variant->start_position, Vec3(910 * k_m, 70 * k_m, 670 * k_m));
  EXPECT_EQ(variant->start_velocity, compiled.legs[2].start_velocity);
  EXPECT_EQ(variant->keys.size(), compiled.route.keys.size());
  EXPECT_EQ(variant->keys.back().position, variant->start_position);
  EXPECT_EQ(variant->keys.back().velocity, variant->start_velocity);
  EXPECT_EQ(route_variant(compiled, 0, Vec3(0)), compiled.route);
  EXPECT_FALSE(route_variant(compiled, 0, Vec3(sim::k_world_limit, 0, 0)));
}

TEST(RouteCompiler, OpenVariantDropsTheLegsBefore) {
  RoutePlan plan = square(100);
  plan.closed = false;
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  ASSERT_EQ(compiled.legs.size(), 3U);
  const auto variant = route_variant(compiled, 2, Vec3(0));
  ASSERT_TRUE(variant);
  EXPECT_EQ(variant->start_position, plan.waypoints[2].position);
  EXPECT_EQ(variant->keys.back().position, plan.waypoints[3].position);
  EXPECT_LT(variant->keys.size(), compiled.route.keys.size());
}

std::string only_fault(const RoutePlan& plan, std::size_t waypoint) {
  const CompiledRoute compiled = compile_route(plan, k_log2_tick);
  EXPECT_EQ(compiled.faults.size(), 1U);
  if (compiled.faults.empty()) return "";
  EXPECT_EQ(compiled.faults.front().waypoint, waypoint);
  EXPECT_FALSE(compiled.faults.front().remedy.empty());
  return compiled.faults.front().what;
}

TEST(RouteCompiler, NamesTheWaypointOfEveryFault) {
  RoutePlan plan = square(100);
  plan.waypoints[2].position = plan.waypoints[1].position;
  EXPECT_EQ(only_fault(plan, 2), "stands on the waypoint before it");

  plan = square(100);
  plan.waypoints.resize(2);
  EXPECT_EQ(only_fault(plan, 0), "the route has 2 waypoints");

  plan = square(100);
  plan.speed.reset();
  for (Waypoint& p : plan.waypoints) p.speed = 50 * k_m;
  plan.waypoints[3].speed.reset();
  EXPECT_EQ(only_fault(plan, 3), "has neither speed nor time");

  plan = square(100);
  plan.waypoints[1].time = 65536;
  plan.lap = 65536 * 60;
  EXPECT_EQ(compile_route(plan, k_log2_tick).faults.size(), 2U) << "waypoints 3 and 4 have no time";

  plan = square(100);
  plan.waypoints[1].corner = true;
  plan.waypoints[1].speed = 5 * k_m;
  EXPECT_EQ(only_fault(plan, 1), "is a corner and has a speed");

  plan.closed = false;
  plan.waypoints = {at_time(0, 0, 0, 0), at_time(0, 0, 100, 5), at_time(0, 0, 300, 5)};
  EXPECT_EQ(only_fault(plan, 2), "is reached less than a tick after the waypoint before it");

  plan.waypoints = {at(0, 0, 0), at(0, 0, 100), at(0, 0, 50), at(0, 0, 300)};
  EXPECT_EQ(compile_route(plan, k_log2_tick).faults.size(), 2U) << "waypoints 2 and 3";
  plan.waypoints = {at(0, 0, 0), at(0, 0, 100), at(0, 1, 0)};
  EXPECT_EQ(only_fault(plan, 1), "turns straight back");

  plan.waypoints = {at(0, 0, 0), at(0, 0, 100)};
  for (Waypoint& p : plan.waypoints) p.corner = true;
  plan.speed.reset();
  EXPECT_EQ(only_fault(plan, 1), "is reached from stop to stop on a route without a speed");

  plan.waypoints = {at_time(0, 0, 0, 0), at_time(0, 0, 200'000, 10)};
  EXPECT_EQ(compile_route(plan, k_log2_tick).faults.front().what,
            "is passed at more than 10000 m/s");
}

/// Random closed routes: the flown track is continuous in position and velocity over the seam.
TEST(RouteCompiler, FlownRoutesAreSmoothOverEverySeam) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto pick = [&random](std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(high - low + 1));
  };
  int smooth = 0;
  for (int round = 0; round < 200; ++round) {
    RoutePlan plan;
    plan.closed = true;
    plan.speed = pick(20, 300) * k_m;
    const int count = pick(3, 9);
    for (int i = 0; i < count; ++i) {
      plan.waypoints.push_back(at(pick(-5000, 5000), pick(0, 2000), pick(-5000, 5000)));
      if (pick(0, 3) == 0) plan.waypoints.back().speed = pick(20, 300) * k_m;
    }
    const CompiledRoute compiled = compile_route(plan, k_log2_tick);
    if (!compiled.faults.empty()) continue;  // two waypoints in one place
    const sim::Track track = fly(compiled.route, 2);
    sim::Subtick t = 0;
    for (int lap = 0; lap < 2; ++lap) {
      for (const sim::RouteKey& key : compiled.route.keys) {
        t += sim::Subtick{1} << (key.log2_ticks + k_log2_tick);
        ASSERT_EQ(track.position(t), key.position);
        ASSERT_EQ(track.velocity(t), key.velocity);
        const sim::WideVec3 step =
            sim::WideVec3(track.position(t + 1)) - sim::WideVec3(track.position(t));
        const double want = metres(sim::WideVec3(key.velocity)) / 65536;
        ASSERT_LT(metres(step), want + 6.0 / k_m) << "evaluation floors, a few units";
        ASSERT_LT(metres(sim::WideVec3(track.velocity(t + 1) - key.velocity)), 0.1);
        ++smooth;
      }
    }
  }
  EXPECT_GT(smooth, 1000);
}

}  // namespace
}  // namespace contrail::server
