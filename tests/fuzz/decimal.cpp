// Input: the text of a number or a duration.

#include <contrail/fuzz/target.hpp>

#include <array>
#include <optional>

#include <contrail/edge/decimal.hpp>

namespace contrail::fuzz {
namespace {

using server::Decimal;
using server::Unit;
__extension__ using Int128 = __int128;

constexpr std::array k_units{
    server::k_plain,   server::k_metres,       server::k_metres_per_second_squared,
    server::k_seconds, server::k_milliseconds, server::k_fraction,
    server::k_degrees};

/// digits * 10^exponent * numerator / denominator, rounded half away from zero, as one division;
/// exponents of a size that 128 bits have room for.
Int128 scaled(const Decimal& value, const Unit& unit) {
  Int128 above = Int128{value.digits < 0 ? -value.digits : value.digits} * unit.numerator;
  Int128 below = unit.denominator;
  for (int i = 0; i < value.exponent; ++i) above *= 10;
  for (int i = 0; i > value.exponent; --i) below *= 10;
  const Int128 whole = (2 * above + below) / (2 * below);
  return value.digits < 0 ? -whole : whole;
}

void check_scale(const Decimal& value, const Unit& unit) {
  const std::optional<std::int64_t> result = server::scale(value, unit);
  const Int128 limit = Int128{1} << 62;
  if (result) check(*result <= limit && *result >= -limit, "what is scaled is within 2^62");
  if (value.exponent > 9 || value.exponent < -18) return;
  const Int128 expected = scaled(value, unit);
  if (expected == limit || expected == -limit) return;  // rounded to the limit or beyond it
  if (expected > limit || expected < -limit) {
    check(!result, "what is beyond 2^62 is refused");
  } else {
    check(result && *result == expected, "a decimal is scaled exactly");
  }
}

}  // namespace

Outcome run_decimal(ByteView input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const std::optional<std::int64_t> duration = server::parse_duration(text);
  if (duration) {
    check(*duration >= 0 && *duration <= std::int64_t{366} * 86'400 * 65'536,
          "a duration is a year at most");
    const std::string printed = server::print_scaled(*duration, server::k_seconds);
    const auto again = server::parse_decimal(printed.substr(0, printed.find(' ')));
    check(again.has_value(), "what is printed can be read");
    const std::int64_t difference = server::scale(*again, server::k_seconds).value() - *duration;
    check(difference <= 65 && difference >= -65, "print_scaled has three decimals");
  }
  const std::optional<Decimal> value = server::parse_decimal(text);
  if (!value) return {duration.has_value(), {}, {}};
  constexpr std::int64_t k_limit = 1'000'000'000'000'000'000;
  check(value->digits < k_limit && value->digits > -k_limit, "a decimal has at most 18 digits");
  check(value->exponent >= -200 && value->exponent <= 200, "exponents are bounded");
  if (value->exponent >= 0) check(server::is_whole(*value), "digits without a fraction are whole");
  for (const Unit& unit : k_units) check_scale(*value, unit);
  return k_accepted;
}

}  // namespace contrail::fuzz
