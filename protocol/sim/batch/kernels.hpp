#pragma once

// The functions of one target. Equal results from every target; any thread, no state of their own.

#include <cstddef>
#include <cstdint>

#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/batch/batch_output.hpp>
#include <contrail/sim/batch/batch_target.hpp>
#include <contrail/sim/batch/blocks.hpp>

namespace contrail::sim::batch {

/// Where an evaluation writes; room for every missile of the jobs. Null: not wanted.
struct EvaluateOutput {
  MissileRef* missiles = nullptr;
  Vec3* positions = nullptr;
  Vec3* velocities = nullptr;
  Basis* orientations = nullptr;
  [[nodiscard]] bool motion() const { return velocities != nullptr || orientations != nullptr; }
};

struct Kernels {
  /// Base curves, aim, noise keys and first frames of the missiles first.index ...
  /// first.index + 7 of a salvo. No piece is computed, no end set.
  void (*start)(const FlightSource& first, FlightBlock& flights, PieceBlock& pieces) = nullptr;
  /// Computes one piece a lane, see AdvancePlan.
  void (*advance)(const AdvancePlan& plan, FlightBlock& flights, PieceBlock& pieces) = nullptr;
  /// Whole flights: 3 * pieces + 1 control points each of the first `count` missiles of a block
  /// that was started, to points[lane].
  void (*compile)(const FlightSource& first, const FlightBlock& flights, std::size_t count,
                  Vec3* const* points) = nullptr;
  /// Which missiles in flight have another piece in their block than the one that rules the time:
  /// bit i of masks[b] for lane i of block b, one mask a block. Gives all masks or-ed.
  std::uint32_t (*due)(const EvaluateJob& job, std::uint8_t* masks) = nullptr;
  /// The missiles in flight (launched, not ended) in the order of jobs and lanes; gives their
  /// number. The pieces of the blocks must be those that rule the time.
  std::size_t (*evaluate)(const EvaluateJob* const* jobs, std::size_t count,
                          const EvaluateOutput& out) = nullptr;
};

/// Of a target in batch_targets().
const Kernels& kernels(BatchTarget target);

const Kernels& scalar_kernels();
/// Those compiled for lanes that this processor runs; null otherwise.
const Kernels* lane_kernels(BatchTarget target);

}  // namespace contrail::sim::batch
