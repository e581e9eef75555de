#pragma once

// The core's battery: everything two machines must agree on, computed over fixed inputs and hashed
// by stage. matrix.sh builds and runs it in every cell of the matrix and compares the hashes.
//
//   battery [--ftz | --expect-ftz] [--rounding up|down|zero|nearest]
//
// Prints one line a stage, "name hash", then "all hash". Lines that start with # say what is not
// compared: the state of the floating-point unit, the SIMD targets, what floats would have given.
// Exit status: 0 done, 1 the core contradicted itself, 2 usage, 3 this machine can't be put into
// that state.

#include <cstdint>
#include <string>
#include <vector>

#include <contrail/sim/fingerprint.hpp>

namespace contrail::battery {

struct StageHash {
  std::string name;
  sim::Hash64 hash;
};
/// Stages in the order in which one builds on the other: the first that differs is the cause.
using Stages = std::vector<StageHash>;

/// A result of the core contradicts another one; ends the battery with status 1.
void require_same(bool same, const char* what);

}  // namespace contrail::battery
