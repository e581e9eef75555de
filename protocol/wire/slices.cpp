#include <contrail/wire/slices.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/byte_io.hpp>
#include <contrail/wire/control_messages.hpp>

namespace contrail::wire {

namespace {

// A packet is lost when one sent this much later arrived: the network may swap neighbours.
constexpr std::uint64_t k_reordering = 3;
// Network ticks after which a slice at the end of its stream gets an early second copy.
constexpr std::uint32_t k_early_copy = 2;

/// Bytes of slice `index` of a stream of `total` bytes.
std::size_t slice_size(std::size_t total, std::size_t index) {
  return std::min(k_slice_bytes, total - index * k_slice_bytes);
}

PacketError read_name(ByteReader& in, std::uint8_t kind, StreamName& out) {
  const std::uint32_t id = in.u32();
  if (in.failed()) return PacketError::too_short;
  if (kind > static_cast<std::uint8_t>(k_last_stream_kind)) return PacketError::bad_value;
  out = {static_cast<StreamKind>(kind), id};
  // There is one session header.
  return out.kind == StreamKind::session_header && id != 0 ? PacketError::bad_value
                                                           : PacketError::none;
}

}  // namespace

void append(const SliceHeader& header, std::span<const std::uint8_t> bytes, PlainText& out) {
  std::array<std::uint8_t, k_slice_header_bytes> head{};
  ByteWriter writer(head);
  writer.u8(static_cast<std::uint8_t>(header.stream.kind));
  writer.u8(0);
  writer.u16(header.index);
  writer.u32(header.stream.id);
  writer.u32(header.total);
  append(std::span<const std::uint8_t>(head), out);
  append(bytes, out);
}

PacketError read(std::span<const std::uint8_t> content, SliceHeader& out,
                 std::span<const std::uint8_t>& bytes) {
  ByteReader in(content);
  SliceHeader header;
  const std::uint8_t kind = in.u8();
  const std::uint8_t reserved = in.u8();
  header.index = in.u16();
  const PacketError error = read_name(in, kind, header.stream);
  if (error != PacketError::none) return error;
  header.total = in.u32();
  if (in.failed()) return PacketError::too_short;
  const std::size_t limit = header.stream.kind == StreamKind::record ? k_max_record_bytes
                            : header.stream.kind == StreamKind::session_header
                                ? k_max_session_header_bytes
                                : k_max_slices * k_slice_bytes;
  if (reserved != 0 || header.total == 0 || header.total > limit) return PacketError::bad_value;
  if (header.index >= slice_count(header.total)) return PacketError::bad_slice;
  if (in.left() != slice_size(header.total, header.index)) return PacketError::bad_slice;
  out = header;
  bytes = in.bytes(in.left());
  return PacketError::none;
}

void append(const SliceAck& ack, PlainText& out) {
  std::array<std::uint8_t, 8 + k_slice_window / 8> text{};
  ByteWriter writer(text);
  std::size_t words = ack.bits.size();
  while (words > 0 && ack.bits[words - 1] == 0) --words;
  writer.u8(static_cast<std::uint8_t>(ack.stream.kind));
  writer.u8(static_cast<std::uint8_t>(words));
  writer.u16(ack.first_missing);
  writer.u32(ack.stream.id);
  for (std::size_t i = 0; i < words; ++i) writer.u32(ack.bits[i]);
  append(std::span<const std::uint8_t>(text).first(writer.size()), out);
}

PacketError read(std::span<const std::uint8_t> content, SliceAck& out) {
  ByteReader in(content);
  SliceAck ack;
  const std::uint8_t kind = in.u8();
  const std::size_t words = in.u8();
  ack.first_missing = in.u16();
  const PacketError error = read_name(in, kind, ack.stream);
  if (error != PacketError::none) return error;
  if (words > ack.bits.size()) return PacketError::bad_value;
  for (std::size_t i = 0; i < words; ++i) ack.bits[i] = in.u32();
  if (in.failed()) return PacketError::too_short;
  if (in.left() != 0) return PacketError::too_long;
  out = ack;
  return PacketError::none;
}

SliceSender::SliceSender(StreamName name, std::shared_ptr<const Bytes> bytes)
    : name_(name), bytes_(std::move(bytes)), states_(slice_count(bytes_->size())) {
  sim::require(!states_.empty() && states_.size() <= k_max_slices,
               "a stream has 1..k_max_slices slices");
}

std::optional<std::uint16_t> SliceSender::next(std::uint32_t network_tick, int resend_ticks,
                                               std::uint64_t newest_acked) {
  std::size_t lost = states_.size();
  for (std::size_t i = first_missing_; i < next_; ++i) {
    const State& state = states_[i];
    const bool overtaken = state.counter + k_reordering < newest_acked;
    const bool aged = network_tick - state.sent >= static_cast<std::uint32_t>(resend_ticks);
    if (state.acked || !(overtaken || aged)) continue;
    if (lost == states_.size() || state.counter < states_[lost].counter) lost = i;
  }
  if (lost < states_.size()) return static_cast<std::uint16_t>(lost);
  if (next_ < states_.size()) {
    if (next_ == first_missing_ + k_slice_window) return std::nullopt;
    return static_cast<std::uint16_t>(next_);
  }
  // Nothing new is left: what would wait for the last acks has room for one early copy each.
  for (std::size_t i = first_missing_; i < next_; ++i) {
    const State& state = states_[i];
    if (!state.acked && !state.again && network_tick - state.sent >= k_early_copy) {
      return static_cast<std::uint16_t>(i);
    }
  }
  return std::nullopt;
}

void SliceSender::sent(std::uint16_t index, std::uint32_t network_tick, std::uint64_t counter) {
  sim::require(index <= next_ && index < states_.size(), "slices are first sent in order");
  if (index == next_) {
    ++next_;
  } else {
    ++copies_;
    states_[index].again = true;
  }
  states_[index].sent = network_tick;
  states_[index].counter = counter;
}

void SliceSender::write(std::uint16_t index, PlainText& out) const {
  sim::require(index < states_.size(), "a slice of this stream");
  const std::size_t at = std::size_t{index} * k_slice_bytes;
  append(SliceHeader{name_, index, static_cast<std::uint32_t>(bytes_->size())},
         std::span<const std::uint8_t>(*bytes_).subspan(at, slice_size(bytes_->size(), index)),
         out);
}

void SliceSender::mark(std::size_t index) {
  if (states_[index].acked) return;
  states_[index].acked = true;
  ++acked_count_;
}

PacketError SliceSender::acknowledge(const SliceAck& ack) {
  if (!(ack.stream == name_)) return PacketError::none;  // of a stream given up meanwhile
  const std::size_t through = ack.first_missing == SliceAck::k_all ? next_ : ack.first_missing;
  if (through > next_ || (ack.first_missing == SliceAck::k_all && !all_sent())) {
    return PacketError::bad_ack;
  }
  for (std::size_t i = first_missing_; i < through; ++i) mark(i);
  for (std::size_t i = 0; i < k_slice_window; ++i) {
    if ((ack.bits[i / 32] >> (i % 32) & 1) == 0) continue;
    if (through + i >= next_) return PacketError::bad_ack;
    mark(through + i);
  }
  advance();
  return PacketError::none;
}

void SliceSender::acknowledge(std::uint16_t index) {
  sim::require(index < next_, "only what was sent can arrive");
  mark(index);
  advance();
}

void SliceSender::advance() {
  while (first_missing_ < states_.size() && states_[first_missing_].acked) ++first_missing_;
}

SliceReceiver::SliceReceiver(const SliceHeader& header)
    : name_(header.stream), bytes_(header.total), have_(slice_count(header.total)) {}

SliceReceiver::Result SliceReceiver::add(const SliceHeader& header,
                                         std::span<const std::uint8_t> bytes) {
  if (!(header.stream == name_) || header.total != total_) return Result::contradiction;
  if (have_[header.index]) return Result::duplicate;
  have_[header.index] = true;
  ++received_;
  std::copy(bytes.begin(), bytes.end(),
            bytes_.begin() + static_cast<std::ptrdiff_t>(header.index * k_slice_bytes));
  while (first_missing_ < have_.size() && have_[first_missing_]) ++first_missing_;
  return complete() ? Result::completed : Result::added;
}

SliceAck SliceReceiver::ack() const {
  SliceAck ack;
  ack.stream = name_;
  if (complete()) {
    ack.first_missing = SliceAck::k_all;
    return ack;
  }
  ack.first_missing = static_cast<std::uint16_t>(first_missing_);
  for (std::size_t i = 0; i < k_slice_window && first_missing_ + i < have_.size(); ++i) {
    if (have_[first_missing_ + i]) ack.bits[i / 32] |= std::uint32_t{1} << (i % 32);
  }
  return ack;
}

}  // namespace contrail::wire
