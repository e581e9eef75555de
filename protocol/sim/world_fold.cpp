// Folds one record, in the order the specification states.

#include <contrail/sim/world_state.hpp>

namespace contrail::sim {
namespace {

using Kind = WorldEvent::Kind;

class Fold {
 public:
  Fold(World::State& state, const TickRecord& record, std::vector<WorldEvent>* events)
      : state_(state), record_(record), events_(events) {
    state_.tick = record.tick;
    end_ = state_.time();
  }

  void run() {
    launches();
    outcomes();
    aborts();
    implicit_ends();
    guidance();
    implicit_losses();
    health();
    despawns();
    spawns();
    turrets();
    keys();
    custom_and_timeline();
    prune();
  }

 private:
  void tell(const WorldEvent& event) {
    if (events_ != nullptr) {
      events_->push_back(event);
    }
  }

  void launches() {
    for (const Launch& launch : record_.launches) {
      const std::uint32_t id = state_.next_launch++;
      state_.salvos.push_back(state_.make_salvo(launch, id, record_.tick),
                              end_time(launch, state_.weapon(launch), 0));
      state_.live += launch.count;
      tell({.kind = Kind::launch, .time = launch.t0, .salvo = id, .entity = launch.launcher});
    }
  }

  void end_missile(Salvo& salvo, std::size_t index, EndKind kind, Subtick time,
                   std::uint16_t victim, bool explicit_end) {
    Missile& missile = salvo.missiles[index];
    missile.end = kind;
    missile.end_time = time;
    missile.victim = victim;
    missile.explicit_end = explicit_end;
    --salvo.alive;
    --state_.live;
    salvo.last_end = std::max(salvo.last_end, time);
    if (salvo.alive == 0) {
      state_.salvos.set_due(salvo, due_of(salvo));
    }
    if (events_ != nullptr) {
      WorldEvent event{.kind = Kind::missile_end,
                       .time = time,
                       .salvo = salvo.id,
                       .index = static_cast<std::uint8_t>(index),
                       .end = kind,
                       .entity = victim};
      if (kind != EndKind::aborted) {
        event.position = state_.passing_position(salvo, event.index, time);
      }
      tell(event);
    }
  }

  void outcomes() {
    for (const Outcome& o : record_.outcomes) {
      end_missile(*state_.find_salvo_low(o.salvo), o.index, o.kind, o.time, o.victim, true);
    }
  }

  /// Missiles of a ripple whose launcher is gone before their turn never fly.
  void aborts() {
    for (const Despawn& d : record_.despawns) {
      for (Salvo& salvo : state_.salvos) {
        if (salvo.launch.launcher != d.entity || salvo.alive == 0) {
          continue;
        }
        const Weapon& weapon = state_.weapon(salvo.launch);
        for (std::size_t i = salvo.next_end; i < salvo.missiles.size(); ++i) {
          const auto index = static_cast<std::uint8_t>(i);
          if (salvo.missiles[i].end == EndKind::alive &&
              launch_time(salvo.launch, weapon, index) > d.time) {
            end_missile(salvo, i, EndKind::aborted, d.time, k_no_entity, true);
          }
        }
      }
    }
  }

  [[nodiscard]] bool gone_before(std::uint16_t entity, Subtick t) const {
    return std::any_of(record_.despawns.begin(), record_.despawns.end(),
                       [&](const Despawn& d) { return d.entity == entity && d.time < t; });
  }

  /// When a salvo has to be looked at again: at its next end, when it is forgotten, or, once
  /// guidance has had to do with it, always.
  [[nodiscard]] Subtick due_of(const Salvo& salvo) const {
    if (salvo.alive == 0) {
      return salvo.last_end + k_history_kept + 1;
    }
    return salvo.events.empty() ? end_time(salvo.launch, state_.weapon(salvo.launch),
                                           static_cast<std::uint8_t>(salvo.next_end))
                                : 0;
  }

  void implicit_ends() {
    for (std::size_t n = 0; n < state_.salvos.size(); ++n) {
      if (state_.salvos.dues()[n] > end_) {
        continue;
      }
      Salvo& salvo = state_.salvos[n];
      if (salvo.alive != 0) {
        implicit_ends(salvo);
      }
      state_.salvos.set_due(salvo, due_of(salvo));
    }
  }

  void implicit_ends(Salvo& salvo) {
    const Weapon& weapon = state_.weapon(salvo.launch);
    for (std::size_t i = salvo.next_end; i < salvo.missiles.size(); ++i) {
      const Subtick time = end_time(salvo.launch, weapon, static_cast<std::uint8_t>(i));
      if (time > end_) {
        break;
      }
      salvo.next_end = static_cast<std::uint16_t>(i + 1);
      const Missile& missile = salvo.missiles[i];
      if (missile.end != EndKind::alive) {
        continue;
      }
      if (!missile.locked) {
        end_missile(salvo, i, EndKind::expired, time, k_no_entity, false);
      } else if (gone_before(missile.target, time)) {
        end_missile(salvo, i, EndKind::expired, time, k_no_entity, true);
      } else {
        end_missile(salvo, i, EndKind::impact, time, missile.target, false);
      }
    }
  }

  /// Gives the missiles of `mask` their event: one SnapshotEvent for each history they may have.
  void give_event(Salvo& salvo, std::uint8_t group, std::uint32_t mask, std::uint16_t new_target) {
    const std::size_t first = salvo.events.size();
    state_.salvos.set_due(salvo, 0);
    for (std::size_t bit = 0; bit < 32; ++bit) {
      const std::size_t index = std::size_t{32} * group + bit;
      if (((mask >> bit) & 1U) == 0 || salvo.missiles[index].end != EndKind::alive) {
        continue;
      }
      Missile& missile = salvo.missiles[index];
      SnapshotEvent& event = event_for(salvo, first, group, missile, new_target);
      event.mask |= std::uint32_t{1} << bit;
      ++missile.events;
      tell({.kind = new_target == k_no_entity ? Kind::lock_lost : Kind::retarget,
            .time = end_,
            .salvo = salvo.id,
            .index = static_cast<std::uint8_t>(index),
            .entity = new_target});
      missile.locked = new_target != k_no_entity;
      missile.target = new_target;
    }
  }

  SnapshotEvent& event_for(Salvo& salvo, std::size_t first, std::uint8_t group,
                           const Missile& missile, std::uint16_t new_target) {
    SnapshotEvent event;
    event.new_target = new_target;
    event.group = group;
    event.ordinal = missile.events;
    event.was_locked = missile.locked;
    event.tick = record_.tick;
    if (missile.locked) {
      const Entity& old = *state_.find_entity(missile.target);
      event.old_type = old.type;
      event.at_event = old.track.pose(end_);
      event.back_step = old.track.pose(end_ - k_back_step);
    }
    for (std::size_t i = first; i < salvo.events.size(); ++i) {
      event.mask = salvo.events[i].mask;
      if (event == salvo.events[i]) {
        return salvo.events[i];
      }
    }
    event.mask = 0;
    salvo.events.push_back(event);
    return salvo.events.back();
  }

  void guidance() {
    for (const Guidance& g : record_.guidance) {
      give_event(*state_.find_salvo_low(g.salvo), g.group, g.mask, g.target);
    }
  }

  /// Locks on an entity that this record despawns or jumps are lost without a record of their own.
  void implicit_losses() {
    std::vector<std::uint16_t> lost;
    for (const Despawn& d : record_.despawns) {
      lost.push_back(d.entity);
    }
    for (const TrackKey& k : record_.track_keys) {
      if (k.jump) {
        lost.push_back(k.entity);
      }
    }
    std::sort(lost.begin(), lost.end());
    for (const std::uint16_t entity : lost) {
      for (Salvo& salvo : state_.salvos) {
        lose_locks(salvo, entity);
      }
    }
  }

  void lose_locks(Salvo& salvo, std::uint16_t entity) {
    if (salvo.alive == 0) {
      return;
    }
    for (std::size_t base = 0; base < salvo.missiles.size(); base += 32) {
      std::uint32_t mask = 0;
      for (std::size_t i = base; i < std::min(base + 32, salvo.missiles.size()); ++i) {
        const Missile& missile = salvo.missiles[i];
        if (missile.end == EndKind::alive && missile.locked && missile.target == entity) {
          mask |= std::uint32_t{1} << (i - base);
        }
      }
      if (mask != 0) {
        give_event(salvo, static_cast<std::uint8_t>(base / 32), mask, k_no_entity);
      }
    }
  }

  void health() {
    for (const Health& h : record_.health) {
      state_.find_entity(h.entity)->health = h.health;
      tell({.kind = Kind::health, .time = end_, .entity = h.entity, .value = h.health});
    }
  }

  void despawns() {
    for (const Despawn& d : record_.despawns) {
      Entity& entity = *state_.find_entity(d.entity);
      entity.gone = true;
      entity.gone_kind = d.kind;
      entity.gone_time = d.time;
      entity.turret_mask = 0;
      const bool destroyed = d.kind == DespawnKind::destroyed;
      WorldEvent event{.kind = destroyed ? Kind::destroyed : Kind::despawn,
                       .time = d.time,
                       .entity = d.entity,
                       .position = entity.track.position(d.time)};
      if (d.by_salvo != k_no_salvo && state_.next_launch != 0) {
        event.salvo = World::State::widen(d.by_salvo, state_.next_launch);
      }
      tell(event);
    }
  }

  void spawns() {
    for (const Spawn& s : record_.spawns) {
      const EntityType& type = state_.scenario->types[s.type];
      Entity entity;
      entity.id = s.entity;
      entity.type = s.type;
      entity.team = s.team;
      entity.user_tag = s.user_tag;
      entity.health = type.hit_points;
      entity.spawn_time = end_;
      entity.track = Track(end_, type.own_attitude, s.position, s.velocity, s.attitude);
      const auto at = std::lower_bound(state_.entities.begin(), state_.entities.end(), s.entity,
                                       [](const Entity& e, std::uint16_t id) { return e.id < id; });
      state_.entities.insert(at, std::move(entity));
      tell({.kind = Kind::spawn, .time = end_, .entity = s.entity, .position = s.position});
    }
  }

  void turrets() {
    for (const TurretMode& mode : record_.turret_modes) {
      Entity& entity = *state_.find_entity(mode.entity);
      entity.turrets[mode.turret] = mode;
      entity.turret_mask = static_cast<std::uint8_t>(entity.turret_mask | (1U << mode.turret));
      tell({.kind = Kind::turret,
            .time = end_,
            .index = mode.turret,
            .entity = mode.entity,
            .value = mode.target});
    }
    for (const Shot& shot : record_.shots) {
      tell({.kind = Kind::shot,
            .time = shot.time,
            .index = shot.turret,
            .entity = shot.entity,
            .value = shot.count});
    }
  }

  void keys() {
    const int log2_tick = state_.scenario->log2_tick;
    for (const TrackKey& k : record_.track_keys) {
      Track& track = state_.find_entity(k.entity)->track;
      if (k.jump) {
        track.jump(end_, k.position, k.velocity);
      } else {
        track.start_piece(end_, k.log2_ticks + log2_tick, k.position, k.velocity);
      }
    }
    for (const RelativeKey& k : record_.relative_keys) {
      state_.find_entity(k.entity)->track.start_relative_piece(end_, k.log2_ticks + log2_tick, k);
    }
    for (const AttitudeKey& k : record_.attitude_keys) {
      state_.find_entity(k.entity)->track.start_attitude(end_, k.log2_ticks + log2_tick,
                                                         k.attitude);
    }
  }

  void custom_and_timeline() {
    for (std::size_t i = 0; i < record_.customs.size(); ++i) {
      tell({.kind = Kind::custom, .time = end_, .value = static_cast<std::uint16_t>(i)});
    }
    for (const Timeline& timeline : record_.timelines) {
      state_.timeline = timeline;
      tell({.kind = Kind::timeline, .time = end_});
    }
  }

  void prune() {
    const Subtick limit = end_ - k_history_kept;
    std::erase_if(state_.entities, [&](const Entity& e) { return e.gone && e.gone_time < limit; });
    for (Entity& entity : state_.entities) {
      entity.track.prune(limit);
    }
    state_.salvos.forget(end_, [&](const Salvo& s) { return s.alive == 0 && s.last_end < limit; });
  }

  World::State& state_;
  const TickRecord& record_;
  std::vector<WorldEvent>* events_;
  Subtick end_ = 0;
};

}  // namespace

Salvo World::State::make_salvo(const Launch& launch, std::uint32_t id,
                               std::uint32_t record_tick) const {
  Salvo salvo;
  salvo.id = id;
  salvo.tick = record_tick;
  salvo.launch = launch;

  const Entity& launcher = *find_entity(launch.launcher);
  const Entity& target = *find_entity(launch.target);
  const Mount& mount = scenario->types[launcher.type].mounts[launch.mount];
  const Pose from = launcher.track.pose(launch.t0);
  const Pose at = target.track.pose(launch.t0);
  Anchor& anchor = salvo.anchor;
  anchor.muzzle = clamp(WideVec3(from.position) + rotate(from.basis, mount.offset), k_world_limit);
  anchor.launcher_velocity = launcher.track.velocity(launch.t0);
  anchor.muzzle_basis = freeze(compose(from.basis, mount.orientation));
  anchor.target_position = at.position;
  anchor.target_velocity = target.track.velocity(launch.t0);
  anchor.target_basis = freeze(at.basis);
  anchor.target_type = target.type;

  salvo.missiles.resize(launch.count);
  for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
    salvo.missiles[i].target = launch.target;
    salvo.missiles[i].end_time = end_time(launch, weapon(launch), static_cast<std::uint8_t>(i));
  }
  salvo.alive = launch.count;
  return salvo;
}

void World::State::apply(const TickRecord& record, std::vector<WorldEvent>* events) {
  Fold(*this, record, events).run();
}

}  // namespace contrail::sim
