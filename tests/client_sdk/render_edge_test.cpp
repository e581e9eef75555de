#include <contrail/core/render_edge.hpp>

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/limits.hpp>

namespace contrail::client {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_infinity = std::numeric_limits<double>::infinity();

TEST(RenderEdge, case_02_refuses_numbers_that_are_not_finite) {
  sim::Vec3 out{7, 8, 9};
  for (const double bad : {k_nan, -k_nan, k_infinity, -k_infinity}) {
    for (int axis = 0; axis < 3; ++axis) {
      glm::dvec3 metres{1.0, 2.0, 3.0};
      metres[axis] = bad;
      EXPECT_EQ(position_from_metres(metres, out), Status::not_finite);
    }
    sim::Subtick time = 5;
    EXPECT_EQ(subtick_from_seconds(bad, time), Status::not_finite);
    EXPECT_EQ(time, 5);
  }
  EXPECT_EQ(out, (sim::Vec3{7, 8, 9}));
}

TEST(RenderEdge, case_02_accepts_tiny_and_refuses_huge_numbers) {
  sim::Vec3 out{7, 8, 9};
  EXPECT_EQ(position_from_metres({-0.0, 4.9e-324, -4.9e-324}, out), Status::ok);
  EXPECT_EQ(out, (sim::Vec3{0, 0, 0}));
  EXPECT_EQ(position_from_metres({1.7e308, 0, 0}, out), Status::out_of_range);
  EXPECT_EQ(position_from_metres({0, -1.7e308, 0}, out), Status::out_of_range);
  EXPECT_EQ(position_from_metres({262'144.0, -262'144.0, 0}, out), Status::ok);
  EXPECT_EQ(out, (sim::Vec3{sim::k_world_limit, -sim::k_world_limit, 0}));
  EXPECT_EQ(position_from_metres({262'144.001, 0, 0}, out), Status::out_of_range);
  sim::Subtick time = 5;
  EXPECT_EQ(subtick_from_seconds(-0.001, time), Status::out_of_range);
  EXPECT_EQ(subtick_from_seconds(1.7e308, time), Status::out_of_range);
  EXPECT_EQ(subtick_from_seconds(0.5, time), Status::ok);
  EXPECT_EQ(time, 32'768);
}

TEST(RenderEdge, rounds_metres_to_the_nearest_length_unit) {
  sim::Vec3 out{0};
  ASSERT_EQ(position_from_metres({1.0, 0.49 / 4096, -0.51 / 4096}, out), Status::ok);
  EXPECT_EQ(out, (sim::Vec3{4096, 0, -1}));
}

// A float of metres has 24 bits: far from 0 it could not tell length units apart. Near the origin
// that the caller chose it can.
TEST(RenderEdge, case_33_positions_near_the_origin_are_exact_anywhere_in_the_world) {
  for (const std::int32_t far : {0, 1 << 20, sim::k_world_limit - 4096, -sim::k_world_limit}) {
    const sim::Vec3 origin{far, -far, far / 2};
    for (const std::int32_t step : {0, 1, -1, 4095, 4096 * 100 + 1}) {
      const sim::Vec3 at{origin.x + step, origin.y - step, origin.z + 2 * step};
      const glm::vec3 metres = metres_from(at, origin);
      EXPECT_EQ(static_cast<double>(metres.x) * 4096.0, step);
      EXPECT_EQ(static_cast<double>(metres.y) * 4096.0, -step);
      EXPECT_EQ(static_cast<double>(metres.z) * 4096.0, 2 * step);
    }
  }
  // The naive way loses it: the control.
  const auto naive = static_cast<float>(sim::k_world_limit - 4095) / 4096.0F -
                     static_cast<float>(sim::k_world_limit - 4096) / 4096.0F;
  EXPECT_NE(static_cast<double>(naive) * 4096.0, 1.0);
}

TEST(RenderEdge, spans_the_whole_world_without_overflow) {
  const sim::Vec3 low{-sim::k_world_limit};
  const sim::Vec3 high{sim::k_world_limit};
  EXPECT_EQ(metres_from(high, low), glm::vec3(524'288.0F));
  EXPECT_EQ(metres_from(low, high), glm::vec3(-524'288.0F));
}

TEST(RenderEdge, orientations_turn_z_onto_the_direction_and_keep_y_up) {
  const std::uint32_t seed = 20'261'130;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const auto draw = [&random] {
      return static_cast<std::int64_t>(static_cast<std::int32_t>(random() >> 8) - (1 << 23));
    };
    const sim::WideVec3 direction{draw(), draw(), draw()};
    if (sim::is_zero(direction)) continue;
    const glm::quat turn = looking_along(direction);
    const glm::vec3 forward = turn * glm::vec3(0, 0, 1);
    const glm::vec3 up = turn * glm::vec3(0, 1, 0);
    const glm::vec3 wanted = glm::normalize(glm::vec3(direction));
    EXPECT_LT(glm::length(forward - wanted), 1e-5F);
    EXPECT_GE(up.y, -1e-5F);
    EXPECT_NEAR(glm::length(turn), 1.0F, 1e-6F);
  }
  for (const std::int32_t y : {1, -1}) {
    const glm::vec3 forward = looking_along({0, y, 0}) * glm::vec3(0, 0, 1);
    EXPECT_NEAR(forward.y, static_cast<float>(y), 1e-6F);
  }
  EXPECT_EQ(looking_along({0, 0, 0}), glm::quat(1.0F, 0.0F, 0.0F, 0.0F));
}

TEST(RenderEdge, an_entitys_axes_are_right_up_forward) {
  const sim::Basis basis = sim::basis_of_angles(1 << 30, 0, 0);  // yaw 90 degrees: +Z to +X
  const glm::quat turn = orientation_of(basis);
  EXPECT_LT(glm::length(turn * glm::vec3(0, 0, 1) - glm::vec3(1, 0, 0)), 1e-5F);
  EXPECT_LT(glm::length(turn * glm::vec3(1, 0, 0) - glm::vec3(0, 0, -1)), 1e-5F);
  EXPECT_LT(glm::length(turn * glm::vec3(0, 1, 0) - glm::vec3(0, 1, 0)), 1e-5F);
}

TEST(RenderEdge, seconds_are_exact_after_sixty_days) {
  const sim::Subtick time = 60LL * 86'400 * 65'536 + 1;
  EXPECT_EQ(seconds_of(time) - seconds_of(time - 1), 1.0 / 65'536);
  sim::Subtick back = 0;
  ASSERT_EQ(subtick_from_seconds(seconds_of(time), back), Status::ok);
  EXPECT_EQ(back, time);
}

}  // namespace
}  // namespace contrail::client
