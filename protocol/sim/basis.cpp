#include <contrail/sim/basis.hpp>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/trig.hpp>

namespace contrail::sim {
namespace {

std::int16_t to_q14(std::int64_t q24) {
  return static_cast<std::int16_t>((q24 + 512) >> 10);
}

/// Twice a product of Q24 numbers, to the nearest Q24.
std::int32_t twice24(std::int64_t product) {
  return static_cast<std::int32_t>(round24(2 * product));
}

/// A quaternion with components in Q24, while it is put together.
struct WideQuaternion {
  WideVec3 v{0};
  std::int64_t w = k_one;
};

WideQuaternion multiply(const WideQuaternion& a, const WideQuaternion& b) {
  const WideVec3& p = a.v;
  const WideVec3& q = b.v;
  return {round24(WideVec3(a.w * q.x + b.w * p.x + p.y * q.z - p.z * q.y,
                           a.w * q.y + b.w * p.y + p.z * q.x - p.x * q.z,
                           a.w * q.z + b.w * p.z + p.x * q.y - p.y * q.x)),
          round24(a.w * b.w - p.x * q.x - p.y * q.y - p.z * q.z)};
}

WideQuaternion angles_quaternion(std::int32_t yaw, std::int32_t pitch, std::int32_t roll) {
  const std::int32_t y = yaw >> 1;
  const std::int32_t p = pitch >> 1;
  const std::int32_t r = roll >> 1;
  const WideQuaternion turn{{0, sin_angle(y), 0}, cos_angle(y)};
  const WideQuaternion lift{{-std::int64_t{sin_angle(p)}, 0, 0}, cos_angle(p)};
  const WideQuaternion bank{{0, 0, -std::int64_t{sin_angle(r)}}, cos_angle(r)};
  return multiply(multiply(turn, lift), bank);
}

}  // namespace

Vec3 right(const Basis& b) {
  return cross24(b.up, b.forward);
}

WideVec3 rotate(const Basis& b, const Vec3& offset) {
  const WideVec3 r(right(b));
  return round24(r * std::int64_t{offset.x} + WideVec3(b.up) * std::int64_t{offset.y} +
                 WideVec3(b.forward) * std::int64_t{offset.z});
}

Basis compose(const Basis& outer, const Basis& inner) {
  return {Vec3(rotate(outer, inner.forward)), Vec3(rotate(outer, inner.up))};
}

PackedDirection freeze(const Vec3& direction) {
  return {to_q14(direction.x), to_q14(direction.y), to_q14(direction.z)};
}

Vec3 thaw(const PackedDirection& d) {
  return Vec3(std::int32_t{d[0]}, std::int32_t{d[1]}, std::int32_t{d[2]}) * 1024;
}

PackedBasis freeze(const Basis& b) {
  return {freeze(b.forward), freeze(b.up)};
}

Basis thaw(const PackedBasis& b) {
  return {thaw(b.forward), thaw(b.up)};
}

Basis face_basis(const Vec3& f) {
  return {f, cross24(f, level_right(f))};
}

Basis looking_along(const WideVec3& v, const WideVec3& otherwise) {
  return face_basis(unit_or(v, unit_or(otherwise, Vec3(0, 0, k_one))));
}

Vec3 level_right(const Vec3& f) {
  return unit_or(WideVec3(f.z, 0, -std::int64_t{f.x}), Vec3(k_one, 0, 0));
}

Basis quaternion_basis(const WideVec3& xyz, std::int64_t w) {
  const std::int64_t x = xyz.x;
  const std::int64_t y = xyz.y;
  const std::int64_t z = xyz.z;
  return {Vec3(twice24(x * z + y * w), twice24(y * z - x * w), k_one - twice24(x * x + y * y)),
          Vec3(twice24(x * y - z * w), k_one - twice24(x * x + z * z), twice24(y * z + x * w))};
}

NormalisedQuaternion normalise(const WideVec3& xyz, std::int64_t w) {
  const std::int64_t l = isqrt(xyz.x * xyz.x + xyz.y * xyz.y + xyz.z * xyz.z + w * w);
  require(l > 0, "a quaternion that is normalised is not zero");
  const std::int64_t half = l >> 1;
  return {floor_div(xyz * std::int64_t{k_one} + WideVec3(half), l),
          floor_div(w * std::int64_t{k_one} + half, l)};
}

Basis basis_of(const Quaternion& q) {
  const NormalisedQuaternion n =
      normalise(WideVec3(q.x, q.y, q.z) * std::int64_t{1024}, std::int64_t{q.w} * 1024);
  return quaternion_basis(n.xyz, n.w);
}

Basis basis_of_angles(std::int32_t yaw, std::int32_t pitch, std::int32_t roll) {
  const std::int64_t sy = sin_angle(yaw);
  const std::int64_t cy = cos_angle(yaw);
  const std::int64_t sp = sin_angle(pitch);
  const std::int64_t cp = cos_angle(pitch);
  // Without roll the right axis is (cy, 0, -sy); roll tips the up axis towards it.
  const WideVec3 level_up(-round24(sy * sp), cp, -round24(cy * sp));
  const WideVec3 level_right(cy, 0, -sy);
  const WideVec3 up = round24(level_up * std::int64_t{cos_angle(roll)} +
                              level_right * std::int64_t{sin_angle(roll)});
  return {Vec3(round24(sy * cp), sp, round24(cy * cp)), Vec3(up)};
}

Quaternion quaternion_of_angles(std::int32_t yaw, std::int32_t pitch, std::int32_t roll) {
  const WideQuaternion q = angles_quaternion(yaw, pitch, roll);
  return freeze(normalise(q.v, q.w));
}

Quaternion freeze(const NormalisedQuaternion& q) {
  return {to_q14(q.xyz.x), to_q14(q.xyz.y), to_q14(q.xyz.z), to_q14(q.w)};
}

bool is_unit(const Quaternion& q) {
  const std::int64_t norm = std::int64_t{q.x} * q.x + std::int64_t{q.y} * q.y +
                            std::int64_t{q.z} * q.z + std::int64_t{q.w} * q.w;
  const std::int64_t off = norm - (std::int64_t{1} << 28);
  return off <= (1 << 16) && off >= -(1 << 16);
}

}  // namespace contrail::sim
