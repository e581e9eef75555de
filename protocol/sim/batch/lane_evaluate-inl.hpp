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
#include "lane_narrow-inl.hpp"
#include "lane_writer-inl.hpp"

#include <cstring>

#include <contrail/sim/batch/kernels.hpp>

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

/// A target as seen by one vector of lanes.
struct TermLanes {
  V3 lead;
  V3 right, up, forward;
};

/// The same for all lanes of a job, converted once: lead, right, up, forward by axis.
struct JobTerm {
  alignas(64) double values[16];  // the last four pad

  HWY_INLINE void fill(const TargetTerm& term) {
    static_assert(sizeof(term) == 12 * sizeof(std::int32_t));
    alignas(64) std::int32_t packed[16] = {};
    std::memcpy(packed, &term, sizeof(term));
    for (std::size_t i = 0; i < 16; i += k_one_width) {
      hn::Store(from_int(hn::Load(DInt(), packed + i)), D(), values + i);
    }
  }
  [[nodiscard]] HWY_INLINE V3 vector(int i) const {
    return {set(values[3 * i]), set(values[3 * i + 1]), set(values[3 * i + 2])};
  }
  [[nodiscard]] HWY_INLINE TermLanes lanes() const {
    return {vector(0), vector(1), vector(2), vector(3)};
  }
};

HWY_INLINE TermLanes load_term(const LockLanes::Term& term, std::size_t lane) {
  return {load_wide3(term.lead, lane), load3(term.axes[0], lane), load3(term.axes[1], lane),
          load3(term.axes[2], lane)};
}

/// Quintic ramp, Q24, at t subticks of a window, 0 <= t <= window <= 2^23.
HWY_INLINE V ramp(V t, V reciprocal) {
  // t * 2^24 / window is a whole number or at least 1 / window away from one: the half of that
  // which is added, 2^-24 at least, is far more than rounding can take from it or add to it.
  const V u = floor_of(mul_add(t, reciprocal * set(0x1p24), reciprocal * set(0.5)));
  const V root = u * set(0x1p-10);
  const V u2 = floor_of(root * root);              // u^2 >> 20
  const V u3 = floor_of(u2 * (u * set(0x1p-24)));  // u2 * u >> 24
  // (6 u2 >> 4) - 15 u + 10, and its product with u3 >> 28.
  const V rest = neg_mul_add(u, set(15 * 0x1p-28), set(10 * 0x1p-4));
  return floor_of(u3 * mul_add(floor_of(u2 * set(0.375)), set(0x1p-28), rest));
}
/// The same from 0 to 1.
HWY_INLINE V scaled_ramp(V t, V reciprocal) {
  return ramp(t, reciprocal) * set(0x1p-24);
}
HWY_INLINE V held_between(V t, V last) {
  return min_of(max_of(t, set(0)), last);
}

/// Target aim point minus what it is measured against. `limited`: it may be beyond the clamp of
/// homing.
HWY_INLINE V3 gap_of(const TermLanes& target, const V3& offset, const V3& reference, bool limited) {
  const V3 turned =
      round24(target.right * offset.x + target.up * offset.y + target.forward * offset.z);
  const V3 gap = turned + (target.lead - reference);
  return limited ? clamp(gap, set_wide(k_homing_clamp)) : gap;
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
  HWY_INLINE void fill(const EvaluateJob& job, bool motion) {
    duration = static_cast<double>(job.duration);
    reciprocal = 1.0 / duration;
    per_piece = 1.0 / static_cast<double>(std::int64_t{1} << job.log2_piece);
    now.fill(job.now);
    lead = job.now.lead;
    // An aim offset turns by less than 2^24.
    const std::int64_t sure = k_homing_clamp - (std::int64_t{1} << 24);
    limited = sim::max_abs(WideVec3(job.now.lead)) > sure;
    if (motion) {
      before.fill(job.before);
      limited = limited || sim::max_abs(WideVec3(job.before.lead)) > sure;
    }
  }

  JobTerm now;
  JobTerm before;  // with motion only
  Vec3 lead;       // of now
  double duration;
  double reciprocal;  // of the duration
  double per_piece;   // 2^-log2_piece
  bool limited;       // a gap may be beyond the clamp
};

/// Times of one vector of missiles, subticks.
struct TimeLanes {
  Narrow local;   // after the launch
  Narrow held;    // the same, within the flight
  Narrow inside;  // inside the piece in force
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

/// Flight and homing for lanes that have one lock.
template <bool kMotion>
HWY_INLINE void add_homing(const JobLanes& common, const PieceBlock& block, std::size_t lane,
                           const TimeLanes& time, MotionLanes& result) {
  const V3 offset = load3(block.offset, lane);
  const V3 reference = load3(block.reference, lane);
  const V duration = set(common.duration);
  const V reciprocal = set(common.reciprocal);
  const V weight = scaled_ramp(from_narrow(time.held), reciprocal);
  const V3 now = floor_of(gap_of(common.now.lanes(), offset, reference, common.limited) * weight);
  result.position = result.position + now;
  if (kMotion) {
    const V back = held_between(from_narrow(time.local) - set(k_back_step), duration);
    const V3 before = floor_of(gap_of(common.before.lanes(), offset, reference, common.limited) *
                               scaled_ramp(back, reciprocal));
    result.velocity = result.velocity + homing_velocity(now, before);
  }
}

/// The same for lanes that have each their own.
template <bool kMotion>
HWY_INLINE void add_locks(const JobLanes& common, const LockLanes& locks, std::size_t lane,
                          const TimeLanes& time, MotionLanes& result) {
  const V begin = load(&locks.begin[lane]);
  const V window = set(common.duration) - begin;
  const V reciprocal = set(1) / window;
  const V local = from_narrow(time.local) - begin;
  const V3 offset = load3(locks.offset, lane);
  const V3 none{set(0), set(0), set(0)};
  const V3 now = floor_of(gap_of(load_term(locks.now, lane), offset, none, true) *
                          scaled_ramp(held_between(local, window), reciprocal));
  result.position = result.position + load_wide3(locks.kept, lane) + now;
  if (kMotion) {
    const V back = held_between(local - set(k_back_step), window);
    const V3 before = floor_of(gap_of(load_term(locks.before, lane), offset, none, true) *
                               scaled_ramp(back, reciprocal));
    result.velocity =
        result.velocity + load_wide3(locks.velocity, lane) + homing_velocity(now, before);
  }
}

template <bool kMotion>
HWY_INLINE MotionLanes fly(const EvaluateJob& job, const JobLanes& common, std::size_t number,
                           std::size_t lane, const TimeLanes& time) {
  const PieceBlock& block = job.blocks[number];
  const V fraction = from_narrow(time.inside) * set(common.per_piece);
  MotionLanes result;
  result.position = position_of(block, lane, fraction);
  if (kMotion) {
    result.velocity =
        velocity_of(block, lane, fraction, set(common.per_piece * (3.0 * k_subticks_per_second)));
  }
  if (job.locks != nullptr) {
    add_locks<kMotion>(common, job.locks[number], lane, time, result);
  } else if (job.homing) {
    add_homing<kMotion>(common, block, lane, time, result);
  }
  result.position = clamp(result.position, set_wide(k_world_limit));
  if (kMotion) {
    result.velocity = clamp(result.velocity, set(2147483647.0));
    result.ahead = load3(block.points[3], lane) - load3(block.points[0], lane);
  }
  return result;
}

#if CONTRAIL_SIM_NARROW
// Numbers that are known to be above -2^26 are floored by cutting them off once this is added.
constexpr std::int32_t k_above_zero = 1 << 26;

/// Homing of lanes that have one lock, in int32 but for the turn of the aim offset.
HWY_INLINE Narrow3 narrow_homing(const JobLanes& common, const PieceBlock& block, std::size_t lane,
                                 Narrow weight) {
  const TermLanes target = common.now.lanes();
  const V3 o = load3(block.offset, lane);
  const V3 turned = target.right * o.x + target.up * o.y + target.forward * o.z;
  const Narrow odd_weight = odd_lanes(weight);
  const auto axis = [&](const V& sum, std::int32_t lead, std::size_t number) HWY_ATTR {
    const Narrow rounded = to_narrow(mul_add(sum, set(0x1p-24), set(0.5 + k_above_zero)));
    const Narrow reference = load_narrow(&block.reference[number][lane]);
    Narrow gap = rounded + (set_narrow(lead - k_above_zero) - reference);
    if (common.limited) {
      gap = hn::Min(hn::Max(gap, set_narrow(-k_homing_clamp)), set_narrow(k_homing_clamp));
    }
    return product_shifted<24>(gap, weight, odd_weight);
  };
  return {axis(turned.x, common.lead.x, 0), axis(turned.y, common.lead.y, 1),
          axis(turned.z, common.lead.z, 2)};
}

/// Positions alone, under one lock or none, of flights that stay clear of the limits of int32.
HWY_INLINE Narrow3 fly_narrow(const EvaluateJob& job, const JobLanes& common, Narrow weight,
                              const PieceBlock& block, std::size_t lane, Narrow inside) {
  Narrow3 p = narrow_position(block, lane, inside, job.log2_piece);
  if (job.homing) {
    const Narrow3 homing = narrow_homing(common, block, lane, weight);
    p = {p.x + homing.x, p.y + homing.y, p.z + homing.z};
  }
  const Narrow most = set_narrow(k_world_limit);
  const Narrow least = set_narrow(-k_world_limit);
  return {hn::Min(hn::Max(p.x, least), most), hn::Min(hn::Max(p.y, least), most),
          hn::Min(hn::Max(p.z, least), most)};
}
#endif

/// Walks over the vectors of a job.
class JobWalk {
 public:
  HWY_INLINE explicit JobWalk(const EvaluateJob& job)
      : job_(job),
        step_(set_narrow(static_cast<std::int32_t>(k_width) * job.ripple_interval)),
        local_(set_narrow(static_cast<std::int32_t>(job.since_first)) -
               hn::Iota(DNarrow(), 0) * set_narrow(job.ripple_interval)) {}

  [[nodiscard]] HWY_INLINE bool done() const { return first_ >= job_.count; }
  HWY_INLINE void next() {
    first_ += static_cast<std::uint32_t>(k_width);
    local_ = local_ - step_;
  }
  /// Number in the job of the missile in the vector's first lane.
  [[nodiscard]] HWY_INLINE std::uint32_t first() const { return first_; }
  [[nodiscard]] HWY_INLINE std::size_t number() const { return first_ / k_lanes; }
  [[nodiscard]] HWY_INLINE std::size_t lane() const { return first_ % k_lanes; }
  [[nodiscard]] HWY_INLINE const PieceBlock& block() const { return job_.blocks[number()]; }
  /// Subticks after each missile's launch.
  [[nodiscard]] HWY_INLINE Narrow local() const { return local_; }
  /// Lanes of missiles that are in flight; never padding.
  [[nodiscard]] HWY_INLINE std::uint32_t flying() const {
    const std::uint32_t left = job_.count - first_;
    const std::uint32_t present = left < k_width ? (1U << left) - 1U : (1U << k_width) - 1U;
    const Narrow end = load_narrow(&block().end[lane()]);
    return narrow_bits_of(hn::And(local_ > set_narrow(-1), local_ < end)) & present;
  }

 private:
  const EvaluateJob& job_;
  Narrow step_;
  Narrow local_;
  std::uint32_t first_ = 0;
};

inline std::uint32_t due(const EvaluateJob& job, std::uint8_t* masks) {
  const auto length = std::int32_t{1} << job.log2_piece;
  const Narrow whole = set_narrow(-length);
  const Narrow last = set_narrow(static_cast<std::int32_t>(job.duration) - length);
  std::uint32_t all = 0;
  for (JobWalk walk(job); !walk.done(); walk.next()) {
    const Narrow ruling = hn::Min(hn::And(walk.local(), whole), last);
    const Narrow start = load_narrow(&walk.block().start[walk.lane()]);
    const std::uint32_t bits = (narrow_bits_of(ruling != start) & walk.flying()) << walk.lane();
    std::uint8_t& mask = masks[walk.number()];
    mask = static_cast<std::uint8_t>(walk.lane() == 0 ? bits : mask | bits);
    all |= bits;
  }
  return all;
}

/// A job before its missiles are looked at. The weights of homing are a long chain of operations:
/// they are computed one job ahead, beside the positions of the job before.
struct Prepared {
  JobLanes common;
  bool narrow = false;
  alignas(64) std::int32_t weights[256];

  HWY_INLINE void fill(const EvaluateJob& job, bool motion) {
    common.fill(job, motion);
    narrow = CONTRAIL_SIM_NARROW != 0 && !motion && job.narrow && job.locks == nullptr;
    if (!narrow || !job.homing) {
      return;
    }
    const Narrow duration = set_narrow(static_cast<std::int32_t>(job.duration));
    for (JobWalk walk(job); !walk.done(); walk.next()) {
      const Narrow held = hn::Min(hn::Max(walk.local(), set_narrow(0)), duration);
      hn::Store(to_narrow(ramp(from_narrow(held), set(common.reciprocal))), DNarrow(),
                &weights[walk.first()]);
    }
  }
};

template <bool kMotion>
HWY_INLINE void evaluate_job(const EvaluateJob& job, const Prepared& prepared, Writer& writer) {
  const JobLanes& common = prepared.common;
  const Narrow duration = set_narrow(static_cast<std::int32_t>(job.duration));
  for (JobWalk walk(job); !walk.done(); walk.next()) {
    const std::uint32_t flying = walk.flying();
    if (flying == 0) {
      continue;
    }
    const std::size_t lane = walk.lane();
    const PieceBlock& block = walk.block();
    TimeLanes time;
    time.local = walk.local();
    time.held = hn::Min(hn::Max(time.local, set_narrow(0)), duration);
    time.inside = time.held - load_narrow(&block.start[lane]);
    const std::uint32_t index = job.first_index + walk.first();
#if CONTRAIL_SIM_NARROW
    if (!kMotion && prepared.narrow) {
      const Narrow weight = load_narrow(&prepared.weights[walk.first()]);
      writer.write_positions(fly_narrow(job, common, weight, block, lane, time.inside), job.salvo,
                             index, flying);
      continue;
    }
#endif
    const MotionLanes motion = fly<kMotion>(job, common, walk.number(), lane, time);
    if (kMotion) {
      writer.write_motion(motion, flying);
    }
    writer.write_positions(Writer::to_narrow3(motion.position), job.salvo, index, flying);
  }
}

template <bool kMotion>
HWY_INLINE std::size_t evaluate_jobs(const EvaluateJob* const* jobs, std::size_t count,
                                     const EvaluateOutput& out) {
  Writer writer(out);
  Prepared prepared[2];
  for (std::size_t i = 0; i <= count; ++i) {
    if (i < count) {
      prepared[i % 2].fill(*jobs[i], kMotion);
    }
    if (i > 0) {
      evaluate_job<kMotion>(*jobs[i - 1], prepared[(i - 1) % 2], writer);
    }
  }
  return writer.count();
}

inline std::size_t evaluate(const EvaluateJob* const* jobs, std::size_t count,
                            const EvaluateOutput& out) {
  return out.motion() ? evaluate_jobs<true>(jobs, count, out)
                      : evaluate_jobs<false>(jobs, count, out);
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
