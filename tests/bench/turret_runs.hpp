#pragma once

// A turret's slew to a fixed target and its chase of a moving one, by its own controllers and by
// the textbook's.

#include <string>
#include <vector>

namespace contrail::bench {

/// Limits as a designer says them.
struct SlewLimits {
  double speed = 0;         // rad/s
  double acceleration = 0;  // rad/s^2
};

struct SlewCurve {
  std::string name;            // of the controller
  std::vector<double> angles;  // degrees, one a tick from the start on
  double overshoot = 0;        // degrees past the target
  double settling = 0;         // seconds until within 1 degree for good; negative: never
  double lag = 0;              // degrees behind a target that turns at half the speed limit
  double landing = 0;  // seconds until it rests on the target to the last bit; negative: never
};

inline constexpr int k_slew_log2_tick = 11;  // 32 Hz
inline constexpr double k_slew_degrees = 120;
inline constexpr double k_slew_seconds = 8;

/// optimal, align, and Align of the book in floating point, in this order.
std::vector<SlewCurve> slew_curves(const SlewLimits& limits);

/// Angle over time, a panel for each of the limits, as an SVG document.
std::string slew_plot(const std::vector<SlewLimits>& limits,
                      const std::vector<std::vector<SlewCurve>>& curves);

}  // namespace contrail::bench
