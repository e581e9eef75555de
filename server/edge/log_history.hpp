#pragma once

// The newest ticks of the log as packets are made from them, for all clients together.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <contrail/sim/records.hpp>
#include <contrail/wire/byte_account.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/tick_ledger.hpp>

namespace contrail::server {

/// The FlatBuffer of one packet with what statistics want to know of it.
struct PacketBody {
  std::uint32_t last = 0;
  std::uint32_t complete = 0;
  wire::Bytes bytes;  // empty: no record
  std::uint32_t records = 0;
  wire::ByteAccount payload;
};

/// Keeps wire::k_ledger_ticks ticks: twice the longest backlog.
class LogHistory {
 public:
  LogHistory(int log2_tick, std::uint32_t first_tick);

  /// Tick newest() + 1. `canonical`: the record's bytes, none when it is empty.
  void add(const sim::TickRecord& record, std::span<const std::uint8_t> canonical);
  [[nodiscard]] std::uint32_t newest() const { return newest_; }
  [[nodiscard]] wire::TickContent content(std::uint32_t tick) const;
  /// Null when the tick is empty or forgotten.
  [[nodiscard]] const sim::TickRecord* record(std::uint32_t tick) const;
  /// Bytes of a sliced tick, else null.
  [[nodiscard]] std::shared_ptr<const wire::Bytes> stream(std::uint32_t tick) const;
  /// A tick with something to say lies less than wire::k_activity_memory back.
  [[nodiscard]] bool active() const;

  /// Body of the packet with the records of these ticks. Encoded once for all clients that need
  /// the same; valid until the next call.
  const PacketBody& body(std::uint32_t last, std::uint32_t complete);

 private:
  struct Entry {
    std::uint32_t tick = 0;
    wire::TickContent content = wire::TickContent::empty;
    sim::TickRecord record;
    std::shared_ptr<const wire::Bytes> stream;
  };
  [[nodiscard]] const Entry* find(std::uint32_t tick) const;

  int log2_tick_;
  std::uint32_t newest_;
  std::uint32_t newest_active_ = 0;  // 0: none yet
  std::vector<Entry> ring_;
  std::vector<PacketBody> bodies_;  // of the present tick
};

}  // namespace contrail::server
