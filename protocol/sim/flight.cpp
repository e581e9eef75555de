#include <contrail/sim/flight.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/flight_knots.hpp>

namespace contrail::sim {

/// Compiles a flight piece after piece.
class FlightBuilder {
 public:
  explicit FlightBuilder(const FlightShape& shape) : shape_(shape), walk_(shape_) {}
  FlightBuilder(const FlightBuilder&) = delete;
  FlightBuilder& operator=(const FlightBuilder&) = delete;

  /// Pieces whose control points are all there: a piece's last one comes with the piece after it.
  [[nodiscard]] std::int64_t complete() const {
    return piece_ == shape_.pieces ? piece_ : std::max<std::int64_t>(piece_ - 1, 0);
  }

  /// Writes the control points of one more piece but for its last.
  void extend(std::vector<Vec3>& points) {
    Vec3* p = &points[static_cast<std::size_t>(3 * piece_)];
    if (piece_ == 0 || piece_ + 1 == shape_.pieces) {
      extend_at_end(p);
      return;
    }
    // Axis by axis: vectors that are put together and copied cost more than their arithmetic.
    const WideVec3 right = walk_.at(piece_ + 1);
    const auto axis = [p](std::int64_t& left, std::int64_t to, std::int64_t& inner,
                          std::int32_t Vec3::*at) {
      const InnerPoints between = inner_points(left, to);
      p[0].*at = static_cast<std::int32_t>((inner + between.first) >> 1);
      p[1].*at = static_cast<std::int32_t>(between.first);
      p[2].*at = static_cast<std::int32_t>(between.second);
      left = to;
      inner = between.second;
    };
    axis(left_.x, right.x, inner_.x, &Vec3::x);
    axis(left_.y, right.y, inner_.y, &Vec3::y);
    axis(left_.z, right.z, inner_.z, &Vec3::z);
    ++piece_;
  }

 private:
  /// The first piece or the last one.
  void extend_at_end(Vec3* p) {
    const SplineEnds& ends = shape_.ends;
    const bool first = piece_ == 0;
    const bool last = piece_ + 1 == shape_.pieces;
    const WideVec3 right = last ? ends.last_knot(left_) : walk_.at(piece_ + 1);
    const WideVec3 left = first ? ends.first_knot(right) : left_;
    const WideVec3 q1 = first ? ends.after_start : first_inner(left, right);
    const WideVec3 q2 = last ? ends.before_end : second_inner(left, right);
    p[0] = Vec3(first ? ends.start : shift_right(inner_ + q1, 1));
    p[1] = Vec3(q1);
    p[2] = Vec3(q2);
    if (last) {
      p[3] = Vec3(ends.end);
    }
    left_ = right;
    inner_ = q2;
    ++piece_;
  }

  FlightShape shape_;
  KnotWalk walk_;
  std::int64_t piece_ = 0;  // the next
  WideVec3 left_{0};        // its left knot
  WideVec3 inner_{0};       // second inner control point of the piece before
};

Flight::Flight() = default;
Flight::Flight(Flight&&) noexcept = default;
Flight& Flight::operator=(Flight&&) noexcept = default;
Flight::~Flight() = default;

Flight::Flight(const FlightSource& source) : log2_piece_(source.launch.log2_piece) {
  const FlightShape shape = flight_shape(source);
  builder_ = std::make_unique<FlightBuilder>(shape);
  end_ = shape.base.p[3];
  pieces_ = static_cast<int>(shape.pieces);
}

Flight::Flight(std::vector<Vec3> points, int log2_piece)
    : points_(std::move(points)), log2_piece_(log2_piece) {
  require(points_.size() >= 4 && points_.size() % 3 == 1, "a flight has 3 n + 1 control points");
  end_ = points_.back();
  pieces_ = static_cast<int>(points_.size() / 3);
}

const Vec3* Flight::piece(int k) const {
  require(k >= 0 && k < pieces_, "a piece of a flight that was made");
  if (builder_ != nullptr) {
    points_.resize(3 * static_cast<std::size_t>(pieces_) + 1, Vec3(0));
    while (builder_->complete() <= k) {
      builder_->extend(points_);
    }
    if (builder_->complete() == pieces_) {
      builder_.reset();
    }
  }
  return &points_[static_cast<std::size_t>(3 * k)];
}

int Flight::compiled_pieces() const {
  return builder_ == nullptr ? pieces_ : static_cast<int>(builder_->complete());
}

const std::vector<Vec3>& Flight::points() const {
  require(pieces_ > 0, "a flight that is asked was made");
  (void)piece(pieces_ - 1);
  return points_;
}

Flight::Place Flight::place(Subtick t) const {
  const Subtick local = std::clamp(t, Subtick{0}, duration());
  const auto k = static_cast<int>(std::min<Subtick>(local >> log2_piece_, pieces_ - 1));
  return {piece(k), local - (Subtick{k} << log2_piece_)};
}

Vec3 Flight::position(Subtick t) const {
  if (pieces_ > 0 && t >= duration()) {
    return end_;  // without compiling what leads there
  }
  const Place at = place(t);
  return cubic_point(at.points, at.inside, log2_piece_);
}

Vec3 Flight::velocity(Subtick t) const {
  const Place at = place(t);
  return cubic_velocity(at.points, at.inside, log2_piece_);
}

WideVec3 Flight::piece_chord(Subtick t) const {
  const Place at = place(t);
  return WideVec3(at.points[3]) - WideVec3(at.points[0]);
}

void Flight::displace_point(std::size_t index, const Vec3& by) {
  require(index < points().size(), "a displaced control point exists");
  points_[index] += by;
}

Vec3 flight_position(const FlightSource& source, Subtick t) {
  const int log2_piece = source.launch.log2_piece;
  const Subtick local = std::max<Subtick>(t, 0);
  const std::int64_t k = local >> log2_piece;
  if (k >= source.launch.pieces) {
    return base_curve(source).p[3];
  }
  const FlightShape shape = flight_shape(source);
  KnotWalk walk(shape);
  KnotWindow window{WideVec3(0), WideVec3(0), WideVec3(0), WideVec3(0)};
  for (std::int64_t n = std::max<std::int64_t>(k - 1, 1);
       n <= std::min<std::int64_t>(k + 2, shape.pieces - 1); ++n) {
    window[static_cast<std::size_t>(n - k + 1)] = walk.at(n);
  }
  return cubic_point(spline_piece(shape, window, k), local - (k << log2_piece), log2_piece);
}

int log2_piece_for(Subtick duration) {
  require(duration > 0, "a flight takes time");
  const int log2 = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(duration))) - 1;
  return std::clamp(log2 - 4, k_min_log2_flight_piece, k_max_log2_flight_piece);
}

}  // namespace contrail::sim
