// The plot of bench_turrets: plain SVG, one panel for each pair of limits.

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "turret_runs.hpp"

namespace contrail::bench {
namespace {

constexpr double k_width = 900;
constexpr double k_panel = 240;  // height of a panel's plot
constexpr double k_pitch = 310;  // from one panel to the next
constexpr double k_left = 70;
constexpr double k_right = 880;
constexpr double k_top = 70;
constexpr double k_lowest = -20;  // degrees
constexpr double k_highest = 220;
constexpr std::array<const char*, 3> k_colours{"#0b62a4", "#c4721b", "#8a8a8a"};
constexpr std::array<const char*, 3> k_dashes{"none", "none", "6 4"};

std::string format(const char* form, ...) {
  std::array<char, 512> text{};
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(text.data(), text.size(), form, arguments);
  va_end(arguments);
  return text.data();
}

double x_of(double seconds) {
  return k_left + (k_right - k_left) * seconds / k_slew_seconds;
}
double y_of(double top, double degrees) {
  return top + k_panel * (k_highest - degrees) / (k_highest - k_lowest);
}

std::string axes(double top) {
  std::string out;
  for (int degrees = 0; degrees <= 180; degrees += 60) {
    const double y = y_of(top, degrees);
    out += format("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#e4e4e4'/>\n", k_left, y,
                  k_right, y);
    out += format("<text x='%.1f' y='%.1f' text-anchor='end'>%d°</text>\n", k_left - 8, y + 4,
                  degrees);
  }
  const double bottom = top + k_panel;
  for (int seconds = 0; seconds <= static_cast<int>(k_slew_seconds); ++seconds) {
    const double x = x_of(seconds);
    out += format("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#555'/>\n", x, bottom, x,
                  bottom + 5);
    out += format("<text x='%.1f' y='%.1f' text-anchor='middle'>%d s</text>\n", x, bottom + 20,
                  seconds);
  }
  out += format("<path d='M%.1f %.1fV%.1fH%.1f' fill='none' stroke='#555'/>\n", k_left, top, bottom,
                k_right);
  const double goal = y_of(top, k_slew_degrees);
  out += format(
      "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#2a8a3c' stroke-dasharray='2 3'/>\n",
      k_left, goal, k_right, goal);
  return out;
}

std::string line(double top, const SlewCurve& curve, std::size_t style) {
  std::string out = "<polyline fill='none' stroke-width='2' stroke='";
  out += k_colours[style];
  out += "' stroke-dasharray='";
  out += k_dashes[style];
  out += "' points='";
  for (std::size_t i = 0; i < curve.angles.size(); ++i) {
    out += format("%.1f,%.1f ", x_of(static_cast<double>(i) / 32), y_of(top, curve.angles[i]));
  }
  return out + "'/>\n";
}

}  // namespace

std::string slew_plot(const std::vector<SlewLimits>& limits,
                      const std::vector<std::vector<SlewCurve>>& curves) {
  const double height = k_top + k_pitch * static_cast<double>(limits.size());
  std::string out = format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' width='%.0f' height='%.0f' "
      "font-family='sans-serif' font-size='13' fill='#222'>\n<rect width='100%%' height='100%%' "
      "fill='white'/>\n",
      k_width, height, k_width, height);
  out += format(
      "<text x='%.0f' y='24' font-size='16'>Turret slew to a fixed target at %.0f°, 32 Hz</text>\n",
      k_left, k_slew_degrees);
  double x = k_left;
  for (std::size_t i = 0; i < curves.front().size(); ++i) {
    out += format(
        "<line x1='%.0f' y1='42' x2='%.0f' y2='42' stroke-width='2' stroke='%s' "
        "stroke-dasharray='%s'/>\n",
        x, x + 34, k_colours[i], k_dashes[i]);
    out += format("<text x='%.0f' y='46'>%s</text>\n", x + 40, curves.front()[i].name.c_str());
    x += 170;
  }
  out += format(
      "<line x1='%.0f' y1='42' x2='%.0f' y2='42' stroke='#2a8a3c' stroke-dasharray='2 3'/>\n"
      "<text x='%.0f' y='46'>target</text>\n",
      x, x + 34, x + 40);
  double top = k_top;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    out += axes(top);
    out += format(
        "<text x='%.1f' y='%.1f' font-weight='bold' text-anchor='end'>%g rad/s, %g rad/s²</text>\n",
        k_right, top + 14, limits[i].speed, limits[i].acceleration);
    for (std::size_t c = curves[i].size(); c-- > 0;) out += line(top, curves[i][c], c);
    top += k_pitch;
  }
  return out + "</svg>\n";
}

}  // namespace contrail::bench
