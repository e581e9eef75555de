#pragma once

// Instruction sets for evaluating and compiling many flights at once. Every one of them computes
// the same integers; they differ in speed only.

#include <cstdint>
#include <vector>

namespace contrail::sim {

/// `scalar` is int64 code and exists everywhere. The others carry the same integers in lanes of
/// doubles, each lane exact below 2^53. Later ones are faster.
enum class BatchTarget : std::uint8_t {
  scalar = 0,
  emulated = 1,  // lanes of one double, no instruction set needed; for tests
  ssse3 = 2,
  sse4 = 3,
  avx2 = 4,    // with FMA and BMI2
  avx512 = 5,  // F, VL, DQ, BW
  neon = 6,    // 64-bit Arm
};

const char* batch_target_name(BatchTarget target);

/// The targets this build holds and this processor runs, ascending; the first is `scalar`.
std::vector<BatchTarget> batch_targets();

}  // namespace contrail::sim
