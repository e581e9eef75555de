// The kernels in int64, lane after lane: the reference, and the code of machines without lanes.

#include <algorithm>
#include <bit>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/batch/kernels.hpp>
#include <contrail/sim/batch/scalar_positions.hpp>
#include <contrail/sim/flight.hpp>
#include <contrail/sim/flight_knots.hpp>
#include <contrail/sim/homing.hpp>

namespace contrail::sim::batch {
namespace {

Vec3 at(const VectorLanes& lanes, std::size_t lane) {
  return {lanes[0][lane], lanes[1][lane], lanes[2][lane]};
}
WideVec3 at(const WideVectorLanes& lanes, std::size_t lane) {
  return {lanes[0][lane], lanes[1][lane], lanes[2][lane]};
}
void put(const Vec3& v, VectorLanes& lanes, std::size_t lane) {
  lanes[0][lane] = v.x;
  lanes[1][lane] = v.y;
  lanes[2][lane] = v.z;
}

void start(const FlightSource& first, FlightBlock& flights, PieceBlock& pieces) {
  const Basis basis = thaw(first.anchor.target_basis);
  for (std::size_t lane = 0; lane < k_lanes; ++lane) {
    const FlightSource source{first.launch, first.anchor, first.weapon, first.target_type,
                              static_cast<std::uint8_t>(first.index + lane)};
    const Vec3 offset = aim_offset(source.launch.seed, source.index, 0, source.target_type);
    put(offset, pieces.offset, lane);
    put(Vec3(rotate(basis, offset)), pieces.reference, lane);
    const BaseCurve base = base_curve(source);
    for (std::size_t i = 0; i < base.p.size(); ++i) {
      put(base.p[i], flights.base[i], lane);
    }
    flights.amplitude[lane] = base.amplitude;
    const NoiseKeys noise = Noise(source.weapon.noise, source.launch.seed, source.index).keys();
    flights.key_x[lane] = noise.x;
    flights.key_y[lane] = noise.y;
    const Frame frame = start_frame(start_tangent(base.p));
    put(frame.tangent, flights.tangent, lane);
    put(frame.r, flights.r, lane);
    put(frame.s, flights.s, lane);
  }
  flights.frame_knot.fill(0);
  flights.window = {};
  flights.piece.fill(-1);
}

FlightShape shape_of(const AdvancePlan& plan, const FlightBlock& flights, std::size_t lane) {
  return {{{at(flights.base[0], lane), at(flights.base[1], lane), at(flights.base[2], lane),
            at(flights.base[3], lane)},
           flights.amplitude[lane]},
          {plan.noise, flights.key_x[lane], flights.key_y[lane]},
          std::int64_t{plan.pieces[lane]},
          std::countr_zero(static_cast<std::uint32_t>(plan.piece_length[lane])),
          std::int64_t{plan.frequency[lane]}};
}

void advance_lane(const AdvancePlan& plan, FlightBlock& flights, PieceBlock& pieces,
                  std::size_t lane) {
  const FlightShape shape = shape_of(plan, flights, lane);
  const std::int64_t k = plan.target[lane];
  KnotWindow window;
  for (std::size_t i = 0; i < k_window; ++i) {
    window[i] = WideVec3(at(flights.window[i], lane));
  }
  if (plan.pushes[lane] > 0) {
    KnotWalk walk(shape,
                  FrameWalk(shape.base.p, flights.frame_knot[lane],
                            {at(flights.tangent, lane), at(flights.r, lane), at(flights.s, lane)}));
    for (std::int64_t left = plan.pushes[lane]; left > 0; --left) {
      const std::int64_t knot = k + 3 - left;
      std::shift_left(window.begin(), window.end(), 1);
      if (knot >= 1 && knot < shape.pieces) {
        window[3] = walk.at(knot);
      }
    }
    for (std::size_t i = 0; i < k_window; ++i) {
      put(Vec3(window[i]), flights.window[i], lane);
    }
    flights.frame_knot[lane] = walk.frames().knot();
    const Frame& frame = walk.frames().at_knot();
    put(frame.tangent, flights.tangent, lane);
    put(frame.r, flights.r, lane);
    put(frame.s, flights.s, lane);
  }
  const Cubic piece = spline_piece(shape, window, k);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    put(piece[i], pieces.points[i], lane);
  }
  pieces.start[lane] = plan.target[lane] * plan.piece_length[lane];
}

void advance(const AdvancePlan& plan, FlightBlock& flights, PieceBlock& pieces) {
  for (std::size_t lane = 0; lane < k_lanes; ++lane) {
    advance_lane(plan, flights, pieces, lane);
  }
  flights.piece = plan.target;
}

void compile(const FlightSource& first, const FlightBlock& /*flights*/, std::size_t count,
             Vec3* const* points) {
  for (std::size_t lane = 0; lane < count; ++lane) {
    const Flight flight({first.launch, first.anchor, first.weapon, first.target_type,
                         static_cast<std::uint8_t>(first.index + lane)});
    std::copy(flight.points().begin(), flight.points().end(), points[lane]);
  }
}

/// One missile while it is evaluated.
struct Missile {
  const EvaluateJob& job;
  const PieceBlock& block;
  std::size_t number;  // of the block
  std::size_t lane;
  Subtick local;  // since the missile's launch
};

/// The displacement by homing, now and, when asked for, a back step earlier.
struct Homing {
  WideVec3 now{0};
  WideVec3 before{0};
  WideVec3 kept{0};
  WideVec3 velocity{0};
};

WideVec3 turned(const Vec3& right, const Vec3& up, const Vec3& forward, const Vec3& o) {
  return round24(WideVec3(right) * std::int64_t{o.x} + WideVec3(up) * std::int64_t{o.y} +
                 WideVec3(forward) * std::int64_t{o.z});
}

Homing homing_by_lane(const Missile& m, bool motion) {
  const LockLanes& locks = m.job.locks[m.number];
  const Subtick begin = locks.begin[m.lane];
  const Vec3 offset = at(locks.offset, m.lane);
  const auto term = [&](const LockLanes::Term& target, Subtick local) {
    const WideVec3 gap =
        at(target.lead, m.lane) + turned(at(target.axes[0], m.lane), at(target.axes[1], m.lane),
                                         at(target.axes[2], m.lane), offset);
    return homing_term(gap, local - begin, m.job.duration - begin);
  };
  Homing result;
  result.now = term(locks.now, m.local);
  result.kept = at(locks.kept, m.lane);
  if (motion) {
    result.before = term(locks.before, m.local - k_back_step);
    result.velocity = at(locks.velocity, m.lane);
  }
  return result;
}

Homing homing_of(const Missile& m, bool motion) {
  if (m.job.locks != nullptr) {
    return homing_by_lane(m, motion);
  }
  if (!m.job.homing) {
    return {};
  }
  const Vec3 offset = at(m.block.offset, m.lane);
  const WideVec3 reference(at(m.block.reference, m.lane));
  const auto term = [&](const TargetTerm& target, Subtick local) {
    const WideVec3 gap =
        WideVec3(target.lead) + turned(target.right, target.up, target.forward, offset) - reference;
    return homing_term(gap, local, m.job.duration);
  };
  Homing result;
  result.now = term(m.job.now, m.local);
  if (motion) {
    result.before = term(m.job.before, m.local - k_back_step);
  }
  return result;
}

void write_motion(const Missile& m, const Cubic& piece, Subtick inside, const Homing& homing,
                  std::size_t number, const EvaluateOutput& out) {
  const Vec3 velocity =
      clamp(WideVec3(cubic_velocity(piece.data(), inside, m.job.log2_piece)) + homing.velocity +
                WideVec3(kept_velocity(homing.now, homing.before)),
            k_point_limit);
  if (out.velocities != nullptr) {
    out.velocities[number] = velocity;
  }
  if (out.orientations != nullptr) {
    out.orientations[number] =
        looking_along(WideVec3(velocity), WideVec3(piece[3]) - WideVec3(piece[0]));
  }
}

std::size_t evaluate_job(const EvaluateJob& job, const EvaluateOutput& out, std::size_t written) {
  const bool motion = out.motion();
  if (!motion && job.locks == nullptr && out.positions != nullptr) {
    return scalar_positions(job, out, written);
  }
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const std::size_t number = i / k_lanes;
    const Missile m{job, job.blocks[number], number, i % k_lanes,
                    job.since_first - Subtick{i} * job.ripple_interval};
    if (m.local < 0 || m.local >= m.block.end[m.lane]) {
      continue;
    }
    const auto& p = m.block.points;
    const Cubic piece{at(p[0], m.lane), at(p[1], m.lane), at(p[2], m.lane), at(p[3], m.lane)};
    const Subtick inside = std::min(m.local, job.duration) - m.block.start[m.lane];
    const Homing homing = homing_of(m, motion);
    if (out.positions != nullptr) {
      out.positions[written] =
          clamp(WideVec3(cubic_point(piece, inside, job.log2_piece)) + homing.kept + homing.now,
                k_world_limit);
    }
    if (motion) {
      write_motion(m, piece, inside, homing, written, out);
    }
    if (out.missiles != nullptr) {
      out.missiles[written] = {job.salvo, static_cast<std::uint8_t>(job.first_index + i)};
    }
    ++written;
  }
  return written;
}

std::uint32_t due(const EvaluateJob& job, std::uint8_t* masks) {
  const std::int64_t length = std::int64_t{1} << job.log2_piece;
  const Subtick last = job.duration - length;
  Subtick local = job.since_first;
  std::uint32_t all = 0;
  for (std::uint32_t first = 0; first < job.count; first += k_lanes) {
    const PieceBlock& block = job.blocks[first / k_lanes];
    const std::size_t lanes = std::min<std::size_t>(k_lanes, job.count - first);
    std::uint32_t mask = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane, local -= job.ripple_interval) {
      const Subtick ruling = std::min(local & -length, last);
      const bool flies = local >= 0 && local < block.end[lane];
      mask |= static_cast<std::uint32_t>(flies && ruling != block.start[lane]) << lane;
    }
    masks[first / k_lanes] = static_cast<std::uint8_t>(mask);
    all |= mask;
  }
  return all;
}

std::size_t evaluate(const EvaluateJob* const* jobs, std::size_t count, const EvaluateOutput& out) {
  std::size_t written = 0;
  for (std::size_t i = 0; i < count; ++i) {
    written = evaluate_job(*jobs[i], out, written);
  }
  return written;
}

constexpr Kernels k_kernels{start, advance, compile, due, evaluate};

}  // namespace

bool is_narrow(const FlightBlock& flights) {
  std::int64_t largest = 0;
  for (const VectorLanes& point : flights.base) {
    for (const Int32Lanes& axis : point) {
      for (const std::int64_t x : axis) {
        largest = std::max(largest, x < 0 ? -x : x);
      }
    }
  }
  const std::int64_t wobble = *std::max_element(flights.amplitude.begin(), flights.amplitude.end());
  return 7 * largest / 2 + 2 * wobble + 64 < std::int64_t{1} << 30;
}

const Kernels& scalar_kernels() {
  return k_kernels;
}

}  // namespace contrail::sim::batch
