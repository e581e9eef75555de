// Where missiles are at one time, how fast they move and how they lie, one missile a lane. The
// formulas are those of world_eval.cpp, homing.cpp and Flight.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_EVALUATE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_EVALUATE_INL
#undef CONTRAIL_SIM_LANE_EVALUATE_INL
#else
#define CONTRAIL_SIM_LANE_EVALUATE_INL
#endif

#include "lane_math-inl.hpp"

#include <contrail/sim/batch/kernels.hpp>

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

/// Of a job or of one vector of lanes.
struct TermLanes {
  V3 lead;
  V3 right, up, forward;
};

HWY_INLINE TermLanes broadcast(const TargetTerm& term) {
  return {set3(term.lead), set3(term.right), set3(term.up), set3(term.forward)};
}
HWY_INLINE TermLanes load_term(const LockLanes::Term& term, std::size_t lane) {
  return {load_wide3(term.lead, lane), load3(term.axes[0], lane), load3(term.axes[1], lane),
          load3(term.axes[2], lane)};
}

/// Quintic ramp, Q24, over `window` subticks.
HWY_INLINE V ramp(V t, V window, V reciprocal) {
  const V held = min_of(max_of(t, set(0)), window);
  const V u = floor_div(held * set(0x1p24), window, reciprocal);
  const V u2 = shift_right<20>(u * u);
  const V u3 = shift_right<24>(u2 * u);
  const V inner = shift_right<4>(u2 * set(6)) - u * set(15) + set(10 * 0x1p24);
  return shift_right<28>(u3 * inner);
}

/// (weight * clamp(gap)) >> 24.
HWY_INLINE V3 homing_term(const TermLanes& target, const V3& offset, const V3& reference,
                          V weight) {
  const V3 turned =
      round24(target.right * offset.x + target.up * offset.y + target.forward * offset.z);
  const V3 gap = clamp(target.lead + turned - reference, set_wide(k_homing_clamp));
  return shift_right<24>(gap * weight);
}

HWY_INLINE V piece_velocity(V p0, V p1, V p2, V p3, V t, V scale) {
  const V h0 = p1 - p0;
  const V h1 = p2 - p1;
  const V h2 = p3 - p2;
  const V slope = lerp(lerp(h0, h1, t), lerp(h1, h2, t), t);
  return clamp(floor_of(slope * scale), set(2147483647.0));
}

/// What a job has for all its lanes.
struct JobLanes {
  V duration;
  V duration_reciprocal;
  V per_piece;  // 2^-log2_piece
  TermLanes now;
  TermLanes before;
};

/// Time and lock of one vector of missiles.
struct MissileLanes {
  V local;     // subticks after the launch, not clamped
  V fraction;  // of the piece in force
  M flying;
};

/// What one vector of missiles computes.
struct MotionLanes {
  V3 position;
  V3 velocity;
  V3 ahead;  // from the start of the piece to its end
};

HWY_INLINE V3 position_of(const PieceBlock& block, std::size_t lane, V t) {
  const auto& p = block.points;
  const auto at = [&](std::size_t axis) HWY_ATTR {
    return cubic_point(load(&p[0][axis][lane]), load(&p[1][axis][lane]), load(&p[2][axis][lane]),
                       load(&p[3][axis][lane]), t);
  };
  return {at(0), at(1), at(2)};
}

HWY_INLINE V3 velocity_of(const PieceBlock& block, std::size_t lane, V t, V scale) {
  const auto& p = block.points;
  const auto at = [&](std::size_t axis) HWY_ATTR {
    return piece_velocity(load(&p[0][axis][lane]), load(&p[1][axis][lane]), load(&p[2][axis][lane]),
                          load(&p[3][axis][lane]), t, scale);
  };
  return {at(0), at(1), at(2)};
}

/// The velocity a lock lost now would leave.
HWY_INLINE V3 homing_velocity(const V3& now, const V3& before) {
  return clamp((now - before) * set(64), set_wide(k_max_speed));
}

template <bool kMotion>
HWY_INLINE MotionLanes fly(const EvaluateJob& job, const JobLanes& common, std::size_t number,
                           std::size_t lane, const MissileLanes& m) {
  const PieceBlock& block = job.blocks[number];
  MotionLanes result;
  result.position = position_of(block, lane, m.fraction);
  if (kMotion) {
    result.velocity =
        velocity_of(block, lane, m.fraction, common.per_piece * set(3.0 * k_subticks_per_second));
  }
  const V back = m.local - set(k_back_step);
  if (job.locks != nullptr) {
    const LockLanes& locks = job.locks[number];
    const V begin = load(&locks.begin[lane]);
    const V window = common.duration - begin;
    const V reciprocal = set(1) / window;
    const V3 offset = load3(locks.offset, lane);
    const V3 none{set(0), set(0), set(0)};
    const V3 now = homing_term(load_term(locks.now, lane), offset, none,
                               ramp(m.local - begin, window, reciprocal));
    result.position = result.position + load_wide3(locks.kept, lane) + now;
    if (kMotion) {
      const V3 before = homing_term(load_term(locks.before, lane), offset, none,
                                    ramp(back - begin, window, reciprocal));
      result.velocity =
          result.velocity + load_wide3(locks.velocity, lane) + homing_velocity(now, before);
    }
  } else if (job.homing) {
    const V3 offset = load3(block.offset, lane);
    const V3 reference = load3(block.reference, lane);
    const V3 now = homing_term(common.now, offset, reference,
                               ramp(m.local, common.duration, common.duration_reciprocal));
    result.position = result.position + now;
    if (kMotion) {
      const V3 before = homing_term(common.before, offset, reference,
                                    ramp(back, common.duration, common.duration_reciprocal));
      result.velocity = result.velocity + homing_velocity(now, before);
    }
  }
  result.position = clamp(result.position, set_wide(k_world_limit));
  if (kMotion) {
    result.velocity = clamp(result.velocity, set(2147483647.0));
    result.ahead = load3(block.points[3], lane) - load3(block.points[0], lane);
  }
  return result;
}

HWY_INLINE MissileLanes time_of(const EvaluateJob& job, const JobLanes& common,
                                const PieceBlock& block, std::size_t number, std::size_t lane) {
  const V missile = low_half(count_from(static_cast<std::uint32_t>(number * k_lanes + lane)));
  MissileLanes m;
  m.local = set_wide(job.since_first) - missile * set_wide(job.ripple_interval);
  const V held = min_of(max_of(m.local, set(0)), common.duration);
  m.fraction = (held - load(&block.start[lane])) * common.per_piece;
  m.flying = both(m.local >= set(0), m.local < load(&block.end[lane]));
  return m;
}

/// Collects the results of lanes that fly.
class Writer {
 public:
  explicit Writer(const EvaluateOutput& out) : out_(out) {}

  [[nodiscard]] std::size_t count() const { return count_; }

  /// Bit i of `flying`: lane i of the vector, missile `index` + i of the salvo.
  template <bool kMotion>
  HWY_INLINE void write(const EvaluateJob& job, std::uint32_t index, std::uint32_t flying,
                        const MotionLanes& motion) {
    constexpr std::uint32_t k_all = (1U << k_width) - 1U;
    if (out_.positions != nullptr) {
      if (flying == k_all) {
        store_interleaved(motion.position.x, motion.position.y, motion.position.z,
                          &out_.positions[count_].x);
      } else {
        compress(motion.position, flying, out_.positions + count_);
      }
    }
    if (kMotion) {
      if (out_.velocities != nullptr) {
        compress(motion.velocity, flying, out_.velocities + count_);
      }
      if (out_.orientations != nullptr) {
        write_orientations(motion, flying);
      }
    }
    for (std::uint32_t lane = 0; lane < k_width; ++lane) {
      if (((flying >> lane) & 1U) != 0) {
        if (out_.missiles != nullptr) {
          out_.missiles[count_] = {job.salvo, static_cast<std::uint8_t>(index + lane)};
        }
        ++count_;
      }
    }
  }

 private:
  HWY_INLINE void compress(const V3& v, std::uint32_t flying, Vec3* to) {
    alignas(64) std::int32_t x[k_width];
    alignas(64) std::int32_t y[k_width];
    alignas(64) std::int32_t z[k_width];
    store(v.x, x);
    store(v.y, y);
    store(v.z, z);
    for (std::size_t lane = 0; lane < k_width; ++lane) {
      if (((flying >> lane) & 1U) != 0) {
        *to++ = Vec3(x[lane], y[lane], z[lane]);
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
    compress(forward, flying, forwards);
    compress(up, flying, ups);
    std::size_t written = 0;
    for (std::size_t lane = 0; lane < k_width; ++lane) {
      if (((flying >> lane) & 1U) != 0) {
        out_.orientations[count_ + written] = {forwards[written], ups[written]};
        ++written;
      }
    }
  }

  EvaluateOutput out_;
  std::size_t count_ = 0;
};

template <bool kMotion>
HWY_INLINE void evaluate_job(const EvaluateJob& job, Writer& writer) {
  JobLanes common;
  common.duration = set_wide(job.duration);
  common.duration_reciprocal = set(1) / common.duration;
  common.per_piece = set(1.0 / static_cast<double>(std::int64_t{1} << job.log2_piece));
  common.now = broadcast(job.now);
  common.before = broadcast(job.before);
  for (std::size_t first = 0; first < job.count; first += k_width) {
    const std::size_t number = first / k_lanes;
    const std::size_t lane = first % k_lanes;
    const MissileLanes m = time_of(job, common, job.blocks[number], number, lane);
    // Padding is never written.
    const std::size_t left = job.count - first;
    const std::uint32_t present = left < k_width ? (1U << left) - 1U : (1U << k_width) - 1U;
    const std::uint32_t flying = bits_of(m.flying) & present;
    if (flying != 0) {
      const MotionLanes motion = fly<kMotion>(job, common, number, lane, m);
      writer.write<kMotion>(job, job.first_index + static_cast<std::uint32_t>(first), flying,
                            motion);
    }
  }
}

inline std::size_t evaluate(const EvaluateJob* jobs, std::size_t count, const EvaluateOutput& out) {
  Writer writer(out);
  for (std::size_t i = 0; i < count; ++i) {
    if (out.motion()) {
      evaluate_job<true>(jobs[i], writer);
    } else {
      evaluate_job<false>(jobs[i], writer);
    }
  }
  return writer.count();
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
