#pragma once

// Contents of the sealed packets that carry no log: what follows the ack block.

#include <cstdint>
#include <span>

#include <contrail/wire/bytes.hpp>
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
  used,           // the token or ticket let another client in first
};
inline constexpr DisconnectReason k_last_disconnect_reason = DisconnectReason::used;
const char* describe(DisconnectReason reason);

struct Disconnect {
  DisconnectReason reason = DisconnectReason::left;
  bool operator==(const Disconnect&) const = default;
};

/// Lets its receiver back in without a token, once, from anywhere.
struct Ticket {
  std::uint16_t lifetime = 0;  // seconds from its arrival
  Bytes bytes;                 // 1..k_max_resume_bytes; their meaning is the server's alone
  bool operator==(const Ticket&) const = default;
};

/// Asks the client at a new address for proof that it is there.
struct PathChallenge {
  std::uint64_t proof = 0;  // random
  bool operator==(const PathChallenge&) const = default;
};
struct PathResponse {
  std::uint64_t proof = 0;  // of the challenge
  bool operator==(const PathResponse&) const = default;
};

// Writers append to a plain text whose ack block is already there.
void append(const TickBlock& block, PlainText& out);
void append(const Ping& ping, PlainText& out);
void append(const Pong& pong, PlainText& out);
void append(const Disconnect& disconnect, PlainText& out);
void append(const CommandResult& result, PlainText& out);
void append(const Ticket& ticket, PlainText& out);
void append(const PathChallenge& challenge, PlainText& out);
void append(const PathResponse& response, PlainText& out);
void append(std::span<const std::uint8_t> bytes, PlainText& out);

// Readers take the content. The tick block is followed by a packet body, the others by nothing.
PacketError read(std::span<const std::uint8_t> content, TickBlock& out,
                 std::span<const std::uint8_t>& body);
PacketError read(std::span<const std::uint8_t> content, Ping& out);
PacketError read(std::span<const std::uint8_t> content, Pong& out);
PacketError read(std::span<const std::uint8_t> content, Disconnect& out);
PacketError read(std::span<const std::uint8_t> content, CommandResult& out);
PacketError read(std::span<const std::uint8_t> content, Ticket& out);
PacketError read(std::span<const std::uint8_t> content, PathChallenge& out);
PacketError read(std::span<const std::uint8_t> content, PathResponse& out);

}  // namespace contrail::wire
