#include "codec_samples.hpp"

#include <algorithm>
#include <array>

#include <contrail/sim/basis.hpp>

namespace contrail::wire::samples {
namespace {

using sim::Subtick;

template <class T>
T pick(Dice& dice, std::int64_t low, std::int64_t high) {
  switch (dice.between(0, 9)) {
    case 0:
      return static_cast<T>(low);
    case 1:
      return static_cast<T>(high);
    default:
      return static_cast<T>(dice.between(low, high));
  }
}
std::uint8_t byte(Dice& dice, std::int64_t low = 0, std::int64_t high = 255) {
  return pick<std::uint8_t>(dice, low, high);
}
std::uint16_t half(Dice& dice) {
  return pick<std::uint16_t>(dice, 0, 0xFFFF);
}
std::uint16_t entity(Dice& dice) {
  return pick<std::uint16_t>(dice, 0, 0xFFFE);
}
std::uint32_t word(Dice& dice) {
  return pick<std::uint32_t>(dice, 0, 0xFFFF'FFFF);
}
std::int16_t small(Dice& dice) {
  return pick<std::int16_t>(dice, -32'768, 32'767);
}
sim::Vec3 vector(Dice& dice, std::int32_t limit) {
  return {pick<std::int32_t>(dice, -limit, limit), pick<std::int32_t>(dice, -limit, limit),
          pick<std::int32_t>(dice, -limit, limit)};
}
sim::Vec3 position(Dice& dice) {
  return vector(dice, sim::k_world_limit);
}
sim::Vec3 velocity(Dice& dice) {
  return vector(dice, sim::k_max_speed);
}
std::uint8_t key_length(Dice& dice, int log2_tick) {
  return byte(dice, 0, std::min(sim::k_max_log2_piece_ticks, sim::k_max_log2_piece - log2_tick));
}
std::string name(Dice& dice) {
  const std::array<const char*, 5> names{"", "Möwe", "缶", "arc \xF0\x9F\x9A\x80", "plain name"};
  return dice.chance(20) ? std::string(k_max_name_bytes, 'x')
                         : names[static_cast<std::size_t>(dice.between(0, 4))];
}

/// Makes records of one tick.
struct Maker {
  Dice& dice;
  std::uint32_t tick;
  int log2_tick;
  int most;

  Subtick time() const {
    const Subtick end = Subtick{tick} << log2_tick;
    return end - pick<Subtick>(dice, 0, (Subtick{1} << log2_tick) - 1);
  }
  template <class Element, class Make>
  void some(std::vector<Element>& out, Make make) const {
    if (dice.chance(66)) {
      return;
    }
    for (std::int64_t n = dice.between(1, most); n > 0; --n) {
      out.push_back(make());
    }
  }
  sim::Launch launch() const {
    return {word(dice),
            entity(dice),
            entity(dice),
            time(),
            pick<std::uint16_t>(dice, 1, 960),
            byte(dice, 0, 63),
            byte(dice),
            byte(dice, 1, 255),
            byte(dice, 8, 13)};
  }
  sim::Outcome outcome() const {
    return {half(dice), byte(dice, 0, 254), static_cast<sim::EndKind>(byte(dice, 4, 8)), half(dice),
            time()};
  }
  sim::Guidance guidance() const {
    const bool lost = dice.chance(50);
    return {half(dice), byte(dice, 0, 7),
            lost ? sim::GuidanceKind::lock_lost : static_cast<sim::GuidanceKind>(byte(dice, 1, 2)),
            pick<std::uint32_t>(dice, 1, 0xFFFF'FFFF), lost ? sim::k_no_entity : entity(dice)};
  }
  sim::Despawn despawn() const {
    const bool removed = dice.chance(50);
    return {entity(dice), removed ? sim::DespawnKind::removed : sim::DespawnKind::destroyed,
            half(dice), removed ? Subtick{tick} << log2_tick : time()};
  }
  sim::Spawn spawn() const {
    return {entity(dice),   byte(dice),     byte(dice),           word(dice),
            position(dice), velocity(dice), random_attitude(dice)};
  }
  sim::TurretMode turret_mode() const {
    sim::TurretMode m{entity(dice),
                      byte(dice, 0, 7),
                      static_cast<sim::TurretOrder>(byte(dice, 0, 4)),
                      sim::k_no_entity,
                      0,
                      0};
    if (m.order == sim::TurretOrder::entity) {
      m.target = entity(dice);
    } else if (m.order == sim::TurretOrder::missile) {
      m.target = half(dice);
      m.index = byte(dice);
    } else if (m.order == sim::TurretOrder::bearing) {
      m.bearing = word(dice);
    }
    return m;
  }
  sim::Shot shot() const {
    return {entity(dice), byte(dice, 0, 7), byte(dice, 1, 255), time(), word(dice)};
  }
  sim::TrackKey track_key() const {
    const bool jump = dice.chance(30);
    return {entity(dice), jump ? std::uint8_t{0} : key_length(dice, log2_tick), jump,
            position(dice), velocity(dice)};
  }
  sim::RelativeKey relative_key() const {
    return {entity(dice),
            key_length(dice, log2_tick),
            byte(dice, 0, 15),
            {small(dice), small(dice), small(dice)},
            {small(dice), small(dice), small(dice)}};
  }
  sim::AttitudeKey attitude_key() const {
    return {entity(dice), key_length(dice, log2_tick), random_attitude(dice)};
  }
  sim::Custom custom() const {
    sim::Custom out{half(dice), {}};
    out.bytes.resize(pick<std::size_t>(dice, 0, sim::k_max_custom_bytes));
    for (std::uint8_t& b : out.bytes) {
      b = byte(dice);
    }
    return out;
  }
  sim::Timeline timeline() const {
    return {word(dice), word(dice), pick<std::uint16_t>(dice, 1, 0xFFFF), dice.chance(50)};
  }
  sim::StateHash state_hash() const {
    return {{word(dice), word(dice), word(dice), word(dice), word(dice), word(dice)}, byte(dice)};
  }
};

sim::PackedDirection direction(Dice& dice, int axis) {
  sim::PackedDirection d{};
  d[static_cast<std::size_t>(axis)] = dice.chance(50) ? 16'384 : -16'384;
  return d;
}
sim::PackedBasis packed_basis(Dice& dice) {
  const int axis = static_cast<int>(dice.between(0, 2));
  return {direction(dice, axis), direction(dice, (axis + 1) % 3)};
}
sim::Basis basis(Dice& dice) {
  return sim::thaw(packed_basis(dice));
}

sim::Weapon weapon(Dice& dice) {
  sim::Weapon w;
  w.name = name(dice);
  w.art = word(dice);
  w.noise = dice.chance(50) ? sim::NoiseKind::bspline : sim::NoiseKind::perlin;
  w.muzzle_cone = {16'384, pick<std::int32_t>(dice, 0, 16'384)};
  w.approach_cone = {0, 16'384};
  w.muzzle_handle = pick<std::int32_t>(dice, 0, 65'536);
  w.approach_handle = pick<std::int32_t>(dice, 0, 65'536);
  w.amplitude = pick<std::int32_t>(dice, 0, k_max_amplitude);
  w.speed = dice.chance(50) ? 0 : pick<std::int32_t>(dice, 1, sim::k_max_speed);
  w.flight_time = pick<Subtick>(dice, k_min_flight_time, k_max_flight_time);
  w.frequency = pick<std::int32_t>(dice, 0, max_frequency(w));
  w.ripple_interval = pick<std::int32_t>(dice, 0, 128);
  w.radius = pick<std::int32_t>(dice, 0, sim::k_max_hull_radius);
  w.damage = half(dice);
  w.min_range = pick<std::int32_t>(dice, 0, 1'000'000);
  w.max_range = pick<std::int32_t>(dice, 1'000'000, 0x7FFF'FFFF);
  w.max_extra_speed = pick<std::int32_t>(dice, 0, 0x7FFF'FFFF);
  w.max_extra_acceleration = pick<std::int32_t>(dice, 0, 0x7FFF'FFFF);
  w.max_displacement = pick<std::int32_t>(dice, 0, 0x7FFF'FFFF);
  w.fuse_radius = pick<std::int32_t>(dice, 0, sim::k_max_hull_radius);
  w.blast_radius = pick<std::int32_t>(dice, 0, k_max_blast);
  w.seeker_range = pick<std::int32_t>(dice, 0, 0x7FFF'FFFF);
  w.seeker_cone = pick<std::int32_t>(dice, -sim::k_one, sim::k_one);
  w.lock_time = pick<Subtick>(dice, 0, sim::k_max_lock_time);
  w.self_destruct = pick<Subtick>(dice, 0, k_max_wait);
  w.retarget = dice.chance(50);
  return w;
}

sim::TurretAxis turret_axis(Dice& dice, std::int32_t most) {
  sim::TurretAxis a;
  a.full_turn = false;
  a.low = pick<std::int32_t>(dice, -most, 0);
  a.high = pick<std::int32_t>(dice, 0, most);
  a.rest = pick<std::int32_t>(dice, a.low, a.high);
  a.max_speed = pick<std::int32_t>(dice, 1, 0x7FFF'FFFF);
  a.max_acceleration = pick<std::int32_t>(dice, 1, 0x7FFF'FFFF);
  return a;
}

sim::Gun gun(Dice& dice) {
  sim::Gun g;
  g.speed = pick<std::int32_t>(dice, 1, sim::k_max_speed);
  g.radius = pick<std::int32_t>(dice, 0, sim::k_max_hull_radius);
  g.damage = half(dice);
  g.life = pick<Subtick>(dice, 1, sim::k_max_round_life);
  g.burst = byte(dice, 1, 255);
  g.interval = pick<std::int32_t>(dice, 0, 128);
  g.reload = pick<Subtick>(dice, 1, k_max_wait);
  g.inherits = dice.chance(50);
  g.error = pick<std::int32_t>(dice, 0, sim::k_one);
  g.range = pick<std::int32_t>(dice, 0, 0x7FFF'FFFF);
  g.reaction = pick<Subtick>(dice, 0, k_max_wait);
  g.point_defence = dice.chance(50);
  return g;
}

sim::Turret turret(Dice& dice) {
  sim::Turret t;
  t.name = name(dice);
  sim::TurretMount& m = t.mount;
  m.pivot = vector(dice, sim::k_max_hull_offset);
  m.orientation = basis(dice);
  for (std::int64_t n = dice.between(1, sim::k_max_barrels); n > 0; --n) {
    m.muzzles.push_back(vector(dice, sim::k_max_hull_offset));
  }
  m.yaw = turret_axis(dice, sim::k_turret_turn / 2);
  m.yaw.full_turn = dice.chance(50);
  if (m.yaw.full_turn) {
    m.yaw.rest = pick<std::int32_t>(dice, -sim::k_turret_turn / 2, sim::k_turret_turn / 2 - 1);
  }
  m.pitch = turret_axis(dice, sim::k_turret_turn / 4);
  m.controller = static_cast<sim::TurretController>(byte(dice, 0, 1));
  m.align = {pick<std::int32_t>(dice, 0, sim::k_turret_turn),
             pick<std::int32_t>(dice, 1, sim::k_max_slow_radius),
             pick<Subtick>(dice, 0, sim::k_max_align_time)};
  m.tolerance = pick<std::int32_t>(dice, 0, sim::k_turret_turn / 2 - 1);
  if (dice.chance(60)) {
    t.gun = gun(dice);
  }
  return t;
}

std::uint8_t facing(Dice& dice, std::size_t turrets) {
  return turrets == 0 || dice.chance(50) ? sim::k_no_turret
                                         : byte(dice, 0, static_cast<int>(turrets) - 1);
}

sim::EntityType entity_type(Dice& dice, std::size_t weapons) {
  sim::EntityType t;
  t.name = name(dice);
  t.art = word(dice);
  for (std::int64_t n = dice.between(1, sim::k_max_hull_parts); n > 0; --n) {
    t.hull.push_back({vector(dice, 1 << 20), vector(dice, 1 << 20),
                      pick<std::int32_t>(dice, 0, sim::k_max_hull_radius)});
  }
  t.hit_points = pick<std::uint16_t>(dice, 1, 0xFFFF);
  t.max_speed = pick<std::int32_t>(dice, 0, sim::k_max_speed);
  t.max_acceleration = pick<std::int32_t>(dice, 0, k_max_acceleration);
  t.own_attitude = dice.chance(50);
  for (std::int64_t n = dice.between(1, 4); n > 0; --n) {
    t.mounts.push_back({name(dice), vector(dice, sim::k_max_hull_offset), basis(dice)});
  }
  for (std::int64_t n = dice.between(0, 3); n > 0; --n) {
    t.turrets.push_back(turret(dice));
  }
  for (std::int64_t n = weapons == 0 ? 0 : dice.between(0, 3); n > 0; --n) {
    t.launchers.push_back({name(dice), byte(dice, 0, static_cast<int>(t.mounts.size()) - 1),
                           byte(dice, 0, static_cast<int>(weapons) - 1), byte(dice, 1, 255),
                           static_cast<sim::Trigger>(byte(dice, 0, 2)), word(dice),
                           pick<Subtick>(dice, 0, k_max_wait), pick<Subtick>(dice, 0, k_max_wait),
                           pick<std::int32_t>(dice, -sim::k_one, sim::k_one),
                           facing(dice, t.turrets.size())});
  }
  t.decoy_chance = pick<std::int32_t>(dice, 0, 65'536);
  t.decoy_range = pick<std::int32_t>(dice, 0, 0x7FFF'FFFF);
  t.lifetime = pick<Subtick>(dice, 0, k_max_wait);
  if (dice.chance(50)) {
    t.dispenser = {0,
                   byte(dice, 1, sim::k_max_released_decoys),
                   word(dice),
                   pick<Subtick>(dice, 1, k_max_wait),
                   velocity(dice),
                   static_cast<sim::DispenserTrigger>(byte(dice, 0, 1)),
                   pick<Subtick>(dice, 0, k_max_wait)};
  }
  return t;
}

sim::Pose pose(Dice& dice) {
  return {position(dice), basis(dice)};
}

sim::SnapshotEvent event(Dice& dice, std::uint16_t salvo, std::uint32_t tick) {
  sim::SnapshotEvent e{salvo,
                       half(dice),
                       byte(dice),
                       byte(dice, 0, 7),
                       byte(dice, 0, 2),
                       dice.chance(70),
                       pick<std::uint32_t>(dice, 1, 0xFFFF'FFFF),
                       tick,
                       pose(dice),
                       pose(dice)};
  if (!e.was_locked) {
    e.old_type = 0;
    e.at_event = {};
    e.back_step = {};
  }
  return e;
}

sim::AxisState axis_state(Dice& dice) {
  return {pick<std::int32_t>(dice, -sim::k_turret_turn, sim::k_turret_turn),
          pick<std::int32_t>(dice, -sim::k_max_turret_rate, sim::k_max_turret_rate)};
}

void add_bursts(Dice& dice, int log2_tick, sim::Snapshot& s) {
  std::uint32_t tick = 1;
  for (std::int64_t n = dice.between(0, 4); n > 0; --n) {
    tick = pick<std::uint32_t>(dice, tick, s.tick);
    const Maker maker{dice, tick, log2_tick, 1};
    sim::SnapshotBurst burst{maker.shot(), byte(dice), position(dice), velocity(dice), basis(dice)};
    // The first subtick of the record; no round may be left of it.
    burst.shot.time = (Subtick{tick - 1} << log2_tick) + 1;
    burst.shot.count = byte(dice);
    s.bursts.push_back(burst);
  }
  s.first_burst = word(dice);
}

void add_salvos(Dice& dice, int log2_tick, sim::Snapshot& s) {
  std::uint32_t id = 0;
  for (std::int64_t n = dice.between(0, 12); n > 0; --n) {
    const auto at = static_cast<std::uint16_t>(s.salvos.size());
    const auto tick = pick<std::uint32_t>(dice, 1, s.tick);
    id += pick<std::uint32_t>(dice, 1, 1000);
    const Maker maker{dice, tick, log2_tick, 1};
    s.salvos.push_back({maker.launch(),
                        id,
                        tick,
                        {position(dice), velocity(dice), position(dice), velocity(dice),
                         packed_basis(dice), packed_basis(dice), byte(dice)}});
    for (std::uint8_t i = 0; i < s.salvos.back().launch.count; ++i) {
      if (dice.chance(5)) {
        const Maker end{dice, pick<std::uint32_t>(dice, tick, s.tick), log2_tick, 1};
        s.ends.push_back(
            {at, i, static_cast<sim::EndKind>(byte(dice, 1, 8)), half(dice), end.time()});
      }
    }
    for (std::uint32_t t = tick; t <= s.tick && dice.chance(50); ++t) {
      s.events.push_back(event(dice, at, t));
    }
  }
  s.next_launch = id + 1;
}

void add_pieces(Dice& dice, int log2_tick, std::uint16_t id, sim::Snapshot& s) {
  const auto length = [&](bool jump) {
    return jump ? std::uint8_t{0}
                : static_cast<std::uint8_t>(log2_tick + key_length(dice, log2_tick));
  };
  auto tick = pick<std::uint32_t>(dice, 1, s.tick);
  bool jump = dice.chance(50);
  s.tracks.push_back({id, length(jump), jump, tick, position(dice), velocity(dice), position(dice),
                      velocity(dice), packed_basis(dice).forward});
  while (++tick <= s.tick && dice.chance(50)) {
    jump = dice.chance(20);
    s.keys.push_back({id, length(jump), jump, tick, position(dice), velocity(dice)});
    s.attitudes.push_back(
        {id, byte(dice, 0, 20), tick, random_attitude(dice), random_attitude(dice)});
  }
}

}  // namespace

sim::Quaternion random_attitude(Dice& dice) {
  const std::array<sim::Quaternion, 4> table{
      sim::Quaternion{0, 0, 0, 16'384}, sim::Quaternion{11'585, 0, -11'585, 0},
      sim::Quaternion{8192, 8192, 8192, 8192}, sim::Quaternion{0, -16'384, 0, 0}};
  return table[static_cast<std::size_t>(dice.between(0, 3))];
}

sim::TickRecord random_record(Dice& dice, std::uint32_t tick, int log2_tick, int most) {
  const Maker maker{dice, tick, log2_tick, most};
  sim::TickRecord r;
  r.tick = tick;
  while (r.empty()) {
    maker.some(r.launches, [&] { return maker.launch(); });
    maker.some(r.outcomes, [&] { return maker.outcome(); });
    maker.some(r.guidance, [&] { return maker.guidance(); });
    maker.some(r.health, [&] { return sim::Health{entity(dice), half(dice)}; });
    maker.some(r.despawns, [&] { return maker.despawn(); });
    maker.some(r.spawns, [&] { return maker.spawn(); });
    maker.some(r.turret_modes, [&] { return maker.turret_mode(); });
    maker.some(r.shots, [&] { return maker.shot(); });
    maker.some(r.track_keys, [&] { return maker.track_key(); });
    maker.some(r.relative_keys, [&] { return maker.relative_key(); });
    maker.some(r.attitude_keys, [&] { return maker.attitude_key(); });
    maker.some(r.customs, [&] { return maker.custom(); });
    if (dice.chance(20)) {
      r.timelines.push_back(maker.timeline());
    }
    if (dice.chance(20)) {
      r.state_hashes.push_back(maker.state_hash());
    }
  }
  return r;
}

sim::Scenario random_scenario(Dice& dice) {
  sim::Scenario s;
  s.name = name(dice);
  s.seed = dice.next();
  s.log2_tick = byte(dice, 9, 13);
  s.ground = pick<std::int32_t>(dice, -sim::k_world_limit, sim::k_world_limit);
  for (std::int64_t n = dice.between(0, 4); n > 0; --n) {
    s.weapons.push_back(weapon(dice));
  }
  for (std::int64_t n = dice.between(1, 3); n > 0; --n) {
    s.types.push_back(entity_type(dice, s.weapons.size()));
  }
  for (std::int64_t n = dice.between(0, 3); n > 0; --n) {
    sim::Route route{name(dice), position(dice), velocity(dice), {}, false};
    for (std::int64_t k = dice.between(0, 6); k > 0; --k) {
      route.keys.push_back({key_length(dice, s.log2_tick), position(dice), velocity(dice)});
    }
    route.closed = !route.keys.empty() && dice.chance(50);
    s.routes.push_back(route);
  }
  for (std::int64_t n = dice.between(0, 5); n > 0; --n) {
    const bool routed = !s.routes.empty() && dice.chance(50);
    s.entities.push_back(
        {name(dice), byte(dice, 0, static_cast<int>(s.types.size()) - 1), byte(dice), word(dice),
         routed ? pick<std::uint16_t>(dice, 0, static_cast<int>(s.routes.size()) - 1)
                : sim::k_no_route,
         position(dice), velocity(dice), random_attitude(dice),
         pick<std::uint32_t>(dice, 1, 0xFFFF'FFFF), word(dice)});
  }
  s.end_tick = word(dice);
  s.end_when_one_team_left = dice.chance(50);
  for (std::int64_t n = dice.between(0, 3); n > 0; --n) {
    s.obstacles.push_back({vector(dice, sim::k_world_limit - (1 << 22)), vector(dice, 1 << 22),
                           pick<std::int32_t>(dice, 0, sim::k_max_hull_radius)});
  }
  s.rules = name(dice);
  return s;
}

SessionHeader random_header(Dice& dice) {
  SessionHeader h;
  h.version_minor = half(dice);
  h.path_revision = half(dice);
  h.fingerprint = {word(dice), word(dice)};
  h.session_id = dice.next();
  h.scenario = samples::random_scenario(dice);
  return h;
}

sim::Snapshot random_snapshot(Dice& dice, int log2_tick) {
  sim::Snapshot s;
  s.tick = pick<std::uint32_t>(dice, 3, 0xFFFF'FFF0);
  s.hash_count = word(dice);
  s.timeline = Maker{dice, s.tick, log2_tick, 1}.timeline();
  add_salvos(dice, log2_tick, s);
  std::uint16_t id = 0;
  for (std::int64_t n = dice.between(0, 8); n > 0; --n) {
    id = static_cast<std::uint16_t>(id + dice.between(1, 900));
    const bool gone = dice.chance(40);
    const bool removed = dice.chance(50);
    const auto born = pick<std::uint32_t>(dice, 1, s.tick - 2);
    const Maker death{dice, pick<std::uint32_t>(dice, std::int64_t{born} + 1, s.tick), log2_tick,
                      1};
    sim::SnapshotEntity e{id,   byte(dice), byte(dice), word(dice),
                          born, half(dice), gone,       sim::DespawnKind::removed,
                          0};
    if (gone) {
      e.gone_kind = removed ? sim::DespawnKind::removed : sim::DespawnKind::destroyed;
      e.gone_time = removed ? Subtick{death.tick} << log2_tick : death.time();
    }
    s.entities.push_back(e);
    add_pieces(dice, log2_tick, id, s);
    for (std::uint8_t turret = 0; turret < 8; ++turret) {
      if (dice.chance(20)) {
        sim::TurretMode mode = Maker{dice, s.tick, log2_tick, 1}.turret_mode();
        mode.entity = id;
        mode.turret = turret;
        s.turrets.push_back({mode, {axis_state(dice), axis_state(dice)}});
      }
    }
  }
  add_bursts(dice, log2_tick, s);
  return s;
}

namespace {

sim::Vec3 axes(Dice& dice, std::int64_t limit) {
  return {pick<std::int32_t>(dice, -limit, limit), pick<std::int32_t>(dice, -limit, limit),
          pick<std::int32_t>(dice, -limit, limit)};
}

Command random_command(Dice& dice, std::uint32_t id, CommandKind last) {
  Command c;
  c.id = id;
  c.kind = pick<CommandKind>(dice, 0, static_cast<std::int64_t>(last));
  const auto at = pick<Subtick>(dice, 0, Subtick{1} << 46);
  switch (c.kind) {
    case CommandKind::fire:
      c.fire = {entity(dice), entity(dice), byte(dice), at};
      break;
    case CommandKind::steer:
      c.steer.entity = entity(dice);
      c.steer.at = at;
      c.steer.steer.kind = pick<sim::SteerKind>(dice, 0, 3);
      if (c.steer.steer.kind != sim::SteerKind::coast) {
        c.steer.steer.value = axes(dice, sim::k_world_limit);
      }
      break;
    case CommandKind::release:
      c.release = {entity(dice), at};
      break;
    case CommandKind::self_destruct:
      c.self_destruct = {word(dice), at};
      break;
    case CommandKind::drive:
      c.drive = {entity(dice), axes(dice, sim::k_world_limit), axes(dice, sim::k_max_speed), at};
      break;
    case CommandKind::spawn:
      c.spawn.type = byte(dice);
      c.spawn.team = byte(dice);
      c.spawn.user_tag = word(dice);
      c.spawn.position = axes(dice, sim::k_world_limit);
      c.spawn.velocity = axes(dice, sim::k_max_speed);
      break;
    case CommandKind::despawn:
      c.despawn = entity(dice);
      break;
    case CommandKind::custom:
      c.custom.kind = half(dice);
      c.custom.bytes.resize(pick<std::size_t>(dice, 0, sim::k_max_custom_bytes));
      for (std::uint8_t& b : c.custom.bytes) b = byte(dice);
      break;
  }
  return c;
}

}  // namespace

std::vector<Command> random_commands(Dice& dice) {
  std::vector<Command> out;
  std::uint32_t id = 0;
  // The largest kind has 40 bytes, a message at most 1,200.
  for (std::int64_t n = dice.between(1, 28); n > 0; --n) {
    id += pick<std::uint32_t>(dice, 1, 1'000'000);
    out.push_back(random_command(dice, id, k_last_client_kind));
  }
  return out;
}

Input random_input(Dice& dice) {
  return {pick<std::uint32_t>(dice, 1, 0xFFFF'FFFF), word(dice),
          random_command(dice, word(dice), k_last_command_kind)};
}

}  // namespace contrail::wire::samples
