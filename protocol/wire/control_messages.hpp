#pragma once

// Contents of the sealed packets that carry no log: what follows the ack block.

#include <cstdint>
#include <span>

#include <contrail/wire/commands.hpp>
#include <contrail/wire/packet_header.hpp>

namespace contrail::wire {

/// Which ticks a tick packet speaks of. Bit i of `complete`: everything of tick last_tick - i is
/// here, or it has nothing to say.
struct TickBlock {
  std::uint32_t last_tick = 0;
  std::uint32_t complete = 0;
  bool operator==(const TickBlock&) const = default;
};

struct Ping {
  Nanoseconds client_sent = 0;  // the client's clock, echoed
  bool operator==(const Ping&) const = default;
};

struct Pong {
  Nanoseconds client_sent = 0;
  Nanoseconds server_received = 0;  // session time
  Nanoseconds server_sent = 0;      // session time
  std::uint32_t epoch = 0;          // of the timeline
  bool operator==(const Pong&) const = default;
};

enum class DisconnectReason : std::uint8_t {
  left = 1,       // the peer wanted to go
  closing,        // the server stops
  silent,         // nothing heard for k_silence_timeout
  too_slow,       // could not be brought up to date within k_transfer_timeout
  replaced,       // the same address connected anew
  kicked,         // an operator's wish
  misbehaved,     // sent what no conforming peer sends
  too_large,      // session header or snapshot larger than the transport carries
  session_ended,  // the match is over
};
inline constexpr DisconnectReason k_last_disconnect_reason = DisconnectReason::session_ended;
const char* describe(DisconnectReason reason);

struct Disconnect {
  DisconnectReason reason = DisconnectReason::left;
  bool operator==(const Disconnect&) const = default;
};

// Writers append to a plain text whose ack block is already there.
void append(const TickBlock& block, PlainText& out);
void append(const Ping& ping, PlainText& out);
void append(const Pong& pong, PlainText& out);
void append(const Disconnect& disconnect, PlainText& out);
void append(const CommandResult& result, PlainText& out);
void append(std::span<const std::uint8_t> bytes, PlainText& out);

// Readers take the content. The tick block is followed by a packet body, the others by nothing.
PacketError read(std::span<const std::uint8_t> content, TickBlock& out,
                 std::span<const std::uint8_t>& body);
PacketError read(std::span<const std::uint8_t> content, Ping& out);
PacketError read(std::span<const std::uint8_t> content, Pong& out);
PacketError read(std::span<const std::uint8_t> content, Disconnect& out);
PacketError read(std::span<const std::uint8_t> content, CommandResult& out);

}  // namespace contrail::wire
