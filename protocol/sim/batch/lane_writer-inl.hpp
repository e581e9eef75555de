// Where the results of lanes go: into arrays without gaps, in the order of missiles.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_WRITER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_WRITER_INL
#undef CONTRAIL_SIM_LANE_WRITER_INL
#else
#define CONTRAIL_SIM_LANE_WRITER_INL
#endif

#include "lane_math-inl.hpp"
#include "lane_narrow-inl.hpp"

#include <bit>

#include <contrail/sim/batch/kernels.hpp>

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

/// What one vector of missiles computes.
struct MotionLanes {
  V3 position;
  V3 velocity;
  V3 ahead;  // from the start of the piece to its end
};

/// Collects the results of lanes that fly.
class Writer {
 public:
  explicit Writer(const EvaluateOutput& out) : out_(out) {}

  [[nodiscard]] std::size_t count() const { return count_; }

  // Bit i of `flying`: lane i of the vector, missile `index` + i of the salvo. The positions of a
  // vector of missiles come last: they move on.

  HWY_INLINE void write_motion(const MotionLanes& motion, std::uint32_t flying) {
    if (out_.velocities != nullptr) {
      compress(to_narrow3(motion.velocity), flying, out_.velocities + count_);
    }
    if (out_.orientations != nullptr) {
      write_orientations(motion, flying);
    }
  }

  HWY_INLINE void write_positions(const Narrow3& p, std::uint32_t salvo, std::uint32_t index,
                                  std::uint32_t flying) {
    if (out_.positions != nullptr) {
      if (flying == k_all) {
        store_interleaved(p.x, p.y, p.z, &out_.positions[count_].x);
      } else {
        compress(p, flying, out_.positions + count_);
      }
    }
    if (out_.missiles != nullptr) {
      MissileRef* to = out_.missiles + count_;
      for (std::uint32_t lane = 0; lane < k_width; ++lane) {
        if (((flying >> lane) & 1U) != 0) {
          *to++ = {salvo, static_cast<std::uint8_t>(index + lane)};
        }
      }
    }
    count_ += static_cast<std::size_t>(std::popcount(flying));
  }

  HWY_INLINE static Narrow3 to_narrow3(const V3& v) {
    return {to_narrow(v.x), to_narrow(v.y), to_narrow(v.z)};
  }

 private:
  static constexpr std::uint32_t k_all = (1U << k_width) - 1U;

  HWY_INLINE static void compress(const Narrow3& v, std::uint32_t flying, Vec3* to) {
    alignas(64) std::int32_t packed[3 * k_width];
    store_interleaved(v.x, v.y, v.z, packed);
    for (std::size_t lane = 0; lane < k_width; ++lane) {
      if (((flying >> lane) & 1U) != 0) {
        *to++ = Vec3(packed[3 * lane], packed[3 * lane + 1], packed[3 * lane + 2]);
      }
    }
  }

  /// The level basis that looks along the velocity.
  HWY_INLINE void write_orientations(const MotionLanes& motion, std::uint32_t flying) {
    const V zero = set(0);
    const V one = set(0x1p24);
    const V3 forward = unit_or(motion.velocity, unit_or(motion.ahead, V3{zero, zero, one}));
    const V3 right = unit_or(V3{forward.z, zero, zero - forward.x}, V3{one, zero, zero});
    const V3 up = cross24(forward, right);
    Vec3 forwards[k_width];
    Vec3 ups[k_width];
    compress(to_narrow3(forward), flying, forwards);
    compress(to_narrow3(up), flying, ups);
    const auto written = static_cast<std::size_t>(std::popcount(flying));
    for (std::size_t i = 0; i < written; ++i) {
      out_.orientations[count_ + i] = {forwards[i], ups[i]};
    }
  }

  EvaluateOutput out_;
  std::size_t count_ = 0;
};

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
