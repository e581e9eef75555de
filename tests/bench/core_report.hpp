#pragma once

// The core benchmark's figures and how they are shown.

#include <string>
#include <vector>

#include "report.hpp"

namespace contrail::bench {

/// What was measured: one group is one table.
enum class Group : std::uint8_t { compile, position, flights, windows, motion, trail };

struct Figure {
  Group group = Group::compile;
  std::string how;   // "scalar", "avx2", "textbook curves"
  int missiles = 0;  // 0: one flight after the other
  Timing timing;     // nanoseconds a flight, position, missile or point
  double bar = 0;    // nanoseconds it should stay below; 0: none
};

/// The rows' names of the float versions, by which ratios are taken.
inline constexpr const char* k_textbook_curves = "float Bezier + Perlin";
inline constexpr const char* k_textbook_pursuit = "float pursuit, Euler";

/// Everything to print but the figures.
struct CoreRun {
  Machine machine;
  std::string fingerprint;
  std::string fastest;  // batch target
};

/// One table a group on stdout.
void print_core_table(const std::vector<Figure>& figures, const CoreRun& run);
/// One JSON object on one line.
void print_core_json(const std::vector<Figure>& figures, const CoreRun& run);

}  // namespace contrail::bench
