#pragma once

// What is due in which tick: a ring of buckets, one a tick.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace contrail::server {

/// Holds items for the next k_ring ticks. One thread. Buckets share blocks from one pool: a bucket
/// of its own memory would keep what its fullest tick ever needed, k_ring times.
template <class Item>
class Calendar {
 public:
  static constexpr std::uint32_t k_ring = 256;

  /// `tick` from the one to be taken next to k_ring - 1 after it.
  void put(std::uint32_t tick, const Item& item) {
    Bucket& bucket = ring_[tick % k_ring];
    const std::uint32_t place = bucket.count % k_block;
    if (place == 0) {
      const std::uint32_t block = take_block();
      blocks_[block].before = bucket.last;
      bucket.last = block;
    }
    blocks_[bucket.last].items[place] = item;
    ++bucket.count;
  }
  /// Hands over what is due in `tick`, in the order it was put. `out` is cleared first.
  void take(std::uint32_t tick, std::vector<Item>& out) {
    Bucket& bucket = ring_[tick % k_ring];
    out.resize(bucket.count);
    for (std::uint32_t left = bucket.count; left > 0;) {
      const std::uint32_t first = (left - 1) / k_block * k_block;
      Block& block = blocks_[bucket.last];
      std::copy_n(block.items.begin(), left - first,
                  out.begin() + static_cast<std::ptrdiff_t>(first));
      free_.push_back(bucket.last);
      bucket.last = block.before;
      left = first;
    }
    bucket.count = 0;
  }
  [[nodiscard]] std::size_t bytes() const {
    return blocks_.capacity() * sizeof(Block) + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t k_block = 64;
  struct Block {
    std::array<Item, k_block> items;
    std::uint32_t before = 0;
  };
  struct Bucket {
    std::uint32_t last = 0;  // block
    std::uint32_t count = 0;
  };

  std::uint32_t take_block() {
    if (free_.empty()) {
      blocks_.emplace_back();
      return static_cast<std::uint32_t>(blocks_.size() - 1);
    }
    const std::uint32_t block = free_.back();
    free_.pop_back();
    return block;
  }

  std::array<Bucket, k_ring> ring_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> free_;
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
