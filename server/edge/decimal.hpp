#pragma once

// Decimal numbers of configuration texts, turned into integers without passing through a float.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contrail::server {

/// digits * 10^exponent, exactly.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
  bool operator==(const Decimal&) const = default;
};

/// The most significant digits a decimal may have.
inline constexpr int k_max_decimal_digits = 18;

/// Reads [+-]digits[.digits][e[+-]digits] with single underscores between digits, as TOML and
/// command lines write numbers. Nothing for any other text (also inf and nan), for more than 18
/// significant digits, and for exponents beyond +-100.
std::optional<Decimal> parse_decimal(std::string_view text);

/// A designer's unit: compiled value = written value * numerator / denominator.
struct Unit {
  const char* name = "";         // as messages print it; empty for plain numbers
  std::int64_t numerator = 1;    // at most 2^32
  std::int64_t denominator = 1;  // 1..360
};
inline constexpr Unit k_plain{"", 1, 1};
inline constexpr Unit k_metres{"m", 4096, 1};
inline constexpr Unit k_metres_per_second{"m/s", 4096, 1};
inline constexpr Unit k_metres_per_second_squared{"m/s^2", 4096, 1};
inline constexpr Unit k_seconds{"s", 65536, 1};
inline constexpr Unit k_milliseconds{"ms", 65536, 1000};
inline constexpr Unit k_hertz{"Hz", 65536, 1};
inline constexpr Unit k_fraction{"", 65536, 1};
inline constexpr Unit k_degrees{"degrees", std::int64_t{1} << 32, 360};

/// value in compiled units, rounded half away from zero; nothing beyond +-2^62.
std::optional<std::int64_t> scale(const Decimal& value, const Unit& unit);

/// Is the value a whole number.
bool is_whole(const Decimal& value);

/// Subticks of "60s", "500ms", "2m", "1h" or "60" (seconds); nothing for any other text, for less
/// than 0 and for more than a year.
std::optional<std::int64_t> parse_duration(std::string_view text);

/// A compiled value in its designer's unit, at most three decimals, with the unit's name: "1.5 m".
std::string print_scaled(std::int64_t value, const Unit& unit);

}  // namespace contrail::server
