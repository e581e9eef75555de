#include <gtest/gtest.h>

#include <cmath>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/track.hpp>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

class TrackTest : public testing::Test {
 protected:
  Quaternion attitude() {
    const auto yaw = static_cast<std::int32_t>(numbers_.next() & 0xFFFF'FFFFU);
    const auto pitch = static_cast<std::int32_t>(numbers_.next() & 0xFFFF'FFFFU);
    return quaternion_of_angles(yaw, pitch,
                                static_cast<std::int32_t>(numbers_.next() & 0xFFFF'FFFFU));
  }
  Track spawned(bool own_attitude = false) {
    const auto position = numbers_.vector<Vec3>(1 << 26);
    const auto velocity = numbers_.vector<Vec3>(1'000'000);
    return {2'048, own_attitude, position, velocity, attitude()};
  }
  std::uint64_t seed_ = test::seed_or(14);
  Numbers numbers_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

std::int64_t apart(const Vec3& a, const Vec3& b) {
  return max_abs(WideVec3(a) - WideVec3(b));
}

/// Largest error of lengths and right angles of a basis, Q24.
std::int64_t skew(const Basis& b) {
  const Vec3 r = right(b);
  return std::max({std::abs(dot24(b.forward, b.forward) - k_one),
                   std::abs(dot24(b.up, b.up) - k_one), std::abs(dot24(r, r) - k_one),
                   std::abs(dot24(b.forward, b.up))});
}

TEST_F(TrackTest, a_spawned_entity_coasts_and_holds_its_state_before) {
  const Vec3 position(1'000, 2'000, 3'000);
  const Vec3 velocity(65'536, -65'536, 1);
  const Track track(4'096, false, position, velocity, {});
  EXPECT_EQ(track.position(0), position);
  EXPECT_EQ(track.position(4'096), position);
  EXPECT_EQ(track.position(4'097), position + Vec3(1, -1, 0));
  EXPECT_EQ(track.position(4'096 + 65'536), position + velocity);
  EXPECT_EQ(track.velocity(4'096), velocity);
  EXPECT_EQ(track.velocity(1 << 30), velocity);
}

TEST_F(TrackTest, coasting_saturates_at_the_limit_of_the_world) {
  const Track track(0, false, Vec3(k_world_limit - 5, 0, -k_world_limit),
                    Vec3(k_max_speed, 0, -k_max_speed), {});
  EXPECT_EQ(track.position(Subtick{1} << 44), Vec3(k_world_limit, 0, -k_world_limit));
}

TEST_F(TrackTest, a_piece_starts_from_the_tracks_own_state_and_ends_in_the_keys) {
  for (int i = 0; i < test::repeats(3'000); ++i) {
    Track track = spawned();
    Subtick start = 2'048;
    for (int j = 0; j < 5; ++j) {
      start += numbers_.between(1, 1 << 18);
      const int k = static_cast<int>(numbers_.between(9, 20));
      const Vec3 position = track.position(start);
      const Vec3 velocity = track.velocity(start);
      const auto end = numbers_.vector<Vec3>(1 << 28);
      const auto end_velocity = numbers_.vector<Vec3>(k_max_speed);
      track.start_piece(start, k, end, end_velocity);
      // Its start belongs to the piece before; one subtick later it has hardly moved.
      ASSERT_EQ(track.position(start), position);
      ASSERT_EQ(track.velocity(start), velocity);
      ASSERT_EQ(track.pieces().back().p0, position);
      const Subtick over = start + (Subtick{1} << k);
      ASSERT_EQ(track.position(over), end);
      ASSERT_EQ(track.velocity(over), end_velocity);
      ASSERT_EQ(track.position(over + 65'536),
                clamp(WideVec3(end) + WideVec3(end_velocity), k_world_limit));
    }
  }
}

TEST_F(TrackTest, position_and_velocity_agree_inside_a_piece) {
  for (int i = 0; i < test::repeats(2'000); ++i) {
    Track track = spawned();
    const int k = static_cast<int>(numbers_.between(14, 18));
    const Vec3 reach = numbers_.vector<Vec3>(1'000'000);
    track.start_piece(4'096, k, track.position(4'096) + reach, numbers_.vector<Vec3>(1'000'000));
    const Subtick t = 4'096 + numbers_.between(256, (1LL << k) - 256);
    const WideVec3 way = WideVec3(track.position(t + 128)) - WideVec3(track.position(t - 128));
    const WideVec3 measured = way * std::int64_t{256};
    const double jitter = 256.0 * 6 + 40 * 1'000'000.0 * 256 / static_cast<double>(1LL << k);
    ASSERT_LT(static_cast<double>(max_abs(measured - WideVec3(track.velocity(t)))), jitter);
  }
}

TEST_F(TrackTest, constant_acceleration_is_one_piece_to_the_rounding_of_a_position) {
  for (int i = 0; i < test::repeats(2'000); ++i) {
    const auto v0 = numbers_.vector<Vec3>(1'000'000);
    const auto acceleration = numbers_.vector<Vec3>(400'000);
    Track track(0, false, Vec3(0), v0, {});
    const int k = static_cast<int>(numbers_.between(11, 20));
    const Subtick duration = Subtick{1} << k;
    const Vec3 v1(WideVec3(v0) + drift(acceleration, duration));
    const WideVec3 p1 = shift_right(drift(v0 + v1, duration), 1);
    track.start_piece(0, k, Vec3(p1), v1);
    const Subtick t = numbers_.between(1, duration);
    const double s = static_cast<double>(t) / 65'536.0;
    const double exact = v0.x * s + acceleration.x * s * s / 2;
    ASSERT_NEAR(track.position(t).x, exact, 4 + s);
    // A unit of position over the piece is three of velocity a piece's second.
    ASSERT_NEAR(track.velocity(t).x, v0.x + acceleration.x * s,
                6 + 6 * 65'536.0 / static_cast<double>(duration));
  }
}

TEST_F(TrackTest, a_later_key_cuts_a_piece_and_the_past_stays) {
  Track track(2'048, false, Vec3(1 << 18), Vec3(65'536, 0, 0), {});
  track.start_piece(4'096, 16, Vec3(1 << 20, 0, 0), Vec3(4'096, 0, 0));
  const Track before = track;
  track.start_piece(20'000, 16, Vec3(0, 1 << 20, 0), Vec3(0));
  for (Subtick t = 0; t <= 20'000; t += 100) {
    ASSERT_EQ(track.position(t), before.position(t));
    ASSERT_EQ(track.basis(t), before.basis(t));
  }
  EXPECT_NE(track.position(30'000), before.position(30'000));
  EXPECT_LE(apart(track.position(20'001), before.position(20'001)), 4);
}

TEST_F(TrackTest, a_jump_moves_the_entity_right_after_its_tick) {
  Track track = spawned();
  const Vec3 there(123, 456, 789);
  const Vec3 position = track.position(8'192);
  track.jump(8'192, there, Vec3(65'536, 0, 0));
  EXPECT_EQ(track.position(8'192), position);
  EXPECT_EQ(track.position(8'193), there + Vec3(1, 0, 0));
  EXPECT_EQ(track.velocity(8'193), Vec3(65'536, 0, 0));
  EXPECT_EQ(track.basis(8'193).forward, Vec3(k_one, 0, 0));
}

TEST_F(TrackTest, relative_keys_are_measured_from_coasting) {
  Track track(0, false, Vec3(1'000, 0, 0), Vec3(65'536, 0, 0), {});
  RelativeKey key;
  key.entity = 9;
  key.log2_ticks = 3;
  key.scale = 2;
  key.d = {10, -10, 0};
  key.dv = {100, 0, -1};
  const TrackKey exact = resolve(key, track, 2'048, 11);
  // 2,048 subticks of coasting to the start, 16,384 more to the end of the piece.
  EXPECT_EQ(exact.position, Vec3(1'000 + 2'048 + 16'384 + 40, -40, 0));
  EXPECT_EQ(exact.velocity, Vec3(65'536 + 400, 0, -4));
  EXPECT_EQ(exact.log2_ticks, 3);
  EXPECT_EQ(exact.entity, 9);
  EXPECT_FALSE(exact.jump);
  Track by_exact = track;
  track.start_relative_piece(2'048, 14, key);
  by_exact.start_piece(2'048, 14, exact.position, exact.velocity);
  EXPECT_EQ(track.pieces(), by_exact.pieces());
}

TEST_F(TrackTest, relative_keys_saturate_at_the_limits) {
  const Track track(0, false, Vec3(k_world_limit), Vec3(k_max_speed), {});
  RelativeKey key;
  key.scale = 15;
  key.d = {32'767, -32'768, 0};
  key.dv = {32'767, -32'768, 0};
  const TrackKey exact = resolve(key, track, 512, 20);
  EXPECT_EQ(exact.position.x, k_world_limit);
  EXPECT_EQ(exact.velocity, Vec3(k_max_speed, -k_max_speed, k_max_speed));
}

TEST_F(TrackTest, a_ship_faces_along_its_velocity_and_keeps_its_facing_when_it_stops) {
  Track track(0, false, Vec3(0), Vec3(0, 0, 65'536), {});
  track.start_piece(2'048, 14, Vec3(65'536, 0, 65'536), Vec3(65'536, 0, 0));
  EXPECT_EQ(track.facing(2'048), Vec3(0, 0, k_one));
  EXPECT_EQ(track.facing(2'048 + 16'384), Vec3(k_one, 0, 0));
  const Vec3 half = track.facing(2'048 + 8'192);
  EXPECT_EQ(half, unit({1, 0, 1}));
  track.start_piece(40'960, 14, track.position(40'960), Vec3(0));
  EXPECT_EQ(track.facing(1 << 20), Vec3(k_one, 0, 0));
}

TEST_F(TrackTest, facing_turns_steadily_even_through_the_opposite_direction) {
  // The worst reversal has no direction of its own to turn through.
  for (const Vec3& v1 : {Vec3(0, 0, -65'536), Vec3(1, 0, -65'536), Vec3(0, 65'536, -1)}) {
    Track track(0, false, Vec3(0), Vec3(0, 0, 65'536), {});
    track.start_piece(2'048, 12, Vec3(0), v1);
    Vec3 before = track.facing(2'048);
    for (Subtick t = 2'049; t <= 2'048 + 4'096; ++t) {
      const Vec3 now = track.facing(t);
      ASSERT_LE(std::abs(dot24(now, now) - k_one), 8) << t;
      ASSERT_LT(apart(now, before), 4 * k_one / 1'000) << t;
      before = now;
    }
    ASSERT_EQ(before, unit(v1));
  }
}

TEST_F(TrackTest, bases_of_random_tracks_are_orthonormal) {
  for (int i = 0; i < test::repeats(500); ++i) {
    Track track = spawned(i % 2 == 1);
    Subtick start = 2'048;
    for (int j = 0; j < 6; ++j) {
      start += numbers_.between(1, 1 << 16);
      const int k = static_cast<int>(numbers_.between(9, 16));
      track.start_piece(start, k, numbers_.vector<Vec3>(1 << 24), numbers_.vector<Vec3>(1 << 20));
      if (track.own_attitude()) {
        track.start_attitude(start, k, attitude());
      }
      for (int n = 0; n < 8; ++n) {
        ASSERT_LE(skew(track.basis(start + numbers_.between(0, 1 << 17))), 64);
      }
    }
  }
}

TEST_F(TrackTest, attitudes_turn_the_short_way_hold_and_start_from_where_they_are) {
  const Quaternion level;
  const Quaternion turned = quaternion_of_angles(1 << 30, 0, 0);
  const Quaternion same{static_cast<std::int16_t>(-turned.x), static_cast<std::int16_t>(-turned.y),
                        static_cast<std::int16_t>(-turned.z), static_cast<std::int16_t>(-turned.w)};
  Track track(0, true, Vec3(0), Vec3(0, 0, 65'536), level);
  Track twin = track;
  track.start_attitude(2'048, 14, turned);
  twin.start_attitude(2'048, 14, same);
  for (Subtick t = 2'049; t < 40'000; t += 501) {
    ASSERT_LE(apart(track.basis(t).forward, twin.basis(t).forward), 2);
    ASSERT_GE(track.basis(t).forward.x, 0);
    ASSERT_GE(track.basis(t).forward.z, -8);
  }
  EXPECT_EQ(track.basis(2'048).forward, Vec3(0, 0, k_one));
  EXPECT_LE(apart(track.basis(1 << 20).forward, Vec3(k_one, 0, 0)), 1'024);
  const Basis middle = track.basis(2'048 + 8'192);
  EXPECT_LE(apart(middle.forward, unit({1, 0, 1})), 1'024);
  // A key in the middle of a turn starts from there, to half a unit of Q14.
  track.start_attitude(2'048 + 8'192, 14, level);
  EXPECT_LE(apart(track.basis(2'048 + 8'193).forward, middle.forward), 3 * 1'024);
  EXPECT_TRUE(is_unit(track.attitudes().back().from));
}

TEST_F(TrackTest, pruning_forgets_pieces_and_nothing_of_the_kept_time) {
  for (int i = 0; i < test::repeats(300); ++i) {
    Track track = spawned(true);
    Subtick start = 2'048;
    for (int j = 0; j < 12; ++j) {
      start += numbers_.between(2'048, 1 << 16);
      track.start_piece(start, 15, numbers_.vector<Vec3>(1 << 24), numbers_.vector<Vec3>(1 << 20));
      if (numbers_.chance(50)) {
        track.start_attitude(start, 15, attitude());
      }
    }
    const Track whole = track;
    const Subtick limit = numbers_.between(0, start + 100'000);
    track.prune(limit);
    ASSERT_FALSE(track.pieces().empty());
    for (Subtick t = limit; t < start + 70'000; t += 3'001) {
      ASSERT_EQ(track.pose(t), whole.pose(t)) << t;
      ASSERT_EQ(track.velocity(t), whole.velocity(t)) << t;
    }
    // Kept are the pieces whose successor starts at the limit or later.
    for (std::size_t n = 0; n + 1 < track.pieces().size(); ++n) {
      ASSERT_GE(track.pieces()[n + 1].start, limit);
    }
    const Track restored(true, track.pieces(), track.attitudes());
    ASSERT_EQ(restored.pose(limit + start), whole.pose(limit + start));
  }
}

TEST_F(TrackTest, pieces_that_start_together_replace_each_other) {
  Track track(2'048, false, Vec3(0), Vec3(65'536, 0, 0), {});
  track.start_piece(2'048, 11, Vec3(0, 5'000, 0), Vec3(0));
  EXPECT_EQ(track.position(2'048), Vec3(0));
  EXPECT_EQ(track.pieces().back().v0, Vec3(65'536, 0, 0));
  EXPECT_EQ(track.position(1 << 20), Vec3(0, 5'000, 0));
}

TEST_F(TrackTest, keys_out_of_order_and_pieces_beyond_the_limits_are_broken_contracts) {
  Track track(2'048, false, Vec3(0), Vec3(0), {});
  EXPECT_THROW(track.start_piece(2'047, 11, Vec3(0), Vec3(0)), AssertionFailure);
  EXPECT_THROW(track.jump(2'047, Vec3(0), Vec3(0)), AssertionFailure);
  EXPECT_THROW(track.start_piece(4'096, 21, Vec3(0), Vec3(0)), AssertionFailure);
  EXPECT_THROW(track.start_attitude(4'096, 11, {}), AssertionFailure);
  EXPECT_THROW((void)Track().position(0), AssertionFailure);
  EXPECT_THROW(Track(false, {}, {}), AssertionFailure);
}

}  // namespace
}  // namespace contrail::sim
