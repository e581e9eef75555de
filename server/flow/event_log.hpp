#pragma once

// The one way out of a match: records are encoded, decoded again and folded, so that the server
// flies what it sent.

#include <cstdint>
#include <memory>
#include <vector>

#include <contrail/sim/fingerprint.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/wire/bytes.hpp>

namespace contrail::server {

/// One entry as its readers get it. `bytes` is empty for a silent tick.
struct LogEntry {
  sim::TickRecord record;
  wire::Bytes bytes;                    // canonical
  std::vector<sim::WorldEvent> events;  // what the fold did
};

struct LogCounters {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t launches = 0;
  std::uint64_t outcomes = 0;
};

class EventLog {
 public:
  explicit EventLog(std::shared_ptr<const sim::Scenario> scenario);

  /// Appends the next tick's record: everything but its state hash, which is added when
  /// `with_hash`. The record must fit the world (what a match decides always does).
  const LogEntry& append(sim::TickRecord record, bool with_hash);

  [[nodiscard]] const sim::World& world() const { return world_; }
  [[nodiscard]] const LogEntry& last() const { return last_; }
  [[nodiscard]] const LogCounters& counters() const { return counters_; }
  /// Over tick and canonical bytes of every record so far.
  [[nodiscard]] const sim::Hash64& hash() const { return hash_; }

 private:
  sim::World world_;
  LogEntry last_;
  LogCounters counters_;
  sim::Hash64 hash_;
};

}  // namespace contrail::server
