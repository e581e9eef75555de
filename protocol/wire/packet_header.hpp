#pragma once

// The outside of every datagram. Little endian throughout:
//   clear   type u8, flags u8, connection id u32, counter u16
//   sealed  ack u16, ack delay u16, ack bits u32, then what the type says
//   tag     16 bytes
// Handshake packets have the clear part only, with connection id and counter 0. Sealing and opening
// are in packet_seal.hpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

enum class PacketType : std::uint8_t {
  hello = 1,       // client: wants in, 1200 bytes
  challenge,       // server: prove your address
  welcome,         // server: you are in
  refuse,          // server: you are not, and why
  tick,            // server: ticks of the log
  slice,           // server: part of a session header, snapshot or large record
  slice_ack,       // client: slices that arrived
  ack,             // client: nothing but the ack block
  command,         // client: a request to the match
  command_result,  // server: its answer
  ping,            // client: clock question
  pong,            // server: clock answer
  disconnect,      // either: good-bye and why
  ticket,          // server: lets this client come back without a token
  path_challenge,  // server: you seem to have moved; prove it
  path_response,   // client: the proof
};
inline constexpr std::uint8_t k_last_packet_type =
    static_cast<std::uint8_t>(PacketType::path_response);

/// Why bytes from a peer were dropped. Every drop is counted under one of these.
enum class PacketError : std::uint8_t {
  none = 0,
  too_short,  // shorter than its type's form
  too_long,   // longer than 1200 bytes or than its type's form
  unknown_type,
  bad_header,          // flags, connection id or counter where they must be 0
  bad_magic,           // a hello that is not ours
  bad_cookie,          // forged, or older than its lifetime
  unknown_connection,  // no such connection id
  bad_tag,             // does not authenticate
  replayed,            // counter seen before, or too old to tell
  bad_ack,             // acknowledges what was never sent
  bad_body,            // the content fails the codec's checks
  bad_tick,            // a tick outside what the receiver can place
  bad_slice,           // a slice that contradicts its stream
  bad_value,           // a field outside its range
  unexpected,          // a type this end does not take, or not in this state
  over_limit,          // a fixed buffer is full
};
inline constexpr std::size_t k_packet_errors =
    static_cast<std::size_t>(PacketError::over_limit) + 1;
/// A few words, never null.
const char* describe(PacketError error);

struct ClearHeader {
  PacketType type = PacketType::ack;
  std::uint8_t flags = 0;  // 0 in this version
  std::uint32_t connection = 0;
  std::uint16_t counter = 0;  // low bits of the packet's 64-bit number
  bool operator==(const ClearHeader&) const = default;
};

/// What the sender received so far.
struct AckBlock {
  std::uint16_t ack = 0;    // low bits of the newest counter received
  std::uint16_t delay = 0;  // since it arrived, units of 65,536 ns, saturating
  std::uint32_t bits = 0;   // bit i: counter ack - 1 - i arrived
  bool operator==(const AckBlock&) const = default;
};
inline constexpr int k_ack_delay_shift = 16;

/// One datagram with room for the largest. Content at offsets that are multiples of 16 is aligned.
struct Datagram {
  alignas(16) std::array<std::uint8_t, k_max_datagram_bytes> bytes;
  std::size_t size = 0;
  [[nodiscard]] std::span<const std::uint8_t> view() const { return {bytes.data(), size}; }
};

/// The plain text of a sealed datagram: ack block, then content, 16-byte aligned at offset 0.
struct PlainText {
  alignas(16) std::array<std::uint8_t, k_max_plain_bytes> bytes;
  std::size_t size = 0;
  /// What follows the ack block.
  [[nodiscard]] std::span<const std::uint8_t> content() const {
    return {bytes.data() + k_ack_block_bytes, size - k_ack_block_bytes};
  }
};

/// Reads the clear part. Needs 8 bytes; the type is checked.
PacketError read_clear_header(std::span<const std::uint8_t> datagram, ClearHeader& out);
/// Writes 8 bytes.
void write_clear_header(const ClearHeader& header, std::span<std::uint8_t> out);
AckBlock read_ack_block(const PlainText& plain);
/// Starts a plain text with the block.
void write_ack_block(const AckBlock& block, PlainText& out);

}  // namespace contrail::wire
