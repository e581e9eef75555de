#pragma once

// All missiles of a world at one time: positions, velocities, orientations, to the bit those that
// World computes one by one, at a small part of the cost. A target's pose is computed once for all
// missiles on it.

#include <cstddef>
#include <cstdint>
#include <memory>

#include <contrail/sim/batch/batch_output.hpp>
#include <contrail/sim/batch/batch_target.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::sim {

/// What an evaluator keeps of every flight.
enum class BatchMemory : std::uint8_t {
  /// The piece in force and what the next is computed from: 232 bytes a missile, whatever the
  /// flight. Times that go on from one evaluation to the next are cheap, others cost about four
  /// pieces a missile.
  window,
  /// All pieces, compiled when a salvo is first evaluated: 36 bytes a piece besides. Any time is
  /// cheap: for trails, replays and renderers.
  flights,
};

/// Follows one world. Owns its memory; keeps no reference to the world between calls. One thread at
/// a time; the world must not be folded during a call.
class BatchEvaluator {
 public:
  /// `target` is one of batch_targets().
  explicit BatchEvaluator(BatchTarget target, BatchMemory memory = BatchMemory::window);
  BatchEvaluator(BatchEvaluator&&) noexcept;
  BatchEvaluator& operator=(BatchEvaluator&&) noexcept;
  ~BatchEvaluator();

  /// Takes over what the world folded since the last call: new salvos, ended missiles, guidance.
  /// Gives the number of missiles kept by the world: the room that evaluate() may need. Between
  /// reset() and reset() it must be the same world, or one restored from its snapshot and folded
  /// further along the same log.
  std::size_t follow(const World& world);

  /// Every missile that flies at t, as World::missile_flies() says, by ascending salvo and index;
  /// gives their number. Entry i of every wanted array is missile i. Exact in the same range of
  /// times as World::missile_position(). Calls follow() first.
  std::size_t evaluate(const World& world, Subtick t, const BatchOutput& out);

  /// Forgets everything: before another world is followed.
  void reset();

  [[nodiscard]] BatchTarget target() const;
  /// Memory held for missiles, bytes.
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Test seam for negative controls: moves the piece in force of one missile by `by` (length
  /// units) until its next piece. The missile must have been evaluated.
  void displace_piece(const MissileRef& missile, const Vec3& by);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace contrail::sim
