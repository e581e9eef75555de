// Every byte that leaves the server has a name, and a quarter of interceptions fits the budget.

#include <gtest/gtest.h>

#include "transport_rig.hpp"

namespace contrail::server {
namespace {

using rig::k_millisecond;
using rig::k_second;
using rig::Rig;

/// What a wire-tap between server and clients counts.
struct Tap {
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;
  explicit Tap(Rig& rig) {
    rig.tamper = [this](const wire::Address&, wire::Bytes& datagram) {
      ++datagrams;
      bytes += datagram.size();
      return true;
    };
  }
};

TEST(ByteAccounting, a_tap_on_the_wire_counts_what_the_statistics_say_and_every_part_has_a_name) {
  rig::RigOptions options;
  options.snapshot_bytes = 40'000;
  Rig rig(options);
  Tap tap(rig);
  rig.network.set_conditions({50, 10, 50, 25 * k_millisecond, 10 * k_millisecond});
  rig.source = [busy = rig::busy_world(7, 11)](std::uint32_t tick) {
    sim::TickRecord record = busy(tick);
    if (tick % 40 == 0 && record.timelines.empty()) record.timelines.push_back({0, tick});
    return record;
  };
  for (int i = 0; i < 3; ++i) rig.add_client(rig.config(wire::Role::pilot));
  rig.run(5 * k_second);
  for (int i = 0; i < 20; ++i) {
    rig.clients[0]->connection.send_fire({1, 2, 0, 0});
    rig.run(k_second / 2);
  }
  rig.broadcaster->close(wire::DisconnectReason::closing);
  rig.run(k_second / 2);

  const BroadcasterStatistics s = rig.broadcaster->statistics();
  EXPECT_EQ(tap.datagrams, s.datagrams_sent);
  EXPECT_EQ(tap.bytes, s.bytes_sent);
  EXPECT_EQ(s.sent.total(), s.bytes_sent);
  for (std::size_t i = 0; i < wire::k_record_kinds; ++i) {
    const auto kind = static_cast<wire::RecordKind>(i);
    EXPECT_GT(s.sent.payload.of(kind), 0U) << wire::name_of(kind);
  }
  EXPECT_GT(s.sent.messages, 0U);
  EXPECT_GT(s.sent.slices, 3U * (40'000 + options.header_bytes));
  EXPECT_GT(s.sent.controls, 0U);
  EXPECT_GT(s.sent.envelopes, s.datagrams_sent * 30);
  EXPECT_GT(s.sent.handshakes, 0U);
}

/// Salvos of 16 that fly for 8 s, six in a second; a quarter of the missiles is intercepted at 20
/// to 100 % of its flight. 50 ms there and back, 5 % lost.
TEST(ByteAccounting, with_a_quarter_intercepted_a_missile_costs_at_most_a_byte_a_second) {
  Rig rig({});
  rig.network.set_conditions({50, 0, 0, 25 * k_millisecond, 4 * k_millisecond});
  rig.add_client(rig.config(wire::Role::pilot));
  rig.run(2 * k_second);
  support::Dice dice(rig::test_seed(3));
  std::map<std::uint32_t, std::uint32_t> ends;  // by tick
  std::uint64_t flown = 0;                      // ticks
  rig.source = [&](std::uint32_t tick) {
    sim::TickRecord record;
    if (tick % 5 == 0) {
      record.launches.push_back({tick, 1, 2, 0, 64, 0, 0, 16, 13});
      record.launches.back().t0 = sim::Subtick{tick} << 11;
      for (int i = 0; i < 16; ++i) {
        const bool intercepted = dice.chance(25);
        const auto life = static_cast<std::uint32_t>(intercepted ? dice.between(51, 256) : 256);
        if (intercepted) ++ends[tick + life];
        flown += life;
      }
    }
    for (std::uint32_t i = 0; i < ends[tick]; ++i) {
      sim::Outcome end;
      end.index = static_cast<std::uint8_t>(i);
      end.kind = sim::EndKind::intercepted;
      end.victim = 1;
      end.time = sim::Subtick{tick} << 11;
      record.outcomes.push_back(end);
    }
    return record;
  };
  const BroadcasterStatistics before = rig.broadcaster->statistics();
  rig.run(120 * k_second);
  const BroadcasterStatistics after = rig.broadcaster->statistics();
  const std::uint64_t bytes = after.sent.payload.missiles() - before.sent.payload.missiles();
  const double seconds = static_cast<double>(flown) / 32;
  std::printf("%.3f B a missile and second (%llu B, %.0f s)\n",
              static_cast<double>(bytes) / seconds, static_cast<unsigned long long>(bytes),
              seconds);
  EXPECT_LE(static_cast<double>(bytes), 1.0 * seconds);
  EXPECT_GE(static_cast<double>(bytes), 0.5 * seconds) << "interceptions are records";
}

}  // namespace
}  // namespace contrail::server
