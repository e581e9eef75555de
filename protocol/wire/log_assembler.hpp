#pragma once

// Puts the log together on a client: tick packets and slices in any order, twice or not at all;
// session header, snapshot and records out, each once and in order.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <contrail/sim/records.hpp>
#include <contrail/wire/client_connection.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/slices.hpp>

namespace contrail::wire {

/// A record with a state hash and nothing else.
bool is_quiet(const sim::TickRecord& record);

class LogAssembler {
 public:
  /// `tick`: of the welcome; anything from far ahead of it is refused.
  LogAssembler(int log2_tick, std::uint32_t tick);

  /// Content behind the ack block. On an error nothing changed, and the packet must not be
  /// acknowledged: whoever sent it in good faith sends its content again.
  PacketError on_tick_packet(const TickBlock& block, std::span<const std::uint8_t> body);
  PacketError on_slice(const SliceHeader& header, std::span<const std::uint8_t> bytes);

  /// The next acknowledgement of slices that is owed.
  std::optional<SliceAck> next_slice_ack();
  [[nodiscard]] bool owes_slice_ack() const { return !owed_acks_.empty(); }

  std::optional<Bytes> take_session_header();
  std::optional<SnapshotBytes> take_snapshot();
  std::vector<sim::TickRecord> take_records();

  /// Session header and first snapshot are complete.
  [[nodiscard]] bool live() const { return header_done_ && started_; }
  /// Handed out up to here.
  [[nodiscard]] std::uint32_t complete_tick() const { return delivered_; }
  /// Known without a gap up to here.
  [[nodiscard]] std::uint32_t known_tick() const { return known_; }
  /// The newest tick with more to say than a state hash that became known without a gap since the
  /// last call.
  std::optional<std::uint32_t> take_newly_known();

  /// Adds records, slices and launch bytes to the counters.
  void add_to(ConnectionStatistics& statistics) const;

 private:
  struct Held {
    bool present = false;  // false: known to be empty
    sim::TickRecord record;
  };

  [[nodiscard]] bool in_reach(std::uint32_t tick) const;
  void hold(std::uint32_t tick, std::optional<sim::TickRecord> record);
  void advance();
  void owe(const StreamName& stream);
  PacketError on_header_slice(const SliceHeader& header, std::span<const std::uint8_t> bytes);
  PacketError on_snapshot_slice(const SliceHeader& header, std::span<const std::uint8_t> bytes);
  PacketError on_record_slice(const SliceHeader& header, std::span<const std::uint8_t> bytes);
  PacketError count(SliceReceiver::Result result);
  void adopt_snapshot();
  void forget_up_to(std::uint32_t tick);

  int log2_tick_;
  std::uint32_t window_;
  std::uint32_t reach_;  // newest tick known to exist; bounds what is plausible

  std::optional<SliceReceiver> header_;
  bool header_done_ = false;
  std::optional<Bytes> ready_header_;

  std::optional<SliceReceiver> snapshot_;
  std::optional<std::uint32_t> newest_snapshot_;  // newest id seen
  std::optional<SnapshotBytes> ready_snapshot_;

  std::map<std::uint32_t, SliceReceiver> streams_;  // large records under way, by tick
  std::vector<StreamName> owed_acks_;

  bool started_ = false;  // a snapshot was complete
  std::uint32_t known_ = 0;
  std::uint32_t delivered_ = 0;
  std::map<std::uint32_t, Held> held_;
  std::size_t held_bytes_ = 0;
  std::optional<std::uint32_t> newly_known_;

  std::uint64_t records_ = 0;
  std::uint64_t duplicate_records_ = 0;
  std::uint64_t slices_ = 0;
  std::uint64_t duplicate_slices_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t launch_bytes_ = 0;
  std::uint64_t unique_launch_bytes_ = 0;
};

}  // namespace contrail::wire
