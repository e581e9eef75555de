#pragma once

// From a base curve to the spline that is flown: wobble displaces points of the curve along its
// moving frame, the displaced knots are control points of a uniform cubic B-spline, and a window of
// four of them is one Bezier piece.

#include <array>
#include <cstdint>

#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/frame.hpp>
#include <contrail/sim/noise.hpp>

namespace contrail::sim {

/// Points that make the spline start and end exactly where the base curve does, in its directions.
struct SplineEnds {
  WideVec3 start{0};        // P0
  WideVec3 after_start{0};  // the first inner control point of the first piece
  WideVec3 before_end{0};   // the second one of the last piece
  WideVec3 end{0};          // P3
  WideVec3 m0{0};           // derivatives by the knot number at both ends
  WideVec3 mn{0};

  SplineEnds(const Cubic& curve, std::int64_t pieces);
  /// S_0 from S_1, S_N from S_{N-1}.
  [[nodiscard]] WideVec3 first_knot(const WideVec3& second) const;
  [[nodiscard]] WideVec3 last_knot(const WideVec3& second_last) const;
};

/// What all of a flight follows from.
struct FlightShape {
  BaseCurve base;
  NoiseKeys noise;
  std::int64_t pieces = 1;
  int log2_piece = 8;          // subticks
  std::int64_t frequency = 0;  // Q16 noise cells per second
  SplineEnds ends{base.p, pieces};
};
FlightShape flight_shape(const FlightSource& source);

/// Inner control points of the piece between two knots.
inline WideVec3 first_inner(const WideVec3& left, const WideVec3& right) {
  return floor_div(left * std::int64_t{2} + right, 3);
}
inline WideVec3 second_inner(const WideVec3& left, const WideVec3& right) {
  return floor_div(left + right * std::int64_t{2}, 3);
}

/// Both on one axis, with one division.
struct InnerPoints {
  std::int64_t first = 0;
  std::int64_t second = 0;
};
inline InnerPoints inner_points(std::int64_t left, std::int64_t right) {
  const std::int64_t way = right - left;
  const std::int64_t third = floor_div(way, 3);
  // What is left of a third is 0, 1 or 2; only of 2 the other third gets one.
  return {left + third, left + 2 * third + ((way - 3 * third) >> 1)};
}

/// The displaced knots of one flight. Any order gives the same knots, ascending order is cheap.
class KnotWalk {
 public:
  /// Keeps a reference to the shape.
  explicit KnotWalk(const FlightShape& shape);
  /// Continues from a frame knot that another walk reached.
  KnotWalk(const FlightShape& shape, const FrameWalk& frames);
  /// S_k, 0 < k < pieces, length units.
  [[nodiscard]] WideVec3 at(std::int64_t k);
  [[nodiscard]] const FrameWalk& frames() const { return frames_; }

 private:
  const FlightShape& shape_;
  FrameWalk frames_;
  NoiseWalk noise_;
};

/// S_{k-1} .. S_{k+2}; those outside 1 .. pieces - 1 are not read.
using KnotWindow = std::array<WideVec3, 4>;
/// Piece k of a flight from its window alone.
Cubic spline_piece(const FlightShape& shape, const KnotWindow& window, std::int64_t k);

}  // namespace contrail::sim
