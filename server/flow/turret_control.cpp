#include <contrail/flow/turret_control.hpp>

#include <algorithm>

#include <contrail/flow/record_budget.hpp>
#include <contrail/sim/arith.hpp>

namespace contrail::server {

using sim::Subtick;
using sim::TurretOrder;
using sim::WideVec3;

namespace {

constexpr Subtick k_choice_interval = sim::k_subticks_per_second / 8;
constexpr std::size_t k_most_options = 8;  // of a turret: the missiles that hit soonest
constexpr std::uint64_t k_stream = 0x5475'7272'6574'0000U;  // of a match's random numbers

sim::TurretMode mode_of(std::uint16_t entity, std::uint8_t turret, TurretOrder order) {
  sim::TurretMode mode;
  mode.entity = entity;
  mode.turret = turret;
  mode.order = order;
  return mode;
}

const sim::Salvo* salvo_of(const sim::World& world, const sim::TurretMode& mode) {
  return mode.order == TurretOrder::missile ? world.find_salvo_low(mode.target) : nullptr;
}

}  // namespace

bool in_reach(const sim::TurretAxis& axis, std::int32_t angle) {
  if (axis.full_turn) {
    return true;
  }
  // The first whole turn at which the angle is not below the lower stop.
  const std::int64_t above =
      (std::int64_t{angle} - axis.low) & (std::int64_t{sim::k_turret_turn} - 1);
  return axis.low + above <= axis.high;
}

TurretControl::TurretControl(const sim::Scenario& scenario, const Rules& rules)
    : rules_(rules),
      seed_(scenario.seed ^ k_stream),
      any_(std::any_of(scenario.types.begin(), scenario.types.end(),
                       [](const sim::EntityType& type) { return !type.turrets.empty(); })) {}

TurretControl::Work TurretControl::work(const Key& key) const {
  const auto at = work_.find(key);
  return at != work_.end() ? at->second : Work{};
}

int TurretControl::bursts_at(const Missile& missile) const {
  return static_cast<int>(std::count_if(sent_.begin(), sent_.end(),
                                        [&](const Sent& sent) { return sent.missile == missile; }));
}

void TurretControl::fire(const sim::World& world, sim::TickRecord& record) {
  if (!any_) return;
  std::erase_if(sent_, [&](const Sent& sent) { return sent.until <= world.time(); });
  std::erase_if(work_, [&](const auto& entry) {
    const sim::Entity* entity = world.find_entity(entry.first.first);
    return entity == nullptr || entity->gone;
  });
  for (const sim::Entity& entity : world.entities()) {
    for (const sim::EntityTurret& unit : entity.turrets) {
      const bool follows =
          unit.mode.order == TurretOrder::entity || unit.mode.order == TurretOrder::missile;
      if (follows) fire_turret(world, entity, unit.mode.turret, record);
    }
  }
}

/// A burst, where the turret is loaded, has looked at its target for long enough, bears on the
/// meeting, and nobody else's burst is on its way to the same missile.
void TurretControl::fire_turret(const sim::World& world, const sim::Entity& entity,
                                std::uint8_t turret, sim::TickRecord& record) {
  const sim::Turret& type = world.scenario().types[entity.type].turrets[turret];
  const sim::EntityTurret& unit = entity.turrets[turret];
  const sim::Gun& gun = type.gun;
  const Subtick now = world.time() + 1;
  const Work done = work({entity.id, turret});
  const std::size_t bursts = world.bursts().size() + record.shots.size();
  if (gun.speed == 0 || done.ready > now || done.since + gun.reaction > now ||
      bursts >= static_cast<std::size_t>(sim::k_max_bursts)) {
    return;
  }
  const sim::Salvo* salvo = salvo_of(world, unit.mode);
  const Missile missile{salvo != nullptr ? salvo->id : 0, unit.mode.index};
  if (salvo != nullptr && bursts_at(missile) != 0) return;
  const sim::TurretSight sight = world.turret_sight(entity, unit.mode);
  if (!sight.meeting || sim::length(sight.meeting->way) > gun.range ||
      !sim::on_target(type.mount, unit.state, sight.aim)) {
    return;
  }
  sim::Shot shot;
  shot.entity = entity.id;
  shot.turret = turret;
  shot.count = gun.burst;
  shot.time = now;
  shot.seed = sim::launch_seed(seed_, shots_++);
  record.shots.push_back(shot);
  work_[{entity.id, turret}].ready = now + gun.reload;
  if (salvo != nullptr) {
    sent_.push_back({missile, sim::round_time(shot, gun, gun.burst - 1) + sight.meeting->time});
  }
}

void TurretControl::order(const sim::World& world, sim::TickRecord& record) {
  const Subtick tick = world.scenario().tick_length();
  if (!any_ || world.time() % std::max(k_choice_interval, tick) != 0) return;
  const std::vector<Incoming> incoming = find_incoming(world);
  std::set<std::uint8_t> teams;
  for (const sim::Entity& entity : world.entities()) {
    if (!entity.turrets.empty()) teams.insert(entity.team);
  }
  Orders orders;
  for (const std::uint8_t team : teams) share_out(world, team, incoming, orders);
  for (const auto& [key, mode] : orders) {
    const sim::Entity& entity = *world.find_entity(key.first);
    const bool leaves = std::any_of(record.despawns.begin(), record.despawns.end(),
                                    [&](const sim::Despawn& d) { return d.entity == entity.id; });
    if (leaves || entity.turrets[key.second].mode == mode) continue;
    if (!has_room_for_turret_mode(record)) break;  // the rest are told at the next choice
    record.turret_modes.push_back(mode);
    work_[key].since = world.time() + tick;
  }
}

/// Missiles on their way to ships, by the time they have left.
std::vector<TurretControl::Incoming> TurretControl::find_incoming(const sim::World& world) const {
  std::vector<Incoming> out;
  const Subtick now = world.time();
  for (const sim::Salvo& salvo : world.salvos()) {
    const sim::Entity* launcher = world.find_entity(salvo.launch.launcher);
    if (salvo.alive == 0 || launcher == nullptr) continue;
    for (std::size_t i = salvo.next_end; i < salvo.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      const sim::Missile& missile = salvo.missiles[i];
      if (missile.end != sim::EndKind::alive || !missile.locked ||
          world.missile_launch_time(salvo, index) > now) {
        continue;
      }
      const sim::Entity* victim = world.find_entity(missile.target);
      if (victim == nullptr || victim->gone || world.scenario().types[victim->type].is_decoy() ||
          !rules_.is_enemy(*victim, *launcher)) {
        continue;
      }
      out.push_back({{salvo.id, index}, victim->team, missile.end_time - now, std::nullopt});
    }
  }
  std::sort(out.begin(), out.end(), [](const Incoming& a, const Incoming& b) {
    return a.impact != b.impact ? a.impact < b.impact : a.missile < b.missile;
  });
  return out;
}

/// What a turret can do about the missiles that come near it, those that hit soonest first.
std::vector<sim::TurretOption> TurretControl::options(const sim::World& world,
                                                      const sim::Entity& entity,
                                                      std::uint8_t turret,
                                                      std::vector<Incoming>& near) const {
  const sim::Turret& type = world.scenario().types[entity.type].turrets[turret];
  const sim::TurretState& state = entity.turrets[turret].state;
  const WideVec3 here(entity.track.position(world.time()));
  const Subtick loading = work({entity.id, turret}).ready - world.time();
  std::vector<sim::TurretOption> out;
  for (std::size_t i = 0; i < near.size() && out.size() < k_most_options; ++i) {
    Incoming& threat = near[i];
    if (!threat.position) {
      threat.position = world.missile_position(*world.find_salvo(threat.missile.first),
                                               threat.missile.second, world.time());
    }
    // It comes nearer until the meeting: by no more than it flies in the life of a round.
    if (sim::length(WideVec3(*threat.position) - here) > 2 * std::int64_t{type.gun.range}) continue;
    sim::TurretMode mode = mode_of(entity.id, turret, TurretOrder::missile);
    mode.target = static_cast<std::uint16_t>(threat.missile.first);
    mode.index = threat.missile.second;
    const sim::TurretSight sight = world.turret_sight(entity, mode);
    sim::TurretOption option;
    option.threat = i;
    if (sight.meeting && sight.aim.direction) {
      option.range = sim::length(sight.meeting->way);
      option.flight = sight.meeting->time;
      option.in_arc = in_reach(type.mount.yaw, sight.aim.yaw) &&
                      in_reach(type.mount.pitch, sight.aim.pitch) && option.range <= type.gun.range;
      const auto slew = [&](const sim::TurretAxis& axis, const sim::AxisState& at,
                            std::int32_t angle) {
        return sim::slew_ticks(sim::axis_distance(axis, at, angle),
                               sim::axis_motion(axis, world.scenario().log2_tick));
      };
      const std::int64_t ticks = std::max(slew(type.mount.yaw, state.yaw, sight.aim.yaw),
                                          slew(type.mount.pitch, state.pitch, sight.aim.pitch));
      option.ready = std::max({Subtick{0}, loading, ticks * world.scenario().tick_length()});
    }
    out.push_back(option);
  }
  return out;
}

/// Orders for all turrets of one side.
void TurretControl::share_out(const sim::World& world, std::uint8_t team,
                              const std::vector<Incoming>& incoming, Orders& orders) const {
  std::vector<Incoming> near;
  std::vector<sim::Threat> threats;
  for (const Incoming& threat : incoming) {
    if (threat.team != team) continue;
    near.push_back(threat);
    threats.push_back({std::uint64_t{threat.missile.first} << 8 | threat.missile.second,
                       threat.impact, 1, bursts_at(threat.missile)});
  }
  std::vector<Key> keys;
  std::vector<sim::TurretRequest> requests;
  for (const sim::Entity& entity : world.entities()) {
    for (const sim::EntityTurret& unit : entity.turrets) {
      if (entity.team != team) break;
      const sim::Gun& gun = world.scenario().types[entity.type].turrets[unit.mode.turret].gun;
      const Key key{entity.id, unit.mode.turret};
      keys.push_back(key);
      sim::TurretRequest& request = requests.emplace_back();
      if (!gun.point_defence) continue;
      request.options = options(world, entity, unit.mode.turret, near);
      for (std::size_t i = 0; i < near.size(); ++i) {
        const sim::Salvo* salvo = salvo_of(world, unit.mode);
        if (salvo != nullptr && near[i].missile == Missile{salvo->id, unit.mode.index}) {
          request.current = i;
        }
      }
    }
  }
  const auto chosen = sim::share_out(threats, requests);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const sim::Entity& entity = *world.find_entity(keys[k].first);
    const std::uint8_t turret = keys[k].second;
    const sim::Gun& gun = world.scenario().types[entity.type].turrets[turret].gun;
    std::optional<sim::TurretMode> mode;
    const auto follow = chosen[k] ? chosen[k] : requests[k].current;  // its burst is on its way
    if (follow) {
      mode = mode_of(entity.id, turret, TurretOrder::missile);
      mode->target = static_cast<std::uint16_t>(near[*follow].missile.first);
      mode->index = near[*follow].missile.second;
    }
    if (!mode && gun.speed != 0) mode = at_hull(world, entity, turret, gun.range);
    if (!mode) mode = at_hull(world, entity, turret, facing_range(world, entity, turret));
    orders[keys[k]] = mode.value_or(mode_of(entity.id, turret, TurretOrder::rest));
  }
}

/// The nearest hostile ship in range that the turret can look at.
std::optional<sim::TurretMode> TurretControl::at_hull(const sim::World& world,
                                                      const sim::Entity& entity,
                                                      std::uint8_t turret,
                                                      std::int64_t range) const {
  const sim::TurretMount& mount = world.scenario().types[entity.type].turrets[turret].mount;
  const WideVec3 here(entity.track.position(world.time()));
  const sim::Entity* nearest = nullptr;
  std::int64_t shortest = range + 1;
  for (const sim::Entity& other : world.entities()) {
    if (other.gone || other.id == entity.id || other.spawn_time >= world.time() ||
        world.scenario().types[other.type].is_decoy() || !rules_.is_enemy(entity, other)) {
      continue;
    }
    const std::int64_t distance = sim::length(WideVec3(other.track.position(world.time())) - here);
    if (distance >= shortest) continue;
    sim::TurretMode mode = mode_of(entity.id, turret, TurretOrder::entity);
    mode.target = other.id;
    const sim::TurretSight sight = world.turret_sight(entity, mode);
    if (!sight.aim.direction || !in_reach(mount.yaw, sight.aim.yaw) ||
        !in_reach(mount.pitch, sight.aim.pitch)) {
      continue;
    }
    nearest = &other;
    shortest = distance;
  }
  if (nearest == nullptr) return std::nullopt;
  sim::TurretMode mode = mode_of(entity.id, turret, TurretOrder::entity);
  mode.target = nearest->id;
  return mode;
}

/// How far the launchers reach that wait for this turret to face their target; 0: none does.
std::int64_t TurretControl::facing_range(const sim::World& world, const sim::Entity& entity,
                                         std::uint8_t turret) const {
  std::int64_t range = 0;
  for (const sim::Launcher& launcher : world.scenario().types[entity.type].launchers) {
    if (launcher.facing == turret) {
      range = std::max<std::int64_t>(range, world.scenario().weapons[launcher.weapon].max_range);
    }
  }
  return range;
}

}  // namespace contrail::server
