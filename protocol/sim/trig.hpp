#pragma once

// Sine, cosine and arc tangent over binary angles (a full turn is 2^32), in integers.

#include <cstdint>

namespace contrail::sim {

/// sin, Q24. Off by less than 1 / 2^24 from the true value; exact at multiples of 90 degrees.
std::int32_t sin_angle(std::int32_t angle);
/// cos, Q24. Same bound.
std::int32_t cos_angle(std::int32_t angle);
/// The binary angle of the point (x, y), from +x toward +y; 0 for (0, 0). |x|, |y| < 2^52. Off by
/// at most 48 / 2^32 of a turn (0.07 microradians); exact on the axes.
std::int32_t atan2_angle(std::int64_t y, std::int64_t x);

}  // namespace contrail::sim
