#include "seeds.hpp"

#include <algorithm>
#include <memory>

#include <contrail/support/random_log.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/connect_token.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/handshake.hpp>
#include <contrail/wire/slices.hpp>

namespace contrail::fuzz {
namespace {

using wire::Bytes;

template <class Encode>
Bytes datagram(const Encode& encode) {
  wire::Datagram out;
  encode(out);
  return {out.view().begin(), out.view().end()};
}

void add_handshake(std::vector<Seed>& out) {
  const auto add = [&](const std::string& name, const auto& encode) {
    out.push_back({"handshake", name, datagram(encode)});
  };
  wire::Hello hello;
  hello.version.fingerprint = {1, 2};
  hello.nonce = 0x0123'4567'89AB'CDEF;
  hello.public_key.fill(7);
  add("first_hello", [&](wire::Datagram& d) { wire::encode_hello(hello, d); });
  hello.has_cookie = true;
  hello.cookie.issued = 500;
  hello.cookie.code.fill(9);
  hello.role = wire::Role::pilot;
  hello.entity = 3;
  add("hello_with_cookie", [&](wire::Datagram& d) { wire::encode_hello(hello, d); });
  hello.token.assign(wire::k_max_token_bytes, 1);
  hello.resume.assign(40, 2);
  add("hello_with_token_and_ticket", [&](wire::Datagram& d) { wire::encode_hello(hello, d); });
  ++hello.version.minor;
  hello.token.clear();
  hello.resume.clear();
  add("hello_of_another_version", [&](wire::Datagram& d) { wire::encode_hello(hello, d); });
  add("challenge", [&](wire::Datagram& d) {
    wire::encode_challenge({hello.nonce, hello.cookie}, d);
  });
  wire::Welcome welcome;
  welcome.nonce = hello.nonce;
  welcome.connection = 0x0004'0001;
  welcome.header_bytes = 3000;
  welcome.tick = 100;
  add("welcome", [&](wire::Datagram& d) { wire::encode_welcome(welcome, {}, d); });
  for (int reason = 1; reason <= static_cast<int>(wire::k_last_refuse_reason); ++reason) {
    const wire::Refuse refuse{hello.nonce, static_cast<wire::RefuseReason>(reason), hello.version,
                              16};
    add("refuse_" + std::to_string(reason),
        [&](wire::Datagram& d) { wire::encode_refuse(refuse, d); });
  }
  Bytes sealed(40, 0);
  wire::write_clear_header({wire::PacketType::tick, 0, 0x0004'0001, 77}, sealed);
  out.push_back({"handshake", "sealed_packet", sealed});
}

Bytes content(const wire::PlainText& plain) {
  return {plain.content().begin(), plain.content().end()};
}

template <class... Parts>
Bytes written(const Parts&... parts) {
  wire::PlainText plain;
  wire::write_ack_block({}, plain);
  (append(parts, plain), ...);
  return content(plain);
}

Bytes slice(const wire::SliceHeader& header, const Bytes& bytes) {
  wire::PlainText plain;
  wire::write_ack_block({}, plain);
  append(header, bytes, plain);
  return content(plain);
}

void add_contents(std::vector<Seed>& out) {
  enum : std::uint8_t {
    k_tick,
    k_slice,
    k_slice_ack,
    k_ping,
    k_pong,
    k_disconnect,
    k_result,
    k_ticket,
    k_path_challenge,
    k_path_response
  };
  const auto add = [&](const std::string& name, std::uint8_t type, const Bytes& bytes) {
    Bytes input{type};
    input.insert(input.end(), bytes.begin(), bytes.end());
    out.push_back({"sealed_content", name, input});
  };
  add("tick_without_records", k_tick, written(wire::TickBlock{500, 0xFFFF}));
  add("tick_with_body", k_tick,
      written(wire::TickBlock{500, 1}, std::span<const std::uint8_t>(Bytes(30, 5))));
  using wire::StreamKind;
  add("slice_of_the_session_header", k_slice,
      slice({{StreamKind::session_header, 0}, 0, 20}, Bytes(20, 1)));
  add("last_slice_of_a_snapshot", k_slice,
      slice({{StreamKind::snapshot, 500}, 2, 2 * wire::k_slice_bytes + 30}, Bytes(30, 1)));
  add("last_full_slice_of_a_record", k_slice,
      slice({{StreamKind::record, 501}, 1, 2 * wire::k_slice_bytes},
            Bytes(wire::k_slice_bytes, 1)));
  wire::SliceAck ack;
  ack.stream = {StreamKind::snapshot, 500};
  ack.first_missing = 3;
  add("ack_of_the_first_slices", k_slice_ack, written(ack));
  ack.bits[0] = 0b1010'0110;
  add("ack_with_gaps", k_slice_ack, written(ack));
  ack.bits.back() = 1U << 31U;
  add("ack_of_the_whole_window", k_slice_ack, written(ack));
  ack.first_missing = wire::SliceAck::k_all;
  ack.bits = {};
  add("ack_of_all_slices", k_slice_ack, written(ack));
  add("ping", k_ping, written(wire::Ping{5 * wire::k_second}));
  add("pong", k_pong, written(wire::Pong{5 * wire::k_second, 100, 200, 1}));
  add("disconnect", k_disconnect, written(wire::Disconnect{wire::DisconnectReason::closing}));
  add("command_result", k_result,
      written(wire::CommandResult{7, wire::CommandStatus::launched, 12}));
  add("ticket", k_ticket, written(wire::Ticket{120, Bytes(200, 3)}));
  add("path_challenge", k_path_challenge, written(wire::PathChallenge{1}));
  add("path_response", k_path_response, written(wire::PathResponse{1}));
}

void add_tokens(std::vector<Seed>& out) {
  wire::TokenFace face;
  face.key_id = 5;
  face.created = 1'000'000;
  face.expires = 2'000'000;
  wire::TokenGrant grant;
  grant.account = 9;
  const auto add = [&](const std::string& name) {
    Bytes token = issue_token(face, grant, {face.key_id, {}}, {});
    token.insert(token.begin(), 1);
    out.push_back({"connect_token", name, token});
  };
  add("for_every_server");
  face.addresses.assign(wire::k_max_token_addresses, wire::ipv4_address(10, 0, 0, 1, 7777));
  grant.role = wire::Role::pilot;
  grant.entities = {1, 2, 3};
  grant.user_data.assign(wire::k_max_user_data_bytes, 4);
  add("of_the_largest_size");
  Bytes pass = issue_token(face, grant, {face.key_id, {}}, {});
  pass.resize(pass.size() - wire::k_key_bytes);
  pass.insert(pass.begin(), 0);
  out.push_back({"connect_token", "pass_alone", pass});
}

/// Packets as log_assembler.cpp takes them.
class Packets {
 public:
  explicit Packets(std::uint32_t tick) : bytes_(5) {
    bytes_[0] = 11 - 9;
    for (int i = 0; i < 4; ++i) {
      bytes_[static_cast<std::size_t>(1 + i)] = static_cast<std::uint8_t>(tick >> (8 * i));
    }
  }
  void tick(std::uint32_t tick, std::uint32_t complete) {
    sim::TickRecord record;
    record.tick = tick;
    record.health.push_back({1, static_cast<std::uint16_t>(tick)});
    const sim::TickRecord* const records[] = {&record};
    const Bytes body = wire::encode_packet_body(records, tick, 11);
    packet(0, written(wire::TickBlock{tick, complete}, std::span<const std::uint8_t>(body)));
  }
  void stream(wire::StreamName name, const Bytes& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += wire::k_slice_bytes) {
      const std::size_t size = std::min(wire::k_slice_bytes, bytes.size() - at);
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      packet(1, slice({name, static_cast<std::uint16_t>(at / wire::k_slice_bytes),
                       static_cast<std::uint32_t>(bytes.size())},
                      {begin, begin + static_cast<std::ptrdiff_t>(size)}));
    }
  }
  void take() { bytes_.push_back(2); }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  void packet(std::uint8_t kind, const Bytes& bytes) {
    bytes_.insert(bytes_.end(), {kind, static_cast<std::uint8_t>(bytes.size()),
                                 static_cast<std::uint8_t>(bytes.size() >> 8)});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  Bytes bytes_;
};

void add_assemblies(std::vector<Seed>& out) {
  using wire::StreamKind;
  Packets joining(100);
  joining.stream({StreamKind::session_header, 0}, Bytes(60, 1));
  joining.tick(101, 1);
  joining.stream({StreamKind::snapshot, 100}, Bytes(1300, 2));
  joining.take();
  joining.tick(103, 1);
  joining.tick(102, 3);
  joining.take();
  out.push_back({"log_assembler", "joining", joining.bytes()});

  sim::TickRecord large;
  large.tick = 101;
  for (std::uint16_t i = 0; i < 350; ++i) large.health.push_back({i, 9});
  Packets sliced(100);
  sliced.stream({StreamKind::session_header, 0}, Bytes(20, 1));
  sliced.stream({StreamKind::snapshot, 100}, Bytes(20, 2));
  sliced.stream({StreamKind::record, 101}, wire::encode_record(large, 11));
  sliced.tick(102, 1);
  sliced.take();
  out.push_back({"log_assembler", "record_in_slices", sliced.bytes()});

  Packets resync(100);
  resync.stream({StreamKind::session_header, 0}, Bytes(20, 1));
  resync.stream({StreamKind::snapshot, 100}, Bytes(20, 2));
  resync.tick(101, 1);
  resync.take();
  resync.tick(180, 1);
  resync.stream({StreamKind::snapshot, 179}, Bytes(20, 3));
  resync.take();
  out.push_back({"log_assembler", "snapshot_replaces_a_backlog", resync.bytes()});
}

void add_networks(std::vector<Seed>& out) {
  out.push_back({"network", "everything_arrives", Bytes(1, 0)});
  const auto add = [&](const std::string& name, std::uint64_t seed, std::size_t size, int from,
                       int to) {
    support::Dice dice(seed);
    Bytes script(size);
    for (auto& byte : script) byte = static_cast<std::uint8_t>(dice.between(from, to));
    out.push_back({"network", name, script});
  };
  add("loses_and_repeats", 1, 300, 0, 4);
  add("changes_and_cuts", 2, 300, 0, 7);
  add("commands_and_pauses", 3, 300, 0, 9);
  add("forges_packets", 4, 400, 0, 15);
  add("anything", 5, 500, 0, 255);
}

}  // namespace

std::vector<Seed> transport_seeds() {
  std::vector<Seed> out;
  add_handshake(out);
  add_contents(out);
  add_tokens(out);
  add_assemblies(out);
  add_networks(out);
  return out;
}

}  // namespace contrail::fuzz
