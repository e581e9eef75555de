#include <contrail/core/playback.hpp>

#include <utility>

namespace contrail::client {
namespace {

EventKind kind_of(const sim::WorldEvent& event) {
  using From = sim::WorldEvent::Kind;
  switch (event.kind) {
    case From::launch:
      return EventKind::launch;
    case From::missile_end:
      return event.end == sim::EndKind::impact ? EventKind::impact : EventKind::missile_end;
    case From::lock_lost:
      return EventKind::lock_lost;
    case From::retarget:
      return EventKind::retarget;
    case From::health:
      return EventKind::health;
    case From::destroyed:
      return EventKind::destroyed;
    case From::despawn:
      return EventKind::despawn;
    case From::spawn:
      return EventKind::spawn;
    case From::turret:
      return EventKind::turret_mode;
    case From::shot:
      return EventKind::shot;
    case From::custom:
      return EventKind::custom;
    case From::timeline:
      return EventKind::timeline;
  }
  return EventKind::custom;
}

}  // namespace

const char* subsystem_name(sim::Subsystem subsystem) {
  switch (subsystem) {
    case sim::Subsystem::launches:
      return "launches";
    case sim::Subsystem::anchors:
      return "anchors";
    case sim::Subsystem::tracks:
      return "tracks";
    case sim::Subsystem::health:
      return "health";
    case sim::Subsystem::turrets:
      return "turrets";
    case sim::Subsystem::flights:
      return "flights";
  }
  return "unknown";
}

Playback::Playback(std::shared_ptr<const sim::Scenario> scenario)
    : scenario_(std::move(scenario)), world_(scenario_) {}

sim::FoldError Playback::restore(const sim::Snapshot& snapshot) {
  std::optional<sim::World> restored;
  const sim::FoldError error = sim::World::restore(scenario_, snapshot, restored);
  if (error != sim::FoldError::none) return error;
  world_ = std::move(*restored);
  world_.plant_fault(fault_);
  events_.clear();
  shown_health_.clear();
  for (const sim::Entity& entity : world_.entities()) {
    if (!entity.gone) shown_health_[entity.id] = entity.health;
  }
  Event reset;
  reset.kind = EventKind::world_reset;
  reset.time = world_.time();
  std::vector<Event> batch;
  batch.push_back(std::move(reset));
  events_.push(std::move(batch));
  return sim::FoldError::none;
}

sim::FoldError Playback::fold(const sim::TickRecord& record) {
  const std::uint32_t before = world_.tick();
  const sim::FoldResult result = world_.fold(record, &folded_);
  counts_.ticks += world_.tick() - before;
  take(record);
  if (result.error != sim::FoldError::none) return result.error;
  ++counts_.records;
  check_hash(result.hash, record.tick);
  return sim::FoldError::none;
}

void Playback::advance(std::uint32_t tick) {
  if (tick <= world_.tick()) return;
  counts_.ticks += tick - world_.tick();
  world_.advance(tick, &folded_);
  take({});
}

void Playback::take(const sim::TickRecord& record) {
  if (folded_.empty()) return;
  std::vector<Event> batch;
  batch.reserve(folded_.size());
  for (const sim::WorldEvent& event : folded_) {
    batch.push_back(event_of(event, record));
    count(batch.back());
  }
  folded_.clear();
  events_.push(std::move(batch));
}

Event Playback::event_of(const sim::WorldEvent& from, const sim::TickRecord& record) const {
  using From = sim::WorldEvent::Kind;
  Event event;
  event.kind = kind_of(from);
  event.end = from.end;
  event.time = from.time;
  event.entity = from.entity;
  event.position = from.position;
  switch (from.kind) {
    case From::launch:
    case From::missile_end:
    case From::lock_lost:
    case From::retarget:
      describe_missile(from, event);
      break;
    case From::destroyed:
      describe_credit(record, event);
      break;
    case From::health:
      event.health = from.value;
      break;
    case From::spawn:
      if (const sim::Entity* entity = world_.find_entity(from.entity)) {
        event.health = scenario_->types[entity->type].hit_points;
      }
      break;
    case From::turret:
      event.turret = from.index;
      event.target = from.value;
      break;
    case From::shot:
      event.turret = from.index;
      event.count = static_cast<std::uint8_t>(from.value);
      break;
    case From::custom:
      if (from.value < record.customs.size()) {
        event.custom_kind = record.customs[from.value].kind;
        event.custom_bytes = record.customs[from.value].bytes;
      }
      break;
    case From::despawn:
    case From::timeline:
      break;
  }
  return event;
}

void Playback::describe_missile(const sim::WorldEvent& from, Event& event) const {
  event.missile = {from.salvo, from.index};
  if (from.kind == sim::WorldEvent::Kind::lock_lost ||
      from.kind == sim::WorldEvent::Kind::retarget) {
    event.target = from.entity;
    event.entity = sim::k_no_entity;
  }
  const sim::Salvo* salvo = world_.find_salvo(from.salvo);
  if (salvo == nullptr) return;
  event.weapon = salvo->launch.weapon;
  if (from.kind == sim::WorldEvent::Kind::launch) {
    event.count = salvo->launch.count;
    event.target = salvo->launch.target;
    event.position = salvo->anchor.muzzle;
  }
}

void Playback::describe_credit(const sim::TickRecord& record, Event& event) const {
  for (const sim::Despawn& despawn : record.despawns) {
    if (despawn.entity != event.entity || despawn.by_salvo == sim::k_no_salvo) continue;
    if (const sim::Salvo* salvo = world_.find_salvo_low(despawn.by_salvo)) {
      event.credited = true;
      event.missile.launch = salvo->id;
    }
  }
}

void Playback::count(const Event& event) {
  switch (event.kind) {
    case EventKind::launch:
      ++counts_.launches;
      counts_.missiles += event.count;
      break;
    case EventKind::impact:
      ++counts_.impacts;
      break;
    case EventKind::missile_end:
      ++counts_.other_ends;
      break;
    case EventKind::destroyed:
      ++counts_.destroyed;
      break;
    default:
      break;
  }
}

void Playback::check_hash(const sim::HashCheck& hash, std::uint32_t tick) {
  if (!hash.present) return;
  ++counts_.hash_checks;
  if (hash.differing == 0) return;
  ++counts_.hash_mismatches;
  if (counts_.first_divergent) return;
  for (int lane = 0; lane < sim::k_subsystems; ++lane) {
    if ((hash.differing >> lane & 1) == 0) continue;
    counts_.first_divergent = static_cast<sim::Subsystem>(lane);
    counts_.first_divergent_tick = tick;
    return;
  }
}

bool Playback::next_event(sim::Subtick until, Event& out) {
  if (!events_.pop(until, out)) return false;
  if (out.kind == EventKind::health || out.kind == EventKind::spawn) {
    shown_health_[out.entity] = out.health;
  } else if (out.kind == EventKind::destroyed || out.kind == EventKind::despawn) {
    shown_health_.erase(out.entity);
  }
  return true;
}

std::uint16_t Playback::shown_health(std::uint16_t entity) const {
  const auto found = shown_health_.find(entity);
  return found == shown_health_.end() ? 0 : found->second;
}

void Playback::plant_fault(sim::Fault fault) {
  fault_ = fault;
  world_.plant_fault(fault);
}

}  // namespace contrail::client
