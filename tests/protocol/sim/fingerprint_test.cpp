#include <gtest/gtest.h>

#include <array>
#include <contrail/sim/fingerprint.hpp>
#include <string>

#include "golden_fingerprint.hpp"

namespace contrail::sim {
namespace {

TEST(FingerprintTest, every_stage_has_its_golden_hash) {
  const Fingerprint fingerprint = compute_fingerprint();
  for (std::size_t i = 0; i < fingerprint.stages.size(); ++i) {
    EXPECT_EQ(fingerprint.stages[i].hex(), test::k_golden_stages[i])
        << stage_name(static_cast<Stage>(i));
  }
  EXPECT_EQ(fingerprint.all.hex(), test::k_golden_fingerprint);
}

TEST(FingerprintTest, it_has_no_state) {
  EXPECT_EQ(compute_fingerprint(), compute_fingerprint());
}

TEST(FingerprintTest, stages_are_told_apart) {
  const Fingerprint fingerprint = compute_fingerprint();
  for (std::size_t i = 0; i < fingerprint.stages.size(); ++i) {
    for (std::size_t j = i + 1; j < fingerprint.stages.size(); ++j) {
      EXPECT_NE(fingerprint.stages[i], fingerprint.stages[j]);
    }
  }
}

TEST(FingerprintTest, control_one_unit_in_one_word_changes_the_hash) {
  Hash64 a;
  Hash64 b;
  for (std::int64_t i = 0; i < 100; ++i) {
    a.add_signed(i);
    b.add_signed(i == 50 ? i + 1 : i);
  }
  EXPECT_NE(a.a, b.a);
  EXPECT_NE(a.b, b.b);
}

TEST(FingerprintTest, hashes_depend_on_the_order_and_number_of_words) {
  Hash64 a;
  Hash64 b;
  Hash64 c;
  a.add(1);
  a.add(2);
  b.add(2);
  b.add(1);
  c.add(1);
  c.add(2);
  c.add(0);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(Hash64{}, c);
}

TEST(FingerprintTest, signed_values_are_their_low_and_then_their_high_word) {
  Hash64 a;
  Hash64 b;
  a.add_signed(-2);
  b.add(0xFFFF'FFFEU);
  b.add(0xFFFF'FFFFU);
  EXPECT_EQ(a, b);
}

TEST(FingerprintTest, bytes_are_their_number_and_then_little_endian_words) {
  const std::array<std::uint8_t, 5> bytes{1, 2, 3, 4, 5};
  Hash64 a;
  a.add_bytes(bytes.data(), bytes.size());
  Hash64 b;
  b.add(5);
  b.add(0x0403'0201U);
  b.add(0x0000'0005U);
  EXPECT_EQ(a, b);
}

TEST(FingerprintTest, it_prints_as_16_hex_digits_lane_a_first) {
  EXPECT_EQ((Hash64{0x0123'4567U, 0x89AB'CDEFU}.hex()), "0123456789abcdef");
}

}  // namespace
}  // namespace contrail::sim
