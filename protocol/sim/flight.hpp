#pragma once

// A missile's own flight, before homing: base curve, frames, wobble, and the C2 spline through the
// displaced knots. A pure function of launch, anchor, weapon, hull and missile index.

#include <cstddef>
#include <memory>
#include <vector>

#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

class FlightBuilder;

/// One flight: `pieces` cubic Bezier pieces of 2^J subticks. Pieces are compiled from the first on,
/// when they are first asked for; const functions do that too, so a flight belongs to one thread at
/// a time.
class Flight {
 public:
  Flight();
  explicit Flight(const FlightSource& source);
  /// A flight compiled elsewhere: its 3 * pieces + 1 control points, length units.
  Flight(std::vector<Vec3> points, int log2_piece);
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;
  Flight(Flight&&) noexcept;
  Flight& operator=(Flight&&) noexcept;
  ~Flight();

  /// Position t subticks after the missile's launch, clamped to [0, duration]; length units.
  [[nodiscard]] Vec3 position(Subtick t) const;
  /// Derivative of the piece ruling t, length units per second; for rendering and bounds.
  [[nodiscard]] Vec3 velocity(Subtick t) const;
  /// From start to end of the piece ruling t, length units.
  [[nodiscard]] WideVec3 piece_chord(Subtick t) const;
  [[nodiscard]] Subtick duration() const { return Subtick{pieces_} << log2_piece_; }
  [[nodiscard]] int pieces() const { return pieces_; }
  [[nodiscard]] int log2_piece() const { return log2_piece_; }
  /// Where it ends, length units.
  [[nodiscard]] const Vec3& end() const { return end_; }
  /// The four control points of piece k, 0 <= k < pieces, length units. Valid until the next call.
  [[nodiscard]] const Vec3* piece(int k) const;
  /// 3 * pieces + 1 control points, length units. Compiles whatever is not.
  [[nodiscard]] const std::vector<Vec3>& points() const;
  /// Pieces compiled so far.
  [[nodiscard]] int compiled_pieces() const;

  /// Test seam: moves control point `index` by `by` (length units). Negative controls plant a fault
  /// with it; nothing else calls it.
  void displace_point(std::size_t index, const Vec3& by);

 private:
  /// The piece that rules a time, and the time inside it.
  struct Place {
    const Vec3* points;
    Subtick inside;
  };
  [[nodiscard]] Place place(Subtick t) const;

  mutable std::vector<Vec3> points_;
  mutable std::unique_ptr<FlightBuilder> builder_;  // null: all is compiled
  Vec3 end_{0};
  int pieces_ = 0;
  int log2_piece_ = 8;
};

/// Flight(source).position(t), for whoever asks once: only the piece at t is compiled.
Vec3 flight_position(const FlightSource& source, Subtick t);

/// J for a wanted duration: clamp(floor(log2 duration) - 4, 8, 13).
int log2_piece_for(Subtick duration);

}  // namespace contrail::sim
