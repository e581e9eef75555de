#include "wire_stages.hpp"

#include <algorithm>

#include <contrail/sim/world.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/packet_header.hpp>

#include "codec_samples.hpp"

namespace contrail::battery {
namespace {

using support::Dice;
using wire::samples::random_record;

void add(sim::Hash64& hash, const wire::Bytes& bytes) {
  hash.add_bytes(bytes.data(), bytes.size());
}

void add_record(sim::Hash64& hash, const sim::TickRecord& record, int log2_tick) {
  const wire::Bytes bytes = wire::encode_record(record, log2_tick);
  sim::TickRecord back;
  require_same(bool{wire::decode_record(bytes, log2_tick, back)} && back == record,
               "a record comes back as it was written");
  add(hash, bytes);
}

sim::Hash64 records() {
  sim::Hash64 hash;
  Dice dice(7);
  for (int i = 0; i < 400; ++i) {
    const int log2_tick = 9 + i % 5;
    const auto tick = static_cast<std::uint32_t>(dice.between(1, 0xFFFF'FFFF));
    add_record(hash, random_record(dice, tick, log2_tick, 6), log2_tick);
  }
  // A log that a world has folded.
  const auto scenario = support::random_scenario(dice);
  sim::World world(scenario);
  for (int tick = 1; tick <= 200; ++tick) {
    sim::TickRecord record = support::random_record(world, dice);
    require_same(world.fold(record).error == sim::FoldError::none, "a record fits");
    record.state_hashes = {world.take_state_hash()};
    add_record(hash, record, scenario->log2_tick);
  }
  return hash;
}

sim::Hash64 packets() {
  sim::Hash64 hash;
  Dice dice(8);
  for (int i = 0; i < 200; ++i) {
    const int log2_tick = 9 + i % 5;
    const auto last_tick = static_cast<std::uint32_t>(dice.between(100, 0xFFFF'FFFF));
    std::vector<sim::TickRecord> group;
    std::uint32_t complete = 0;
    for (const std::uint32_t age : {5U, 3U, 2U, 0U}) {
      group.push_back(random_record(dice, last_tick - age, log2_tick, 1));
      complete |= 1U << age;
    }
    std::vector<const sim::TickRecord*> pointers;
    pointers.reserve(group.size());
    for (const sim::TickRecord& record : group) {
      pointers.push_back(&record);
    }
    const wire::Bytes bytes = wire::encode_packet_body(pointers, last_tick, log2_tick);
    std::vector<sim::TickRecord> back;
    require_same(bool{wire::decode_packet_body(bytes, last_tick, complete, log2_tick, back)} &&
                     back == group,
                 "a packet's records come back");
    add(hash, bytes);
  }
  return hash;
}

sim::Hash64 messages() {
  sim::Hash64 hash;
  Dice dice(9);
  for (int i = 0; i < 60; ++i) {
    const wire::SessionHeader header = wire::samples::random_header(dice);
    const wire::Bytes header_bytes = wire::encode_session_header(header);
    wire::SessionHeader header_back;
    require_same(
        bool{wire::decode_session_header(header_bytes, header_back)} && header_back == header,
        "a session header comes back");
    add(hash, header_bytes);
    const int log2_tick = 9 + i % 5;
    const sim::Snapshot snapshot = wire::samples::random_snapshot(dice, log2_tick);
    const wire::Bytes snapshot_bytes = wire::encode_snapshot(snapshot, log2_tick);
    sim::Snapshot snapshot_back;
    require_same(bool{wire::decode_snapshot(snapshot_bytes, log2_tick, snapshot_back)} &&
                     snapshot_back == snapshot,
                 "a snapshot comes back");
    add(hash, snapshot_bytes);
    const wire::Input input = wire::samples::random_input(dice);
    const wire::Bytes input_bytes = wire::encode_input(input);
    wire::Input input_back;
    require_same(bool{wire::decode_input(input_bytes, input_back)} && input_back == input,
                 "an input comes back");
    add(hash, input_bytes);
    const std::vector<wire::Command> commands = wire::samples::random_commands(dice);
    const wire::Bytes command_bytes = wire::encode_commands(commands);
    std::vector<wire::Command> commands_back;
    require_same(
        bool{wire::decode_commands(command_bytes, commands_back)} && commands_back == commands,
        "commands come back");
    add(hash, command_bytes);
  }
  return hash;
}

sim::Hash64 datagrams() {
  sim::Hash64 hash;
  Dice dice(10);
  const auto word = [&] { return static_cast<std::uint32_t>(dice.next() & 0xFFFF'FFFFU); };
  const auto half = [&] { return static_cast<std::uint16_t>(dice.next() & 0xFFFFU); };
  for (int i = 0; i < 200; ++i) {
    const wire::AckBlock block{half(), half(), word()};
    const wire::TickBlock ticks{word(), word()};
    const wire::Pong pong{dice.between(0, std::int64_t{1} << 60),
                          dice.between(0, std::int64_t{1} << 60),
                          dice.between(0, std::int64_t{1} << 60), word()};
    wire::PlainText plain;
    wire::write_ack_block(block, plain);
    require_same(wire::read_ack_block(plain) == block, "an ack block comes back");
    if (i % 2 == 0) {
      wire::append(ticks, plain);
    } else {
      wire::append(pong, plain);
      wire::Pong back;
      require_same(wire::read(plain.content(), back) == wire::PacketError::none && back == pong,
                   "a pong comes back");
    }
    const wire::ClearHeader header{i % 2 == 0 ? wire::PacketType::tick : wire::PacketType::pong, 0,
                                   word(), half()};
    wire::Datagram datagram;
    // Not sealed: ciphers are libsodium's on every machine, and are not there on most of these.
    wire::write_clear_header(header, datagram.bytes);
    std::copy_n(plain.bytes.data(), plain.size, datagram.bytes.data() + wire::k_clear_header_bytes);
    datagram.size = wire::k_clear_header_bytes + plain.size;
    wire::ClearHeader back;
    require_same(
        wire::read_clear_header(datagram.view(), back) == wire::PacketError::none && back == header,
        "a clear header comes back");
    hash.add_bytes(datagram.bytes.data(), datagram.size);
  }
  return hash;
}

}  // namespace

void wire_stages(Stages& stages) {
  stages.push_back({"records", records()});
  stages.push_back({"packets", packets()});
  stages.push_back({"messages", messages()});
  stages.push_back({"datagrams", datagrams()});
}

}  // namespace contrail::battery
