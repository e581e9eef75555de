#pragma once

// Points of a way from a text of comma-separated values: t,x,y,z or x,y,z or x,y. A header line may
// name the columns in any order among others; lines that begin with # are comments. Integers only.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <contrail/edge/config_problem.hpp>

#include <contrail/sim/units.hpp>

namespace contrail::server {

inline constexpr std::size_t k_max_csv_points = 200'000;

/// What the numbers of a file mean.
struct CsvForm {
  std::int64_t scale = 1'000'000;  // millionths of a metre, for a unit of the file
  std::string axes;         // "x-z": the file's x and y are the world's x and -z; empty: xyz,
                            // or xz of a file without z
  std::int32_t height = 0;  // length units, of the axis that the file does not give
};

/// "xz", "-xzy" ...: two or three world axes, each once, each with a sign or without.
bool is_axes(std::string_view text);

struct CsvPoint {
  sim::Vec3 position{0};             // length units
  std::optional<sim::Subtick> time;  // since the first point
};

struct CsvFault {
  SourcePosition at;
  std::string what;
  std::string remedy;
};

struct CsvTrack {
  std::vector<CsvPoint> points;
  std::size_t repeated = 0;  // points left out: they stand where the one before them does
  std::vector<CsvFault> faults;
};

/// Fault-free tracks have points. Times ascend. At most ten faults are reported.
CsvTrack read_csv_track(std::string_view text, const CsvForm& form);

}  // namespace contrail::server
