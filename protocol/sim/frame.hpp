#pragma once

// The moving frame of a base curve: two axes across the tangent that turn about it as little as
// possible. Double reflection (Wang, Juttler, Zheng, Liu: Computation of rotation minimizing
// frames, ACM TOG 27(1), 2008) over 16 fixed knots, then one step from the knot below, so the frame
// is a pure function of the parameter.

#include <array>
#include <cstdint>

#include <contrail/sim/curve.hpp>

namespace contrail::sim {

inline constexpr int k_frame_knots = 16;
inline constexpr int k_log2_curve = 20;  // bits of the parameter of a whole curve

/// Tangent and the two axes across it, Q24.
struct Frame {
  Vec3 tangent{0, 0, k_one};
  Vec3 r{k_one, 0, 0};
  Vec3 s{0, k_one, 0};
  bool operator==(const Frame&) const = default;
};

/// The direction of the curve at its start: of P1 - P0, else P2 - P0, else P3 - P0, else +Z.
Vec3 start_tangent(const Cubic& curve);
/// The direction of the curve at its end: of P3 - P2, else P3 - P1, else P3 - P0, else +Z.
Vec3 end_tangent(const Cubic& curve);
/// The first frame along a tangent: its axes come from the world axis least aligned with it.
Frame start_frame(const Vec3& tangent);
/// Carries the axes of `from` along a chord (any length, may be zero) to the tangent `to`.
Frame reflect_frame(const Frame& from, const WideVec3& chord, const Vec3& to);

/// A frame at a parameter u, and the blossom of the curve's hodograph there: at (u, 0), (u, 1) and
/// (u, u), length units.
struct FrameKnot {
  Frame frame;
  WideVec3 left{0};
  WideVec3 right{0};
  WideVec3 slope{0};
};

/// The frames of one curve, all its knots at hand.
class CurveFrames {
 public:
  explicit CurveFrames(const Cubic& curve);
  /// The frame at u / 2^20, 0 <= u <= 2^20.
  [[nodiscard]] Frame at(std::int64_t u) const;

 private:
  Hodograph hodograph_;
  std::array<FrameKnot, k_frame_knots> knots_;
};

/// The same frames for whoever asks in ascending order: only the knot in use is kept, and knots are
/// computed as they are reached. Asking for an earlier one starts again.
class FrameWalk {
 public:
  explicit FrameWalk(const Cubic& curve);
  /// Continues where another walk along the same curve stood.
  FrameWalk(const Cubic& curve, int knot, const Frame& at_knot);
  [[nodiscard]] Frame at(std::int64_t u);
  /// Number of the knot kept, 0 .. 15, and the frame there.
  [[nodiscard]] int knot() const { return number_; }
  [[nodiscard]] const Frame& at_knot() const { return knots_[current_].frame; }

 private:
  Cubic curve_;
  Hodograph hodograph_;
  std::array<FrameKnot, 2> knots_;  // the one kept, and room for the next
  unsigned current_ = 0;
  int number_ = 0;
};

}  // namespace contrail::sim
