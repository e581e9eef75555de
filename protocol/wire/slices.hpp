#pragma once

// Messages larger than a packet travel as numbered slices until every one is acknowledged.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <contrail/wire/bytes.hpp>
#include <contrail/wire/packet_header.hpp>
#include <contrail/wire/stream_name.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

/// {kind u8, reserved u8, index u16, id u32, total u32}, then the bytes [1156 * index, ...).
struct SliceHeader {
  StreamName stream;
  std::uint16_t index = 0;
  std::uint32_t total = 0;  // bytes of the whole stream, at least 1
  bool operator==(const SliceHeader&) const = default;
};

/// {kind u8, words u8, first missing u16, id u32}, then `words` u32 of bits.
struct SliceAck {
  static constexpr std::uint16_t k_all = 0xFFFF;
  StreamName stream;
  std::uint16_t first_missing = 0;  // all below arrived; k_all: the stream is complete
  std::array<std::uint32_t, k_slice_window / 32> bits{};  // bit i: first_missing + i arrived
  bool operator==(const SliceAck&) const = default;
};

constexpr std::size_t slice_count(std::size_t total) {
  return (total + k_slice_bytes - 1) / k_slice_bytes;
}

void append(const SliceHeader& header, std::span<const std::uint8_t> bytes, PlainText& out);
void append(const SliceAck& ack, PlainText& out);
/// Checks that the bytes are as many as index and total demand.
PacketError read(std::span<const std::uint8_t> content, SliceHeader& out,
                 std::span<const std::uint8_t>& bytes);
PacketError read(std::span<const std::uint8_t> content, SliceAck& out);

/// One stream on its way to one client. Many clients share the bytes.
class SliceSender {
 public:
  /// 1..k_max_slices slices.
  SliceSender(StreamName name, std::shared_ptr<const Bytes> bytes);
  /// The slice to send in this network tick: the oldest one that got lost, else the next one never
  /// sent, else, when all were sent, one sent once and 2 network ticks ago. None: all is under way
  /// or the window is used up. A slice counts as lost when its packet is unacknowledged although
  /// one sent more than 3 later is acknowledged (`newest_acked`: the highest counter that is), or
  /// after `resend_ticks`.
  std::optional<std::uint16_t> next(std::uint32_t network_tick, int resend_ticks,
                                    std::uint64_t newest_acked);
  /// Slice `index` went out in the packet with this counter.
  void sent(std::uint16_t index, std::uint32_t network_tick, std::uint64_t counter);
  /// Writes slice `index` behind the ack block.
  void write(std::uint16_t index, PlainText& out) const;
  PacketError acknowledge(const SliceAck& ack);
  /// The packet with slice `index` was acknowledged.
  void acknowledge(std::uint16_t index);
  [[nodiscard]] bool complete() const { return acked_count_ == states_.size(); }
  /// Every slice was sent at least once.
  [[nodiscard]] bool all_sent() const { return next_ == states_.size(); }
  [[nodiscard]] const StreamName& name() const { return name_; }
  /// Sendings of slices that had been sent before.
  [[nodiscard]] std::uint64_t copies() const { return copies_; }

 private:
  struct State {
    std::uint64_t counter = 0;  // of the newest packet with it
    std::uint32_t sent = 0;     // network tick
    bool again = false;         // more than once
    bool acked = false;
  };
  void mark(std::size_t index);
  void advance();

  StreamName name_;
  std::shared_ptr<const Bytes> bytes_;
  std::vector<State> states_;
  std::size_t first_missing_ = 0;
  std::size_t next_ = 0;  // first never sent
  std::size_t acked_count_ = 0;
  std::uint64_t copies_ = 0;
};

/// One stream as it arrives.
class SliceReceiver {
 public:
  enum class Result : std::uint8_t { added, duplicate, completed, contradiction };
  /// Of a header that read() accepted.
  explicit SliceReceiver(const SliceHeader& header);
  Result add(const SliceHeader& header, std::span<const std::uint8_t> bytes);
  [[nodiscard]] bool complete() const { return received_ == have_.size(); }
  [[nodiscard]] SliceAck ack() const;
  [[nodiscard]] const StreamName& name() const { return name_; }
  /// The whole message; requires complete().
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  StreamName name_;
  Bytes bytes_;
  std::size_t total_ = bytes_.size();
  std::vector<bool> have_;
  std::size_t first_missing_ = 0;
  std::size_t received_ = 0;
};

}  // namespace contrail::wire
