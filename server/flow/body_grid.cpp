#include <contrail/flow/body_grid.hpp>

#include <algorithm>
#include <bit>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/limits.hpp>

namespace contrail::server {
namespace {

constexpr int k_least_log2_cell = 20;  // length units: 256 m
constexpr int k_most_log2_cell = 22;
constexpr std::int64_t k_most_cells = 64;

struct Cells {
  sim::WideVec3 low{0};
  sim::WideVec3 high{0};
  [[nodiscard]] std::int64_t count() const {
    return (high.x - low.x + 1) * (high.y - low.y + 1) * (high.z - low.z + 1);
  }
};

/// Everything is inside the world, so a box's part outside is of no interest.
Cells cells_of(const Box& box, int log2_cell) {
  const sim::WideVec3 low(sim::clamp(box.low, sim::k_world_limit));
  const sim::WideVec3 high(sim::clamp(box.high, sim::k_world_limit));
  return {sim::shift_right(low, log2_cell), sim::shift_right(high, log2_cell)};
}

std::uint32_t bucket_of(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t mask) {
  const std::uint32_t h = static_cast<std::uint32_t>(x) * 0x8DA6B343U ^
                          static_cast<std::uint32_t>(y) * 0xD8163841U ^
                          static_cast<std::uint32_t>(z) * 0xCB1AB31FU;
  return (h ^ (h >> 15)) & mask;
}

template <class Visit>
void each_bucket(const Cells& cells, std::uint32_t mask, const Visit& visit) {
  for (std::int64_t z = cells.low.z; z <= cells.high.z; ++z) {
    for (std::int64_t y = cells.low.y; y <= cells.high.y; ++y) {
      for (std::int64_t x = cells.low.x; x <= cells.high.x; ++x) {
        visit(bucket_of(x, y, z, mask));
      }
    }
  }
}

}  // namespace

Box box_around(const sim::WideVec3& a, const sim::WideVec3& b, std::int64_t radius) {
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min(a[axis], b[axis]) - radius;
    box.high[axis] = std::max(a[axis], b[axis]) + radius;
  }
  return box;
}

Box joined(const Box& a, const Box& b) {
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min(a.low[axis], b.low[axis]);
    box.high[axis] = std::max(a.high[axis], b.high[axis]);
  }
  return box;
}

bool overlap(const Box& a, const Box& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

void BodyGrid::clear(std::size_t expected, const Box& extent) {
  log2_cell_ = k_most_log2_cell;
  while (log2_cell_ > k_least_log2_cell &&
         cells_of(extent, log2_cell_).count() < static_cast<std::int64_t>(expected)) {
    --log2_cell_;
  }
  boxes_.clear();
  large_.clear();
  entries_.clear();
  const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(8 * expected, 64));
  first_.assign(buckets + 1, 0);
}

void BodyGrid::add(const Box& box) {
  const auto body = static_cast<std::uint32_t>(boxes_.size());
  boxes_.push_back(box);
  const Cells cells = cells_of(box, log2_cell_);
  if (cells.count() > k_most_cells) {
    large_.push_back(body);
    return;
  }
  const auto mask = static_cast<std::uint32_t>(first_.size() - 2);
  each_bucket(cells, mask, [&](std::uint32_t bucket) {
    entries_.push_back({bucket, body});
    ++first_[bucket + 1];
  });
}

void BodyGrid::build() {
  for (std::size_t i = 1; i < first_.size(); ++i) {
    first_[i] += first_[i - 1];
  }
  members_.resize(entries_.size());
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    members_[--first_[entry->bucket + 1]] = entry->body;
  }
  // Each bucket's end has moved to its begin: first_[b + 1] is where bucket b starts now.
  first_.push_back(static_cast<std::uint32_t>(members_.size()));
  seen_.assign(boxes_.size(), 0);
  query_ = 0;
}

void BodyGrid::find(const Box& box, std::vector<std::uint32_t>& out) {
  ++query_;
  const auto meet = [&](std::uint32_t body) {
    if (seen_[body] != query_ && overlap(boxes_[body], box)) {
      seen_[body] = query_;
      out.push_back(body);
    }
  };
  for (const std::uint32_t body : large_) {
    meet(body);
  }
  const Cells cells = cells_of(box, log2_cell_);
  const std::size_t buckets = first_.size() - 2;
  if (cells.count() > static_cast<std::int64_t>(buckets)) {
    for (std::uint32_t body = 0; body < boxes_.size(); ++body) {
      meet(body);
    }
    return;
  }
  each_bucket(cells, static_cast<std::uint32_t>(buckets - 1), [&](std::uint32_t bucket) {
    for (std::uint32_t i = first_[bucket + 1]; i < first_[bucket + 2]; ++i) {
      meet(members_[i]);
    }
  });
}

}  // namespace contrail::server
