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

sim::Vec3 BodyGrid::cell_of(const sim::Vec3& at) const {
  return {at.x >> log2_cell_, at.y >> log2_cell_, at.z >> log2_cell_};
}

std::uint32_t BodyGrid::row(std::int32_t y, std::int32_t z) {
  const std::uint32_t h =
      static_cast<std::uint32_t>(y) * 0xD8163841U ^ static_cast<std::uint32_t>(z) * 0xCB1AB31FU;
  return h ^ (h >> 15);
}

std::uint32_t BodyGrid::bucket_of(const sim::Vec3& cell) const {
  return (row(cell.y, cell.z) + static_cast<std::uint32_t>(cell.x)) & mask_;
}

void BodyGrid::clear(std::size_t expected, const Box& extent) {
  const Packed all = pack(extent);
  const auto cells = [&] {
    const sim::WideVec3 size =
        sim::WideVec3(cell_of(all.high)) - sim::WideVec3(cell_of(all.low)) + std::int64_t{1};
    return size.x * size.y * size.z;
  };
  log2_cell_ = k_most_log2_cell;
  while (log2_cell_ > k_least_log2_cell && cells() < static_cast<std::int64_t>(expected)) {
    --log2_cell_;
  }
  boxes_.clear();
  const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(8 * expected, 64));
  first_.assign(buckets + 1, 0);
  mask_ = static_cast<std::uint32_t>(buckets - 1);
}

void BodyGrid::add(const Box& box) {
  boxes_.push_back(pack(box));
}

namespace {

sim::Vec3 middle(const sim::Vec3& low, const sim::Vec3& high) {
  return {(low.x + high.x) >> 1, (low.y + high.y) >> 1, (low.z + high.z) >> 1};
}

}  // namespace

/// Those of about the size of a cell, and how far the largest of them reach.
void BodyGrid::file_bodies() {
  large_.clear();
  filed_.clear();
  reach_ = sim::Vec3(0);
  const std::int32_t most = 2 << log2_cell_;
  for (std::uint32_t body = 0; body < boxes_.size(); ++body) {
    const Packed& box = boxes_[body];
    const sim::Vec3 reach = box.high - middle(box.low, box.high);
    if (std::max({reach.x, reach.y, reach.z}) > most) {
      large_.push_back(body);
      continue;
    }
    filed_.push_back(body);
    for (int axis = 0; axis < 3; ++axis) {
      reach_[axis] = std::max(reach_[axis], reach[axis] + 1);
    }
  }
}

void BodyGrid::build() {
  file_bodies();
  const auto bucket = [&](std::uint32_t body) {
    return bucket_of(cell_of(middle(boxes_[body].low, boxes_[body].high)));
  };
  for (const std::uint32_t body : filed_) {
    ++first_[bucket(body)];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& first : first_) {
    sum += first;
    first = sum;  // the end of the bucket; filling it from behind makes it the begin
  }
  members_.resize(filed_.size());
  numbers_.resize(filed_.size());
  for (auto body = filed_.rbegin(); body != filed_.rend(); ++body) {
    const std::uint32_t at = --first_[bucket(*body)];
    members_[at] = boxes_[*body];
    numbers_[at] = *body;
  }
}

void BodyGrid::find(const Box& box, std::vector<std::uint32_t>& out) const {
  const Packed packed = pack(box);
  for (const std::uint32_t body : large_) {
    if (overlap(boxes_[body], packed)) {
      out.push_back(body);
    }
  }
  const auto meet = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = first_[from]; i < first_[to + 1]; ++i) {
      if (overlap(members_[i], packed)) {
        out.push_back(numbers_[i]);
      }
    }
  };
  const sim::Vec3 low = cell_of(packed.low - reach_);
  const sim::Vec3 high = cell_of(packed.high + reach_);
  const sim::WideVec3 size = sim::WideVec3(high) - sim::WideVec3(low) + std::int64_t{1};
  if (size.x * size.y * size.z > std::int64_t{mask_}) {
    meet(0, mask_);
    return;
  }
  for (std::int32_t z = low.z; z <= high.z; ++z) {
    for (std::int32_t y = low.y; y <= high.y; ++y) {
      const std::uint32_t from = bucket_of({low.x, y, z});
      const std::uint32_t to = bucket_of({high.x, y, z});
      if (from <= to) {
        meet(from, to);
      } else {
        meet(from, mask_);
        meet(0, to);
      }
    }
  }
}

}  // namespace contrail::server
