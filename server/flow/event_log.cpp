#include <contrail/flow/event_log.hpp>

#include <utility>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {

EventLog::EventLog(std::shared_ptr<const sim::Scenario> scenario) : world_(std::move(scenario)) {}

const LogEntry& EventLog::append(sim::TickRecord record, bool with_hash) {
  const int log2_tick = world_.scenario().log2_tick;
  sim::require(record.tick == world_.tick() + 1, "the log has one record a tick, in order");
  last_.events.clear();
  last_.record = {};
  last_.record.tick = record.tick;
  if (!record.empty()) {
    const wire::Bytes sent = wire::encode_record(record, log2_tick);
    sim::require(wire::decode_record(sent, log2_tick, last_.record).error == wire::CodecError::none,
                 "a record can be read back");
  }
  const sim::FoldResult folded = world_.fold(last_.record, &last_.events);
  sim::require(folded.error == sim::FoldError::none, sim::describe(folded.error));
  if (with_hash) {
    last_.record.state_hashes.push_back(world_.take_state_hash());
  }
  last_.bytes.clear();
  if (!last_.record.empty()) {
    last_.bytes = wire::encode_record(last_.record, log2_tick);
    ++counters_.records;
    counters_.bytes += last_.bytes.size();
    counters_.launches += last_.record.launches.size();
    counters_.outcomes += last_.record.outcomes.size();
    hash_.add(last_.record.tick);
    hash_.add_bytes(last_.bytes.data(), last_.bytes.size());
  }
  return last_;
}

}  // namespace contrail::server
