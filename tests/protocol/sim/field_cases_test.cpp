#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>

#include <contrail/sim/curve.hpp>
#include <contrail/sim/frame.hpp>

#include "accuracy/reference.hpp"
#include "flight_samples.hpp"

namespace contrail::sim {
namespace {

using test::FlightSample;
using test::Numbers;

/// FNV-1a, 64 bits, over little-endian bytes.
class Fnv {
 public:
  void add(std::uint64_t word, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      hash_ = (hash_ ^ ((word >> (8 * i)) & 0xFF)) * 0x0000'0100'0000'01B3U;
    }
  }
  void add(const Vec3& v) {
    for (int axis = 0; axis < 3; ++axis) add(static_cast<std::uint32_t>(v[axis]), 4);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF2'9CE4'8422'2325U;
};

/// 100,000 points of cubics with control points within 100 m, from SplitMix64 of 42.
std::uint64_t cubic_points_hash(int step) {
  Numbers numbers(42);
  Fnv hash;
  for (int i = 0; i < 100'000; ++i) {
    Cubic c;
    for (Vec3& p : c) {
      for (int axis = 0; axis < 3; ++axis) {
        p[axis] = static_cast<std::int32_t>(numbers.next() % 819'201) - 409'600;
      }
    }
    const auto t = static_cast<std::int64_t>(numbers.next() % ((1 << 20) + 1));
    hash.add(cubic_point(c, std::min<std::int64_t>(t + step, 1 << 20), 20));
  }
  return hash.value();
}

// The same number stands in the test of the JavaScript modules.
TEST(FieldCases, case_07_a_hundred_thousand_cubic_points_have_one_hash) {
  EXPECT_EQ(cubic_points_hash(0), 0x561B'D578'27BB'974FU);
  EXPECT_NE(cubic_points_hash(1), cubic_points_hash(0));  // the control
}

/// All positions of a flight, whatever its launch time.
std::uint64_t flight_hash(FlightSample s, Subtick t0) {
  s.launch.t0 = t0;
  const Flight flight(s.source());
  Fnv hash;
  for (Subtick t = 0; t <= flight.duration(); t += 97) hash.add(flight.position(t));
  return hash.value();
}

FlightSample one_second_flight(Numbers& numbers) {
  FlightSample s = test::random_flight(numbers, 1 << 22);
  s.launch.log2_piece = 12;
  s.launch.pieces = 16;
  return s;
}

TEST(FieldCases, case_32_a_flight_across_a_turn_of_narrow_clocks_is_the_same) {
  Numbers numbers(32);
  for (int i = 0; i < 50; ++i) {
    const FlightSample s = one_second_flight(numbers);
    const std::uint64_t first = flight_hash(s, 0);
    // 2^31 and 2^32 of milliseconds, microseconds, subticks and ticks, less half a second.
    for (const Subtick turn :
         {Subtick{140'737'488'355}, Subtick{281'474'976'710}, Subtick{140'737'488},
          Subtick{281'474'976}, Subtick{1} << 31, Subtick{1} << 32, Subtick{1} << 42,
          (Subtick{1} << 43) - 1, Subtick{1} << 44}) {
      ASSERT_EQ(flight_hash(s, turn - 32'768), first) << turn;
    }
  }
}

TEST(FieldCases, case_33_a_launch_after_a_week_and_after_60_days_flies_the_same_bits) {
  Numbers numbers(33);
  for (int i = 0; i < 200; ++i) {
    const FlightSample s = test::random_flight(numbers, 1 << 26);
    const std::uint64_t first = flight_hash(s, 0);
    for (const Subtick seconds : {604'800, 60 * 86'400}) {
      ASSERT_EQ(flight_hash(s, seconds * k_subticks_per_second), first);
    }
  }
  // The control: another seed is another flight.
  FlightSample s = test::random_flight(numbers, 1 << 26);
  const std::uint64_t before = flight_hash(s, 0);
  s.launch.seed ^= 1U;
  EXPECT_NE(flight_hash(s, 0), before);
}

/// Names of times that have the type float; short_ names a difference.
int float_times(const std::string& source) {
  static const std::regex comment("//[^\n]*", std::regex::optimize);
  const std::string text = std::regex_replace(source, comment, "");
  static const std::regex pattern(
      R"(\bfloat\s*[&*]?\s*(?!short_)\w*(time|now|seconds|instant|subtick|tick|at)\b)",
      std::regex::optimize);
  const auto begin = std::sregex_iterator(text.begin(), text.end(), pattern);
  return static_cast<int>(std::distance(begin, std::sregex_iterator()));
}

TEST(FieldCases, case_33_no_header_takes_a_time_as_a_float) {
  int headers = 0;
  for (const char* folder : {"protocol", "client_sdk", "server"}) {
    const std::filesystem::path root = std::filesystem::path(CONTRAIL_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string kind = entry.path().extension().string();
      if (kind != ".hpp" && kind != ".h") continue;
      ++headers;
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      EXPECT_EQ(float_times(text), 0) << entry.path();
    }
  }
  EXPECT_GT(headers, 100);
  EXPECT_EQ(float_times("void sample(float time); float server_now() ; float* at, float size"), 3);
}

// A flight comes to the muzzle and the aim point exactly and along the base curve there, whatever
// its wobble: 10,000 seeds, 5 m.
TEST(FieldCases, case_05_ten_thousand_weaving_missiles_hit_a_target_that_stands_still) {
  Numbers numbers(5);
  FlightSample s = test::random_flight(numbers, 1 << 24);
  s.weapon.amplitude = 5 * k_units_per_metre;
  s.anchor.launcher_velocity = s.anchor.target_velocity = Vec3(0);
  s.launch.log2_piece = 13;
  s.launch.pieces = 59;
  s.weapon.frequency = 100'000;
  int wobbled = 0;
  for (std::uint32_t seed = 0; seed < 10'000; ++seed) {
    s.launch.seed = seed * 2'654'435'761U;
    const Flight flight(s.source());
    const BaseCurve base = base_curve(s.source());
    ASSERT_EQ(flight.position(0), base.p[0]);
    ASSERT_EQ(flight.position(flight.duration()), base.p[3]);
    const auto& p = flight.points();
    const long double off =
        reference::angle(reference::from(p.back()) - reference::from(p[p.size() - 2]),
                         reference::from(base.p[3]) - reference::from(base.p[2]));
    ASSERT_LT(off, 0.01L * 3.14159265L / 180) << "seed " << s.launch.seed;
    const Vec3 middle = cubic_point(base.p, 1 << 19, 20);
    wobbled += max_abs(WideVec3(flight.position(flight.duration() / 2)) - WideVec3(middle)) >
                       k_units_per_metre / 2
                   ? 1
                   : 0;
  }
  EXPECT_GT(wobbled, 5'000);  // the control: between its ends it does weave
}

// The numbers of the case in its own unit: (0,50,0) m as metres, a frame to seven digits.
TEST(FieldCases, case_04_the_reference_reaches_the_known_end_normal_with_64_steps_and_more) {
  const reference::Bezier curve{{{{0, 0, 0}, {0, 50, 0}, {50, 50, 40}, {100, 0, 0}}}};
  const reference::Axes first{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}};
  const auto end = [&](int steps) { return reference::carried(curve, first, 1, steps).r; };
  for (const int steps : {64, 256, 1'024}) {
    EXPECT_NEAR(static_cast<double>(end(steps).x), -0.78693506, 2e-8) << steps;
    EXPECT_NEAR(static_cast<double>(end(steps).y), -0.51479629, 2e-8) << steps;
    EXPECT_NEAR(static_cast<double>(end(steps).z), -0.34017347, 2e-8) << steps;
  }
  const long double apart = reference::angle(end(32), end(256));
  EXPECT_GT(apart, 1e-7L);
  EXPECT_LT(apart, 4e-7L);
  // The protocol has 16 knots: its own end normal, to 4e-6 rad.
  const Cubic lattice{Vec3(0), Vec3(0, 50, 0) * k_units_per_metre,
                      Vec3(50, 50, 40) * k_units_per_metre, Vec3(100, 0, 0) * k_units_per_metre};
  const reference::Axes start{
      reference::from(start_frame(start_tangent(lattice)).tangent) * (1.0L / k_one),
      reference::from(start_frame(start_tangent(lattice)).r) * (1.0L / k_one),
      reference::from(start_frame(start_tangent(lattice)).s) * (1.0L / k_one)};
  const reference::Axes exact = reference::recursion(curve, start, 1);
  const Frame frame = CurveFrames(lattice).at(1 << 20);
  EXPECT_LT(reference::angle(exact.r, reference::from(frame.r)), 4e-6L);
  EXPECT_GT(reference::angle(exact.r, reference::carried(curve, start, 1, 256).r), 2e-6L)
      << "other numbers of steps end elsewhere";
}

// Directions where the end control point sits on its end: the case's own tolerance of 0.001
// degrees, on a curve large enough for its slope to have that many digits.
TEST(FieldCases, case_01_the_fallback_tangent_is_the_limit_of_the_tangents) {
  const std::int32_t m = 1 << 24;  // a unit of the case, as large as fits
  const Cubic c{Vec3(0), Vec3(0), Vec3(50, 100, 0) * m, Vec3(100, 0, 0) * m};
  const Vec3 at_start = start_tangent(c);
  EXPECT_NEAR(at_start.x, 0.4472136 * k_one, 1.5);
  EXPECT_NEAR(at_start.y, 0.8944272 * k_one, 1.5);
  const Frame after = CurveFrames(c).at(10);  // 1e-5
  const long double off =
      reference::angle(reference::from(at_start), reference::from(after.tangent));
  EXPECT_LT(off * 180 / 3.14159265L, 0.002L);
}

}  // namespace
}  // namespace contrail::sim
