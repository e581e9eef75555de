// Input: {scale u8, axes u8, height u8}, then the text.

#include <contrail/fuzz/target.hpp>

#include <algorithm>
#include <array>

#include <contrail/edge/route_csv.hpp>
#include <contrail/sim/limits.hpp>

namespace contrail::fuzz {

Outcome run_route_csv(ByteView input) {
  constexpr std::array<std::int64_t, 6> k_scales{1'000'000, 1,          1000,
                                                 304'800,   10'000'000, 1'000'000'000};
  constexpr std::array k_axes{"", "xz", "xyz", "-xz", "x-zy", "zyx", "y-x"};
  Parameters parameters(input);
  server::CsvForm form;
  form.scale = k_scales[parameters.reader.u8() % k_scales.size()];
  form.axes = k_axes[parameters.reader.u8() % k_axes.size()];
  check(form.axes.empty() || server::is_axes(form.axes), "the axes are ones a scenario may name");
  form.height = parameters.reader.u8() * 4096;
  const ByteView bytes = parameters.rest();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  server::is_axes(text);
  const server::CsvTrack track = read_csv_track(text, form);

  check(track.faults.size() <= 10, "at most ten faults are reported");
  check(track.points.size() <= server::k_max_csv_points, "at most so many points are read");
  for (const server::CsvFault& fault : track.faults) {
    check(!fault.what.empty() && !fault.remedy.empty(), "a fault says what and what to do");
    check(fault.at.line <= text.size() + 1, "a fault lies in the text");
  }
  if (!track.faults.empty()) return {false, {}, {}};
  check(!track.points.empty(), "a track without faults has points");
  std::optional<sim::Subtick> after;
  for (const server::CsvPoint& point : track.points) {
    for (int axis = 0; axis < 3; ++axis) {
      check(
          point.position[axis] >= -sim::k_world_limit && point.position[axis] <= sim::k_world_limit,
          "a point is in the world");
    }
    check(point.time.has_value() == track.points.front().time.has_value(),
          "all points have times or none");
    check(!point.time || !after || *point.time > *after, "times ascend");
    after = point.time;
  }
  return k_accepted;
}

}  // namespace contrail::fuzz
