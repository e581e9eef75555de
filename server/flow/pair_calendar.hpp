#pragma once

// What is due in which tick: a ring of buckets, one a tick.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace contrail::server {

/// Holds items for the next k_ring ticks. One thread.
template <class Item>
class Calendar {
 public:
  static constexpr std::uint32_t k_ring = 128;
  /// `tick` from the one to be taken next to k_ring - 1 after it.
  void put(std::uint32_t tick, const Item& item) { ring_[tick % k_ring].push_back(item); }
  /// Hands over what is due in `tick`, in the order it was put. `out` is cleared first.
  void take(std::uint32_t tick, std::vector<Item>& out) {
    out.clear();
    std::swap(out, ring_[tick % k_ring]);
  }

 private:
  std::array<std::vector<Item>, k_ring> ring_;
};

/// A live missile's slot, and which of its tenants is meant.
struct SlotRef {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

/// Missile and body may meet in every tick up to `until`.
struct Pair {
  SlotRef missile;
  std::uint32_t body = 0;   // entity id, or k_first_obstacle + number, or k_ground
  std::uint32_t until = 0;  // world tick whose successor is the last to be looked at
};
inline constexpr std::uint32_t k_first_obstacle = 0x1'0000;
inline constexpr std::uint32_t k_ground = 0xFFFF'FFFF;

}  // namespace contrail::server
