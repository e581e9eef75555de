#include <contrail/core/render_edge.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/limits.hpp>

namespace contrail::client {
namespace {

constexpr double k_metres_per_unit = 1.0 / sim::k_units_per_metre;
constexpr double k_seconds_per_subtick = 1.0 / static_cast<double>(sim::k_subticks_per_second);
constexpr double k_max_seconds = 4294967296.0;
constexpr float k_per_one = 1.0F / static_cast<float>(sim::k_one);

// By the exponent bits: under -ffast-math the compiler may assume that std::isfinite is true.
bool finite(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  constexpr std::uint64_t k_exponent = 0x7FF0'0000'0000'0000;
  return (bits & k_exponent) != k_exponent;
}

glm::vec3 column(const sim::Vec3& axis) {
  return {static_cast<float>(axis.x) * k_per_one, static_cast<float>(axis.y) * k_per_one,
          static_cast<float>(axis.z) * k_per_one};
}

}  // namespace

glm::vec3 metres_from(const sim::Vec3& position, const sim::Vec3& origin) {
  const sim::WideVec3 difference = sim::WideVec3(position) - sim::WideVec3(origin);
  return {static_cast<float>(static_cast<double>(difference.x) * k_metres_per_unit),
          static_cast<float>(static_cast<double>(difference.y) * k_metres_per_unit),
          static_cast<float>(static_cast<double>(difference.z) * k_metres_per_unit)};
}

glm::vec3 metres_per_second(const sim::Vec3& velocity) {
  return metres_from(velocity, {0, 0, 0});
}

glm::vec3 mean_velocity(const sim::WideVec3& displacement, sim::Subtick span) {
  const double scale = static_cast<double>(sim::k_subticks_per_second) * k_metres_per_unit /
                       static_cast<double>(span);
  return {static_cast<float>(static_cast<double>(displacement.x) * scale),
          static_cast<float>(static_cast<double>(displacement.y) * scale),
          static_cast<float>(static_cast<double>(displacement.z) * scale)};
}

glm::quat orientation_of(const sim::Basis& basis) {
  const glm::mat3 columns(column(sim::right(basis)), column(basis.up), column(basis.forward));
  return glm::normalize(glm::quat_cast(columns));
}

glm::quat looking_along(const sim::WideVec3& direction) {
  if (sim::is_zero(direction)) return {1.0F, 0.0F, 0.0F, 0.0F};
  return orientation_of(sim::face_basis(sim::unit(direction)));
}

double seconds_of(sim::Subtick time) {
  return static_cast<double>(time) * k_seconds_per_subtick;
}

float short_seconds(sim::Subtick span) {
  return static_cast<float>(seconds_of(span));
}

Status position_from_metres(const glm::dvec3& metres, sim::Vec3& out) {
  sim::Vec3 result{0};
  for (int axis = 0; axis < 3; ++axis) {
    const double value = metres[axis];
    if (!finite(value)) return Status::not_finite;
    const double units = value * static_cast<double>(sim::k_units_per_metre);
    constexpr auto k_limit = static_cast<double>(sim::k_world_limit);
    if (units > k_limit || units < -k_limit) return Status::out_of_range;
    result[axis] = static_cast<std::int32_t>(std::floor(units + 0.5));
  }
  out = result;
  return Status::ok;
}

Status subtick_from_seconds(double seconds, sim::Subtick& out) {
  if (!finite(seconds)) return Status::not_finite;
  if (seconds < 0.0 || seconds > k_max_seconds) return Status::out_of_range;
  out = static_cast<sim::Subtick>(
      std::floor(seconds * static_cast<double>(sim::k_subticks_per_second) + 0.5));
  return Status::ok;
}

}  // namespace contrail::client
