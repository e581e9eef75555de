#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include <contrail/sim/hit.hpp>

#include "flight_samples.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

/// A hull part small, long or as large as hulls get.
HullPart random_part(Numbers& numbers) {
  const std::int64_t size = 1LL << numbers.between(4, 21);
  HullPart part;
  part.a = numbers.extreme_vector<Vec3>(size / 2);
  part.d = numbers.chance(20) ? Vec3(0) : numbers.extreme_vector<Vec3>(size / 2);
  part.radius = static_cast<std::int32_t>(numbers.between(0, size));
  return part;
}

/// A point about a radius away from somewhere on the axis, or just beyond an end of it.
Vec3 point_near(Numbers& numbers, const WorldCapsule& c) {
  const WideVec3 on_axis = c.a + shift_right(c.d * std::int64_t{numbers.between(-8192, 73728)}, 16);
  const Vec3 away = unit(WideVec3(numbers.vector<Vec3>(1 << 20)) + WideVec3(0, 0, 1));
  const std::int64_t distance = numbers.chance(50) ? c.radius_sum + numbers.between(-2, 2)
                                                   : numbers.between(0, 2 * c.radius_sum);
  return clamp(on_axis + WideVec3(away) * distance / std::int64_t{k_one}, k_world_limit);
}

void write(std::ostream& out, const WideVec3& v) {
  out << ' ' << v.x << ' ' << v.y << ' ' << v.z;
}

/// A line a case: the part (a, d, radius), the missile's radius, position, yaw, pitch and roll of
/// the entity, the point; then what follows: the closest point of the axis, touching or not.
std::string vectors() {
  std::ostringstream out;
  out << "# part a, d, radius; missile radius; entity position, yaw pitch roll; point; closest; "
         "touches\n";
  Numbers numbers(20'261);
  for (int i = 0; i < 1'000; ++i) {
    const HullPart part = random_part(numbers);
    Weapon weapon;
    weapon.radius = static_cast<std::int32_t>(numbers.between(0, 1LL << numbers.between(0, 21)));
    const auto position = numbers.vector<Vec3>(k_world_limit - (1 << 24));
    const auto angle = [&] { return static_cast<std::int32_t>(numbers.next() & 0xFFFF'FFFFU); };
    const std::int32_t yaw = angle();
    const std::int32_t pitch = angle();
    const std::int32_t roll = angle();
    const WorldCapsule c = place(part, weapon, {position, basis_of_angles(yaw, pitch, roll)});
    const Vec3 point = point_near(numbers, c);
    out << i;
    write(out, WideVec3(part.a));
    write(out, WideVec3(part.d));
    out << ' ' << part.radius << ' ' << weapon.radius;
    write(out, WideVec3(position));
    out << ' ' << yaw << ' ' << pitch << ' ' << roll;
    write(out, WideVec3(point));
    write(out, closest_axis_point(c, WideVec3(point)));
    out << ' ' << (touches(c, WideVec3(point)) ? 1 : 0) << '\n';
  }
  return out.str();
}

TEST(HitVectors, the_committed_contacts_are_reproduced) {
  const std::string computed = vectors();
  const std::string path = std::string(CONTRAIL_GOLDEN_DIR) + "/contacts.txt";
  if (std::getenv("CONTRAIL_REWRITE_GOLDEN") != nullptr) std::ofstream(path) << computed;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing";
  std::ostringstream committed;
  committed << file.rdbuf();
  EXPECT_EQ(computed, committed.str());
}

TEST(HitVectors, the_committed_contacts_touch_about_as_often_as_not) {
  std::istringstream lines(vectors());
  int touching = 0;
  int missing = 0;
  for (std::string line; std::getline(lines, line);) {
    touching += line.ends_with(" 1") ? 1 : 0;
    missing += line.ends_with(" 0") ? 1 : 0;
  }
  EXPECT_GT(touching, 200);
  EXPECT_GT(missing, 200);
}

}  // namespace
}  // namespace contrail::sim
