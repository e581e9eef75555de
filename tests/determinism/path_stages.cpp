#include "path_stages.hpp"

#include <contrail/sim/basis.hpp>
#include <contrail/sim/flight.hpp>
#include <contrail/sim/flight_model.hpp>
#include <contrail/sim/frame.hpp>
#include <contrail/sim/hit.hpp>
#include <contrail/sim/homing.hpp>
#include <contrail/sim/track.hpp>

#include "flight_samples.hpp"

namespace contrail::battery {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;
using test::Numbers;

void add(sim::Hash64& hash, const Vec3& v) {
  hash.add_vector(WideVec3(v));
}

void add(sim::Hash64& hash, const sim::Pose& pose) {
  add(hash, pose.position);
  add(hash, pose.basis.forward);
  add(hash, pose.basis.up);
}

sim::Hash64 launches() {
  Numbers numbers(3);
  sim::Hash64 hash;
  for (int i = 0; i < 300; ++i) {
    const std::int64_t reach = std::int64_t{1} << (14 + i % 17);  // 4 m to the world's limit
    const test::FlightSample sample = test::random_flight(numbers, reach);
    const sim::FlightSource source = sample.source();
    const sim::BaseCurve base = sim::base_curve(source);
    hash.add_signed(base.amplitude);
    const sim::CurveFrames frames(base.p);
    for (int j = 0; j < 8; ++j) {
      const sim::Frame frame = frames.at(numbers.between(0, 1 << 20));
      add(hash, frame.tangent);
      add(hash, frame.r);
      add(hash, frame.s);
    }
    const sim::Flight flight(source);
    for (const Vec3& point : flight.points()) {
      add(hash, point);
    }
    for (int j = 0; j < 16; ++j) {
      const Subtick t = numbers.between(0, flight.duration());
      add(hash, flight.position(t));
      add(hash, flight.velocity(t));
    }
  }
  return hash;
}

void start_key(Numbers& numbers, sim::Track& track, Subtick start) {
  const int k = static_cast<int>(numbers.between(9, 20));
  const auto position = numbers.vector<Vec3>(sim::k_world_limit);
  const auto velocity = numbers.vector<Vec3>(sim::k_max_speed);
  switch (numbers.between(0, 3)) {
    case 0:
      track.jump(start, position, velocity);
      break;
    case 1:
      track.start_piece(start, k, position, velocity);
      break;
    default: {
      sim::RelativeKey key;
      key.scale = static_cast<std::uint8_t>(numbers.between(0, 15));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        key.d[axis] = static_cast<std::int16_t>(numbers.between(-32'768, 32'767));
        key.dv[axis] = static_cast<std::int16_t>(numbers.between(-32'768, 32'767));
      }
      track.start_relative_piece(start, k, key);
    }
  }
  if (track.own_attitude()) {
    const auto yaw = static_cast<std::int32_t>(numbers.next() & 0xFFFF'FFFFU);
    const auto pitch = static_cast<std::int32_t>(numbers.next() & 0xFFFF'FFFFU);
    track.start_attitude(start, k, sim::quaternion_of_angles(yaw, pitch, 0));
  }
}

void add_steered(Numbers& numbers, sim::Hash64& hash) {
  sim::Motion motion{numbers.vector<Vec3>(1 << 24), numbers.vector<Vec3>(1 << 22)};
  sim::MotionLimits limits;
  limits.max_speed = static_cast<std::int32_t>(numbers.between(0, sim::k_max_speed));
  limits.max_acceleration = static_cast<std::int32_t>(numbers.between(0, 1 << 24));
  for (int j = 0; j < 24; ++j) {
    const auto kind = static_cast<sim::SteerKind>(numbers.between(0, 3));
    const sim::Steer command{kind, numbers.vector<Vec3>(1 << 24)};
    motion = sim::steer(motion, command, limits, static_cast<int>(numbers.between(9, 16)));
    add(hash, motion.position);
    add(hash, motion.velocity);
  }
}

sim::Hash64 tracks() {
  Numbers numbers(4);
  sim::Hash64 hash;
  for (int i = 0; i < 48; ++i) {
    const auto position = numbers.vector<Vec3>(sim::k_world_limit);
    const auto velocity = numbers.vector<Vec3>(i % 8 == 0 ? 0 : sim::k_max_speed);
    sim::Track track(2048, i % 2 == 1, position, velocity, {});
    Subtick start = 2048;
    for (int j = 0; j < 24; ++j) {
      const Subtick next = start + 512 * numbers.between(1, 128);
      for (int n = 0; n < 4; ++n) {
        const Subtick t = numbers.between(start + 1, next);
        add(hash, track.pose(t));
        add(hash, track.velocity(t));
        add(hash, track.facing(t));
      }
      start_key(numbers, track, next);
      start = next;
    }
    add_steered(numbers, hash);
  }
  return hash;
}

sim::Hash64 pursuit() {
  Numbers numbers(5);
  sim::Hash64 hash;
  for (int i = 0; i < 4'000; ++i) {
    const Subtick duration = numbers.between(1, std::int64_t{1} << numbers.between(8, 23));
    const Subtick t = numbers.between(-2, duration + 2);
    const WideVec3 gap(numbers.extreme_vector<Vec3>(std::int64_t{1} << (20 + i % 11)));
    const WideVec3 now = sim::homing_term(gap, t, duration);
    hash.add_signed(sim::ramp(t, duration));
    hash.add_vector(now);
    const WideVec3 before = sim::homing_term(gap, t - sim::k_back_step, duration);
    add(hash, sim::kept_velocity(now, before));
  }
  return hash;
}

sim::Hash64 hits() {
  Numbers numbers(6);
  sim::Hash64 hash;
  std::uint32_t touched = 0;
  for (int i = 0; i < 4'000; ++i) {
    sim::HullPart part;
    part.a = numbers.vector<Vec3>(1 << (10 + i % 11));
    part.d = i % 16 == 0 ? Vec3(0) : numbers.vector<Vec3>(1 << (10 + i % 11));
    part.radius = static_cast<std::int32_t>(numbers.between(0, 1 << (8 + i % 14)));
    sim::Weapon weapon;
    weapon.radius = static_cast<std::int32_t>(numbers.between(0, 1 << 15));
    sim::Pose pose;
    pose.position = numbers.vector<Vec3>(1 << 28);
    pose.basis = test::random_basis(numbers);
    const sim::WorldCapsule capsule = sim::place(part, weapon, pose);
    // About on the surface, so that both answers come.
    const WideVec3 away(numbers.vector<Vec3>(1 << 16));
    const std::int64_t eighths = numbers.between(0, 8);
    const WideVec3 axis = capsule.a + sim::floor_div(capsule.d * eighths, 8);
    const WideVec3 point = axis + sim::floor_div(away * capsule.radius_sum, 50'000);
    hash.add_vector(sim::closest_axis_point(capsule, point));
    const bool touches = sim::touches(capsule, point);
    touched += touches ? 1 : 0;
    hash.add(touches ? 1 : 0);
  }
  require_same(touched > 400 && touched < 3'600, "hits come in both kinds");
  hash.add(touched);
  return hash;
}

}  // namespace

void path_stages(Stages& stages) {
  stages.push_back({"launches", launches()});
  stages.push_back({"tracks", tracks()});
  stages.push_back({"pursuit", pursuit()});
  stages.push_back({"hits", hits()});
}

}  // namespace contrail::battery
