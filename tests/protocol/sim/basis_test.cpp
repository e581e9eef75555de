#include <gtest/gtest.h>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/trig.hpp>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

constexpr std::int32_t k_quarter = 1 << 30;
const Vec3 k_x(k_one, 0, 0);
const Vec3 k_y(0, k_one, 0);
const Vec3 k_z(0, 0, k_one);

class BasisTest : public testing::Test {
 protected:
  std::int32_t angle() { return static_cast<std::int32_t>(numbers_.next() & 0xFFFF'FFFFU); }
  Basis random_basis() {
    const std::int32_t yaw = angle();
    const std::int32_t pitch = angle();
    return basis_of_angles(yaw, pitch, angle());
  }
  std::uint64_t seed_ = test::seed_or(4);
  Numbers numbers_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

/// Largest error of lengths and right angles of the three axes, Q24.
std::int64_t skew(const Basis& b) {
  const Vec3 r = right(b);
  std::int64_t worst = 0;
  for (const Vec3& axis : {b.forward, b.up, r}) {
    worst = std::max(worst, std::abs(dot24(axis, axis) - k_one));
  }
  for (const std::int64_t product : {dot24(b.forward, b.up), dot24(b.up, r), dot24(r, b.forward)}) {
    worst = std::max(worst, std::abs(product));
  }
  return worst;
}

std::int64_t apart(const Vec3& a, const Vec3& b) {
  return max_abs(WideVec3(a) - WideVec3(b));
}

TEST_F(BasisTest, axes_follow_the_conventions) {
  const Basis identity;
  EXPECT_EQ(right(identity), k_x);
  EXPECT_EQ(rotate(identity, Vec3(1, 2, 3)), WideVec3(1, 2, 3));
  // Yaw goes from +Z toward +X, pitch up is positive, roll takes the right side down.
  const Basis turned = basis_of_angles(k_quarter, 0, 0);
  EXPECT_EQ(turned.forward, k_x);
  EXPECT_EQ(turned.up, k_y);
  EXPECT_EQ(right(turned), -k_z);
  const Basis lifted = basis_of_angles(0, k_quarter, 0);
  EXPECT_EQ(lifted.forward, k_y);
  EXPECT_EQ(lifted.up, -k_z);
  const Basis banked = basis_of_angles(0, 0, k_quarter);
  EXPECT_EQ(banked.forward, k_z);
  EXPECT_EQ(banked.up, k_x);
  EXPECT_EQ(right(banked), -k_y);
}

TEST_F(BasisTest, angles_give_the_forward_axis_of_trigonometry) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    const std::int32_t yaw = angle();
    const std::int32_t pitch = angle();
    const Basis b = basis_of_angles(yaw, pitch, angle());
    const Vec3 expected(Vec3(round24(std::int64_t{sin_angle(yaw)} * cos_angle(pitch)),
                             sin_angle(pitch),
                             round24(std::int64_t{cos_angle(yaw)} * cos_angle(pitch))));
    ASSERT_LE(apart(b.forward, expected), 8) << yaw << " " << pitch;
  }
}

TEST_F(BasisTest, random_bases_are_orthonormal) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    ASSERT_LE(skew(random_basis()), 8);
  }
}

TEST_F(BasisTest, composition_rotates_by_the_outer_after_the_inner_one) {
  for (int i = 0; i < test::repeats(5'000); ++i) {
    const Basis outer = random_basis();
    const Basis inner = random_basis();
    const auto offset = numbers_.vector<Vec3>(1 << 21);
    const WideVec3 at_once = rotate(compose(outer, inner), offset);
    const WideVec3 in_turn = rotate(outer, Vec3(rotate(inner, offset)));
    ASSERT_LE(max_abs(at_once - in_turn), 8);
  }
}

TEST_F(BasisTest, freezing_loses_at_most_half_a_unit_of_Q14_and_freezes_to_itself) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    const Basis b = random_basis();
    const PackedBasis packed = freeze(b);
    const Basis thawed = thaw(packed);
    ASSERT_LE(apart(thawed.forward, b.forward), 512);
    ASSERT_LE(apart(thawed.up, b.up), 512);
    ASSERT_EQ(freeze(thawed), packed);
  }
}

TEST_F(BasisTest, a_level_basis_looks_along_its_direction_without_roll) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    const Vec3 f = unit(WideVec3(numbers_.vector<Vec3>(1 << 20)) + WideVec3(0, 0, 1));
    const Basis b = face_basis(f);
    ASSERT_EQ(b.forward, f);
    ASSERT_GE(b.up.y, 0);
    ASSERT_LE(std::abs(right(b).y), 4);
    ASSERT_LE(skew(b), 16);
  }
}

TEST_F(BasisTest, a_level_basis_looks_straight_up_and_down_too) {
  for (const Vec3& f : {k_y, -k_y}) {
    const Basis b = face_basis(f);
    EXPECT_EQ(b.forward, f);
    EXPECT_EQ(right(b), k_x);
    EXPECT_EQ(skew(b), 0);
  }
}

TEST_F(BasisTest, quaternions_of_angles_give_the_same_basis_to_14_bits) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    const std::int32_t yaw = angle();
    const std::int32_t pitch = angle();
    const std::int32_t roll = angle();
    const Quaternion q = quaternion_of_angles(yaw, pitch, roll);
    ASSERT_TRUE(is_unit(q));
    const Basis from_quaternion = basis_of(q);
    const Basis from_angles = basis_of_angles(yaw, pitch, roll);
    ASSERT_LE(apart(from_quaternion.forward, from_angles.forward), 3 * 1024);
    ASSERT_LE(apart(from_quaternion.up, from_angles.up), 3 * 1024);
  }
}

TEST_F(BasisTest, only_quaternions_of_length_one_are_accepted) {
  EXPECT_TRUE(is_unit(Quaternion{}));
  EXPECT_TRUE(is_unit({0, 0, 0, -16'384}));
  EXPECT_TRUE(is_unit({0, 0, 0, 16'385}));
  EXPECT_FALSE(is_unit({0, 0, 0, 16'387}));
  EXPECT_FALSE(is_unit({0, 0, 0, 16'381}));
  EXPECT_FALSE(is_unit({0, 0, 0, 0}));
  EXPECT_FALSE(is_unit({-32'768, -32'768, -32'768, -32'768}));
}

}  // namespace
}  // namespace contrail::sim
