#pragma once

// Integer primitives. Every intermediate is below 2^53 in magnitude for arguments inside the
// limits of limits.hpp, so the same formulas run in int64, double lanes and JavaScript numbers.

#include <cstdint>

#include <contrail/sim/limits.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// floor(a / b); b > 0.
std::int64_t floor_div(std::int64_t a, std::int64_t b);
/// floor(sqrt(x)); 0 <= x < 2^52 (scalar code accepts any non-negative int64).
std::int64_t isqrt(std::int64_t x);
/// (x + 2^23) >> 24: product of Q24 numbers to the nearest Q24.
std::int64_t round24(std::int64_t x);
/// v limited to +-limit on each axis.
Vec3 clamp(const WideVec3& v, std::int64_t limit);
/// a + floor((b - a) * t / 2^k); k <= 20.
std::int64_t lerp(std::int64_t a, std::int64_t b, std::int64_t t, int k);
WideVec3 lerp(const WideVec3& a, const WideVec3& b, std::int64_t t, int k);
/// floor(v * t / 65536) without a product of 2^53; t may be negative.
WideVec3 drift(const Vec3& velocity, Subtick t);

/// The direction of v, Q24; v must not be zero.
Vec3 unit(const WideVec3& v);
/// The length of v to about 25 significant bits; 0 for zero.
std::int64_t length(const WideVec3& v);
std::int64_t dot24(const Vec3& a, const Vec3& b);
Vec3 cross24(const Vec3& a, const Vec3& b);
/// ((length >> 4) * d) >> 20: d (Q24) scaled to a length; 0 <= length <= 1.25 * 2^31.8.
WideVec3 along(const Vec3& d, std::int64_t length);
bool is_zero(const WideVec3& v);

/// 32-bit finalizer (triple32), the only source of randomness.
std::uint32_t mix(std::uint32_t x);
/// Independent streams of one salvo seed.
enum class Stream : std::uint32_t {
  muzzle_spread = 1, approach_spread = 2, aim_offset = 3, wobble = 4, perlin_x = 5, perlin_y = 6,
  muzzle_order = 7, decoy_roll = 8, gunner = 9
};
std::uint32_t key(std::uint32_t seed, Stream stream, std::uint32_t index);
std::uint32_t draw(std::uint32_t key, std::uint32_t number);
/// A point of the unit ball, Q15, from draws number and number + 1.
Vec3 ball(std::uint32_t key, std::uint32_t number);
/// 64-bit session seed to the 32-bit seed of launch number m.
std::uint32_t launch_seed(std::uint64_t session_seed, std::uint32_t launch);

}  // namespace contrail::sim
