#pragma once

// Integer primitives. Every intermediate is below 2^53 in magnitude for arguments inside the
// limits of limits.hpp, so the same formulas run in int64, double lanes and JavaScript numbers.
// SPEC.md, "Primitives", is the definition.

#include <algorithm>
#include <cstdint>

#include <contrail/sim/limits.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// floor(a / b); b > 0.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q - static_cast<std::int64_t>(q * b > a);
}
inline WideVec3 floor_div(const WideVec3& a, std::int64_t b) {
  return {floor_div(a.x, b), floor_div(a.y, b), floor_div(a.z, b)};
}

/// floor(sqrt(x)); 0 <= x < 2^52 (scalar code accepts any non-negative int64).
std::int64_t isqrt(std::int64_t x);

/// (x + 2^23) >> 24: product of Q24 numbers to the nearest Q24.
inline std::int64_t round24(std::int64_t x) {
  return (x + (std::int64_t{1} << 23)) >> 24;
}
inline WideVec3 round24(const WideVec3& v) {
  return {round24(v.x), round24(v.y), round24(v.z)};
}

/// v limited to +-limit on each axis.
inline Vec3 clamp(const WideVec3& v, std::int64_t limit) {
  return Vec3(std::clamp(v.x, -limit, limit), std::clamp(v.y, -limit, limit),
              std::clamp(v.z, -limit, limit));
}

/// a + floor((b - a) * t / 2^k); k <= 20.
inline std::int64_t lerp(std::int64_t a, std::int64_t b, std::int64_t t, int k) {
  return a + (((b - a) * t) >> k);
}
inline WideVec3 lerp(const WideVec3& a, const WideVec3& b, std::int64_t t, int k) {
  return {lerp(a.x, b.x, t, k), lerp(a.y, b.y, t, k), lerp(a.z, b.z, t, k)};
}

/// floor(v * t / 65536) without a product of 2^53; t may be negative.
inline std::int64_t drift(std::int64_t velocity, Subtick t) {
  return velocity * (t >> 16) + ((velocity * (t & 65535)) >> 16);
}
inline WideVec3 drift(const Vec3& velocity, Subtick t) {
  return {drift(std::int64_t{velocity.x}, t), drift(std::int64_t{velocity.y}, t),
          drift(std::int64_t{velocity.z}, t)};
}

/// Each axis shifted right by `bits`, floored.
inline WideVec3 shift_right(const WideVec3& v, int bits) {
  return {v.x >> bits, v.y >> bits, v.z >> bits};
}

/// Largest magnitude over the axes.
inline std::int64_t max_abs(const WideVec3& v) {
  const auto magnitude = [](std::int64_t x) { return x < 0 ? -x : x; };
  return std::max(std::max(magnitude(v.x), magnitude(v.y)), magnitude(v.z));
}
inline bool is_zero(const WideVec3& v) {
  return (v.x | v.y | v.z) == 0;
}

/// The direction of v, Q24; v must not be zero.
Vec3 unit(const WideVec3& v);
/// The same in 64 bits an axis.
WideVec3 wide_unit(const WideVec3& v);
/// The direction of v, or `fallback` where v is zero.
Vec3 unit_or(const WideVec3& v, const Vec3& fallback);
/// The length of v to about 25 significant bits; 0 for zero.
std::int64_t length(const WideVec3& v);

/// Sum of products, not rounded: Q48 of two directions.
inline std::int64_t dot(const Vec3& a, const Vec3& b) {
  return std::int64_t{a.x} * b.x + std::int64_t{a.y} * b.y + std::int64_t{a.z} * b.z;
}
inline std::int64_t dot24(const Vec3& a, const Vec3& b) {
  return round24(dot(a, b));
}
inline Vec3 cross24(const Vec3& a, const Vec3& b) {
  const WideVec3 p(a);
  const WideVec3 q(b);
  return Vec3(
      round24(WideVec3(p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x)));
}

/// ((length >> 4) * d) >> 20: d (Q24) scaled to a length; 0 <= length <= 1.25 * 2^31.8.
inline WideVec3 along(const Vec3& d, std::int64_t length) {
  const std::int64_t n = length >> 4;
  return {(n * d.x) >> 20, (n * d.y) >> 20, (n * d.z) >> 20};
}

/// 32-bit finalizer (triple32), the only source of randomness.
inline std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 17;
  x *= 0xED5AD4BBU;
  x ^= x >> 11;
  x *= 0xAC4C1B51U;
  x ^= x >> 15;
  x *= 0x31848BABU;
  x ^= x >> 14;
  return x;
}

/// Independent streams of one salvo seed.
enum class Stream : std::uint32_t {
  muzzle_spread = 1,
  approach_spread = 2,
  aim_offset = 3,
  wobble = 4,
  perlin_x = 5,
  perlin_y = 6,
  muzzle_order = 7,
  decoy_roll = 8,
  gunner = 9
};

/// mix(mix(seed ^ (stream * 0x85EBCA6B)) + index * 0x9E3779B9 + 1).
inline std::uint32_t key(std::uint32_t seed, Stream stream, std::uint32_t index) {
  return mix(mix(seed ^ (static_cast<std::uint32_t>(stream) * 0x85EBCA6BU)) + index * 0x9E3779B9U +
             1U);
}
/// mix(key + number * 0x9E3779B9 + 1).
inline std::uint32_t draw(std::uint32_t key, std::uint32_t number) {
  return mix(key + number * 0x9E3779B9U + 1U);
}
/// A point of the unit ball, Q15, from draws number and number + 1.
Vec3 ball(std::uint32_t key, std::uint32_t number);
/// 64-bit session seed to the 32-bit seed of launch number m.
std::uint32_t launch_seed(std::uint64_t session_seed, std::uint32_t launch);

}  // namespace contrail::sim
