#pragma once

// The memory of a batch evaluator: blocks of missiles, and how the pieces that rule a time get into
// them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <contrail/sim/batch/blocks.hpp>
#include <contrail/sim/batch/kernels.hpp>

namespace contrail::sim::batch {

inline constexpr std::size_t k_longest_run = 256 / k_lanes;

/// The blocks of one salvo.
struct BlockRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  // blocks
  bool narrow = false;      // is_narrow() of all of them, once started
  /// Whole flights: 3 * pieces + 1 control points a missile; empty where only windows are kept.
  std::vector<Vec3> points;
};

/// What the pieces of a salvo's flights need to be computed or found.
struct PieceTimes {
  NoiseKind noise = NoiseKind::bspline;
  std::int32_t pieces = 1;
  std::int32_t log2_piece = 8;
  std::int32_t frequency = 0;
  std::int32_t ripple_interval = 0;
};

/// Blocks that stay where they are while more come.
template <typename Block>
class Chunks {
 public:
  static constexpr std::uint32_t k_size = 256;  // blocks
  [[nodiscard]] Block& at(std::uint32_t i) { return chunks_[i / k_size][i % k_size]; }
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(chunks_.size()) * k_size;
  }
  void add() { chunks_.push_back(std::make_unique<Block[]>(k_size)); }

 private:
  std::vector<std::unique_ptr<Block[]>> chunks_;
};

class PieceStore {
 public:
  PieceStore(const Kernels& kernels, bool whole_flights)
      : kernels_(&kernels), whole_flights_(whole_flights) {}

  /// Blocks for a salvo; their ends are 0.
  BlockRun take(std::uint32_t missiles);
  void give_back(BlockRun& run);

  /// Computes base curves, and flights where they are kept. `salvo` has index 0.
  void start(const FlightSource& salvo, BlockRun& run);

  /// Asks for the pieces that rule the time `since_launch` after the launch of a block's first
  /// missile, for the lanes in `mask`. They are there after flush().
  void request(const PieceTimes& times, const BlockRun& run, std::uint32_t block,
               std::uint32_t mask, Subtick since_launch);
  void flush();

  /// The blocks of a run follow one another.
  [[nodiscard]] PieceBlock& pieces(std::uint32_t block) { return pieces_.at(block); }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// A lane that waits for a piece of a whole flight.
  struct Fetch {
    const Vec3* from = nullptr;
    PieceBlock* to = nullptr;
    std::uint32_t lane = 0;
    std::int32_t start = 0;
  };
  /// A lane that waits for its next piece to be computed.
  struct Request {
    std::uint32_t block = 0;
    std::uint32_t lane = 0;
    std::int32_t piece = 0;
    std::int32_t pushes = 0;
    std::int32_t pieces = 0;
    std::int32_t piece_length = 0;
    std::int32_t frequency = 0;
  };

  void advance_block(const PieceTimes& times, std::uint32_t block, const Int32Lanes& wanted,
                     std::uint32_t mask);
  void flush_fetches();
  void flush(std::vector<Request>& requests, NoiseKind noise);

  const Kernels* kernels_;
  bool whole_flights_;
  Chunks<PieceBlock> pieces_;
  Chunks<FlightBlock> flights_;  // beside pieces_, or empty with whole flights
  std::array<std::vector<std::uint32_t>, k_longest_run + 1> free_;  // runs by length
  std::vector<Request> requests_[2];                                // by noise kind
  std::vector<Fetch> fetches_;
  FlightBlock work_flights_{};  // of lanes gathered from many blocks, or of one salvo's start
  PieceBlock work_pieces_{};
};

}  // namespace contrail::sim::batch
