// The fingerprint's stages turret and hit.

#include <algorithm>

#include <contrail/sim/fingerprint_inputs.hpp>
#include <contrail/sim/hit.hpp>
#include <contrail/sim/intercept.hpp>
#include <contrail/sim/shot.hpp>
#include <contrail/sim/track.hpp>
#include <contrail/sim/turret_aim.hpp>

namespace contrail::sim {
namespace {

/// Shifted down by a random amount, at least 1.
std::int32_t limit(Inputs& in) {
  const std::uint32_t shift = 1 + in.below(16);
  return std::max(1, static_cast<std::int32_t>(in.next() >> shift));
}

TurretMount battery_mount(Inputs& in) {
  TurretMount mount;
  mount.yaw.full_turn = in.below(2) == 0;
  mount.yaw.low = in.number(28);
  mount.yaw.high = std::min<std::int32_t>(
      mount.yaw.low + static_cast<std::int32_t>(in.below((1U << 28) + 1)), k_turret_turn);
  mount.yaw.max_speed = limit(in);
  mount.yaw.max_acceleration = limit(in);
  mount.controller = static_cast<TurretController>(in.below(2));
  mount.align.target_radius = static_cast<std::int32_t>(in.below(1U << 22));
  mount.align.slow_radius = 1 + static_cast<std::int32_t>(in.below(1U << 26));
  mount.align.time_to_target = in.below(655'361);
  mount.pivot = in.vector(18);
  mount.orientation = basis_of(in.quaternion());
  mount.muzzles = {in.vector(14)};
  mount.muzzles.push_back(in.vector(14));
  return mount;
}

void add_slews(Inputs& in, const TurretMount& mount, int log2_tick, Hash64& hash) {
  const TurretAxis& axis = mount.yaw;
  const AxisMotion motion = axis_motion(axis, log2_tick);
  hash.add_signed(motion.speed);
  hash.add_signed(motion.gain);
  AxisState state;
  const std::uint32_t room = in.next();
  state.angle = axis.full_turn ? static_cast<std::int32_t>(room) >> 4
                               : axis.low + static_cast<std::int32_t>(
                                                room % static_cast<std::uint32_t>(
                                                           std::int64_t{axis.high} - axis.low + 1));
  for (int demand = 0; demand < 3; ++demand) {
    AxisDemand wanted;
    wanted.hold = in.below(8) == 0;
    wanted.angle = in.number(28);
    wanted.rate = in.number(22);
    for (int step = 0; step < 16; ++step) {
      wanted.angle += wanted.rate;
      state = axis_step(axis, state, wanted, mount, log2_tick);
      hash.add_signed(state.angle);
      hash.add_signed(state.rate);
    }
  }
  const std::int64_t rate = in.next() >> 6;
  const std::int64_t gain = 1 + (in.next() >> 6);
  hash.add_signed(stopping_distance(rate, gain));
  hash.add_signed(stopping_rate(std::int64_t{in.next()} << (log2_tick - 9), gain));
}

/// Where one unit decides which way round an axis goes.
void add_choices(Inputs& in, TurretMount mount, int log2_tick, Hash64& hash) {
  constexpr std::int32_t k_hysteresis = 2'097'152;
  TurretAxis& axis = mount.yaw;
  AxisState state;
  state.rate = in.below(2) == 0 ? 1 : -1;
  axis.full_turn = true;
  state.angle = in.number(27);
  AxisDemand demand;
  demand.angle = state.angle + state.rate * k_hysteresis + 134'217'727;
  demand.angle += static_cast<std::int32_t>(in.below(2));
  const AxisState around = axis_step(axis, state, demand, mount, log2_tick);
  hash.add_signed(around.angle);
  hash.add_signed(around.rate);
  axis.full_turn = false;
  axis.low = -67'108'864 - static_cast<std::int32_t>(in.below(1U << 25));
  axis.high = 67'108'864 + static_cast<std::int32_t>(in.below(1U << 25));
  state.angle = 0;
  const std::int32_t gap = k_turret_turn - (axis.high - axis.low);
  demand.angle = axis.high + ((gap + state.rate * 2 * k_hysteresis) >> 1);
  demand.angle += static_cast<std::int32_t>(in.below(2));
  const AxisState stop = axis_step(axis, state, demand, mount, log2_tick);
  hash.add_signed(stop.angle);
  hash.add_signed(stop.rate);
}

void add_aim(Inputs& in, const TurretMount& mount, Hash64& hash) {
  TurretPlatform platform;
  platform.position = in.vector(29);
  platform.basis = basis_of(in.quaternion());
  const TurretAim aim = aim_at(mount, platform, WideVec3(in.vector(30)));
  hash.add_signed(aim.yaw);
  hash.add_signed(aim.pitch);
  hash.add_vector(WideVec3(aim.bore));
  TurretState state;
  state.yaw.angle = aim.yaw + in.number(24);
  state.pitch.angle = aim.pitch + in.number(24);
  add_basis(hash, bore_basis(mount, state, platform.basis));
  hash.add_signed(bore_error(state, aim));
}

void add_meeting(Hash64& hash, const std::optional<Intercept>& meeting) {
  hash.add_signed(meeting ? meeting->time : -1);
  if (meeting) {
    hash.add_vector(meeting->way);
  }
}

void add_leads(Inputs& in, std::uint32_t i, Hash64& hash) {
  ShotBallistics shot;
  shot.pivot = in.vector(24);
  shot.inherited = in.vector(22);
  shot.speed = 1 + static_cast<std::int32_t>(in.below(1U << (20 + i % 6)));
  shot.muzzle = static_cast<std::int32_t>(in.below(1U << 16));
  shot.max_flight_time = 1 + Subtick{in.next() >> (8 + i % 12)};
  const Vec3 position = in.vector(20 + static_cast<int>(i % 8));
  const Vec3 velocity = in.vector(22 + static_cast<int>(i % 4));
  add_meeting(hash, intercept(shot, position, velocity));
  shot.max_flight_time = 1 + Subtick{in.next() >> (13 + i % 8)};
  Track track(0, false, position, velocity, {});
  const Vec3 end = in.vector(24);
  track.start_piece(0, 17, end, in.vector(22));
  const auto at = [&track](Subtick t) { return track.position(t); };
  add_meeting(hash, intercept(shot, 1'000, PathView(at),
                              static_cast<std::int32_t>(in.below(1U << (18 + i % 8)))));
}

void add_rounds(Inputs& in, const TurretMount& mount, std::uint32_t i, Hash64& hash) {
  Turret turret;
  turret.mount = mount;
  turret.gun.speed = 1 + static_cast<std::int32_t>(in.below(1U << 25));
  turret.gun.interval = static_cast<std::int32_t>(in.below(4096));
  turret.gun.life = 65'536;
  turret.gun.inherits = in.below(2) == 1;
  turret.gun.error = i % 4 == 0 ? 0 : static_cast<std::int32_t>(in.below(1U << 24));
  SnapshotBurst burst;
  burst.shot.count = 255;
  burst.shot.time = 1 + Subtick{in.next()};
  burst.shot.seed = in.next();
  burst.pivot = in.vector(29);
  burst.velocity = in.vector(24);
  burst.bore = basis_of(in.quaternion());
  const Round round = round_of(burst, turret, static_cast<int>(in.below(255)));
  hash.add_signed(round.begin);
  hash.add_vector(WideVec3(round.start));
  hash.add_vector(WideVec3(round.velocity));
  hash.add_vector(round.position(round.begin + in.below(65'537)));
}

HullPart battery_part(Inputs& in, std::uint32_t i) {
  const int bits = 4 + static_cast<int>(i % 18);
  HullPart part;
  part.a = in.vector(bits);
  part.d = in.vector(bits);
  if (i % 4 == 0) {
    part.d = Vec3(0);
  }
  part.radius = static_cast<std::int32_t>(in.below(1U << bits));
  return part;
}

void add_contact(Hash64& hash, const WorldCapsule& capsule, const WideVec3& point) {
  hash.add_vector(closest_axis_point(capsule, point));
  hash.add(touches(capsule, point) ? 1 : 0);
}

}  // namespace

Hash64 turret_stage() {
  Inputs in(Stage::turret);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 96; ++i) {
    const TurretMount mount = battery_mount(in);
    add_slews(in, mount, 9 + static_cast<int>(i % 5), hash);
    add_choices(in, mount, 9 + static_cast<int>(i % 5), hash);
    add_aim(in, mount, hash);
    add_leads(in, i, hash);
    add_rounds(in, mount, i, hash);
  }
  return hash;
}

Hash64 hit_stage() {
  Inputs in(Stage::hit);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const HullPart part = battery_part(in, i);
    Weapon weapon;
    weapon.radius = static_cast<std::int32_t>(in.below(1U << (1 + i % 16)));
    Pose pose;
    pose.position = in.vector(29);
    pose.basis = basis_of(in.quaternion());
    const WorldCapsule capsule = place(part, weapon, pose);
    hash.add_vector(capsule.a);
    hash.add_vector(capsule.d);
    for (int j = 0; j < 4; ++j) {
      const std::int64_t along_axis = std::int64_t{in.below(81'920)} - 8'192;
      const Vec3 away = unit_or(WideVec3(in.vector(20)), Vec3(k_one, 0, 0));
      const std::int64_t distance = capsule.radius_sum + in.number(2);
      add_contact(hash, capsule,
                  capsule.a + shift_right(capsule.d * along_axis, 16) + along(away, distance));
    }
    WideVec3 edge(0);
    edge[static_cast<int>(i % 3)] = capsule.radius_sum;
    add_contact(hash, capsule, capsule.a + edge);
    edge[static_cast<int>(i % 3)] = capsule.radius_sum + 1;
    add_contact(hash, capsule, capsule.a + edge);
  }
  return hash;
}

}  // namespace contrail::sim
