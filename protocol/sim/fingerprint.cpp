#include <contrail/sim/fingerprint.hpp>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/fingerprint_inputs.hpp>
#include <contrail/sim/flight.hpp>
#include <contrail/sim/flight_model.hpp>
#include <contrail/sim/frame.hpp>
#include <contrail/sim/homing.hpp>
#include <contrail/sim/noise.hpp>
#include <contrail/sim/track.hpp>

namespace contrail::sim {
namespace {

/// The primitives where a slip of one unit in a constant or a comparison shows.
void add_edges(Inputs& in, std::uint32_t i, Hash64& hash) {
  const std::int64_t half = std::int64_t{in.number(28)} * k_one + (1 << 23);
  hash.add_signed(round24(half - 1));
  hash.add_signed(round24(half));
  const std::int64_t divisor = 1 + std::int64_t{in.below((1U << 27) - 1)};
  const std::int64_t multiple = in.number(24) * divisor;
  hash.add_signed(floor_div(multiple, divisor));
  hash.add_signed(floor_div(multiple - 1, divisor));
  const std::int64_t root = 1 + std::int64_t{in.next() >> 7};
  hash.add_signed(isqrt(root * root - 1));
  hash.add_signed(isqrt(root * root));
  const int k = static_cast<int>(i % 21);
  const std::int64_t from = in.number(32);
  const std::int64_t to = in.number(32);
  hash.add_signed(lerp(from, to, in.below((1U << k) + 1), k));
  const std::int64_t even = in.number(10) * std::int64_t{65'536};
  hash.add_signed(drift(even, 65'535));
  hash.add_signed(drift(even + 1, 65'535));
  const int bits = static_cast<int>(i % 32);
  const std::int64_t x = (std::int64_t{1} << bits) - i / 32 % 2;
  const std::int64_t y = in.number(bits + 1);
  const WideVec3 v(x, y, in.number(bits + 1));
  hash.add_vector(WideVec3(unit_or(v, Vec3(k_one, 0, 0))));
  hash.add_signed(length(v));
}

Hash64 mix_stage() {
  Inputs in(Stage::mix);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::uint32_t own = key(in.next(), static_cast<Stream>(1 + i % 9), i);
    hash.add(own);
    hash.add(launch_seed((std::uint64_t{own} << 32) | in.next(), i));
    hash.add_vector(WideVec3(ball(own, i)));
    const WideVec3 v = shift_right(WideVec3(in.vector(32)), static_cast<int>(i % 31)) *
                       std::int64_t{i % 2 == 0 ? 1 : 256};
    const Vec3 direction = unit_or(v, Vec3(k_one, 0, 0));
    hash.add_vector(WideVec3(direction));
    hash.add_signed(length(v));
    hash.add_signed(isqrt(std::int64_t{in.next()} << (i % 20)));
    hash.add_vector(along(direction, in.next()));
    const Vec3 velocity = in.vector(26);
    hash.add_vector(drift(velocity, in.number(24)));
    hash.add_vector(WideVec3(cross24(direction, unit_or(in.vector(20), direction))));
    add_edges(in, i, hash);
  }
  return hash;
}

Hash64 noise_stage() {
  Inputs in(Stage::noise);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const auto kind = static_cast<NoiseKind>(i % 2);
    const std::uint32_t seed = in.next();
    const Noise noise(kind, seed, i);
    for (int j = 0; j < 8; ++j) {
      const Noise2 n = noise.at(in.next() >> 4);
      hash.add_signed(n.x);
      hash.add_signed(n.y);
    }
  }
  return hash;
}

Hash64 frame_stage() {
  Inputs in(Stage::frame);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 32; ++i) {
    Cubic curve;
    for (Vec3& p : curve) {
      p = in.vector(26);
    }
    // The degenerate ones: P1 on P0, P2 on P3, both, all in one point, a line that turns back.
    if (i == 0 || i == 2 || i == 3) {
      curve[1] = curve[0];
    }
    if (i == 1 || i == 2 || i == 3) {
      curve[2] = curve[3];
    }
    if (i == 3) {
      curve[2] = curve[3] = curve[0];
    }
    if (i == 4) {
      curve = {Vec3(0), Vec3(40960, 0, 0), Vec3(-40960, 0, 0), Vec3(81920, 0, 0)};
    }
    // Starts that are equally far from several axes.
    if (i == 5 || i == 6) {
      curve[0] = Vec3(0);
      curve[1] = Vec3(i == 5 ? 40960 : 81920, 40960, 40960);
    }
    const CurveFrames frames(curve);
    for (const std::int64_t u :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{65'535}, std::int64_t{65'536},
          std::int64_t{1} << 18, std::int64_t{in.next() >> 12}, std::int64_t{1} << 20}) {
      const Frame frame = frames.at(u);
      hash.add_vector(WideVec3(frame.tangent));
      hash.add_vector(WideVec3(frame.r));
      hash.add_vector(WideVec3(frame.s));
    }
  }
  return hash;
}

Weapon battery_weapon(Inputs& in) {
  Weapon weapon;
  weapon.noise = static_cast<NoiseKind>(in.below(2));
  weapon.muzzle_cone = {16'384, static_cast<std::int32_t>(in.below(16'384))};
  weapon.approach_cone = {in.below(2) == 0 ? 0 : 16'384, 16'384};
  weapon.muzzle_handle = static_cast<std::int32_t>(in.below(65'537));
  weapon.approach_handle = static_cast<std::int32_t>(in.below(65'537));
  weapon.amplitude = static_cast<std::int32_t>(in.below(1U << 20));
  weapon.frequency = static_cast<std::int32_t>(in.below(1U << 18));
  weapon.ripple_interval = static_cast<std::int32_t>(in.below(129));
  return weapon;
}

EntityType battery_type(Inputs& in) {
  EntityType type;
  type.hull.resize(1 + in.below(8));
  for (HullPart& part : type.hull) {
    part.a = in.vector(18);
    part.d = in.vector(18);
    part.radius = static_cast<std::int32_t>(in.below(1U << 18));
  }
  return type;
}

Anchor battery_anchor(Inputs& in, int bits) {
  Anchor anchor;
  anchor.muzzle = in.vector(bits);
  anchor.launcher_velocity = in.vector(22);
  anchor.target_position = in.vector(bits);
  anchor.target_velocity = in.vector(22);
  anchor.muzzle_basis = freeze(basis_of(in.quaternion()));
  anchor.target_basis = freeze(basis_of(in.quaternion()));
  return anchor;
}

Hash64 flight_stage() {
  Inputs in(Stage::flight);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 48; ++i) {
    const Weapon weapon = battery_weapon(in);
    const EntityType type = battery_type(in);
    const Anchor anchor = battery_anchor(in, 20 + static_cast<int>(i % 12));
    Launch launch;
    launch.seed = in.next();
    launch.t0 = in.next() >> 8;
    launch.pieces = static_cast<std::uint16_t>(1 + (i < 8 ? i : in.below(i < 40 ? 64 : 960)));
    launch.log2_piece = static_cast<std::uint8_t>(8 + in.below(6));
    const auto index = static_cast<std::uint8_t>(in.below(255));
    const Flight flight({launch, anchor, weapon, type, index});
    for (const Vec3& p : flight.points()) {
      hash.add_vector(WideVec3(p));
    }
    for (int j = 0; j < 8; ++j) {
      hash.add_vector(WideVec3(flight.position(in.next() % (flight.duration() + 1))));
    }
    hash.add_vector(WideVec3(flight.position(flight.duration())));
  }
  return hash;
}

void battery_key(Inputs& in, Track& track, Subtick start) {
  const int k = 9 + static_cast<int>(in.below(12));
  const std::uint32_t kind = in.below(4);
  if (kind == 1) {
    RelativeKey key;
    key.scale = static_cast<std::uint8_t>(in.below(16));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      key.d[axis] = static_cast<std::int16_t>(in.number(16));
      key.dv[axis] = static_cast<std::int16_t>(in.number(16));
    }
    track.start_relative_piece(start, k, key);
  } else {
    const Vec3 position = in.vector(30);
    const Vec3 velocity = in.vector(25);
    if (kind == 0) {
      track.jump(start, position, velocity);
    } else {
      track.start_piece(start, k, position, velocity);
    }
  }
  if (track.own_attitude()) {
    track.start_attitude(start, k, in.quaternion());
  }
}

Hash64 track_stage() {
  Inputs in(Stage::track);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const Quaternion attitude = in.quaternion();
    const Vec3 position = in.vector(30);
    Track track(2048, i % 2 == 1, position, in.vector(i % 8 == 0 ? 1 : 25), attitude);
    Subtick start = 2048;
    for (int j = 0; j < 16; ++j) {
      const Subtick next = start + 512 * (1 + Subtick{in.below(128)});
      for (int n = 0; n < 3; ++n) {
        const Subtick t = start + 1 + in.next() % (next - start);
        const Pose pose = track.pose(t);
        hash.add_vector(WideVec3(pose.position));
        hash.add_vector(WideVec3(track.velocity(t)));
        add_basis(hash, pose.basis);
      }
      battery_key(in, track, next);
      start = next;  // where the piece before still holds
      hash.add_vector(WideVec3(track.position(start)));
      hash.add_vector(WideVec3(track.velocity(start)));
    }
    hash.add_vector(WideVec3(track.position(start + (Subtick{1} << 24))));
  }
  return hash;
}

Hash64 homing_stage() {
  Inputs in(Stage::homing);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const Subtick duration = 1 + Subtick{in.next() >> (9 + i % 16)};
    const Subtick t = in.next() % (duration + 2);
    hash.add_signed(ramp(t, duration));
    const WideVec3 gap(in.vector(24 + static_cast<int>(i % 9)));
    const WideVec3 now = homing_term(gap, t, duration);
    hash.add_vector(now);
    hash.add_vector(WideVec3(kept_velocity(now, homing_term(gap, t - k_back_step, duration))));
    const EntityType type = battery_type(in);
    hash.add_vector(WideVec3(aim_offset(in.next(), static_cast<std::uint8_t>(i), i % 4, type)));
  }
  return hash;
}

Hash64 flight_model_stage() {
  Inputs in(Stage::flight_model);
  Hash64 hash;
  for (std::uint32_t i = 0; i < 32; ++i) {
    MotionLimits limits;
    limits.max_speed = static_cast<std::int32_t>(in.below(1U << 24));
    limits.max_acceleration = static_cast<std::int32_t>(in.below(1U << 22));
    const Vec3 position = in.vector(28);
    Motion motion{position, in.vector(20)};
    for (int j = 0; j < 16; ++j) {
      const int log2_ticks = static_cast<int>(in.below(5));
      const auto kind = static_cast<SteerKind>(in.below(4));
      const Steer command{kind, in.vector(kind == SteerKind::waypoint ? 28 : 22)};
      const Motion end = steer(motion, command, limits, log2_ticks + 11);
      hash.add_vector(WideVec3(end.position));
      hash.add_vector(WideVec3(end.velocity));
      const auto key = relative_key(0, log2_ticks, 11, motion, end);
      hash.add(key ? key->scale : 255U);
      if (key) {
        hash.add_vector(WideVec3(key->d[0], key->d[1], key->d[2]));
        hash.add_vector(WideVec3(key->dv[0], key->dv[1], key->dv[2]));
      }
      motion = end;
    }
  }
  return hash;
}

}  // namespace

void Hash64::add(std::uint32_t word) {
  a = mix(a ^ word);
  b = mix(b + word * 0x9E3779B9U + 1U);
}

void Hash64::add_signed(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  add(static_cast<std::uint32_t>(bits & 0xFFFF'FFFFU));
  add(static_cast<std::uint32_t>(bits >> 32));
}

void Hash64::add_bytes(const std::uint8_t* data, std::size_t size) {
  add(static_cast<std::uint32_t>(size));
  for (std::size_t i = 0; i < size; i += 4) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 4 && i + j < size; ++j) {
      word |= std::uint32_t{data[i + j]} << (8 * j);
    }
    add(word);
  }
}

void Hash64::add_vector(const WideVec3& v) {
  add_signed(v.x);
  add_signed(v.y);
  add_signed(v.z);
}

std::string Hash64::hex() const {
  std::string text;
  for (const std::uint32_t lane : {a, b}) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      text += "0123456789abcdef"[(lane >> shift) & 15U];
    }
  }
  return text;
}

const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::mix:
      return "mix";
    case Stage::noise:
      return "noise";
    case Stage::frame:
      return "frame";
    case Stage::flight:
      return "flight";
    case Stage::track:
      return "track";
    case Stage::homing:
      return "homing";
    case Stage::flight_model:
      return "flight_model";
    case Stage::turret:
      return "turret";
    case Stage::hit:
      return "hit";
  }
  return "unknown";
}

Fingerprint compute_fingerprint() {
  Fingerprint result;
  result.stages = {mix_stage(),          noise_stage(),  frame_stage(),
                   flight_stage(),       track_stage(),  homing_stage(),
                   flight_model_stage(), turret_stage(), hit_stage()};
  for (const Hash64& stage : result.stages) {
    result.all.add(stage.a);
    result.all.add(stage.b);
  }
  return result;
}

}  // namespace contrail::sim
