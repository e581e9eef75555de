#pragma once

// The live missiles the resolver watches: hot records in slots, and the way from a salvo's missile
// to its slot.

#include <cstdint>
#include <vector>

#include <contrail/flow/missile_course.hpp>
#include <contrail/flow/pair_calendar.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

class MissileStore {
 public:
  MissileStore();
  /// Takes all missiles of a salvo that are alive; appends their slots by index.
  void admit(const sim::World& world, const sim::Salvo& salvo, std::vector<std::uint32_t>& slots);
  /// Forgets a missile that has ended.
  void end(std::uint32_t salvo, std::uint8_t index);

  [[nodiscard]] std::uint32_t slot_of(std::uint32_t salvo, std::uint8_t index) const;
  [[nodiscard]] bool lives(const SlotRef& ref) const {
    return missiles_[ref.slot].generation == ref.generation;
  }
  [[nodiscard]] SlotRef ref(std::uint32_t slot) const { return {slot, missiles_[slot].generation}; }
  [[nodiscard]] HotMissile& at(std::uint32_t slot) { return missiles_[slot]; }
  [[nodiscard]] const HotMissile& at(std::uint32_t slot) const { return missiles_[slot]; }
  [[nodiscard]] const SalvoHeader& header(const HotMissile& missile) const {
    return headers_[missile.header];
  }
  /// Hints that this one will be asked for soon: memory is what windows wait for.
  void fetch(std::uint32_t slot) const {
    __builtin_prefetch(&missiles_[slot]);
    __builtin_prefetch(&missiles_[slot].generation);
  }
  void fetch_header(std::uint32_t slot) const {
    const char* header = reinterpret_cast<const char*>(&headers_[missiles_[slot].header]);
    __builtin_prefetch(header);
    __builtin_prefetch(header + 64);
    __builtin_prefetch(header + 128);
  }
  [[nodiscard]] bool knows(std::uint32_t salvo) const;
  /// Slots are below this; some of them are empty.
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(missiles_.size()); }
  [[nodiscard]] bool alive(std::uint32_t slot) const { return alive_[slot] != 0; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Bytes held for missiles and salvos.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::uint32_t take_slot();

  std::vector<HotMissile> missiles_;
  std::vector<std::uint8_t> alive_;
  std::vector<std::uint32_t> free_;
  std::vector<SalvoHeader> headers_;
  std::vector<std::uint32_t> free_headers_;
  std::vector<std::uint32_t> header_of_low_;  // by the low 16 bits of a launch id, unique in use
  std::uint32_t count_ = 0;
};

}  // namespace contrail::server
