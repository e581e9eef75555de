#pragma once

// The flights of a salvo, compiled side by side.

#include <cstddef>
#include <vector>

#include <contrail/sim/batch/batch_target.hpp>
#include <contrail/sim/flight.hpp>

namespace contrail::sim {

/// The flights of `count` missiles of a salvo from first.index on, complete; to the bit those that
/// Flight makes one by one. first.index + count <= 255. Any thread.
std::vector<Flight> compile_flights(BatchTarget target, const FlightSource& first,
                                    std::size_t count);

}  // namespace contrail::sim
