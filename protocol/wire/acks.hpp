#pragma once

// Who received what: packets are numbered per direction from 1, and every sealed packet tells the
// peer which of its packets arrived. No packet is ever sent twice; what a lost one carried is.

#include <array>
#include <cstdint>
#include <vector>

#include <contrail/wire/packet_header.hpp>
#include <contrail/wire/stream_name.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

/// The 64-bit number with these low bits that is nearest to `near`.
constexpr std::uint64_t expand_counter(std::uint16_t low, std::uint64_t near) {
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(low - near));
  const std::uint64_t value = near + static_cast<std::uint64_t>(std::int64_t{ahead});
  // Below zero there is nothing: the number is one turn further on.
  return ahead < 0 && near < static_cast<std::uint64_t>(-std::int64_t{ahead}) ? value + 65536
                                                                              : value;
}

/// The receiver's memory of counters: refuses what it saw before, and says what to acknowledge.
class ReceiveWindow {
 public:
  /// The full number of a packet with these low bits.
  [[nodiscard]] std::uint64_t expand(std::uint16_t low) const {
    return expand_counter(low, newest_);
  }
  /// Not seen before and not older than the window.
  [[nodiscard]] bool fresh(std::uint64_t counter) const;
  /// Call after the packet authenticated. Requires fresh(counter).
  void accept(std::uint64_t counter, Nanoseconds now);
  [[nodiscard]] AckBlock ack_block(Nanoseconds now) const;
  [[nodiscard]] std::uint64_t newest() const { return newest_; }  // 0: nothing yet
  /// Counters up to the newest that have not arrived (yet).
  [[nodiscard]] std::uint64_t missing() const { return newest_ - received_; }

 private:
  [[nodiscard]] bool seen(std::uint64_t counter) const;

  std::uint64_t received_ = 0;
  std::uint64_t newest_ = 0;
  Nanoseconds newest_time_ = 0;
  std::array<std::uint64_t, k_replay_window / 64> bits_{};  // ring, bit of counter mod window
};

/// What a sender wants to know when a packet turns out to have arrived. Small: a server remembers
/// 1,024 of them for every client.
struct PacketContent {
  enum class Kind : std::uint8_t {
    other,  // its receiver acknowledges it with whatever it sends next
    ticks,  // acknowledged at once, like the next one
    slice,
  };
  static PacketContent of_ticks(std::uint32_t last_tick, std::uint32_t complete) {
    return {Kind::ticks, StreamKind::session_header, 0, last_tick, complete};
  }
  static PacketContent of_slice(const StreamName& stream, std::uint16_t index) {
    return {Kind::slice, stream.kind, index, stream.id, 0};
  }
  [[nodiscard]] StreamName stream() const { return {stream_kind, id}; }

  Kind kind = Kind::other;
  StreamKind stream_kind = StreamKind::session_header;  // slice
  std::uint16_t slice = 0;                              // slice: its index
  std::uint32_t id = 0;                                 // ticks: the last one; slice: stream's id
  std::uint32_t complete = 0;                           // ticks
};

/// One packet as its sender remembers it.
struct SentPacket {
  std::uint64_t counter = 0;
  Nanoseconds time = 0;
  PacketContent content;
  bool acked = false;
};
static_assert(sizeof(SentPacket) == 32);

/// The packets an ack block newly acknowledges, newest first; valid until the next add().
struct Acked {
  PacketError error = PacketError::none;
  std::array<const SentPacket*, 33> packets;  // the first `count` of them
  std::size_t count = 0;
};

/// The sender's memory of its last 1,024 packets.
class SentWindow {
 public:
  SentWindow();
  /// Numbers a packet. Counters start at 1.
  std::uint64_t add(Nanoseconds now, const PacketContent& content = {});
  Acked acknowledge(const AckBlock& block);
  [[nodiscard]] std::uint64_t sent() const { return next_ - 1; }
  [[nodiscard]] std::uint64_t acked() const { return acked_; }
  /// Highest counter acknowledged; 0: none.
  [[nodiscard]] std::uint64_t newest_acked() const { return newest_acked_; }
  /// Packets that fell behind the acknowledgement bits without having been acknowledged.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  SentPacket* find(std::uint64_t counter);
  [[nodiscard]] bool arrived(std::uint64_t counter);
  std::uint64_t news(std::uint64_t newest, std::uint64_t said);
  void judge(std::uint64_t up_to);

  std::vector<SentPacket> ring_;
  std::uint64_t next_ = 1;
  std::uint64_t newest_acked_ = 0;
  std::uint64_t history_ = 0;  // bit i: newest_acked_ - i is acknowledged
  std::uint64_t judged_ = 0;   // every packet up to here is counted as acked or lost
  std::uint64_t acked_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace contrail::wire
