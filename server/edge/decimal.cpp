#include <contrail/edge/decimal.hpp>

namespace contrail::server {

namespace {

__extension__ using Int128 = __int128;

constexpr std::int64_t k_scaled_limit = std::int64_t{1} << 62;
constexpr int k_max_exponent = 100;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Walks over a number's text; `take_digits` collects the significant ones.
struct Scanner {
  std::string_view text;
  std::size_t at = 0;
  std::int64_t digits = 0;
  int significant = 0;
  int pending_zeros = 0;  // zeros seen, that count only when another digit follows
  int exponent = 0;
  bool too_long = false;

  [[nodiscard]] bool done() const { return at == text.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text[at]; }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at;
    return true;
  }

  void add_digit(int digit, bool fraction) {
    if (digit == 0) {
      ++pending_zeros;
    } else {
      for (; pending_zeros > 0; --pending_zeros) append(0);
      append(digit);
    }
    if (fraction) --exponent;
  }
  void append(int digit) {
    if (digits == 0 && digit == 0) return;
    if (++significant > k_max_decimal_digits) {
      too_long = true;
      return;
    }
    digits = digits * 10 + digit;
  }
  /// One or more digits with single underscores between them.
  bool take_digits(bool fraction) {
    if (!is_digit(peek())) return false;
    while (is_digit(peek())) {
      add_digit(text[at] - '0', fraction);
      ++at;
      if (peek() == '_' && at + 1 < text.size() && is_digit(text[at + 1])) ++at;
    }
    return true;
  }
  bool take_exponent() {
    const bool negative = accept('-');
    if (!negative) accept('+');
    if (!is_digit(peek())) return false;
    int value = 0;
    for (; is_digit(peek()); ++at) {
      value = value * 10 + (text[at] - '0');
      if (value > k_max_exponent) return false;
    }
    exponent += negative ? -value : value;
    return true;
  }
};

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  Scanner scanner{text};
  const bool negative = scanner.accept('-');
  if (!negative) scanner.accept('+');
  if (!scanner.take_digits(false)) return std::nullopt;
  if (scanner.accept('.') && !scanner.take_digits(true)) return std::nullopt;
  if (scanner.peek() == 'e' || scanner.peek() == 'E') {
    ++scanner.at;
    if (!scanner.take_exponent()) return std::nullopt;
  }
  if (!scanner.done() || scanner.too_long) return std::nullopt;
  if (scanner.digits == 0) return Decimal{0, 0};
  return Decimal{negative ? -scanner.digits : scanner.digits,
                 scanner.exponent + scanner.pending_zeros};
}

std::optional<std::int64_t> scale(const Decimal& value, const Unit& unit) {
  if (value.digits == 0) return 0;
  // |digits| < 2^60 and numerator <= 2^32: the product stays below 2^92.
  Int128 numerator = Int128{value.digits} * unit.numerator;
  Int128 denominator = unit.denominator;
  const Int128 limit = Int128{k_scaled_limit} * unit.denominator;
  for (int e = value.exponent; e > 0; --e) {
    numerator *= 10;
    if (numerator > limit || numerator < -limit) return std::nullopt;
  }
  // Below 10^-35 the value is under 2^92 / 10^35 < 1/2: it rounds to zero.
  if (value.exponent < -35) return 0;
  for (int e = value.exponent; e < 0; ++e) denominator *= 10;
  const bool negative = numerator < 0;
  const Int128 magnitude = negative ? -numerator : numerator;
  const Int128 rounded = (magnitude + denominator / 2) / denominator;
  if (rounded > k_scaled_limit) return std::nullopt;
  const auto result = static_cast<std::int64_t>(rounded);
  return negative ? -result : result;
}

bool is_whole(const Decimal& value) {
  return value.exponent >= 0;
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
  struct Suffix {
    std::string_view text;
    Unit unit;
  };
  // "ms" before "s" and "m": the longest suffix is the one meant.
  constexpr Suffix k_suffixes[] = {{"ms", k_milliseconds},
                                   {"s", k_seconds},
                                   {"m", {"m", 60 * 65'536, 1}},
                                   {"h", {"h", 3600 * 65'536, 1}},
                                   {"", k_seconds}};
  constexpr std::int64_t k_year = std::int64_t{366} * 86'400 * 65'536;
  for (const Suffix& suffix : k_suffixes) {
    if (!text.ends_with(suffix.text)) continue;
    const auto number = parse_decimal(text.substr(0, text.size() - suffix.text.size()));
    const auto value = number ? scale(*number, suffix.unit) : std::nullopt;
    return value && *value >= 0 && *value <= k_year ? value : std::nullopt;
  }
  return std::nullopt;
}

std::string print_scaled(std::int64_t value, const Unit& unit) {
  const bool negative = value < 0;
  const Int128 magnitude = negative ? -Int128{value} : Int128{value};
  const Int128 thousandths =
      (magnitude * unit.denominator * 1000 + unit.numerator / 2) / unit.numerator;
  std::string text = negative && thousandths != 0 ? "-" : "";
  text += std::to_string(static_cast<std::int64_t>(thousandths / 1000));
  if (const auto fraction = static_cast<int>(thousandths % 1000); fraction != 0) {
    std::string digits = std::to_string(1000 + fraction);
    while (digits.back() == '0') digits.pop_back();
    digits.front() = '.';
    text += digits;
  }
  if (unit.name[0] != '\0') {
    text += ' ';
    text += unit.name;
  }
  return text;
}

}  // namespace contrail::server
