// Input: {log2_tick u8, tick u32 of the welcome}, then packets: {kind u8, length u16, content}.
// Kind 0 is a tick packet, 1 a slice, 2 takes what is ready (length and content are left out);
// others by remainder.

#include <contrail/fuzz/target.hpp>

#include <contrail/wire/log_assembler.hpp>

namespace contrail::fuzz {
namespace {

class Client {
 public:
  Client(int log2_tick, std::uint32_t tick) : log_(log2_tick, tick) {}

  wire::PacketError packet(bool slice, ByteView content) {
    ByteView bytes;
    wire::PacketError error{};
    if (slice) {
      wire::SliceHeader header;
      error = read(content, header, bytes);
      return error == wire::PacketError::none ? log_.on_slice(header, bytes) : error;
    }
    wire::TickBlock block;
    error = read(content, block, bytes);
    return error == wire::PacketError::none ? log_.on_tick_packet(block, bytes) : error;
  }

  void take() {
    for (int acks = 0; log_.owes_slice_ack(); ++acks) {
      check(log_.next_slice_ack().has_value(), "an acknowledgement that is owed can be had");
      check(acks < 4096, "acknowledgements come to an end");
    }
    if (const auto header = log_.take_session_header()) {
      check(!header->empty() && !had_header_, "there is one session header");
      had_header_ = true;
    }
    if (const auto snapshot = log_.take_snapshot()) {
      check(snapshot->tick >= complete_ || complete_ == 0, "snapshots do not go back");
      complete_ = snapshot->tick;
    }
    for (const sim::TickRecord& record : log_.take_records()) {
      check(record.tick > complete_, "records follow what was handed out before");
      check(!record.empty(), "records say something");
      complete_ = record.tick;
    }
    check(log_.complete_tick() >= complete_ && log_.known_tick() >= log_.complete_tick(),
          "what was handed out is known");
    complete_ = log_.complete_tick();
  }

 private:
  wire::LogAssembler log_;
  bool had_header_ = false;
  std::uint32_t complete_ = 0;
};

}  // namespace

Outcome run_log_assembler(ByteView input) {
  Parameters parameters(input);
  const int log2_tick = parameters.log2_tick();
  Client client(log2_tick, parameters.reader.u32());
  Outcome outcome;
  while (parameters.reader.left() > 0 && !parameters.reader.failed()) {
    const int kind = parameters.reader.u8() % 3;
    if (kind == 2) {
      client.take();
      continue;
    }
    const std::size_t length = parameters.reader.u16();
    const ExactCopy content(parameters.reader.bytes(std::min(length, parameters.reader.left())));
    const wire::PacketError error = client.packet(kind == 1, content.view());
    if (error != wire::PacketError::none && outcome.accepted) outcome = outcome_of(error);
  }
  client.take();
  return outcome;
}

}  // namespace contrail::fuzz
