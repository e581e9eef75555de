// Whether a record fits the state. Ranges that need no state were checked by the reader of the
// bytes; here every reference is.

#include <contrail/sim/basis.hpp>
#include <contrail/sim/world_state.hpp>

namespace contrail::sim {
namespace {

/// Checks one record against one state; the first fault found is the answer.
class RecordCheck {
 public:
  RecordCheck(const World::State& state, const TickRecord& record)
      : state_(state),
        record_(record),
        end_(Subtick{record.tick} * state.tick_length()),
        begin_(end_ - state.tick_length()) {}

  FoldError run() {
    for (const auto step :
         {&RecordCheck::launches, &RecordCheck::outcomes, &RecordCheck::despawns,
          &RecordCheck::guidance, &RecordCheck::health, &RecordCheck::spawns, &RecordCheck::turrets,
          &RecordCheck::keys, &RecordCheck::single_records}) {
      if (const FoldError error = (this->*step)(); error != FoldError::none) {
        return error;
      }
    }
    return FoldError::none;
  }

 private:
  [[nodiscard]] bool in_tick(Subtick t) const { return t > begin_ && t <= end_; }

  /// An entity that lives before the record.
  [[nodiscard]] const Entity* living(std::uint16_t id) const {
    const Entity* entity = state_.find_entity(id);
    return entity != nullptr && !entity->gone ? entity : nullptr;
  }
  [[nodiscard]] bool leaves(std::uint16_t id) const {
    return std::any_of(record_.despawns.begin(), record_.despawns.end(),
                       [id](const Despawn& d) { return d.entity == id; });
  }
  [[nodiscard]] bool arrives(std::uint16_t id) const {
    return std::any_of(record_.spawns.begin(), record_.spawns.end(),
                       [id](const Spawn& s) { return s.entity == id; });
  }
  template <class Records>
  static bool repeats_entity(const Records& records) {
    std::vector<std::uint16_t> ids;
    for (const auto& r : records) {
      ids.push_back(r.entity);
    }
    std::sort(ids.begin(), ids.end());
    return std::adjacent_find(ids.begin(), ids.end()) != ids.end();
  }

  /// The launch behind 16 bits of an id: kept, or of this record.
  const Launch* find_launch(std::uint16_t low, const Salvo** salvo) const {
    *salvo = nullptr;
    const std::uint32_t next =
        state_.next_launch + static_cast<std::uint32_t>(record_.launches.size());
    if (next == 0) {
      return nullptr;
    }
    const std::uint32_t id = World::State::widen(low, next);
    if (id >= state_.next_launch && id - state_.next_launch < record_.launches.size()) {
      return &record_.launches[id - state_.next_launch];
    }
    *salvo = state_.find_salvo(id);
    return *salvo != nullptr ? &(*salvo)->launch : nullptr;
  }

  FoldError launch(const Launch& l, std::uint32_t id) const {
    const Scenario& scenario = *state_.scenario;
    if (!in_tick(l.t0)) {
      return FoldError::time_out_of_tick;
    }
    const Entity* launcher = living(l.launcher);
    const Entity* target = living(l.target);
    if (launcher == nullptr || target == nullptr || launcher->spawn_time >= l.t0 ||
        target->spawn_time >= l.t0) {
      return FoldError::unknown_entity;
    }
    if (l.weapon >= scenario.weapons.size()) {
      return FoldError::unknown_weapon;
    }
    if (l.mount >= scenario.types[launcher->type].mounts.size()) {
      return FoldError::unknown_mount;
    }
    const Subtick ripple = Subtick{scenario.weapons[l.weapon].ripple_interval} * (l.count - 1);
    if (l.count == 0 || l.pieces == 0 || l.pieces > k_max_flight_pieces ||
        l.log2_piece < k_min_log2_flight_piece || l.log2_piece > k_max_log2_flight_piece ||
        ripple > k_max_ripple) {
      return FoldError::bad_value;
    }
    return low_bits_in_use(id) ? FoldError::salvo_in_use : FoldError::none;
  }

  [[nodiscard]] bool low_bits_in_use(std::uint32_t id) const {
    const std::uint32_t oldest = state_.salvos.empty() ? id : state_.salvos.front().id;
    while (id >= 65536 && id - 65536 >= oldest) {
      id -= 65536;
      if (state_.find_salvo(id) != nullptr) {
        return true;
      }
    }
    return false;
  }

  FoldError launches() {
    std::uint32_t id = state_.next_launch;
    std::size_t missiles = state_.live;
    for (const Launch& l : record_.launches) {
      if (const FoldError error = launch(l, id++); error != FoldError::none) {
        return error;
      }
      missiles += l.count;
    }
    const bool over =
        missiles > static_cast<std::size_t>(k_max_live_missiles) ||
        state_.salvos.size() + record_.launches.size() > static_cast<std::size_t>(k_max_salvos);
    return over ? FoldError::too_many : FoldError::none;
  }

  FoldError outcomes() {
    std::vector<std::uint32_t> ended;
    for (const Outcome& o : record_.outcomes) {
      if (!in_tick(o.time)) {
        return FoldError::time_out_of_tick;
      }
      const Salvo* salvo = nullptr;
      const Launch* l = find_launch(o.salvo, &salvo);
      if (l == nullptr) {
        return FoldError::unknown_salvo;
      }
      if (o.kind < EndKind::hull || o.kind > k_last_end_kind) {
        return FoldError::bad_value;
      }
      if (o.victim != k_no_entity && state_.find_entity(o.victim) == nullptr) {
        return FoldError::unknown_entity;
      }
      const Weapon& weapon = state_.scenario->weapons[l->weapon];
      if (o.index >= l->count || o.time < launch_time(*l, weapon, o.index) ||
          o.time > end_time(*l, weapon, o.index) ||
          (salvo != nullptr && salvo->missiles[o.index].end != EndKind::alive)) {
        return FoldError::bad_missile;
      }
      ended.push_back((std::uint32_t{o.salvo} << 8U) | o.index);
    }
    std::sort(ended.begin(), ended.end());
    return std::adjacent_find(ended.begin(), ended.end()) != ended.end() ? FoldError::bad_missile
                                                                         : FoldError::none;
  }

  FoldError despawns() {
    for (const Despawn& d : record_.despawns) {
      if (!in_tick(d.time) || (d.kind == DespawnKind::removed && d.time != end_)) {
        return FoldError::time_out_of_tick;
      }
      if (living(d.entity) == nullptr) {
        return FoldError::unknown_entity;
      }
    }
    return repeats_entity(record_.despawns) ? FoldError::bad_value : FoldError::none;
  }

  FoldError guidance() {
    std::vector<std::uint32_t> seen;  // salvo and group: a missile has one event a tick
    for (const Guidance& g : record_.guidance) {
      const Salvo* salvo = nullptr;
      const Launch* l = find_launch(g.salvo, &salvo);
      if (l == nullptr) {
        return FoldError::unknown_salvo;
      }
      const bool takes = g.target != k_no_entity;
      if (takes && (living(g.target) == nullptr || leaves(g.target))) {
        return FoldError::unknown_entity;
      }
      for (int bit = 0; bit < 32; ++bit) {
        if (((g.mask >> bit) & 1U) == 0) {
          continue;
        }
        const int index = 32 * g.group + bit;
        if (index >= l->count) {
          return FoldError::bad_missile;
        }
        if (const FoldError error = guided(*l, salvo, static_cast<std::uint8_t>(index), takes);
            error != FoldError::none) {
          return error;
        }
        seen.push_back((std::uint32_t{g.salvo} << 8U) | static_cast<std::uint32_t>(index));
      }
    }
    std::sort(seen.begin(), seen.end());
    return std::adjacent_find(seen.begin(), seen.end()) != seen.end() ? FoldError::bad_guidance
                                                                      : FoldError::none;
  }

  FoldError guided(const Launch& l, const Salvo* salvo, std::uint8_t index, bool takes) const {
    const Weapon& weapon = state_.scenario->weapons[l.weapon];
    const int events = salvo != nullptr ? salvo->missiles[index].events : 0;
    if (events >= k_max_events_per_missile) {
      return FoldError::bad_guidance;
    }
    if (takes && (events + 1 >= k_max_events_per_missile || launch_time(l, weapon, index) > end_ ||
                  end_time(l, weapon, index) - end_ < k_retarget_lead)) {
      return FoldError::bad_guidance;
    }
    return FoldError::none;
  }

  FoldError health() {
    for (const Health& h : record_.health) {
      const Entity* entity = living(h.entity);
      if (entity == nullptr) {
        return FoldError::unknown_entity;
      }
      if (h.health > state_.scenario->types[entity->type].hit_points) {
        return FoldError::bad_value;
      }
    }
    return repeats_entity(record_.health) ? FoldError::bad_value : FoldError::none;
  }

  FoldError spawns() {
    for (const Spawn& s : record_.spawns) {
      if (s.type >= state_.scenario->types.size()) {
        return FoldError::unknown_type;
      }
      if (s.entity == k_no_entity || !inside(s.position, s.velocity) || !is_unit(s.attitude)) {
        return FoldError::bad_value;
      }
      if (state_.find_entity(s.entity) != nullptr) {
        return FoldError::entity_in_use;
      }
    }
    if (state_.entities.size() + record_.spawns.size() > static_cast<std::size_t>(k_max_entities)) {
      return FoldError::too_many;
    }
    return repeats_entity(record_.spawns) ? FoldError::entity_in_use : FoldError::none;
  }

  FoldError turrets() {
    for (const TurretMode& t : record_.turret_modes) {
      if (!stays(t.entity)) {
        return FoldError::unknown_entity;
      }
      if (t.turret >= turrets_of(t.entity).size() || t.order > k_last_turret_order) {
        return FoldError::bad_value;
      }
      if (const FoldError error = order(t); error != FoldError::none) {
        return error;
      }
    }
    for (const Shot& s : record_.shots) {
      if (s.time != begin_ + 1) {
        return FoldError::time_out_of_tick;
      }
      if (living(s.entity) == nullptr) {
        return FoldError::unknown_entity;
      }
      const auto& turrets = turrets_of(s.entity);
      if (s.turret >= turrets.size() || turrets[s.turret].gun.speed == 0 || s.count == 0 ||
          s.count > turrets[s.turret].gun.burst) {
        return FoldError::bad_value;
      }
    }
    if (state_.bursts.size() + record_.shots.size() > static_cast<std::size_t>(k_max_bursts)) {
      return FoldError::too_many;
    }
    return by_turret(record_.turret_modes) && by_turret(record_.shots) ? FoldError::none
                                                                       : FoldError::bad_value;
  }

  /// Each turret once, ascending.
  template <class Records>
  static bool by_turret(const Records& records) {
    return std::adjacent_find(records.begin(), records.end(), [](const auto& a, const auto& b) {
             return a.entity > b.entity || (a.entity == b.entity && a.turret >= b.turret);
           }) == records.end();
  }

  [[nodiscard]] const std::vector<Turret>& turrets_of(std::uint16_t entity) const {
    return state_.scenario->types[state_.find_entity(entity)->type].turrets;
  }

  /// What an order names is there, and nothing else is set.
  [[nodiscard]] FoldError order(const TurretMode& t) const {
    if (t.order != TurretOrder::bearing && t.bearing != 0) {
      return FoldError::bad_value;
    }
    if (t.order == TurretOrder::missile) {
      const Salvo* salvo = nullptr;
      const Launch* launch = find_launch(t.target, &salvo);
      if (launch == nullptr) {
        return FoldError::unknown_salvo;
      }
      return t.index < launch->count ? FoldError::none : FoldError::bad_missile;
    }
    if (t.index != 0) {
      return FoldError::bad_value;
    }
    if (t.order == TurretOrder::entity) {
      return living(t.target) != nullptr && t.target != t.entity ? FoldError::none
                                                                 : FoldError::unknown_entity;
    }
    return t.target == k_no_entity ? FoldError::none : FoldError::bad_value;
  }

  [[nodiscard]] bool stays(std::uint16_t id) const { return living(id) != nullptr && !leaves(id); }

  [[nodiscard]] static bool inside(const Vec3& position, const Vec3& velocity) {
    for (int axis = 0; axis < 3; ++axis) {
      if (position[axis] < -k_world_limit || position[axis] > k_world_limit ||
          velocity[axis] < -k_max_speed || velocity[axis] > k_max_speed) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool piece_fits(std::uint8_t log2_ticks) const {
    return log2_ticks <= k_max_log2_piece_ticks &&
           log2_ticks + state_.scenario->log2_tick <= k_max_log2_piece;
  }

  FoldError keys() {
    std::vector<std::uint16_t> ids;
    for (const TrackKey& k : record_.track_keys) {
      if (!stays(k.entity)) {
        return FoldError::unknown_entity;
      }
      if (!piece_fits(k.log2_ticks) || (k.jump && k.log2_ticks != 0)) {
        return FoldError::bad_key;
      }
      if (!inside(k.position, k.velocity)) {
        return FoldError::bad_value;
      }
      ids.push_back(k.entity);
    }
    for (const RelativeKey& k : record_.relative_keys) {
      if (!stays(k.entity)) {
        return FoldError::unknown_entity;
      }
      if (!piece_fits(k.log2_ticks) || k.scale > 15) {
        return FoldError::bad_key;
      }
      ids.push_back(k.entity);
    }
    std::sort(ids.begin(), ids.end());
    if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) {
      return FoldError::bad_key;
    }
    for (const AttitudeKey& k : record_.attitude_keys) {
      if (!stays(k.entity)) {
        return FoldError::unknown_entity;
      }
      if (!piece_fits(k.log2_ticks) || !state_.find_entity(k.entity)->track.own_attitude()) {
        return FoldError::bad_key;
      }
      if (!is_unit(k.attitude)) {
        return FoldError::bad_value;
      }
    }
    return repeats_entity(record_.attitude_keys) ? FoldError::bad_key : FoldError::none;
  }

  FoldError single_records() {
    for (const Custom& c : record_.customs) {
      if (c.bytes.size() > static_cast<std::size_t>(k_max_custom_bytes)) {
        return FoldError::bad_value;
      }
    }
    return record_.timelines.size() > 1 || record_.state_hashes.size() > 1 ? FoldError::bad_value
                                                                           : FoldError::none;
  }

  const World::State& state_;
  const TickRecord& record_;
  Subtick end_;
  Subtick begin_;
};

}  // namespace

FoldError World::State::check(const TickRecord& record) const {
  return RecordCheck(*this, record).run();
}

}  // namespace contrail::sim
