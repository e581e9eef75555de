// Negative controls over a transport that seals nothing (tests/support/plaintext_seal.cpp): what
// the tests of the sealed one would see if there were something to see.

#include <gtest/gtest.h>

#include "captured_session.hpp"

namespace contrail::server::rig {
namespace {

TEST(TransportPlaintext, negative_control_records_stand_in_datagrams_that_are_not_sealed) {
  const Capture capture = capture_session();
  EXPECT_GT(capture.records, 100U);
  EXPECT_GT(capture.seen, 1000U);
}

/// Changes the complete bits of tick packets from tick 100 on.
Tamper change_complete_bits(std::uint32_t set, std::uint32_t clear) {
  return [set, clear](const wire::Address&, wire::Bytes& datagram) {
    if (datagram[0] != static_cast<std::uint8_t>(wire::PacketType::tick)) return true;
    const auto word = [&](std::size_t at) {
      return std::uint32_t{datagram[at]} | std::uint32_t{datagram[at + 1]} << 8 |
             std::uint32_t{datagram[at + 2]} << 16 | std::uint32_t{datagram[at + 3]} << 24;
    };
    if (word(16) < 100) return true;
    const std::uint32_t complete = (word(20) | set) & ~clear;
    for (std::size_t i = 0; i < 4; ++i) {
      datagram[20 + i] = static_cast<std::uint8_t>(complete >> (8 * i));
    }
    return true;
  };
}

TEST(Transport, negative_control_a_complete_bit_too_many_loses_a_record) {
  Rig rig({});
  rig.network.set_conditions({200, 0, 0, 25 * k_millisecond, 0});
  rig.source = busy_world(3, 11);
  rig.tamper = change_complete_bits(1U << 1, 0);
  rig.add_client();
  rig.run(20 * k_second);
  EXPECT_NE(difference(rig, rig.clients[0]->segments[0]), "");
}

TEST(Transport, negative_control_a_complete_bit_too_few_holds_the_log_up) {
  Rig rig({});
  rig.network.set_conditions({0, 0, 0, 25 * k_millisecond, 0});
  rig.tamper = change_complete_bits(0, 0xFFFF'FFFF);  // nothing is ever complete
  rig.add_client();
  rig.run(5 * k_second);
  EXPECT_LT(rig.clients[0]->connection.complete_tick(), 101U);
  EXPECT_GT(rig.tick, 150U);
}

}  // namespace
}  // namespace contrail::server::rig
