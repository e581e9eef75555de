// The state as a snapshot, and back.

#include <utility>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/world_state.hpp>

namespace contrail::sim {
namespace {

void add_salvos(const World::State& state, Snapshot& out) {
  for (const Salvo& salvo : state.salvos) {
    const auto at = static_cast<std::uint16_t>(out.salvos.size());
    out.salvos.push_back({salvo.launch, salvo.id, salvo.tick, salvo.anchor});
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      const Missile& m = salvo.missiles[i];
      if (m.explicit_end) {
        out.ends.push_back({at, static_cast<std::uint8_t>(i), m.end, m.victim, m.end_time});
      }
    }
    for (SnapshotEvent event : salvo.events) {
      event.salvo = at;
      out.events.push_back(event);
    }
  }
}

void add_track(const World::State& state, const Entity& entity, Snapshot& out) {
  const auto tick_of = [&](Subtick start) {
    return static_cast<std::uint32_t>(start / state.tick_length());
  };
  const auto& pieces = entity.track.pieces();
  const TrackPiece& first = pieces.front();
  out.tracks.push_back({entity.id, first.log2_duration, first.jump, tick_of(first.start), first.p0,
                        first.v0, first.p1, first.v1, first.facing});
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const TrackPiece& p = pieces[i];
    out.keys.push_back({entity.id, p.log2_duration, p.jump, tick_of(p.start), p.p1, p.v1});
  }
  for (const AttitudePiece& a : entity.track.attitudes()) {
    out.attitudes.push_back({entity.id, a.log2_duration, tick_of(a.start), a.from, a.to});
  }
}

/// Rebuilds a state, refusing whatever does not fit together.
class Restore {
 public:
  Restore(World::State& state, const Snapshot& from) : state_(state), from_(from) {}

  FoldError run() {
    state_.tick = from_.tick;
    state_.next_launch = from_.next_launch;
    state_.hash_count = from_.hash_count;
    state_.timeline = from_.timeline;
    for (const auto step : {&Restore::entities, &Restore::tracks, &Restore::turrets,
                            &Restore::salvos, &Restore::events, &Restore::ends}) {
      if (const FoldError error = (this->*step)(); error != FoldError::none) {
        return error;
      }
    }
    implicit_ends();
    return locks();
  }

 private:
  [[nodiscard]] Subtick time_of(std::uint32_t tick) const {
    return Subtick{tick} * state_.tick_length();
  }

  FoldError entities() {
    if (from_.entities.size() > static_cast<std::size_t>(k_max_entities)) {
      return FoldError::too_many;
    }
    for (const SnapshotEntity& e : from_.entities) {
      if (e.type >= state_.scenario->types.size()) {
        return FoldError::unknown_type;
      }
      if (e.entity == k_no_entity || e.spawn_tick > from_.tick ||
          (!state_.entities.empty() && state_.entities.back().id >= e.entity)) {
        return FoldError::entity_in_use;
      }
      if (e.health > state_.scenario->types[e.type].hit_points ||
          (e.gone && e.gone_time > state_.time())) {
        return FoldError::bad_value;
      }
      Entity entity;
      entity.id = e.entity;
      entity.type = e.type;
      entity.team = e.team;
      entity.user_tag = e.user_tag;
      entity.health = e.health;
      entity.spawn_time = time_of(e.spawn_tick);
      entity.gone = e.gone;
      entity.gone_kind = e.gone_kind;
      entity.gone_time = e.gone_time;
      state_.entities.push_back(std::move(entity));
    }
    return FoldError::none;
  }

  [[nodiscard]] bool piece_fits(std::uint32_t tick, Subtick after, std::uint8_t log2_duration,
                                bool jump) const {
    const bool length =
        jump ? log2_duration == 0
             : log2_duration >= state_.scenario->log2_tick && log2_duration <= k_max_log2_piece &&
                   log2_duration <= state_.scenario->log2_tick + k_max_log2_piece_ticks;
    return length && tick <= from_.tick && time_of(tick) > after;
  }

  FoldError tracks() {
    if (from_.tracks.size() != state_.entities.size()) {
      return FoldError::unknown_entity;
    }
    auto key = from_.keys.begin();
    auto attitude = from_.attitudes.begin();
    for (std::size_t i = 0; i < from_.tracks.size(); ++i) {
      const SnapshotTrack& t = from_.tracks[i];
      Entity& entity = state_.entities[i];
      if (t.entity != entity.id) {
        return FoldError::unknown_entity;
      }
      if (!piece_fits(t.tick, -1, t.log2_duration, t.jump)) {
        return FoldError::bad_key;
      }
      const bool own = state_.scenario->types[entity.type].own_attitude;
      std::vector<AttitudePiece> attitudes;
      for (; attitude != from_.attitudes.end() && attitude->entity == entity.id; ++attitude) {
        const Subtick after = attitudes.empty() ? -1 : attitudes.back().start;
        if (!own || time_of(attitude->tick) <= after || attitude->tick > from_.tick ||
            attitude->log2_duration > k_max_log2_piece || !is_unit(attitude->from) ||
            !is_unit(attitude->to)) {
          return FoldError::bad_key;
        }
        attitudes.push_back(
            {time_of(attitude->tick), attitude->log2_duration, attitude->from, attitude->to});
      }
      if (own && attitudes.empty()) {
        return FoldError::bad_key;
      }
      entity.track = Track(
          own,
          {TrackPiece{time_of(t.tick), t.log2_duration, t.jump, t.p0, t.v0, t.p1, t.v1, t.facing}},
          std::move(attitudes));
      for (; key != from_.keys.end() && key->entity == entity.id; ++key) {
        if (!piece_fits(key->tick, entity.track.pieces().back().start, key->log2_duration,
                        key->jump)) {
          return FoldError::bad_key;
        }
        if (key->jump) {
          entity.track.jump(time_of(key->tick), key->p1, key->v1);
        } else {
          entity.track.start_piece(time_of(key->tick), key->log2_duration, key->p1, key->v1);
        }
      }
    }
    return key == from_.keys.end() && attitude == from_.attitudes.end() ? FoldError::none
                                                                        : FoldError::bad_key;
  }

  FoldError turrets() {
    for (const TurretMode& mode : from_.turrets) {
      Entity* entity = state_.find_entity(mode.entity);
      if (entity == nullptr || mode.turret >= k_max_turrets) {
        return FoldError::unknown_entity;
      }
      entity->turrets[mode.turret] = mode;
      entity->turret_mask = static_cast<std::uint8_t>(entity->turret_mask | (1U << mode.turret));
    }
    return FoldError::none;
  }

  FoldError salvos() {
    std::size_t missiles = 0;
    for (const SnapshotSalvo& s : from_.salvos) {
      const Scenario& scenario = *state_.scenario;
      if (s.launch.weapon >= scenario.weapons.size()) {
        return FoldError::unknown_weapon;
      }
      if (s.anchor.target_type >= scenario.types.size()) {
        return FoldError::unknown_type;
      }
      if (s.id >= from_.next_launch || s.tick > from_.tick || s.tick == 0 || s.launch.count == 0 ||
          (!state_.salvos.empty() && state_.salvos.back().id >= s.id)) {
        return FoldError::unknown_salvo;
      }
      if (s.launch.t0 > time_of(s.tick) || s.launch.t0 <= time_of(s.tick - 1)) {
        return FoldError::time_out_of_tick;
      }
      Salvo salvo;
      salvo.id = s.id;
      salvo.tick = s.tick;
      salvo.launch = s.launch;
      salvo.anchor = s.anchor;
      salvo.alive = s.launch.count;
      salvo.missiles.resize(s.launch.count);
      for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
        salvo.missiles[i].target = s.launch.target;
        salvo.missiles[i].end_time =
            end_time(s.launch, state_.weapon(s.launch), static_cast<std::uint8_t>(i));
      }
      missiles += s.launch.count;
      state_.salvos.push_back(std::move(salvo), 0);
    }
    state_.live = static_cast<std::uint32_t>(missiles);
    return state_.salvos.size() > static_cast<std::size_t>(k_max_salvos) ? FoldError::too_many
                                                                         : FoldError::none;
  }

  FoldError events() {
    for (const SnapshotEvent& e : from_.events) {
      if (e.salvo >= state_.salvos.size()) {
        return FoldError::unknown_salvo;
      }
      Salvo& salvo = state_.salvos[e.salvo];
      if (e.old_type >= state_.scenario->types.size() || e.tick > from_.tick || e.mask == 0) {
        return FoldError::bad_guidance;
      }
      for (std::size_t bit = 0; bit < 32; ++bit) {
        if (((e.mask >> bit) & 1U) == 0) {
          continue;
        }
        const std::size_t index = std::size_t{32} * e.group + bit;
        if (index >= salvo.missiles.size() || salvo.missiles[index].events != e.ordinal ||
            e.ordinal >= k_max_events_per_missile || salvo.missiles[index].locked != e.was_locked) {
          return FoldError::bad_guidance;
        }
        Missile& missile = salvo.missiles[index];
        ++missile.events;
        missile.locked = e.new_target != k_no_entity;
        missile.target = e.new_target;
      }
      salvo.events.push_back(e);
      salvo.events.back().salvo = 0;
    }
    return FoldError::none;
  }

  void end_missile(Salvo& salvo, Missile& missile, EndKind kind, Subtick time, std::uint16_t victim,
                   bool explicit_end) {
    missile.end = kind;
    missile.explicit_end = explicit_end;
    missile.victim = victim;
    missile.end_time = time;
    --salvo.alive;
    --state_.live;
    salvo.last_end = std::max(salvo.last_end, time);
  }

  FoldError ends() {
    for (const SnapshotEnd& e : from_.ends) {
      if (e.salvo >= state_.salvos.size()) {
        return FoldError::unknown_salvo;
      }
      Salvo& salvo = state_.salvos[e.salvo];
      if (e.index >= salvo.missiles.size() || e.kind == EndKind::alive ||
          e.kind > k_last_end_kind || e.time > state_.time() ||
          salvo.missiles[e.index].end != EndKind::alive) {
        return FoldError::bad_missile;
      }
      end_missile(salvo, salvo.missiles[e.index], e.kind, e.time, e.victim, true);
    }
    return FoldError::none;
  }

  void implicit_ends() {
    for (Salvo& salvo : state_.salvos) {
      const Weapon& weapon = state_.weapon(salvo.launch);
      for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
        Missile& missile = salvo.missiles[i];
        const Subtick time = end_time(salvo.launch, weapon, static_cast<std::uint8_t>(i));
        if (time > state_.time()) {
          break;
        }
        salvo.next_end = static_cast<std::uint16_t>(i + 1);
        if (missile.end == EndKind::alive) {
          const bool hit = missile.locked;
          end_missile(salvo, missile, hit ? EndKind::impact : EndKind::expired, time,
                      hit ? missile.target : k_no_entity, false);
        }
      }
    }
  }

  /// A missile in flight is locked on a living entity or not at all.
  FoldError locks() const {
    for (const Salvo& salvo : state_.salvos) {
      for (const Missile& missile : salvo.missiles) {
        if (missile.end == EndKind::alive && missile.locked) {
          const Entity* target = std::as_const(state_).find_entity(missile.target);
          if (target == nullptr || target->gone) {
            return FoldError::unknown_entity;
          }
        }
      }
    }
    return FoldError::none;
  }

  World::State& state_;
  const Snapshot& from_;
};

}  // namespace

Snapshot World::snapshot() const {
  const State& state = *state_;
  Snapshot out;
  out.tick = state.tick;
  out.next_launch = state.next_launch;
  out.hash_count = state.hash_count;
  out.timeline = state.timeline;
  add_salvos(state, out);
  for (const Entity& e : state.entities) {
    out.entities.push_back({e.id, e.type, e.team, e.user_tag,
                            static_cast<std::uint32_t>(e.spawn_time / state.tick_length()),
                            e.health, e.gone, e.gone_kind, e.gone_time});
    add_track(state, e, out);
    for (std::size_t i = 0; i < e.turrets.size(); ++i) {
      if (((e.turret_mask >> i) & 1U) != 0) {
        out.turrets.push_back(e.turrets[i]);
      }
    }
  }
  return out;
}

FoldError World::restore(std::shared_ptr<const Scenario> scenario, const Snapshot& snapshot,
                         std::optional<World>& out) {
  auto state = std::make_unique<State>();
  state->scenario = std::move(scenario);
  const FoldError error = Restore(*state, snapshot).run();
  if (error == FoldError::none) {
    out = World(std::move(state));
  }
  return error;
}

}  // namespace contrail::sim
