#pragma once

// How missiles lie in memory for batch evaluation, and the table of functions that work on them.
// Shared by the files of this folder and by nobody else.
//
// A block is eight missiles of one salvo, neighbours in index; a field is an array over its eight
// lanes. Blocks at the end of a salvo are padded: their last lanes hold the missiles the salvo
// would have if it were longer. Every lane is computed, none is special.

#include <array>
#include <cstddef>
#include <cstdint>

#include <contrail/sim/scenario.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim::batch {

inline constexpr std::size_t k_lanes = 8;
/// A window of knots: S_{k-1} .. S_{k+2} shape piece k.
inline constexpr std::size_t k_window = 4;

/// A vector is loaded from an address that is a multiple of its size: whatever holds lanes is
/// aligned to 64 bytes and begins with them.
template <typename Number>
using Lanes = std::array<Number, k_lanes>;
using Int32Lanes = Lanes<std::int32_t>;
using Int64Lanes = Lanes<std::int64_t>;
using VectorLanes = std::array<Int32Lanes, 3>;      // by axis
using WideVectorLanes = std::array<Int64Lanes, 3>;  // by axis

/// What an evaluation reads: 80 bytes a missile.
struct alignas(64) PieceBlock {
  std::array<VectorLanes, 4> points;  // control points of the piece in force, length units
  Int32Lanes start;                   // of that piece, subticks after the missile's launch
  Int32Lanes end;                     // of the missile, subticks after its launch; 0: aborted
  VectorLanes offset;                 // aim offset, body axes of the announced target
  VectorLanes reference;              // the same in world axes at the anchor's target basis
};

/// What the next piece is computed from: 152 bytes a missile.
struct alignas(64) FlightBlock {
  std::array<VectorLanes, 4> base;  // control points of the base curve, length units
  Int32Lanes amplitude;             // length units
  Lanes<std::uint32_t> key_x;       // noise keys; B-spline noise uses the first only
  Lanes<std::uint32_t> key_y;
  VectorLanes tangent;  // frame at a frame knot, Q24
  VectorLanes r;
  VectorLanes s;
  Int32Lanes frame_knot;                     // its number, 0..15
  std::array<VectorLanes, k_window> window;  // displaced knots; before the first and behind the
                                             // last of a flight undefined
  Int32Lanes piece;                          // of points and window; -1: none yet
};

/// Whether all control points of these flights are sure to stay below 2^30, so that differences fit
/// int32: 7/2 of the base curve's largest coordinate and twice the wobble bound them (the spline's
/// outermost knots overshoot most).
bool is_narrow(const FlightBlock& flights);

/// One step of a block of flights, whose lanes may belong to different salvos of the same noise.
struct alignas(64) AdvancePlan {
  Int32Lanes pieces{};        // of the lane's flight
  Int32Lanes piece_length{};  // 2^J subticks
  Int32Lanes frequency{};     // Q16 noise cells per second
  Int32Lanes target{};        // the piece to compute, 0 .. pieces - 1
  /// Knots to compute first: 1 from one piece to the next, 4 from nowhere, 0: the lane is left
  /// alone except that its piece is computed again from its window.
  Int32Lanes pushes{};
  NoiseKind noise = NoiseKind::bspline;
};

/// Where a target is and how it stands, against where it was expected.
struct TargetTerm {
  /// Target position - (expected position without the aim offset), limited to +-2^30: far beyond
  /// where the gap is clamped anyway.
  Vec3 lead{0};
  Vec3 right{0};
  Vec3 up{0};
  Vec3 forward{0};
};

/// Lanes of one block whose locks differ: everything by lane.
struct alignas(64) LockLanes {
  struct Term {
    WideVectorLanes lead;  // target position - what the gap is measured against, |x| <= 2^40
    std::array<VectorLanes, 3> axes;  // right, up, forward; zero where there is no lock
  };
  Term now;
  Term before;               // a back step earlier
  VectorLanes offset;        // aim offset of the lock in force
  Int32Lanes begin;          // of its ramp, subticks after the missile's launch
  WideVectorLanes kept;      // what ended locks left, length units
  WideVectorLanes velocity;  // and its velocity, length units per second
};

/// Consecutive blocks of one salvo at one time.
struct EvaluateJob {
  const PieceBlock* blocks = nullptr;
  std::uint32_t count = 0;        // missiles; the blocks hold k_lanes each
  std::uint32_t salvo = 0;        // launch id
  std::uint32_t first_index = 0;  // of the missile in lane 0 of the first block
  Subtick since_first = 0;        // the time minus the launch time of that missile
  std::int32_t ripple_interval = 0;
  std::int32_t log2_piece = 8;
  Subtick duration = 0;
  bool homing = false;  // the target is known; now and before hold
  bool narrow = false;  // every control point of the salvo is below 2^30
  TargetTerm now;
  TargetTerm before;                 // a back step earlier; read for velocities only
  const LockLanes* locks = nullptr;  // one a block, instead of homing, now and before
};

}  // namespace contrail::sim::batch
