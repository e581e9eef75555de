#include <contrail/wire/control_messages.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/byte_io.hpp>

namespace contrail::wire {

namespace {

/// A writer behind what the plain text already holds; done() makes it part of it.
class Appender {
 public:
  explicit Appender(PlainText& out)
      : out_(out), writer(std::span<std::uint8_t>(out.bytes).subspan(out.size)) {}
  void done() {
    sim::require(!writer.failed(), "a message fits its datagram");
    out_.size += writer.size();
  }

 private:
  PlainText& out_;

 public:
  ByteWriter writer;
};

/// What a reader that must have used up its content says about it.
PacketError finish(const ByteReader& in) {
  if (in.failed()) return PacketError::too_short;
  return in.left() == 0 ? PacketError::none : PacketError::too_long;
}

}  // namespace

const char* describe(DisconnectReason reason) {
  switch (reason) {
    case DisconnectReason::left:
      return "the peer left";
    case DisconnectReason::closing:
      return "the server stops";
    case DisconnectReason::silent:
      return "nothing was heard for too long";
    case DisconnectReason::too_slow:
      return "too slow to be brought up to date";
    case DisconnectReason::replaced:
      return "the same address connected anew";
    case DisconnectReason::kicked:
      return "removed by the operator";
    case DisconnectReason::misbehaved:
      return "sent what no conforming peer sends";
    case DisconnectReason::too_large:
      return "the session is too large to be sent";
    case DisconnectReason::session_ended:
      return "the match is over";
    case DisconnectReason::used:
      return "the token or ticket let another client in first";
  }
  return "unknown reason";
}

void append(const TickBlock& block, PlainText& out) {
  Appender to(out);
  to.writer.u32(block.last_tick);
  to.writer.u32(block.complete);
  to.done();
}

void append(const Ping& ping, PlainText& out) {
  Appender to(out);
  to.writer.i64(ping.client_sent);
  to.done();
}

void append(const Pong& pong, PlainText& out) {
  Appender to(out);
  to.writer.i64(pong.client_sent);
  to.writer.i64(pong.server_received);
  to.writer.i64(pong.server_sent);
  to.writer.u32(pong.epoch);
  to.done();
}

void append(const Disconnect& disconnect, PlainText& out) {
  Appender to(out);
  to.writer.u8(static_cast<std::uint8_t>(disconnect.reason));
  to.done();
}

void append(const CommandResult& result, PlainText& out) {
  Appender to(out);
  to.writer.u32(result.id);
  to.writer.u32(result.launch);
  to.writer.u8(static_cast<std::uint8_t>(result.status));
  to.done();
}

void append(std::span<const std::uint8_t> bytes, PlainText& out) {
  Appender to(out);
  to.writer.bytes(bytes);
  to.done();
}

PacketError read(std::span<const std::uint8_t> content, TickBlock& out,
                 std::span<const std::uint8_t>& body) {
  ByteReader in(content);
  TickBlock block;
  block.last_tick = in.u32();
  block.complete = in.u32();
  if (in.failed()) return PacketError::too_short;
  out = block;
  body = in.bytes(in.left());
  return PacketError::none;
}

PacketError read(std::span<const std::uint8_t> content, Ping& out) {
  ByteReader in(content);
  Ping ping;
  ping.client_sent = in.i64();
  const PacketError error = finish(in);
  if (error == PacketError::none) out = ping;
  return error;
}

PacketError read(std::span<const std::uint8_t> content, Pong& out) {
  ByteReader in(content);
  Pong pong;
  pong.client_sent = in.i64();
  pong.server_received = in.i64();
  pong.server_sent = in.i64();
  pong.epoch = in.u32();
  const PacketError error = finish(in);
  if (error == PacketError::none) out = pong;
  return error;
}

PacketError read(std::span<const std::uint8_t> content, Disconnect& out) {
  ByteReader in(content);
  const std::uint8_t reason = in.u8();
  const PacketError error = finish(in);
  if (error != PacketError::none) return error;
  if (reason == 0 || reason > static_cast<std::uint8_t>(k_last_disconnect_reason)) {
    return PacketError::bad_value;
  }
  out.reason = static_cast<DisconnectReason>(reason);
  return PacketError::none;
}

PacketError read(std::span<const std::uint8_t> content, CommandResult& out) {
  ByteReader in(content);
  CommandResult result;
  result.id = in.u32();
  result.launch = in.u32();
  const std::uint8_t status = in.u8();
  const PacketError error = finish(in);
  if (error != PacketError::none) return error;
  if (status > static_cast<std::uint8_t>(k_last_command_status)) return PacketError::bad_value;
  result.status = static_cast<CommandStatus>(status);
  out = result;
  return PacketError::none;
}

void append(const Ticket& ticket, PlainText& out) {
  Appender to(out);
  to.writer.u16(ticket.lifetime);
  to.writer.bytes(ticket.bytes);
  to.done();
}

PacketError read(std::span<const std::uint8_t> content, Ticket& out) {
  ByteReader in(content);
  Ticket ticket;
  ticket.lifetime = in.u16();
  if (in.failed() || in.left() == 0) return PacketError::too_short;
  if (in.left() > k_max_resume_bytes) return PacketError::too_long;
  const auto bytes = in.bytes(in.left());
  ticket.bytes.assign(bytes.begin(), bytes.end());
  out = std::move(ticket);
  return PacketError::none;
}

void append(const PathChallenge& challenge, PlainText& out) {
  Appender to(out);
  to.writer.u64(challenge.proof);
  to.done();
}

PacketError read(std::span<const std::uint8_t> content, PathChallenge& out) {
  ByteReader in(content);
  const std::uint64_t proof = in.u64();
  const PacketError error = finish(in);
  if (error == PacketError::none) out.proof = proof;
  return error;
}

void append(const PathResponse& response, PlainText& out) {
  Appender to(out);
  to.writer.u64(response.proof);
  to.done();
}

PacketError read(std::span<const std::uint8_t> content, PathResponse& out) {
  ByteReader in(content);
  const std::uint64_t proof = in.u64();
  const PacketError error = finish(in);
  if (error == PacketError::none) out.proof = proof;
  return error;
}

}  // namespace contrail::wire
