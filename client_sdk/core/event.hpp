#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <contrail/core/views.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/wire/commands.hpp>

namespace contrail::client {

enum class EventKind : std::uint8_t {
  world_reset,  // a snapshot was taken over: forget every object, list them anew with the queries;
                // delivered at once, time = the snapshot's
  launch,  // a salvo leaves: missile.launch, count, weapon, entity = launcher, target; position
  impact,  // a missile reached its target: entity = who was hit
  missile_end,   // a missile ended otherwise: `end` says how, entity = victim or none
  lock_lost,     // a missile flies on without a target
  retarget,      // a missile took another target: target
  health,        // hit points of an entity changed: health = what is left
  destroyed,     // an entity was destroyed: position; `credited`: missile.launch did it
  despawn,       // an entity was removed without destruction: position
  spawn,         // an entity appeared: position
  turret_mode,   // `turret` of `entity` changed its mode: target
  shot,          // `turret` of `entity` fired: count
  custom,        // bytes of the host's own: custom_kind, custom_bytes
  timeline,      // session time was paused, resumed or changed its rate
  fire_pending,  // fire() sent a request: command, entity, target; delivered at once, as are
  fire_refused,  // the answer was no: command, status. A yes is the launch event, with its command
};
/// One lower-case word, never null.
const char* describe(EventKind kind);

/// Something that happened, at the very subtick at which it happened. Fields a kind does not name
/// above hold their defaults.
struct Event {
  EventKind kind = EventKind::world_reset;
  sim::EndKind end = sim::EndKind::alive;  // impact, missile_end
  sim::Subtick time = 0;                   // subticks since session start
  MissileId missile;                       // launch (index 0), impact, missile_end, lock events
  bool credited = false;                   // destroyed: missile.launch names the salvo
  std::uint8_t weapon = 0;                 // of the missile; index into SessionInfo::weapons
  std::uint8_t count = 0;                  // launch: missiles of the salvo; shot: shots
  std::uint8_t turret = 0;                 // turret_mode, shot: index into the entity's turrets
  std::uint16_t entity = sim::k_no_entity;
  std::uint16_t target = sim::k_no_entity;
  std::uint16_t health = 0;   // hit points
  sim::Vec3 position{0};      // length units; see metres_from()
  std::uint32_t command = 0;  // fire_pending, fire_refused; launch: of the own request, else 0
  wire::CommandStatus status = wire::CommandStatus::launched;  // fire_refused
  std::uint16_t custom_kind = 0;
  std::vector<std::uint8_t> custom_bytes;  // at most 200
};

/// Events between the fold that found them and the render time that shows them. The log is folded
/// in order, so what is pushed never lies before what was pushed earlier by more than the tick they
/// share; each batch is sorted by time. Not thread-safe.
class EventQueue {
 public:
  /// Events kept for a host that does not poll; beyond, the oldest are dropped and counted.
  static constexpr std::size_t k_capacity = std::size_t{1} << 18;

  /// Appends the events of one fold, sorted by time; ties keep the fold's order.
  void push(std::vector<Event>&& batch);
  /// Takes the oldest event with time <= `until`, or a world_reset; false when there is none.
  bool pop(sim::Subtick until, Event& out);
  void clear() { events_.clear(); }
  [[nodiscard]] std::size_t size() const { return events_.size(); }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  std::deque<Event> events_;
  std::uint64_t dropped_ = 0;
};

}  // namespace contrail::client
