#include <contrail/sim/batch/scalar_positions.hpp>

#include <algorithm>
#include <bit>

#include <contrail/sim/arith.hpp>

namespace contrail::sim::batch {
namespace {

/// u = floor(t * 2^24 / duration) without a division a missile, then the quintic ramp of
/// homing.cpp.
class Ramp {
 public:
  explicit Ramp(Subtick duration)
      : duration_(duration),
        shift_(14 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(duration)))),
        reciprocal_((std::int64_t{1} << (shift_ + 24)) / duration) {}

  /// 0 <= t <= duration.
  [[nodiscard]] std::int64_t at(Subtick t) const {
    // Never too large, and less than one too small: the reciprocal has 39 bits, t at most 23.
    std::int64_t u = (t * reciprocal_) >> shift_;
    u += static_cast<std::int64_t>((t << 24) - u * duration_ >= duration_);
    const std::int64_t u2 = (u * u) >> 20;
    const std::int64_t u3 = (u2 * u) >> 24;
    return (u3 * (((6 * u2) >> 4) - 15 * u + 10 * std::int64_t{k_one})) >> 28;
  }

 private:
  Subtick duration_;
  int shift_;
  std::int64_t reciprocal_;
};

/// lerp() with k = 20.
inline std::int64_t between(std::int64_t a, std::int64_t b, std::int64_t t) {
  return a + (((b - a) * t) >> 20);
}

inline std::int64_t flight_axis(const PieceBlock& block, std::size_t axis, std::size_t lane,
                                std::int64_t t) {
  const std::int64_t p0 = block.points[0][axis][lane];
  const std::int64_t p1 = block.points[1][axis][lane];
  const std::int64_t p2 = block.points[2][axis][lane];
  const std::int64_t p3 = block.points[3][axis][lane];
  const std::int64_t a = between(p0, p1, t);
  const std::int64_t b = between(p1, p2, t);
  const std::int64_t c = between(p2, p3, t);
  return between(between(a, b, t), between(b, c, t), t);
}

/// One axis of a target term.
struct AxisTerm {
  std::int64_t lead, right, up, forward;
};
inline AxisTerm axis_of(const TargetTerm& term, int axis) {
  return {term.lead[axis], term.right[axis], term.up[axis], term.forward[axis]};
}

inline std::int64_t homing_axis(const AxisTerm& term, const WideVec3& offset,
                                std::int64_t reference, std::int64_t weight) {
  const std::int64_t turned =
      round24(term.right * offset.x + term.up * offset.y + term.forward * offset.z);
  const std::int64_t gap = term.lead + turned - reference;
  return (std::clamp<std::int64_t>(gap, -k_homing_clamp, k_homing_clamp) * weight) >> 24;
}

inline std::int32_t in_world(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, -k_world_limit, k_world_limit));
}

}  // namespace

std::size_t scalar_positions(const EvaluateJob& job, const EvaluateOutput& out,
                             std::size_t written) {
  const Ramp ramp(job.duration);
  const AxisTerm x = axis_of(job.now, 0);
  const AxisTerm y = axis_of(job.now, 1);
  const AxisTerm z = axis_of(job.now, 2);
  const int finer = 20 - job.log2_piece;
  Subtick local = job.since_first;
  for (std::uint32_t first = 0; first < job.count; first += k_lanes) {
    const PieceBlock& block = job.blocks[first / k_lanes];
    const std::uint32_t lanes = std::min(static_cast<std::uint32_t>(k_lanes), job.count - first);
    for (std::uint32_t lane = 0; lane < lanes; ++lane, local -= job.ripple_interval) {
      if (local < 0 || local >= block.end[lane]) {
        continue;
      }
      const std::int64_t t = (local - block.start[lane]) << finer;
      std::int64_t px = flight_axis(block, 0, lane, t);
      std::int64_t py = flight_axis(block, 1, lane, t);
      std::int64_t pz = flight_axis(block, 2, lane, t);
      if (job.homing) {
        const std::int64_t weight = ramp.at(local);
        const WideVec3 offset(block.offset[0][lane], block.offset[1][lane], block.offset[2][lane]);
        px += homing_axis(x, offset, block.reference[0][lane], weight);
        py += homing_axis(y, offset, block.reference[1][lane], weight);
        pz += homing_axis(z, offset, block.reference[2][lane], weight);
      }
      out.positions[written] = {in_world(px), in_world(py), in_world(pz)};
      if (out.missiles != nullptr) {
        out.missiles[written] = {job.salvo,
                                 static_cast<std::uint8_t>(job.first_index + first + lane)};
      }
      ++written;
    }
  }
  return written;
}

}  // namespace contrail::sim::batch
