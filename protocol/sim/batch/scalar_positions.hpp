#pragma once

// Positions alone, the commonest evaluation, in int64.

#include <cstddef>

#include <contrail/sim/batch/kernels.hpp>

namespace contrail::sim::batch {

/// Of the missiles of a job that fly, under one lock or none (job.locks is null), to out.positions
/// and, if wanted, out.missiles from entry `written` on; gives the next entry.
std::size_t scalar_positions(const EvaluateJob& job, const EvaluateOutput& out,
                             std::size_t written);

}  // namespace contrail::sim::batch
