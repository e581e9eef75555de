// Input: {packet type u8}, then what follows the ack block in a packet of that type. The type comes
// from the byte's remainder, so that every input is of some type. Slices are received, and what
// acknowledges slices acknowledges a stream under way.

#include <contrail/fuzz/target.hpp>

#include <algorithm>
#include <array>
#include <memory>

#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/slices.hpp>

namespace contrail::fuzz {
namespace {

/// Message is written again behind an ack block, as any packet has one.
template <class... Parts>
void check_written(ByteView content, const Parts&... parts) {
  wire::PlainText plain;
  wire::write_ack_block({}, plain);
  (append(parts, plain), ...);
  const auto written = plain.content();
  check(std::equal(written.begin(), written.end(), content.begin(), content.end()),
        "an accepted content is written into other bytes");
}

template <class Message>
Outcome check_message(ByteView content, const Message& sentinel) {
  Message message = sentinel;
  const wire::PacketError error = read(content, message);
  if (error != wire::PacketError::none) {
    check(message == sentinel, "a refused content changed the output");
    return outcome_of(error);
  }
  check_written(content, message);
  return k_accepted;
}

Outcome check_tick_block(ByteView content) {
  const wire::TickBlock sentinel{77, 78};
  wire::TickBlock block = sentinel;
  ByteView body;
  const wire::PacketError error = read(content, block, body);
  if (error != wire::PacketError::none) {
    check(block == sentinel && body.empty(), "a refused content changed the output");
    return outcome_of(error);
  }
  check_written(content, block, body);
  return k_accepted;
}

Outcome check_slice(ByteView content) {
  wire::SliceHeader sentinel;
  sentinel.index = 77;
  wire::SliceHeader header = sentinel;
  ByteView bytes;
  const wire::PacketError error = read(content, header, bytes);
  if (error != wire::PacketError::none) {
    check(header == sentinel && bytes.empty(), "a refused content changed the output");
    return outcome_of(error);
  }
  wire::PlainText plain;
  wire::write_ack_block({}, plain);
  append(header, bytes, plain);
  const auto written = plain.content();
  check(std::equal(written.begin(), written.end(), content.begin(), content.end()),
        "an accepted slice is written into other bytes");

  if (header.total > 64 * wire::k_slice_bytes) return k_accepted;  // large ones take their time
  using Result = wire::SliceReceiver::Result;
  wire::SliceReceiver receiver(header);
  const Result first = receiver.add(header, bytes);
  check(first == (wire::slice_count(header.total) == 1 ? Result::completed : Result::added),
        "the first slice of a stream is new");
  check(receiver.complete() || receiver.add(header, bytes) == Result::duplicate,
        "the same slice again is a duplicate");
  if (receiver.complete()) {
    const Bytes whole = receiver.take();
    check(std::equal(whole.begin(), whole.end(), bytes.begin(), bytes.end()),
          "a stream of one slice is its bytes");
  }
  return k_accepted;
}

Outcome check_slice_ack(ByteView content) {
  wire::SliceAck sentinel;
  sentinel.first_missing = 77;
  wire::SliceAck ack = sentinel;
  const wire::PacketError error = read(content, ack);
  if (error != wire::PacketError::none) {
    check(ack == sentinel, "a refused content changed the output");
    return outcome_of(error);
  }
  // The writer leaves out words of zeros at the end, so compare what is read.
  wire::PlainText plain;
  wire::write_ack_block({}, plain);
  append(ack, plain);
  wire::SliceAck again;
  check(read(plain.content(), again) == wire::PacketError::none && again == ack,
        "an accepted acknowledgement is written the same");

  static const auto bytes = std::make_shared<const Bytes>(20 * wire::k_slice_bytes, 1);
  wire::SliceSender sender(ack.stream, bytes);
  for (std::uint16_t i = 0; i < 12; ++i) sender.sent(i, i, i);
  const bool good = sender.acknowledge(ack) == wire::PacketError::none;
  check(!sender.complete(), "what was never sent can't have arrived");
  const auto next = sender.next(100, 4, 11);
  check(next && *next < 20 && (good || *next <= 12), "there is a slice left to send");
  return k_accepted;
}

}  // namespace

Outcome run_sealed_content(ByteView input) {
  using wire::PacketType;
  constexpr std::array k_types{PacketType::tick,           PacketType::slice,
                               PacketType::slice_ack,      PacketType::ping,
                               PacketType::pong,           PacketType::disconnect,
                               PacketType::command_result, PacketType::ticket,
                               PacketType::path_challenge, PacketType::path_response};
  Parameters parameters(input);
  const PacketType type = k_types[parameters.reader.u8() % k_types.size()];
  const ExactCopy copy(parameters.rest());
  const ByteView content = copy.view();
  if (content.size() > wire::k_max_plain_bytes - wire::k_ack_block_bytes) {
    return outcome_of(wire::PacketError::too_long);  // no datagram brings so much
  }
  switch (type) {
    case PacketType::tick:
      return check_tick_block(content);
    case PacketType::slice:
      return check_slice(content);
    case PacketType::slice_ack:
      return check_slice_ack(content);
    case PacketType::ping:
      return check_message(content, wire::Ping{77});
    case PacketType::pong:
      return check_message(content, wire::Pong{77, 78, 79, 80});
    case PacketType::disconnect:
      return check_message(content, wire::Disconnect{wire::DisconnectReason::kicked});
    case PacketType::ticket:
      return check_message(content, wire::Ticket{77, {1, 2}});
    case PacketType::path_challenge:
      return check_message(content, wire::PathChallenge{77});
    case PacketType::path_response:
      return check_message(content, wire::PathResponse{77});
    default:
      return check_message(content, wire::CommandResult{77, wire::CommandStatus::taken, 78});
  }
}

}  // namespace contrail::fuzz
