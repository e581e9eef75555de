#include <algorithm>
#include <contrail/sim/basis.hpp>
#include <contrail/support/random_log.hpp>
#include <set>

namespace contrail::support {
namespace {

using sim::Subtick;

/// Drawn one after the other: compilers differ in the order in which they compute arguments of a
/// call.
struct Angles {
  std::int32_t yaw;
  std::int32_t pitch;
  std::int32_t roll;
};
Angles random_angles(Dice& dice) {
  const auto angle = [&] { return static_cast<std::int32_t>(dice.next()); };
  return {angle(), angle(), angle()};
}

sim::Quaternion random_attitude(Dice& dice) {
  const Angles a = random_angles(dice);
  return sim::quaternion_of_angles(a.yaw, a.pitch, a.roll);
}

sim::Weapon random_weapon(Dice& dice) {
  sim::Weapon w;
  w.name = "weapon";
  w.noise = dice.chance(30) ? sim::NoiseKind::perlin : sim::NoiseKind::bspline;
  w.muzzle_cone = dice.chance(20)
                      ? sim::Cone{0, 16384}
                      : sim::Cone{16384, static_cast<std::int32_t>(dice.between(0, 16000))};
  w.approach_cone = {16384, static_cast<std::int32_t>(dice.between(0, 16000))};
  w.muzzle_handle = static_cast<std::int32_t>(dice.between(0, 65536));
  w.approach_handle = static_cast<std::int32_t>(dice.between(0, 65536));
  w.amplitude = static_cast<std::int32_t>(dice.between(0, 400'000));
  w.frequency = static_cast<std::int32_t>(dice.between(0, 65536));
  w.flight_time = 65536;
  w.ripple_interval = static_cast<std::int32_t>(dice.between(0, 3000));
  w.radius = static_cast<std::int32_t>(dice.between(0, 8000));
  w.damage = static_cast<std::uint16_t>(dice.between(1, 50));
  return w;
}

sim::EntityType random_type(Dice& dice) {
  sim::EntityType t;
  t.name = "type";
  for (std::int64_t i = dice.between(1, 3); i > 0; --i) {
    t.hull.push_back({dice.vector(100'000), dice.vector(200'000),
                      static_cast<std::int32_t>(dice.between(1000, 60'000))});
  }
  t.hit_points = static_cast<std::uint16_t>(dice.between(1, 1000));
  t.max_speed = sim::k_max_speed;
  t.max_acceleration = 1'000'000;
  t.own_attitude = dice.chance(40);
  for (int i = 0; i < 2; ++i) {
    const sim::Vec3 offset = dice.vector(80'000);
    const Angles a = random_angles(dice);
    t.mounts.push_back({"mount", offset, sim::basis_of_angles(a.yaw, a.pitch, a.roll)});
  }
  return t;
}

sim::TurretAxis random_axis(Dice& dice, std::int32_t most) {
  sim::TurretAxis a;
  a.full_turn = false;
  a.low = static_cast<std::int32_t>(dice.between(-most, most / 2));
  a.high = static_cast<std::int32_t>(dice.between(a.low, most));
  a.rest = static_cast<std::int32_t>(dice.between(a.low, a.high));
  a.max_speed = static_cast<std::int32_t>(dice.between(1'000'000, 1'000'000'000));
  a.max_acceleration = static_cast<std::int32_t>(dice.between(1'000'000, 2'000'000'000));
  return a;
}

sim::Gun random_gun(Dice& dice) {
  sim::Gun g;
  g.speed = static_cast<std::int32_t>(dice.between(400'000, 8'000'000));
  g.radius = static_cast<std::int32_t>(dice.between(0, 2000));
  g.damage = static_cast<std::uint16_t>(dice.between(0, 50));
  g.life = dice.between(1, 4 * sim::k_subticks_per_second);
  g.burst = static_cast<std::uint8_t>(dice.between(1, 20));
  g.interval = static_cast<std::int32_t>(dice.between(0, 1600));
  g.reload = dice.between(1, sim::k_subticks_per_second);
  g.inherits = dice.chance(70);
  g.error = dice.chance(30) ? 0 : static_cast<std::int32_t>(dice.between(1, sim::k_one / 8));
  g.range = sim::k_world_limit;
  return g;
}

sim::Turret random_turret(Dice& dice) {
  sim::Turret t;
  t.name = "turret";
  sim::TurretMount& m = t.mount;
  m.pivot = dice.vector(80'000);
  const Angles a = random_angles(dice);
  m.orientation = sim::basis_of_angles(a.yaw, a.pitch, a.roll);
  for (std::int64_t i = dice.between(1, 3); i > 0; --i) {
    m.muzzles.push_back(dice.vector(20'000));
  }
  m.yaw = random_axis(dice, sim::k_turret_turn / 2);
  if (dice.chance(50)) {
    m.yaw.full_turn = true;
    m.yaw.rest = static_cast<std::int32_t>(
        dice.between(-sim::k_turret_turn / 2, sim::k_turret_turn / 2 - 1));
  }
  m.pitch = random_axis(dice, sim::k_turret_turn / 4);
  m.controller = dice.chance(60) ? sim::TurretController::optimal : sim::TurretController::align;
  if (dice.chance(70)) {
    t.gun = random_gun(dice);
  }
  return t;
}

/// Writes one record into a world's next tick.
class Author {
 public:
  Author(const sim::World& world, Dice& dice) : world_(world), dice_(dice) {
    record_.tick = world.tick() + 1;
    length_ = world.scenario().tick_length();
    begin_ = world.time();
    end_ = begin_ + length_;
    for (const sim::Entity& entity : world.entities()) {
      if (!entity.gone) {
        living_.push_back(entity.id);
      }
    }
  }

  sim::TickRecord write() {
    launches();
    outcomes();
    despawns();
    guidance();
    health();
    spawns();
    keys();
    turrets();
    return std::move(record_);
  }

 private:
  [[nodiscard]] Subtick time_in_tick() { return dice_.between(begin_ + 1, end_); }
  [[nodiscard]] std::uint16_t someone() {
    return living_[static_cast<std::size_t>(
        dice_.between(0, static_cast<std::int64_t>(living_.size()) - 1))];
  }
  [[nodiscard]] bool leaves(std::uint16_t id) const {
    return std::any_of(record_.despawns.begin(), record_.despawns.end(),
                       [id](const sim::Despawn& d) { return d.entity == id; });
  }

  void launches() {
    if (living_.empty() || !dice_.chance(12) || world_.live_missiles() > 60) {
      return;
    }
    sim::Launch l;
    l.seed = static_cast<std::uint32_t>(dice_.next());
    l.launcher = someone();
    l.target = someone();
    l.t0 = time_in_tick();
    l.pieces = static_cast<std::uint16_t>(dice_.between(1, 24));
    l.mount = static_cast<std::uint8_t>(dice_.between(0, 1));
    l.weapon = static_cast<std::uint8_t>(dice_.between(0, 1));
    l.count = static_cast<std::uint8_t>(dice_.chance(5) ? 40 : dice_.between(1, 6));
    l.log2_piece = static_cast<std::uint8_t>(dice_.between(8, 13));
    const Subtick interval = world_.scenario().weapons[l.weapon].ripple_interval;
    while (interval * (l.count - 1) > sim::k_max_ripple) {
      l.count = static_cast<std::uint8_t>(l.count - 1);
    }
    record_.launches.push_back(l);
  }

  void outcomes() {
    for (const sim::Salvo& salvo : world_.salvos()) {
      const auto i = static_cast<std::uint8_t>(
          dice_.between(0, static_cast<std::int64_t>(salvo.missiles.size()) - 1));
      const Subtick first = std::max(begin_ + 1, world_.missile_launch_time(salvo, i));
      const Subtick last = std::min(end_, salvo.missiles[i].end_time);
      if (salvo.missiles[i].end != sim::EndKind::alive || first > last || !dice_.chance(2)) {
        continue;
      }
      const auto kind = static_cast<sim::EndKind>(dice_.between(
          static_cast<int>(sim::EndKind::hull), static_cast<int>(sim::k_last_end_kind)));
      const std::uint16_t victim = dice_.chance(50) ? someone_or_none() : sim::k_no_entity;
      record_.outcomes.push_back(
          {static_cast<std::uint16_t>(salvo.id), i, kind, victim, dice_.between(first, last)});
    }
  }
  std::uint16_t someone_or_none() { return living_.empty() ? sim::k_no_entity : someone(); }

  void despawns() {
    if (living_.empty() || !dice_.chance(3)) {
      return;
    }
    const bool destroyed = dice_.chance(70);
    record_.despawns.push_back({someone(),
                                destroyed ? sim::DespawnKind::destroyed : sim::DespawnKind::removed,
                                sim::k_no_salvo, destroyed ? time_in_tick() : end_});
  }

  void guidance() {
    for (const sim::Salvo& salvo : world_.salvos()) {
      if (!dice_.chance(4) || salvo.alive == 0) {
        continue;
      }
      const std::uint16_t target = dice_.chance(60) ? someone_or_none() : sim::k_no_entity;
      const bool takes = target != sim::k_no_entity && !leaves(target);
      sim::Guidance g;
      g.salvo = static_cast<std::uint16_t>(salvo.id);
      g.kind = takes ? sim::GuidanceKind::retarget : sim::GuidanceKind::lock_lost;
      g.target = takes ? target : sim::k_no_entity;
      for (std::size_t i = 0; i < std::min<std::size_t>(32, salvo.missiles.size()); ++i) {
        const sim::Missile& m = salvo.missiles[i];
        const auto index = static_cast<std::uint8_t>(i);
        const bool may_take = m.events + 1 < sim::k_max_events_per_missile &&
                              world_.missile_launch_time(salvo, index) <= end_ &&
                              m.end_time - end_ >= sim::k_retarget_lead;
        const bool may = m.events < sim::k_max_events_per_missile && (!takes || may_take);
        if (m.end == sim::EndKind::alive && may && dice_.chance(50)) {
          g.mask |= std::uint32_t{1} << i;
        }
      }
      if (g.mask != 0) {
        record_.guidance.push_back(g);
      }
    }
  }

  void health() {
    if (!living_.empty() && dice_.chance(5)) {
      const std::uint16_t id = someone();
      const auto most = world_.scenario().types[world_.find_entity(id)->type].hit_points;
      record_.health.push_back({id, static_cast<std::uint16_t>(dice_.between(0, most))});
    }
  }

  void spawns() {
    const bool needed = living_.size() < 3;
    if (!needed && !(living_.size() < 6 && dice_.chance(2))) {
      return;
    }
    sim::Spawn s;
    do {
      s.entity = static_cast<std::uint16_t>(dice_.between(0, 65534));
    } while (world_.find_entity(s.entity) != nullptr);
    s.type = static_cast<std::uint8_t>(dice_.between(0, 1));
    s.team = static_cast<std::uint8_t>(dice_.between(0, 2));
    s.user_tag = static_cast<std::uint32_t>(dice_.next());
    s.position = dice_.chance(15) ? dice_.vector(sim::k_world_limit) : dice_.vector(8'000'000);
    s.velocity = speed();
    s.attitude = random_attitude(dice_);
    record_.spawns.push_back(s);
  }

  sim::Vec3 speed() {
    if (dice_.chance(10)) {
      return {0, 0, 0};
    }
    return dice_.vector(dice_.chance(5) ? sim::k_max_speed : 1'000'000);
  }

  void keys() {
    for (const std::uint16_t id : living_) {
      if (leaves(id)) {
        continue;
      }
      const sim::Entity& entity = *world_.find_entity(id);
      const int longest = std::min(sim::k_max_log2_piece - world_.scenario().log2_tick,
                                   sim::k_max_log2_piece_ticks);
      const auto k = static_cast<std::uint8_t>(dice_.between(0, std::min(longest, 6)));
      if (dice_.chance(6)) {
        sim::RelativeKey key{id, k, static_cast<std::uint8_t>(dice_.between(0, 9)), {}, {}};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          key.d[axis] = static_cast<std::int16_t>(dice_.between(-32768, 32767));
          key.dv[axis] = static_cast<std::int16_t>(dice_.between(-32768, 32767));
        }
        record_.relative_keys.push_back(key);
      } else if (dice_.chance(4)) {
        const sim::Vec3 target = sim::clamp(
            sim::WideVec3(entity.track.position(end_)) + sim::WideVec3(dice_.vector(2'000'000)),
            sim::k_world_limit);
        record_.track_keys.push_back({id, k, false, target, speed()});
      } else if (dice_.chance(1)) {
        record_.track_keys.push_back({id, 0, true, dice_.vector(8'000'000), speed()});
      }
      if (entity.track.own_attitude() && dice_.chance(5)) {
        record_.attitude_keys.push_back({id, k, random_attitude(dice_)});
      }
    }
  }

  void turrets() {
    std::vector<std::uint16_t> ids = living_;
    std::sort(ids.begin(), ids.end());
    for (const std::uint16_t id : ids) {
      if (leaves(id)) {
        continue;
      }
      const sim::Entity& entity = *world_.find_entity(id);
      const auto& turrets = world_.scenario().types[entity.type].turrets;
      for (std::size_t i = 0; i < turrets.size(); ++i) {
        const auto number = static_cast<std::uint8_t>(i);
        if (dice_.chance(4)) {
          record_.turret_modes.push_back(order(id, number));
        }
        const sim::Gun& gun = turrets[i].gun;
        if (gun.speed != 0 && dice_.chance(3)) {
          const auto count = static_cast<std::uint8_t>(dice_.between(1, gun.burst));
          record_.shots.push_back(
              {id, number, count, begin_ + 1, static_cast<std::uint32_t>(dice_.next())});
        }
      }
    }
  }

  sim::TurretMode order(std::uint16_t entity, std::uint8_t number) {
    sim::TurretMode mode;
    mode.entity = entity;
    mode.turret = number;
    mode.order =
        static_cast<sim::TurretOrder>(dice_.between(0, static_cast<int>(sim::k_last_turret_order)));
    switch (mode.order) {
      case sim::TurretOrder::entity:
        mode.target = someone();
        if (mode.target == entity || leaves(mode.target)) {
          mode.target = sim::k_no_entity;
          mode.order = sim::TurretOrder::hold;
        }
        break;
      case sim::TurretOrder::missile:
        aim_at_missile(mode);
        break;
      case sim::TurretOrder::bearing:
        mode.bearing = static_cast<std::uint32_t>(dice_.next());
        break;
      default:
        break;
    }
    return mode;
  }

  void aim_at_missile(sim::TurretMode& mode) {
    const auto& salvos = world_.salvos();
    if (salvos.empty()) {
      mode.order = sim::TurretOrder::rest;
      return;
    }
    const sim::Salvo& salvo = salvos[static_cast<std::size_t>(
        dice_.between(0, static_cast<std::int64_t>(salvos.size()) - 1))];
    mode.target = static_cast<std::uint16_t>(salvo.id);
    mode.index = static_cast<std::uint8_t>(
        dice_.between(0, static_cast<std::int64_t>(salvo.missiles.size()) - 1));
  }

  const sim::World& world_;
  Dice& dice_;
  sim::TickRecord record_;
  Subtick length_ = 0;
  Subtick begin_ = 0;
  Subtick end_ = 0;
  std::vector<std::uint16_t> living_;
};

}  // namespace

std::uint64_t Dice::next() {
  // SplitMix64.
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

std::int64_t Dice::between(std::int64_t low, std::int64_t high) {
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(next() % range);
}

sim::Vec3 Dice::vector(std::int64_t limit) {
  sim::Vec3 v;
  for (int axis = 0; axis < 3; ++axis) {
    v[axis] = static_cast<std::int32_t>(between(-limit, limit));
  }
  return v;
}

std::shared_ptr<const sim::Scenario> random_scenario(Dice& dice) {
  auto scenario = std::make_shared<sim::Scenario>();
  scenario->name = "random";
  scenario->log2_tick =
      static_cast<std::uint8_t>(dice.between(sim::k_min_log2_tick + 1, sim::k_max_log2_tick));
  for (int i = 0; i < 2; ++i) {
    scenario->weapons.push_back(random_weapon(dice));
    scenario->types.push_back(random_type(dice));
  }
  for (sim::EntityType& type : scenario->types) {
    for (std::int64_t i = dice.between(0, 3); i > 0; --i) {
      type.turrets.push_back(random_turret(dice));
    }
  }
  return scenario;
}

sim::TickRecord random_record(const sim::World& world, Dice& dice) {
  return Author(world, dice).write();
}

}  // namespace contrail::support
