#pragma once

// Reads a record or packet body: one table, elements of one tick or of several. Private to the
// codec.

#include <vector>

#include <contrail/sim/records.hpp>
#include <contrail/wire/record_elements.hpp>

namespace contrail::wire {

/// The ticks a message may speak of: bit i allows last_tick - i; tick 0 has no record.
struct TickWindow {
  std::uint32_t last_tick = 0;
  std::uint32_t allowed = 0;
  int log2_tick = 11;
};

/// Sorts the elements into records, oldest first, without the empty ones. Checks everything but
/// `tick`. `message_bytes` is the size of the message. `out` is unchanged on an error.
CodecResult read_records(const fb::TickRecord& table, std::size_t message_bytes,
                         const TickWindow& window, std::vector<sim::TickRecord>& out);

}  // namespace contrail::wire
