#include <contrail/flow/body_grid.hpp>

#include <algorithm>
#include <bit>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/limits.hpp>

namespace contrail::server {
namespace {

constexpr int k_log2_step = 4;         // length units of a packed box's step
constexpr int k_least_log2_cell = 16;  // steps: 256 m
constexpr int k_most_log2_cell = 18;
constexpr std::int64_t k_most_cells = 64;

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

std::int64_t BodyGrid::Cells::count() const {
  const sim::WideVec3 size = sim::WideVec3(high) - sim::WideVec3(low) + std::int64_t{1};
  return size.x * size.y * size.z;
}

/// Everything is inside the world, so a box's part outside is of no interest.
BodyGrid::Packed BodyGrid::pack(const Box& box) {
  const sim::WideVec3 low(sim::clamp(box.low, sim::k_world_limit));
  const sim::WideVec3 high(sim::clamp(box.high, sim::k_world_limit));
  return {sim::Vec3(sim::shift_right(low, k_log2_step)),
          sim::Vec3(sim::shift_right(high, k_log2_step) + std::int64_t{1})};
}

bool BodyGrid::overlap(const Packed& a, const Packed& b) {
  // Without branches: either answer is as likely.
  return static_cast<bool>(
      static_cast<int>(a.low.x <= b.high.x) & static_cast<int>(b.low.x <= a.high.x) &
      static_cast<int>(a.low.y <= b.high.y) & static_cast<int>(b.low.y <= a.high.y) &
      static_cast<int>(a.low.z <= b.high.z) & static_cast<int>(b.low.z <= a.high.z));
}

BodyGrid::Cells BodyGrid::cells_of(const Packed& box, int log2_cell) {
  const auto cell = [&](const sim::Vec3& at) {
    return sim::Vec3(at.x >> log2_cell, at.y >> log2_cell, at.z >> log2_cell);
  };
  return {cell(box.low), cell(box.high)};
}

std::uint32_t BodyGrid::row(std::int32_t y, std::int32_t z) const {
  const std::uint32_t h =
      static_cast<std::uint32_t>(y) * 0xD8163841U ^ static_cast<std::uint32_t>(z) * 0xCB1AB31FU;
  return h ^ (h >> 15);
}

void BodyGrid::clear(std::size_t expected, const Box& extent) {
  const Packed all = pack(extent);
  log2_cell_ = k_most_log2_cell;
  while (log2_cell_ > k_least_log2_cell &&
         cells_of(all, log2_cell_).count() < static_cast<std::int64_t>(expected)) {
    --log2_cell_;
  }
  boxes_.clear();
  large_.clear();
  entries_.clear();
  const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(8 * expected, 64));
  first_.assign(buckets + 1, 0);
  mask_ = static_cast<std::uint32_t>(buckets - 1);
}

void BodyGrid::add(const Box& box) {
  const auto body = static_cast<std::uint32_t>(boxes_.size());
  boxes_.push_back(pack(box));
  const Cells cells = cells_of(boxes_.back(), log2_cell_);
  if (cells.count() > k_most_cells) {
    large_.push_back(body);
    return;
  }
  for (std::int32_t z = cells.low.z; z <= cells.high.z; ++z) {
    for (std::int32_t y = cells.low.y; y <= cells.high.y; ++y) {
      const std::uint32_t start = row(y, z);
      for (std::int32_t x = cells.low.x; x <= cells.high.x; ++x) {
        const std::uint32_t bucket = (start + static_cast<std::uint32_t>(x)) & mask_;
        entries_.push_back({bucket, body});
        ++first_[bucket];
      }
    }
  }
}

void BodyGrid::build() {
  std::uint32_t sum = 0;
  for (std::uint32_t& first : first_) {
    sum += first;
    first = sum;  // the end of the bucket; filling it from behind makes it the begin
  }
  members_.resize(entries_.size());
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    members_[--first_[entry->bucket]] = entry->body;
  }
  seen_.assign(boxes_.size(), 0);
  query_ = 0;
}

void BodyGrid::find(const Box& box, std::vector<std::uint32_t>& out) {
  ++query_;
  const Packed packed = pack(box);
  const auto meet = [&](std::uint32_t body) {
    if (overlap(boxes_[body], packed) && seen_[body] != query_) {
      seen_[body] = query_;
      out.push_back(body);
    }
  };
  for (const std::uint32_t body : large_) {
    meet(body);
  }
  const Cells cells = cells_of(packed, log2_cell_);
  if (cells.count() > std::int64_t{mask_}) {
    for (std::uint32_t body = 0; body < boxes_.size(); ++body) {
      meet(body);
    }
    return;
  }
  const auto meet_buckets = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = first_[from]; i < first_[to + 1]; ++i) {
      meet(members_[i]);
    }
  };
  for (std::int32_t z = cells.low.z; z <= cells.high.z; ++z) {
    for (std::int32_t y = cells.low.y; y <= cells.high.y; ++y) {
      const std::uint32_t start = row(y, z);
      const std::uint32_t from = (start + static_cast<std::uint32_t>(cells.low.x)) & mask_;
      const std::uint32_t to = (start + static_cast<std::uint32_t>(cells.high.x)) & mask_;
      if (from <= to) {
        meet_buckets(from, to);
      } else {
        meet_buckets(from, mask_);
        meet_buckets(0, to);
      }
    }
  }
}

}  // namespace contrail::server
