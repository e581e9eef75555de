#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <contrail/edge/decimal.hpp>

namespace contrail::server {
namespace {

std::int64_t scaled(const std::string& text, const Unit& unit) {
  const auto decimal = parse_decimal(text);
  EXPECT_TRUE(decimal) << text;
  const auto value = scale(decimal.value_or(Decimal{}), unit);
  EXPECT_TRUE(value) << text;
  return value.value_or(-1);
}

TEST(Decimal, ReadsWhatTomlCallsANumber) {
  EXPECT_EQ(parse_decimal("0"), (Decimal{0, 0}));
  EXPECT_EQ(parse_decimal("-0.0"), (Decimal{0, 0}));
  EXPECT_EQ(parse_decimal("1.50"), (Decimal{15, -1}));
  EXPECT_EQ(parse_decimal("+1_000.25"), (Decimal{100'025, -2}));
  EXPECT_EQ(parse_decimal("-2.5e3"), (Decimal{-25, 2}));
  EXPECT_EQ(parse_decimal("6.25E-2"), (Decimal{625, -4}));
  EXPECT_EQ(parse_decimal("0.000123"), (Decimal{123, -6}));
  EXPECT_EQ(parse_decimal("1200"), (Decimal{12, 2}));
}

TEST(Decimal, RefusesEverythingElse) {
  for (const char* text :
       {"",   "+",  "-",    ".",  "1.", ".5",  "inf",   "nan", "1e",    "1e+",    "1__0",
        "_1", "1_", "0x10", "1 ", " 1", "1,5", "1.5.5", "--1", "1e101", "1.2e3.4"}) {
    EXPECT_FALSE(parse_decimal(text)) << text;
  }
  EXPECT_TRUE(parse_decimal("123456789012345678"));
  EXPECT_FALSE(parse_decimal("1234567890123456789"));
  EXPECT_TRUE(parse_decimal("1234567890123456780")) << "trailing zeros are not significant";
}

TEST(Decimal, ConvertsToTheSimulationsUnits) {
  EXPECT_EQ(scaled("1", k_metres), 4096);
  EXPECT_EQ(scaled("-0.25", k_metres), -1024);
  EXPECT_EQ(scaled("0.5", k_seconds), 32'768);
  EXPECT_EQ(scaled("250", k_milliseconds), 16'384);
  EXPECT_EQ(scaled("90", k_degrees), std::int64_t{1} << 30);
  EXPECT_EQ(scaled("-45", k_degrees), -(std::int64_t{1} << 29));
  EXPECT_EQ(scaled("1.5", k_hertz), 98'304);
}

TEST(Decimal, RoundsHalfAwayFromZero) {
  EXPECT_EQ(scaled("0.5", k_plain), 1);
  EXPECT_EQ(scaled("-0.5", k_plain), -1);
  EXPECT_EQ(scaled("1.5", k_plain), 2);
  EXPECT_EQ(scaled("0.4999999999999999", k_plain), 0);
  EXPECT_EQ(scaled("0.0001220703125", k_metres), 1);    // exactly half a unit
  EXPECT_EQ(scaled("0.000122070312499", k_metres), 0);  // just below
}

/// A double holds 53 bits: these two numbers are one double, but differ here.
TEST(Decimal, KeepsDigitsADoubleWouldLose) {
  const Unit micro{"", 1'000'000, 1};
  EXPECT_EQ(scaled("9007199254.740993", micro), 9'007'199'254'740'993);
  EXPECT_EQ(9'007'199'254'740'993, static_cast<std::int64_t>(9'007'199'254'740'993.0) + 1);
  EXPECT_EQ(scaled("0.1", Unit{"", 1'000'000'000, 1}), 100'000'000);
}

TEST(Decimal, RefusesWhatIsTooLargeAndRoundsWhatIsTinyToZero) {
  EXPECT_FALSE(scale(*parse_decimal("1e19"), k_plain));
  EXPECT_FALSE(scale(*parse_decimal("-9e100"), k_degrees));
  EXPECT_EQ(scaled("4e18", k_plain), 4'000'000'000'000'000'000);
  EXPECT_EQ(scaled("999999999999999999e-36", k_degrees), 0);
  EXPECT_EQ(scaled("1e-100", k_degrees), 0);
}

TEST(Decimal, PrintsValuesInTheirUnit) {
  EXPECT_EQ(print_scaled(6144, k_metres), "1.5 m");
  EXPECT_EQ(print_scaled(-1, k_metres), "0 m");
  EXPECT_EQ(print_scaled(-4096 * 3, k_metres_per_second), "-3 m/s");
  EXPECT_EQ(print_scaled(std::int64_t{1} << 30, k_degrees), "90 degrees");
  EXPECT_EQ(print_scaled(32'768, k_seconds), "0.5 s");
  EXPECT_EQ(print_scaled(4097, k_plain), "4097");
}

/// Every compiled value printed with enough digits reads back as itself.
TEST(Decimal, RoundTripsEveryLatticeValue) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> 1);
    // value / 4096 has at most 12 decimals: exactly value * 244140625 / 10^12.
    const std::int64_t metres = value / 4096;
    const std::int64_t rest = value % 4096 * 244'140'625;
    std::string digits = std::to_string(rest);
    digits.insert(0, 12 - digits.size(), '0');
    EXPECT_EQ(scaled(std::to_string(metres) + "." + digits, k_metres), value);
  }
}

}  // namespace
}  // namespace contrail::server
