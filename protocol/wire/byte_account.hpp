#pragma once

// What tick records cost on the wire, kind by kind, exactly: the numbers that statistics, budgets
// and tables are made of.

#include <array>
#include <cstddef>
#include <cstdint>

#include <contrail/sim/records.hpp>

namespace contrail::wire {

/// The vectors of a tick record, in the order of the fold.
enum class RecordKind : std::uint8_t {
  launch,
  outcome,
  guidance,
  health,
  despawn,
  spawn,
  turret_mode,
  shot,
  track_key,
  relative_key,
  attitude_key,
  custom,
  timeline,
  state_hash,
};
inline constexpr std::size_t k_record_kinds = static_cast<std::size_t>(RecordKind::state_hash) + 1;
/// As in JSON summaries: "launch", "relative_key". Never null.
const char* name_of(RecordKind kind);
/// Bytes of one element; of a custom without the host's own bytes, which follow it.
std::size_t element_bytes(RecordKind kind);

/// Bytes of elements, without the message and the packet around them.
class ByteAccount {
 public:
  void add(const sim::TickRecord& record);
  ByteAccount& operator+=(const ByteAccount& more);
  [[nodiscard]] std::uint64_t of(RecordKind kind) const {
    return bytes_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t total() const;
  /// What missiles cost that fly their course: launches and ends that do not follow from the log.
  [[nodiscard]] std::uint64_t missiles() const {
    return of(RecordKind::launch) + of(RecordKind::outcome);
  }
  /// What moving entities cost: track keys of both forms, attitude keys.
  [[nodiscard]] std::uint64_t tracks() const {
    return of(RecordKind::track_key) + of(RecordKind::relative_key) + of(RecordKind::attitude_key);
  }
  bool operator==(const ByteAccount&) const = default;

 private:
  std::array<std::uint64_t, k_record_kinds> bytes_{};
};

}  // namespace contrail::wire
