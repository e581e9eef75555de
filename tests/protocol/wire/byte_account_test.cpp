// What each kind of record costs, against the codec's own bytes.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include <contrail/wire/byte_account.hpp>
#include <contrail/wire/codec.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

/// The budget of the format: whoever changes one of these changes what a match costs.
TEST(ByteAccount, every_kind_costs_what_the_specification_says) {
  const std::map<std::string, std::size_t> stated{
      {"launch", 16},    {"outcome", 8},       {"guidance", 12},     {"health", 6},
      {"despawn", 8},    {"spawn", 44},        {"turret_mode", 12},  {"shot", 12},
      {"track_key", 28}, {"relative_key", 16}, {"attitude_key", 12}, {"custom", 4},
      {"timeline", 12},  {"state_hash", 28}};
  ASSERT_EQ(stated.size(), k_record_kinds);
  for (std::size_t i = 0; i < k_record_kinds; ++i) {
    const auto kind = static_cast<RecordKind>(i);
    EXPECT_EQ(element_bytes(kind), stated.at(name_of(kind))) << name_of(kind);
  }
}

/// Twelve of a kind more make a record longer by twelve times its size.
TEST(ByteAccount, a_record_grows_by_what_its_elements_cost) {
  const auto grown = [](const auto& member, RecordKind kind) {
    sim::TickRecord few;
    sim::TickRecord many;
    few.tick = many.tick = 5;
    (few.*member).resize(2);
    (many.*member).resize(14);
    EXPECT_EQ(record_bytes(many) - record_bytes(few), 12 * element_bytes(kind)) << name_of(kind);
    ByteAccount account;
    account.add(many);
    EXPECT_EQ(account.of(kind), 14 * element_bytes(kind));
    EXPECT_EQ(account.total(), account.of(kind)) << name_of(kind);
  };
  grown(&sim::TickRecord::launches, RecordKind::launch);
  grown(&sim::TickRecord::outcomes, RecordKind::outcome);
  grown(&sim::TickRecord::guidance, RecordKind::guidance);
  grown(&sim::TickRecord::health, RecordKind::health);
  grown(&sim::TickRecord::despawns, RecordKind::despawn);
  grown(&sim::TickRecord::spawns, RecordKind::spawn);
  grown(&sim::TickRecord::turret_modes, RecordKind::turret_mode);
  grown(&sim::TickRecord::shots, RecordKind::shot);
  grown(&sim::TickRecord::track_keys, RecordKind::track_key);
  grown(&sim::TickRecord::relative_keys, RecordKind::relative_key);
  grown(&sim::TickRecord::attitude_keys, RecordKind::attitude_key);
  grown(&sim::TickRecord::customs, RecordKind::custom);
  grown(&sim::TickRecord::timelines, RecordKind::timeline);
  grown(&sim::TickRecord::state_hashes, RecordKind::state_hash);
}

TEST(ByteAccount, sums_kinds_and_the_hosts_own_bytes) {
  sim::TickRecord record;
  record.launches.resize(2);
  record.outcomes.resize(1);
  record.track_keys.resize(1);
  record.relative_keys.resize(3);
  record.attitude_keys.resize(1);
  record.customs.resize(1);
  record.customs[0].bytes.resize(7);
  ByteAccount account;
  account.add(record);
  EXPECT_EQ(account.missiles(), 2 * 16U + 8);
  EXPECT_EQ(account.tracks(), 28U + 3 * 16 + 12);
  EXPECT_EQ(account.of(RecordKind::custom), 4U + 7);
  EXPECT_EQ(account.total(), account.missiles() + account.tracks() + 11);
  ByteAccount twice = account;
  twice += account;
  EXPECT_EQ(twice.total(), 2 * account.total());
}

}  // namespace
}  // namespace contrail::wire
