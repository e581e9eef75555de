#pragma once

// A 64-bit integer that watches the 53-bit rule: every result must be smaller than 2^53 in
// magnitude, every division have a numerator below 2^52 and a divisor below 2^27. range_test.cpp
// compiles the simulation's own sources with it in the place of std::int64_t.

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <cstdlib>

namespace contrail::range {

/// What was seen so far. Test code only, one thread.
struct Watch {
  long long largest = 0;            // magnitude of a result
  long long largest_numerator = 0;  // magnitude
  long long largest_divisor = 0;
  long long broken = 0;     // results that break the rule
  long long truncated = 0;  // conversions to int32 that lost bits
};
inline Watch watch;

class Checked53 {
 public:
  constexpr Checked53() = default;
  template <std::integral T>
  constexpr Checked53(T value) : value_(static_cast<long long>(value)) {}  // NOLINT: as an integer
  template <typename T>
  requires std::integral<T> || std::floating_point<T>
  constexpr explicit operator T() const {
    if constexpr (std::same_as<T, int>) {
      if (!__builtin_is_constant_evaluated()) {
        watch.truncated += value_ != static_cast<int>(value_) ? 1 : 0;
      }
    }
    return static_cast<T>(value_);
  }
  constexpr explicit operator bool() const { return value_ != 0; }

  friend constexpr Checked53 operator+(Checked53 a, Checked53 b) {
    return seen(a.value_ + b.value_);
  }
  friend constexpr Checked53 operator-(Checked53 a, Checked53 b) {
    return seen(a.value_ - b.value_);
  }
  friend constexpr Checked53 operator*(Checked53 a, Checked53 b) {
    long long product = 0;
    const bool wraps = __builtin_mul_overflow(a.value_, b.value_, &product);
    return seen(wraps ? k_overflowed : product);
  }
  friend constexpr Checked53 operator/(Checked53 a, Checked53 b) {
    if (!__builtin_is_constant_evaluated()) {
      watch.largest_numerator = std::max(watch.largest_numerator, std::llabs(a.value_));
      watch.largest_divisor = std::max(watch.largest_divisor, std::llabs(b.value_));
    }
    return a.value_ / b.value_;
  }
  friend constexpr Checked53 operator%(Checked53 a, Checked53 b) { return a.value_ % b.value_; }
  friend constexpr Checked53 operator&(Checked53 a, Checked53 b) { return a.value_ & b.value_; }
  friend constexpr Checked53 operator|(Checked53 a, Checked53 b) { return a.value_ | b.value_; }
  friend constexpr Checked53 operator<<(Checked53 a, int bits) {
    long long shifted = 0;
    const bool wraps = bits > 62 || __builtin_mul_overflow(a.value_, 1LL << bits, &shifted);
    return seen(wraps ? k_overflowed : shifted);
  }
  friend constexpr Checked53 operator>>(Checked53 a, int bits) { return a.value_ >> bits; }
  constexpr Checked53 operator-() const { return -value_; }
  constexpr Checked53& operator+=(Checked53 b) { return *this = *this + b; }
  constexpr Checked53& operator-=(Checked53 b) { return *this = *this - b; }
  constexpr Checked53& operator*=(Checked53 b) { return *this = *this * b; }
  constexpr Checked53& operator<<=(int bits) { return *this = *this << bits; }
  constexpr Checked53& operator>>=(int bits) { return *this = *this >> bits; }
  constexpr Checked53& operator++() { return *this += 1; }
  friend constexpr bool operator==(Checked53 a, Checked53 b) = default;
  friend constexpr auto operator<=>(Checked53 a, Checked53 b) = default;

 private:
  static constexpr long long k_overflowed = 1LL << 62;

  static constexpr Checked53 seen(long long value) {
    if (!__builtin_is_constant_evaluated()) {
      const long long magnitude = value < 0 ? -value : value;
      watch.largest = std::max(watch.largest, magnitude);
      watch.broken += magnitude >= 1LL << 53 ? 1 : 0;
    }
    return value;
  }

  long long value_;
};

}  // namespace contrail::range
