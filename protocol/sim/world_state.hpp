#pragma once

// What a World holds; shared by the files that implement it and by nobody else.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <contrail/sim/salvo_list.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::sim {

/// Longest run of silent ticks one fold walks over; the log hashes its state every half second, so
/// a longer silence is a damaged log.
inline constexpr std::uint32_t k_max_silent_ticks = 128 * 60;

struct World::State {
  std::shared_ptr<const Scenario> scenario;
  std::uint32_t tick = 0;
  std::uint32_t next_launch = 0;
  std::uint32_t hash_count = 0;
  std::uint32_t live = 0;
  Timeline timeline;
  std::vector<Entity> entities;  // by id
  SalvoList salvos;
  Fault fault = Fault::none;

  [[nodiscard]] Subtick tick_length() const { return scenario->tick_length(); }
  [[nodiscard]] Subtick time() const { return Subtick{tick} * tick_length(); }
  [[nodiscard]] const Weapon& weapon(const Launch& launch) const {
    return scenario->weapons[launch.weapon];
  }
  [[nodiscard]] const Entity* find_entity(std::uint16_t id) const {
    if (entities.empty() || id < entities.front().id || id > entities.back().id) {
      return nullptr;
    }
    // Ids ascend, and few are missing: each end bounds the place.
    const std::size_t last = entities.size() - 1;
    const std::size_t behind = entities.back().id - std::size_t{id};
    const auto from = entities.begin() + static_cast<std::ptrdiff_t>(last - std::min(last, behind));
    const auto to = entities.begin() + static_cast<std::ptrdiff_t>(
                                           std::min<std::size_t>(last, id - entities.front().id));
    const auto at = std::lower_bound(from, to, id,
                                     [](const Entity& e, std::uint16_t key) { return e.id < key; });
    return at->id == id ? &*at : nullptr;
  }
  Entity* find_entity(std::uint16_t id) {
    return const_cast<Entity*>(static_cast<const State*>(this)->find_entity(id));
  }
  [[nodiscard]] const Salvo* find_salvo(std::uint32_t id) const { return salvos.find(id); }
  /// The newest id below `next` that ends in `low`.
  [[nodiscard]] static std::uint32_t widen(std::uint16_t low, std::uint32_t next) {
    return next - 1 - ((next - 1 - low) & 0xFFFFU);
  }
  [[nodiscard]] const Salvo* find_salvo_low(std::uint16_t low) const {
    return next_launch == 0 ? nullptr : find_salvo(widen(low, next_launch));
  }
  Salvo* find_salvo_low(std::uint16_t low) {
    return const_cast<Salvo*>(static_cast<const State*>(this)->find_salvo_low(low));
  }

  FoldError check(const TickRecord& record) const;
  void apply(const TickRecord& record, std::vector<WorldEvent>* events);
  [[nodiscard]] Salvo make_salvo(const Launch& launch, std::uint32_t id,
                                 std::uint32_t record_tick) const;
  [[nodiscard]] const CompiledMissile& compiled(const Salvo& salvo, std::uint8_t index) const;
  void release(const Salvo& salvo, std::uint8_t index) const;
  [[nodiscard]] bool is_compiled(const Salvo& salvo, std::uint8_t index) const {
    return index < salvo.compiled.size() && salvo.compiled[index] != nullptr;
  }
  [[nodiscard]] FlightSource source(const Salvo& salvo, std::uint8_t index) const;
  [[nodiscard]] Vec3 missile_position(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// The same of a missile that nobody will ask for again: keeps no compiled flight.
  [[nodiscard]] Vec3 passing_position(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  [[nodiscard]] Vec3 missile_velocity(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  [[nodiscard]] StateHash hash() const;
};

/// Does the event speak of this missile.
inline bool concerns(const SnapshotEvent& event, std::uint8_t index) {
  return event.group == index / 32 && ((event.mask >> (index % 32)) & 1U) != 0;
}

/// From the events of a salvo with tick * L < t.
LockInForce lock_at(const World::State& state, const Salvo& salvo, std::uint8_t index, Subtick t);

}  // namespace contrail::sim
