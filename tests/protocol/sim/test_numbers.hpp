#pragma once

// Numbers for property tests: a seed gives the same ones everywhere.

#include <cstdint>
#include <cstdlib>

namespace contrail::test {

/// The seed of a property test: CONTRAIL_TEST_SEED or the given one.
inline std::uint64_t seed_or(std::uint64_t usual) {
  const char* set = std::getenv("CONTRAIL_TEST_SEED");
  return set != nullptr ? std::strtoull(set, nullptr, 0) : usual;
}
/// Repetitions: ten times as many with CONTRAIL_TEST_LONG.
inline int repeats(int usual) {
  return std::getenv("CONTRAIL_TEST_LONG") != nullptr ? 10 * usual : usual;
}

/// SplitMix64 (Steele, Lea, Flood 2014).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// Uniform in [low, high].
  long long between(long long low, long long high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<long long>(span == 0 ? next() : next() % span);
  }
  /// In [-limit, limit]; every other one at an end, at zero or beside one of these.
  long long extreme(long long limit) {
    switch (next() % 10) {
      case 0:
        return limit;
      case 1:
        return -limit;
      case 2:
        return limit - 1;
      case 3:
        return 0;
      case 4:
        return between(-1, 1);
      default:
        return between(-limit, limit);
    }
  }
  /// In [-limit, limit], small ones as likely as large ones.
  long long graded(long long limit) {
    const long long value = between(-limit, limit);
    return value >> (next() % 40);
  }
  /// A vector type of three int32.
  template <typename Vector>
  Vector vector(long long limit) {
    Vector v;
    for (int axis = 0; axis < 3; ++axis) {
      v[axis] = static_cast<int>(between(-limit, limit));
    }
    return v;
  }
  template <typename Vector>
  Vector extreme_vector(long long limit) {
    Vector v;
    for (int axis = 0; axis < 3; ++axis) {
      v[axis] = static_cast<int>(extreme(limit));
    }
    return v;
  }
  bool chance(int percent) { return between(0, 99) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace contrail::test
