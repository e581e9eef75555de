#include <contrail/core/event.hpp>

#include <algorithm>
#include <utility>

namespace contrail::client {

const char* describe(EventKind kind) {
  switch (kind) {
    case EventKind::world_reset:
      return "world_reset";
    case EventKind::launch:
      return "launch";
    case EventKind::impact:
      return "impact";
    case EventKind::missile_end:
      return "missile_end";
    case EventKind::lock_lost:
      return "lock_lost";
    case EventKind::retarget:
      return "retarget";
    case EventKind::health:
      return "health";
    case EventKind::destroyed:
      return "destroyed";
    case EventKind::despawn:
      return "despawn";
    case EventKind::spawn:
      return "spawn";
    case EventKind::turret_mode:
      return "turret_mode";
    case EventKind::shot:
      return "shot";
    case EventKind::custom:
      return "custom";
    case EventKind::timeline:
      return "timeline";
    case EventKind::fire_pending:
      return "fire_pending";
    case EventKind::fire_refused:
      return "fire_refused";
  }
  return "unknown";
}

void EventQueue::push(std::vector<Event>&& batch) {
  std::stable_sort(batch.begin(), batch.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  for (Event& event : batch) events_.push_back(std::move(event));
  while (events_.size() > k_capacity) {
    events_.pop_front();
    ++dropped_;
  }
}

bool EventQueue::pop(sim::Subtick until, Event& out) {
  if (events_.empty()) return false;
  const Event& oldest = events_.front();
  if (oldest.time > until && oldest.kind != EventKind::world_reset) return false;
  out = std::move(events_.front());
  events_.pop_front();
  return true;
}

}  // namespace contrail::client
