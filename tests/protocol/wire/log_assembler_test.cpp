#include <contrail/wire/log_assembler.hpp>

#include <gtest/gtest.h>

#include <contrail/wire/codec.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

constexpr int k_log2_tick = 11;

sim::TickRecord record_of(std::uint32_t tick) {
  sim::TickRecord record;
  record.tick = tick;
  record.health.push_back({static_cast<std::uint16_t>(tick), 7});
  return record;
}

PacketError give_packet(LogAssembler& log, std::uint32_t last, std::uint32_t complete,
                        const std::vector<sim::TickRecord>& records) {
  std::vector<const sim::TickRecord*> pointers;
  for (const auto& record : records) pointers.push_back(&record);
  return log.on_tick_packet({last, complete}, encode_packet_body(pointers, last, k_log2_tick));
}

PacketError give_slice(LogAssembler& log, StreamName stream, const Bytes& whole,
                       std::uint16_t index) {
  const std::size_t at = index * k_slice_bytes;
  const std::size_t size = std::min(k_slice_bytes, whole.size() - at);
  return log.on_slice({stream, index, static_cast<std::uint32_t>(whole.size())},
                      std::span(whole).subspan(at, size));
}

PacketError give_snapshot(LogAssembler& log, std::uint32_t tick) {
  return give_slice(log, {StreamKind::snapshot, tick}, Bytes(100, 1), 0);
}

std::vector<std::uint32_t> ticks_of(const std::vector<sim::TickRecord>& records) {
  std::vector<std::uint32_t> out;
  for (const auto& record : records) out.push_back(record.tick);
  return out;
}

using Ticks = std::vector<std::uint32_t>;

TEST(LogAssembler, records_wait_for_the_snapshot_and_for_those_before_them) {
  LogAssembler log(k_log2_tick, 100);
  EXPECT_EQ(give_packet(log, 103, 0b101, {record_of(101), record_of(103)}), PacketError::none);
  EXPECT_TRUE(log.take_records().empty());
  EXPECT_EQ(give_snapshot(log, 100), PacketError::none);
  EXPECT_TRUE(log.take_records().empty());  // the snapshot comes first
  ASSERT_TRUE(log.take_snapshot().has_value());
  EXPECT_FALSE(log.take_snapshot().has_value());
  EXPECT_EQ(ticks_of(log.take_records()), Ticks{101});
  EXPECT_EQ(log.complete_tick(), 101U);
  EXPECT_EQ(give_packet(log, 103, 0b010, {}), PacketError::none);  // 102 had nothing to say
  EXPECT_EQ(ticks_of(log.take_records()), Ticks{103});
  EXPECT_EQ(log.complete_tick(), 103U);
}

TEST(LogAssembler, copies_count_and_change_nothing) {
  LogAssembler log(k_log2_tick, 0);
  give_snapshot(log, 0);
  log.take_snapshot();
  sim::TickRecord launch;
  launch.tick = 1;
  launch.launches.resize(2);
  launch.launches[0].t0 = launch.launches[1].t0 = 2048;
  for (auto& l : launch.launches) {
    l.pieces = 1;
    l.count = 1;
  }
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(give_packet(log, 1, 1, {launch}), PacketError::none);
    EXPECT_EQ(log.take_records().size(), i == 0 ? 1U : 0U);
  }
  ConnectionStatistics statistics;
  log.add_to(statistics);
  EXPECT_EQ(statistics.records, 1U);
  EXPECT_EQ(statistics.duplicate_records, 2U);
  EXPECT_EQ(statistics.launch_bytes, 96U);
  EXPECT_EQ(statistics.unique_launch_bytes, 32U);
}

TEST(LogAssembler, a_large_record_comes_in_slices) {
  const std::uint64_t seed = samples::test_seed(51);
  SCOPED_TRACE("seed " + std::to_string(seed));
  samples::Dice dice(seed);
  sim::TickRecord large;
  large.tick = 2;
  while (record_bytes(large) < 10 * k_slice_bytes) {
    large.health.push_back({static_cast<std::uint16_t>(large.health.size()), 1});
  }
  const Bytes bytes = encode_record(large, k_log2_tick);
  LogAssembler log(k_log2_tick, 0);
  give_snapshot(log, 0);
  log.take_snapshot();
  EXPECT_EQ(give_packet(log, 3, 0b101, {record_of(1), record_of(3)}), PacketError::none);
  EXPECT_EQ(ticks_of(log.take_records()), Ticks{1});
  const StreamName stream{StreamKind::record, 2};
  for (std::uint16_t i = 0; i < slice_count(bytes.size()); ++i) {
    ASSERT_TRUE(log.take_records().empty());
    ASSERT_EQ(give_slice(log, stream, bytes, i), PacketError::none);
    ASSERT_EQ(give_slice(log, stream, bytes, i), PacketError::none);
  }
  const auto records = log.take_records();
  ASSERT_EQ(ticks_of(records), (Ticks{2, 3}));
  EXPECT_EQ(encode_record(records[0], k_log2_tick), bytes);
  // The end is acknowledged again when a late copy asks for it.
  ASSERT_EQ(give_slice(log, stream, bytes, 0), PacketError::none);
  SliceAck last;
  while (auto ack = log.next_slice_ack()) last = *ack;
  EXPECT_EQ(last.stream, stream);
  EXPECT_EQ(last.first_missing, SliceAck::k_all);
}

TEST(LogAssembler, a_newer_snapshot_replaces_what_is_missing) {
  LogAssembler log(k_log2_tick, 0);
  give_snapshot(log, 0);
  log.take_snapshot();
  give_packet(log, 3, 0b011, {record_of(2), record_of(3)});  // 1 never comes
  EXPECT_TRUE(log.take_records().empty());
  give_packet(log, 80, 0b001, {record_of(80)});
  ASSERT_EQ(give_snapshot(log, 78), PacketError::none);
  const auto snapshot = log.take_snapshot();
  ASSERT_TRUE(snapshot.has_value());
  EXPECT_EQ(snapshot->tick, 78U);
  EXPECT_TRUE(log.take_records().empty());
  give_packet(log, 80, 0b010, {record_of(79)});
  EXPECT_EQ(ticks_of(log.take_records()), (Ticks{79, 80}));
  ConnectionStatistics statistics;
  log.add_to(statistics);
  EXPECT_EQ(statistics.resyncs, 1U);
}

TEST(LogAssembler, a_snapshot_that_came_too_late_to_be_needed_is_ignored) {
  LogAssembler log(k_log2_tick, 0);
  give_snapshot(log, 0);
  log.take_snapshot();
  give_packet(log, 5, 0b11111, {record_of(5)});
  EXPECT_EQ(ticks_of(log.take_records()), Ticks{5});
  EXPECT_EQ(give_snapshot(log, 4), PacketError::none);
  EXPECT_FALSE(log.take_snapshot().has_value());
  EXPECT_EQ(log.complete_tick(), 5U);
  // One given up by its sender neither.
  EXPECT_EQ(give_snapshot(log, 3), PacketError::none);
  EXPECT_FALSE(log.take_snapshot().has_value());
}

TEST(LogAssembler, a_bit_without_its_record_is_an_empty_tick) {
  // The negative control of every test that compares logs: a wrong complete bit loses a record.
  LogAssembler log(k_log2_tick, 0);
  give_snapshot(log, 0);
  log.take_snapshot();
  give_packet(log, 2, 0b11, {record_of(2)});  // claims that tick 1 is empty
  give_packet(log, 2, 0b11, {record_of(1), record_of(2)});
  EXPECT_EQ(ticks_of(log.take_records()), Ticks{2});
}

TEST(LogAssembler, what_is_refused_changes_nothing) {
  LogAssembler log(k_log2_tick, 100);
  give_snapshot(log, 100);
  log.take_snapshot();
  const auto far = static_cast<std::uint32_t>(100 + k_max_held_ticks + 1);
  EXPECT_EQ(give_packet(log, 0, 1, {}), PacketError::bad_tick);
  EXPECT_EQ(give_packet(log, far, 1, {}), PacketError::bad_tick);
  EXPECT_EQ(give_snapshot(log, far), PacketError::bad_tick);
  EXPECT_EQ(give_slice(log, {StreamKind::record, far}, Bytes(100), 0), PacketError::bad_tick);
  EXPECT_EQ(give_packet(log, 101, 0, {record_of(101)}), PacketError::bad_body);  // no bit
  EXPECT_EQ(log.on_tick_packet({101, 1}, Bytes(50, 0x55)), PacketError::bad_body);
  EXPECT_EQ(give_slice(log, {StreamKind::record, 101}, Bytes(100, 0x55), 0), PacketError::bad_body);
  EXPECT_TRUE(log.take_records().empty());
  EXPECT_EQ(log.complete_tick(), 100U);
  EXPECT_EQ(give_packet(log, 101, 1, {record_of(101)}), PacketError::none);
  EXPECT_EQ(ticks_of(log.take_records()), Ticks{101});
}

TEST(LogAssembler, holds_a_bounded_number_of_ticks) {
  LogAssembler log(k_log2_tick, 1000);  // no snapshot ever comes
  PacketError error = PacketError::none;
  std::size_t packets = 0;
  for (std::uint32_t last = 1032; error == PacketError::none && packets < 10'000; last += 32) {
    error = give_packet(log, last, 0xFFFF'FFFF, {record_of(last)});
    ++packets;
  }
  EXPECT_EQ(error, PacketError::over_limit);
  EXPECT_EQ(packets, k_max_held_ticks / 32 + 1);
  // Large records under way are bounded, too.
  LogAssembler other(k_log2_tick, 1000);
  std::uint32_t tick = 1001;
  while (give_slice(other, {StreamKind::record, tick}, Bytes(5000), 0) == PacketError::none) ++tick;
  EXPECT_EQ(tick, 1001 + k_max_record_streams);
}

TEST(LogAssembler, names_the_newest_tick_that_had_something_to_say) {
  LogAssembler log(k_log2_tick, 0);
  give_snapshot(log, 0);
  log.take_snapshot();
  sim::TickRecord quiet;
  quiet.tick = 3;
  quiet.state_hashes.emplace_back();
  give_packet(log, 3, 0b111, {record_of(2), quiet});
  EXPECT_EQ(log.take_newly_known(), 2U);
  EXPECT_EQ(log.take_newly_known(), std::nullopt);
  EXPECT_EQ(log.known_tick(), 3U);
}

}  // namespace
}  // namespace contrail::wire
