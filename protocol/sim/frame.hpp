#pragma once

// The moving frame of a base curve: two axes across the tangent that turn about it as little as
// possible. Double reflection (Wang, Juttler, Zheng, Liu: Computation of rotation minimizing
// frames, ACM TOG 27(1), 2008) over 16 fixed knots, then one step from the knot below, so the frame
// is a pure function of the parameter.

#include <array>

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

/// The frames of one curve.
class CurveFrames {
 public:
  explicit CurveFrames(const Cubic& curve);
  /// The frame at u / 2^20, 0 <= u <= 2^20.
  [[nodiscard]] Frame at(std::int64_t u) const;

 private:
  struct Knot {
    Frame frame;
    WideVec3 left{0};  // blossom of the hodograph at (knot, 0), (knot, 1) and (knot, knot)
    WideVec3 right{0};
    WideVec3 slope{0};
  };

  void place_knot(std::size_t index, const Frame& frame);
  [[nodiscard]] Frame step(const Knot& from, std::int64_t u) const;

  Hodograph hodograph_;
  std::array<Knot, k_frame_knots> knots_;
};

}  // namespace contrail::sim
