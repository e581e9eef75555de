#include "worked_numbers.hpp"

#include <contrail/sim/basis.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/sim/flight.hpp>
#include <contrail/sim/flight_model.hpp>
#include <contrail/sim/frame.hpp>
#include <contrail/sim/homing.hpp>
#include <contrail/sim/intercept.hpp>
#include <contrail/sim/noise.hpp>
#include <contrail/sim/shot.hpp>
#include <contrail/sim/track.hpp>
#include <contrail/sim/trig.hpp>
#include <contrail/sim/turret_aim.hpp>
#include <contrail/sim/world.hpp>
#include <sstream>

namespace contrail::spec {
namespace {

using namespace sim;  // NOLINT(google-build-using-namespace): formulas under their own names

std::ostream& operator<<(std::ostream& out, const WideVec3& v) {
  return out << v.x << ' ' << v.y << ' ' << v.z;
}
WideVec3 wide(const Vec3& v) {
  return WideVec3(v);
}

std::string primitives() {
  std::ostringstream o;
  o << "floor_div(-7, 2) = " << floor_div(-7, 2) << '\n';
  o << "isqrt(1000000) = " << isqrt(1'000'000) << ", isqrt(999999) = " << isqrt(999'999) << '\n';
  o << "lerp(10, -3, 5, 4) = " << lerp(10, -3, 5, 4) << '\n';
  o << "drift(40000000, 1000001) = " << drift(std::int64_t{40'000'000}, 1'000'001)
    << ", drift(-3, -5) = " << drift(std::int64_t{-3}, -5) << '\n';
  const WideVec3 v(3'000'000'001, -40'000, 7);
  o << "unit(3 4 0) = " << wide(unit({3, 4, 0})) << ", length = " << length({3, 4, 0}) << '\n';
  o << "unit(" << v << ") = " << wide(unit(v)) << ", length = " << length(v) << '\n';
  o << "unit(-1 1 -1) = " << wide(unit({-1, 1, -1})) << '\n';
  const Vec3 d = unit({-1, 2, 3});
  const Vec3 e = unit({5, -1, 2});
  o << "d = unit(-1 2 3) = " << wide(d) << ", e = unit(5 -1 2) = " << wide(e) << '\n';
  o << "dot24(d, e) = " << dot24(d, e) << ", cross24(d, e) = " << wide(cross24(d, e)) << '\n';
  o << "along(d, 4000000000) = " << along(d, 4'000'000'000) << '\n';
  return o.str();
}

std::string randomness() {
  std::ostringstream o;
  o << "mix(0) = " << mix(0) << ", mix(1) = " << mix(1)
    << ", mix(4294967295) = " << mix(0xFFFF'FFFFU) << '\n';
  const std::uint32_t own = key(42, Stream::wobble, 7);
  o << "key(42, 4, 7) = " << own << ", draw(that, 3) = " << draw(own, 3) << '\n';
  o << "ball(that, 0) = " << wide(ball(own, 0)) << ", ball(that, 2) = " << wide(ball(own, 2))
    << '\n';
  o << "launch_seed(2^53 + 1, 0) = " << launch_seed((std::uint64_t{1} << 53) + 1, 0)
    << ", launch_seed(2^64 - 1, 9) = " << launch_seed(~std::uint64_t{0}, 9) << '\n';
  return o.str();
}

std::string angles() {
  std::ostringstream o;
  for (const std::int32_t angle : {0, 1, 536'870'912, 1'000'000'000, 1'073'741'824, -5}) {
    o << "angle " << angle << ": sin " << sin_angle(angle) << ", cos " << cos_angle(angle) << '\n';
  }
  o << "atan2(1, 1) = " << atan2_angle(1, 1) << ", atan2(-3, 1000) = " << atan2_angle(-3, 1'000)
    << ", atan2(7, -9) = " << atan2_angle(7, -9) << '\n';
  o << "atan2(123456789012, -98765) = " << atan2_angle(123'456'789'012, -98'765) << '\n';
  return o.str();
}

std::string orientation() {
  std::ostringstream o;
  const Quaternion q = quaternion_of_angles(500'000'000, 200'000'000, -100'000'000);
  o << "q of yaw 500000000, pitch 200000000, roll -100000000: " << q.x << ' ' << q.y << ' ' << q.z
    << ' ' << q.w << '\n';
  const Basis b = basis_of(q);
  o << "its basis: f " << wide(b.forward) << ", u " << wide(b.up) << ", right " << wide(right(b))
    << '\n';
  const Basis a = basis_of_angles(500'000'000, 200'000'000, -100'000'000);
  o << "the basis of the angles: f " << wide(a.forward) << ", u " << wide(a.up) << '\n';
  o << "rotate(basis of q, 100 -200 3000) = " << rotate(b, Vec3(100, -200, 3'000)) << '\n';
  const PackedBasis p = freeze(b);
  o << "frozen: f " << p.forward[0] << ' ' << p.forward[1] << ' ' << p.forward[2] << ", u "
    << p.up[0] << ' ' << p.up[1] << ' ' << p.up[2] << '\n';
  const Basis level = face_basis(unit({1, 2, -3}));
  o << "face_basis(unit(1 2 -3)): f " << wide(level.forward) << ", u " << wide(level.up) << '\n';
  return o.str();
}

const Cubic k_curve{Vec3(0, 0, 0), Vec3(0, 204'800, 0), Vec3(204'800, 204'800, 163'840),
                    Vec3(409'600, 0, 0)};

std::string curve() {
  std::ostringstream o;
  o << "P = 0 0 0, 0 204800 0, 204800 204800 163840, 409600 0 0\n";
  for (const std::int64_t t : {1, 300'000, 524'288, 1'048'575}) {
    o << "t = " << t << " of 2^20: point " << wide(cubic_point(k_curve, t, 20)) << ", slope "
      << blossom(hodograph(k_curve), t, t, 20) << '\n';
  }
  o << "blossom(h, 65536, 131072) = " << blossom(hodograph(k_curve), 65'536, 131'072, 20) << '\n';
  const Cubic c =
      hermite(Vec3(100, 0, -7), Vec3(4'096, -5, 0), Vec3(900, 50, 0), Vec3(-1, 8'192, 3), 14);
  o << "hermite(100 0 -7, 4096 -5 0, 900 50 0, -1 8192 3, 14): " << wide(c[1]) << ", " << wide(c[2])
    << '\n';
  return o.str();
}

std::string noise() {
  std::ostringstream o;
  const std::uint32_t own = key(42, Stream::wobble, 7);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Noise2 knot = noise_knot(own, i);
    o << "knot " << i << ": " << knot.x << ' ' << knot.y << '\n';
  }
  const Noise spline(NoiseKind::bspline, 42, 7);
  const Noise perlin(NoiseKind::perlin, 42, 7);
  for (const std::int64_t cells : {0, 20'000, 65'536, 1'000'000}) {
    const Noise2 s = spline.at(cells);
    const Noise2 p = perlin.at(cells);
    o << "argument " << cells << ": spline " << s.x << ' ' << s.y << ", gradient " << p.x << ' '
      << p.y << '\n';
  }
  o << "gradient phases: " << (draw(key(42, Stream::perlin_x, 7), 0) >> 16) << ' '
    << (draw(key(42, Stream::perlin_y, 7), 0) >> 16) << '\n';
  return o.str();
}

std::string frame() {
  std::ostringstream o;
  o << "the curve of the example above\n";
  const CurveFrames frames(k_curve);
  for (const std::int64_t u : {0, 65'536, 65'537, 300'000, 983'040, 1'048'575}) {
    const Frame f = frames.at(u);
    o << "u = " << u << ": T " << wide(f.tangent) << ", r " << wide(f.r) << ", s " << wide(f.s)
      << '\n';
  }
  return o.str();
}

/// The example flight: missile 3 of a salvo.
struct ExampleFlight {
  Launch launch;
  Anchor anchor;
  Weapon weapon;
  EntityType type;
  ExampleFlight() {
    launch.seed = 42;
    launch.t0 = 1'000'000;
    launch.pieces = 4;
    launch.log2_piece = 13;
    weapon.muzzle_cone = {16'384, 4'240};
    weapon.approach_cone = {16'384, 8'192};
    weapon.muzzle_handle = 26'214;
    weapon.approach_handle = 19'660;
    weapon.amplitude = 40'960;
    weapon.frequency = 131'072;
    weapon.ripple_interval = 1'000;
    anchor.muzzle = Vec3(1'000, 2'000, 3'000);
    anchor.launcher_velocity = Vec3(0, 0, 409'600);
    anchor.target_position = Vec3(400'000, 100'000, 2'000'000);
    anchor.target_velocity = Vec3(-81'920, 0, 0);
    anchor.target_basis = {{16'384, 0, 0}, {0, 16'384, 0}};
    type.hull = {{Vec3(0, 0, -40'960), Vec3(0, 0, 81'920), 8'192},
                 {Vec3(0, 8'192, 0), Vec3(0), 12'288}};
  }
  [[nodiscard]] FlightSource source() const { return {launch, anchor, weapon, type, 3}; }
};

void print_flight(std::ostream& o, const FlightSource& source) {
  const BaseCurve base = base_curve(source);
  o << "aim offset " << wide(aim_offset(source.launch.seed, source.index, 0, source.target_type))
    << '\n';
  o << "base curve";
  for (std::size_t i = 0; i < 4; ++i) {
    o << (i == 0 ? " " : ", ") << wide(base.p[i]);
  }
  o << "; amplitude " << base.amplitude << '\n';
  const Flight flight(source);
  const std::vector<Vec3>& p = flight.points();
  for (std::size_t i = 0; i < p.size(); i += 3) {
    o << "point " << i << ": " << wide(p[i]);
    for (std::size_t j = i + 1; j < std::min(i + 3, p.size()); ++j) {
      o << ", " << wide(p[j]);
    }
    o << '\n';
  }
  for (const Subtick t : {Subtick{1}, Subtick{5'000}, flight.duration() - 1}) {
    o << "position " << t << " after launch: " << wide(flight.position(t)) << '\n';
  }
}

std::string flight() {
  std::ostringstream o;
  ExampleFlight example;
  o << "missile 3, seed 42, B-spline noise, N = 4, J = 13\n";
  print_flight(o, example.source());
  const CurveFrames frames(base_curve(example.source()).p);
  const Noise noise(example.weapon.noise, example.launch.seed, 3);
  for (std::int64_t k = 1; k < 4; ++k) {
    const Noise2 n = noise.at(((k << 13) * example.weapon.frequency) >> 16);
    const Frame f = frames.at(k << 18);
    o << "k = " << k << ": noise " << n.x << ' ' << n.y << ", r " << wide(f.r) << ", s "
      << wide(f.s) << '\n';
  }
  // Away from the target, with gradient noise, in one piece.
  example.weapon.noise = NoiseKind::perlin;
  example.anchor.muzzle_basis = {{0, 0, -16'384}, {0, 16'384, 0}};
  example.launch.pieces = 2;
  o << "muzzle forward 0 0 -16384, gradient noise, N = 2\n";
  print_flight(o, example.source());
  example.launch.pieces = 1;
  o << "the same, N = 1\n";
  print_flight(o, example.source());
  return o.str();
}

std::string homing() {
  std::ostringstream o;
  for (const Subtick t : {1, 1'000, 16'384, 30'000, 32'767}) {
    o << "ramp(" << t << ", 32768) = " << ramp(t, 32'768) << ", ramp(" << t
      << ", 100000) = " << ramp(t, 100'000) << '\n';
  }
  const WideVec3 gap(100'000'000, -5'000, 77);
  const WideVec3 now = homing_term(gap, 20'000, 32'768);
  const WideVec3 before = homing_term(gap, 20'000 - k_back_step, 32'768);
  o << "term(100000000 -5000 77, 20000, 32768) = " << now << '\n';
  o << "1024 before: " << before << "; kept velocity " << wide(kept_velocity(now, before)) << '\n';
  return o.str();
}

std::string track() {
  std::ostringstream o;
  Track t(2'048, false, Vec3(1'000, 0, 0), Vec3(0, 0, 409'600), {});
  t.start_piece(8'192, 14, Vec3(50'000, 20'000, 150'000), Vec3(409'600, 0, -409'600));
  RelativeKey key;
  key.log2_ticks = 2;
  key.scale = 3;
  key.d = {-100, 200, 30};
  key.dv = {1'000, -2'000, 5};
  const TrackKey exact = resolve(key, t, 20'480, 11);
  o << "relative key at 20480: end " << wide(exact.position) << ", velocity "
    << wide(exact.velocity) << '\n';
  t.start_relative_piece(20'480, 13, key);
  for (const Subtick time : {2'048, 2'049, 8'192, 8'193, 15'000, 20'480, 20'481, 25'000, 40'000}) {
    const Basis b = t.basis(time);
    o << "T = " << time << ": p " << wide(t.position(time)) << ", v " << wide(t.velocity(time))
      << "\n  f " << wide(b.forward) << ", u " << wide(b.up) << '\n';
  }
  return o.str();
}

std::string attitude() {
  std::ostringstream o;
  const AttitudePiece piece{0, 14, {0, 0, 0, 16'384}, {-3'000, -9'000, 100, -13'357}};
  for (const Subtick time : {1, 8'192, 16'384}) {
    const Quaternion q = piece_attitude(piece, time);
    const Basis b = piece_basis(piece, time);
    o << "t = " << time << ": q " << q.x << ' ' << q.y << ' ' << q.z << ' ' << q.w << ", f "
      << wide(b.forward) << ", u " << wide(b.up) << '\n';
  }
  return o.str();
}

std::string flight_model() {
  std::ostringstream o;
  const MotionLimits limits{2'048'000, 409'600};
  const Motion start{Vec3(1'000, 2'000, 3'000), Vec3(100'000, 0, -50'000)};
  const std::array<std::pair<const char*, Steer>, 4> commands{{
      {"coast", {}},
      {"accelerate 300000 -300000 100000",
       {SteerKind::accelerate, Vec3(300'000, -300'000, 100'000)}},
      {"velocity 0 0 3000000", {SteerKind::velocity, Vec3(0, 0, 3'000'000)}},
      {"waypoint 50000 2000 3000", {SteerKind::waypoint, Vec3(50'000, 2'000, 3'000)}},
  }};
  for (const auto& [name, command] : commands) {
    const Motion end = steer(start, command, limits, 14);
    o << name << ": p " << wide(end.position) << ", v " << wide(end.velocity);
    if (const auto key = relative_key(0, 3, 11, start, end)) {
      o << ", scale " << int{key->scale} << ", d " << key->d[0] << ' ' << key->d[1] << ' '
        << key->d[2] << ", dv " << key->dv[0] << ' ' << key->dv[1] << ' ' << key->dv[2];
    }
    o << '\n';
  }
  return o.str();
}

/// Angle and rate after some of the ticks of a slew.
void print_slew(std::ostream& o, const TurretMount& mount, AxisState state,
                const AxisDemand& demand) {
  o << " from " << state.angle << " at " << state.rate << " to " << demand.angle;
  if (demand.rate != 0) {
    o << " turning by " << demand.rate;
  }
  o << ':';
  AxisDemand now = demand;
  for (int tick = 1; tick <= 96; ++tick) {
    now.angle += demand.rate;
    state = axis_step(mount.yaw, state, now, mount, 11);
    if (tick == 1 || tick == 2 || tick % 24 == 0) {
      o << ' ' << tick << ": " << state.angle << ' ' << state.rate << (tick == 96 ? "\n" : ",");
    }
  }
}

TurretMount example_mount() {
  TurretMount mount;
  mount.pivot = Vec3(0, 8'192, -4'096);
  mount.orientation = basis_of_angles(1'000'000'000, 50'000'000, 0);
  mount.muzzles = {Vec3(600, 0, 9'000)};
  mount.yaw.max_speed = 89'478'485;
  mount.yaw.max_acceleration = 67'108'864;
  return mount;
}

void print_slews(std::ostream& o) {
  TurretMount mount = example_mount();
  const AxisMotion motion = axis_motion(mount.yaw, 11);
  o << "S = " << motion.speed << ", a = " << motion.gain << '\n';
  o << "stop(1000000) = " << stopping_distance(1'000'000, motion.gain)
    << ", within(that) = " << stopping_rate(stopping_distance(1'000'000, motion.gain), motion.gain)
    << ", within(12345678) = " << stopping_rate(12'345'678, motion.gain)
    << ", within(3) = " << stopping_rate(3, motion.gain) << '\n';
  o << "free,";
  print_slew(o, mount, {}, {100'000'000, 0, false});
  o << "free,";
  print_slew(o, mount, {20'000'000, 2'500'000}, {30'000'000, 0, false});
  o << "free,";
  print_slew(o, mount, {-100'000'000, -1'000'000}, {120'000'000, 400'000, false});
  mount.yaw.full_turn = false;
  mount.yaw.low = -89'478'485;
  mount.yaw.high = 89'478'485;
  o << "stops +-89478485,";
  print_slew(o, mount, {70'000'000, 0}, {130'000'000, 0, false});
  o << "stops +-89478485,";
  print_slew(o, mount, {70'000'000, 0}, {145'000'000, 0, false});
  mount.yaw.full_turn = true;
  mount.controller = TurretController::align;
  o << "align 745654 22369621 6554,";
  print_slew(o, mount, {}, {100'000'000, 0, false});
}

void print_lead(std::ostream& o, const char* name, const std::optional<Intercept>& meeting) {
  o << name << ": ";
  if (meeting) {
    o << "time " << meeting->time << ", way " << meeting->way << '\n';
  } else {
    o << "none\n";
  }
}

std::string turrets() {
  std::ostringstream o;
  print_slews(o);
  const TurretMount mount = example_mount();
  const TurretPlatform platform{Vec3(100'000, 2'000, -300'000),
                                basis_of_angles(-700'000'000, 90'000'000, 40'000'000)};
  const TurretAim aim = aim_at(mount, platform, WideVec3(5'000'000, 600'000, 2'000'000));
  o << "pivot " << turret_pivot(mount, platform) << ", yaw " << aim.yaw << ", pitch " << aim.pitch
    << ", direction " << wide(aim.bore) << '\n';
  const TurretState state{{aim.yaw - 300'000, 0}, {aim.pitch + 70'000, 0}};
  o << "300000 to the left of it and 70000 above: error " << bore_error(state, aim) << ", bore "
    << wide(bore_basis(mount, state, platform.basis).forward) << ", muzzle "
    << muzzle_position(mount, state, platform, 0) << '\n';
  ShotBallistics shot;
  shot.pivot = Vec3(1'000, 2'000, 3'000);
  shot.inherited = Vec3(0, 0, 409'600);
  shot.speed = 1'064'960;
  shot.muzzle = 20'480;
  shot.max_flight_time = 655'360;
  const Vec3 p(4'259'840, 0, 500'000);
  print_lead(o, "straight, slower", intercept(shot, p, Vec3(-100'000, 50'000, 0)));
  print_lead(o, "straight, faster", intercept(shot, p, Vec3(-2'000'000, 300'000, 700'000)));
  print_lead(o, "straight, gone", intercept(shot, p, Vec3(2'000'000, 0, 0)));
  Track track(0, false, p, Vec3(-409'600, 0, 0), {});
  track.start_piece(0, 17, Vec3(3'500'000, 400'000, 900'000), Vec3(0, 0, -819'200));
  const auto at = [&track](Subtick t) { return track.position(t); };
  print_lead(o, "track, slower", intercept(shot, 1'000, PathView(at), 500'000));
  print_lead(o, "track, walked", intercept(shot, 1'000, PathView(at), 900'000));
  return o.str();
}

/// Two rounds of a burst, off the bore by the gunner.
std::string shots() {
  std::ostringstream o;
  Turret turret;
  turret.mount = example_mount();
  turret.mount.muzzles = {Vec3(-600, 0, 9'000), Vec3(600, 0, 9'000)};
  turret.gun.speed = 4'096'000;
  turret.gun.life = 98'304;
  turret.gun.interval = 3'000;
  turret.gun.error = 50'000;
  SnapshotBurst burst;
  burst.shot.count = 3;
  burst.shot.time = 100'353;
  burst.shot.seed = 42;
  burst.pivot = Vec3(104'635, 9'569, -302'260);
  burst.velocity = Vec3(0, 0, 409'600);
  burst.bore = basis_of_angles(300'000'000, 80'000'000, 0);
  for (const int i : {0, 1, 2}) {
    const Round round = round_of(burst, turret, i);
    o << "round " << i << ": " << round.begin << " to " << round.end << ", start "
      << wide(round.start) << ", velocity " << wide(round.velocity) << ", at 120000 "
      << round.position(120'000) << '\n';
  }
  o << "burst over at " << burst_end(burst.shot, turret.gun)
    << ", left by 103353: " << int{rounds_until(burst.shot, turret.gun, 103'353)}
    << ", by 103352: " << int{rounds_until(burst.shot, turret.gun, 103'352)} << '\n';
  return o.str();
}

/// A ship passes another one, whose turret follows it with lead; the order is of record 2.
std::string turret_fold() {
  std::ostringstream o;
  auto scenario = std::make_shared<Scenario>();
  scenario->log2_tick = 11;
  EntityType& type = scenario->types.emplace_back();
  type.hit_points = 1;
  type.max_speed = 2'048'000;
  Turret& turret = type.turrets.emplace_back();
  turret.mount = example_mount();
  turret.mount.orientation = {};
  turret.mount.pitch = turret.mount.yaw;
  turret.mount.pitch.full_turn = false;
  turret.mount.pitch.low = -10'000'000;
  turret.mount.pitch.high = 60'000'000;
  turret.gun.speed = 4'096'000;
  turret.gun.life = 98'304;
  turret.gun.burst = 1;
  World world(scenario);
  TickRecord record;
  record.tick = 1;
  record.spawns = {{7, 0, 0, 0, Vec3(0), Vec3(0, 0, 40'960), {}},
                   {9, 0, 1, 0, Vec3(400'000, 30'000, 400'000), Vec3(0, 0, -819'200), {}}};
  world.fold(record);
  record = {};
  record.tick = 2;
  record.turret_modes = {{7, 0, TurretOrder::entity, 9, 0, 0}};
  world.fold(record);
  for (const std::uint32_t tick : {2U, 3U, 4U, 5U, 12U, 24U}) {
    world.advance(tick);
    const TurretState& s = world.find_entity(7)->turrets[0].state;
    const TurretSight sight = world.turret_sight(*world.find_entity(7), record.turret_modes[0]);
    o << "tick " << tick << ": yaw " << s.yaw.angle << ' ' << s.yaw.rate << ", pitch "
      << s.pitch.angle << ' ' << s.pitch.rate << ", meeting after " << sight.meeting->time
      << " at yaw " << sight.aim.yaw << ", pitch " << sight.aim.pitch << '\n';
  }
  const Burst burst = world.prepare_burst({7, 0, 1, world.time() + 1, 5});
  o << "burst of tick 25: pivot " << wide(burst.pivot) << ", velocity " << wide(burst.velocity)
    << ", bore " << wide(burst.bore.forward) << '\n';
  o << "lane turrets " << world.take_state_hash().lanes[4] << '\n';
  return o.str();
}

std::string fingerprint() {
  std::ostringstream o;
  const Fingerprint f = compute_fingerprint();
  for (std::size_t i = 0; i < f.stages.size(); ++i) {
    o << stage_name(static_cast<Stage>(i)) << ' ' << f.stages[i].hex() << '\n';
  }
  o << "all " << f.all.hex() << '\n';
  return o.str();
}

}  // namespace

std::vector<Example> worked_numbers() {
  return {{"primitives", primitives()},
          {"randomness", randomness()},
          {"angles", angles()},
          {"orientation", orientation()},
          {"curve", curve()},
          {"noise", noise()},
          {"frame", frame()},
          {"flight", flight()},
          {"homing", homing()},
          {"track", track()},
          {"attitude", attitude()},
          {"flight_model", flight_model()},
          {"turrets", turrets()},
          {"shots", shots()},
          {"fingerprint", fingerprint()},
          {"turret_fold", turret_fold()}};
}

}  // namespace contrail::spec
