#pragma once

// The cases of the core benchmark.

#include <contrail/sim/batch/batch_target.hpp>
#include <vector>

#include "core_report.hpp"

namespace contrail::bench {

/// Compiling flights of 59 pieces: one by one, and in batches on every target.
void compile_cases(std::vector<Figure>& figures);
/// Positions of `missiles` on every target, and one by one; the textbook ways beside them.
void evaluation_cases(int missiles, std::vector<Figure>& figures);
/// Positions, velocities and orientations at display rate.
void motion_cases(int missiles, std::vector<Figure>& figures);
/// The last 4 s of smoke of every missile.
void trail_cases(int missiles, std::vector<Figure>& figures);

/// The same work without a clock, for counting instructions: `what` is compile or evaluate; gives
/// the units of work done, 0 for an unknown name.
long counted_work(const char* what, sim::BatchTarget target, int rounds);

}  // namespace contrail::bench
