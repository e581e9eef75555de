#include <contrail/sim/track.hpp>

#include <algorithm>
#include <utility>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/curve.hpp>

namespace contrail::sim {
namespace {

struct EndState {
  Vec3 position{0};
  Vec3 velocity{0};
};

/// The end of a relative key's piece of 2^k subticks that starts at p0, v0.
EndState end_of(const RelativeKey& key, int k, const Vec3& p0, const Vec3& v0) {
  const std::int64_t scale = std::int64_t{1} << key.scale;
  const WideVec3 d(key.d[0], key.d[1], key.d[2]);
  const WideVec3 dv(key.dv[0], key.dv[1], key.dv[2]);
  const WideVec3 coasted = WideVec3(p0) + drift(v0, Subtick{1} << k);
  return {clamp(coasted + d * scale, k_world_limit), clamp(WideVec3(v0) + dv * scale, k_max_speed)};
}

/// The last piece that begins before t, or none.
template <typename Piece>
const Piece* ruling(const std::vector<Piece>& pieces, Subtick t) {
  if (!pieces.empty() && pieces.back().start < t) {
    return &pieces.back();
  }
  const auto after =
      std::lower_bound(pieces.begin(), pieces.end(), t,
                       [](const Piece& piece, Subtick x) { return piece.start < x; });
  return after == pieces.begin() ? nullptr : &*std::prev(after);
}

template <typename Piece>
void forget_before(std::vector<Piece>& pieces, Subtick limit) {
  std::size_t gone = 0;
  while (gone + 1 < pieces.size() && pieces[gone + 1].start < limit) {
    ++gone;
  }
  pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(gone));
}

bool is_over(const TrackPiece& piece, Subtick t) {
  return piece.jump || t - piece.start >= Subtick{1} << piece.log2_duration;
}

NormalisedQuaternion attitude_at(const AttitudePiece& piece, Subtick t) {
  const Quaternion& a = piece.from;
  const Quaternion& b = piece.to;
  const int dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  const std::int64_t sign = dot < 0 ? -1 : 1;
  const Subtick duration = Subtick{1} << piece.log2_duration;
  const Subtick local = std::clamp(t - piece.start, Subtick{0}, duration);
  const auto between = [&](std::int64_t from, std::int64_t to) {
    return lerp(from * 1024, sign * to * 1024, local, piece.log2_duration);
  };
  return normalise(WideVec3(between(a.x, b.x), between(a.y, b.y), between(a.z, b.z)),
                   between(a.w, b.w));
}

}  // namespace

Vec3 piece_position(const TrackPiece& piece, Subtick t) {
  const Subtick duration = piece.jump ? 0 : Subtick{1} << piece.log2_duration;
  const Subtick local = t - piece.start;
  if (local >= duration) {
    return clamp(WideVec3(piece.p1) + drift(piece.v1, local - duration), k_world_limit);
  }
  const Cubic cubic = hermite(piece.p0, piece.v0, piece.p1, piece.v1, piece.log2_duration);
  return clamp(WideVec3(cubic_point(cubic, local, piece.log2_duration)), k_world_limit);
}

Vec3 piece_velocity(const TrackPiece& piece, Subtick t) {
  if (is_over(piece, t)) {
    return piece.v1;
  }
  const int k = piece.log2_duration;
  const Subtick local = t - piece.start;
  const WideVec3 v0(piece.v0);
  const WideVec3 v1(piece.v1);
  const WideVec3 way = WideVec3(piece.p1) - WideVec3(piece.p0);
  // The middle control velocity makes both ends exact and the mean right.
  const WideVec3 middle = shift_right(way * std::int64_t{3 * k_subticks_per_second}, k) - v0 - v1;
  const WideVec3 v = lerp(lerp(v0, middle, local, k), lerp(middle, v1, local, k), local, k);
  return clamp(v, k_max_speed);
}

Vec3 piece_facing(const TrackPiece& piece, Subtick t) {
  const Vec3 f0 = thaw(piece.facing);
  const Vec3 f1 = is_zero(piece.v1) ? unit_or(f0, Vec3(0, 0, k_one)) : unit(piece.v1);
  if (is_over(piece, t)) {
    return f1;
  }
  const int k = piece.log2_duration;
  const Subtick local = t - piece.start;
  if (dot24(f0, f1) >= 0) {
    return unit_or(lerp(WideVec3(f0), WideVec3(f1), local, k), f1);
  }
  // More than a right angle: through the middle, so that no vector on the way is short.
  const WideVec3 sum = WideVec3(f0) + WideVec3(f1);
  const WideVec3 middle(max_abs(sum) < (1 << 16) ? level_right(f0) : unit(sum));
  const Subtick half = Subtick{1} << (k - 1);
  if (local < half) {
    return unit_or(lerp(WideVec3(f0), middle, 2 * local, k), f1);
  }
  return unit_or(lerp(middle, WideVec3(f1), 2 * local - 2 * half, k), f1);
}

Basis piece_basis(const AttitudePiece& piece, Subtick t) {
  const NormalisedQuaternion q = attitude_at(piece, t);
  return quaternion_basis(q.xyz, q.w);
}

Quaternion piece_attitude(const AttitudePiece& piece, Subtick t) {
  return freeze(attitude_at(piece, t));
}

Track::Track(Subtick start, bool own_attitude, const Vec3& position, const Vec3& velocity,
             const Quaternion& attitude)
    : own_attitude_(own_attitude) {
  TrackPiece spawn;
  spawn.start = start;
  spawn.jump = true;
  spawn.p0 = spawn.p1 = position;
  spawn.v0 = spawn.v1 = velocity;
  spawn.facing = freeze(basis_of(attitude).forward);
  pieces_.push_back(spawn);
  if (own_attitude) {
    attitudes_.push_back({start, 0, attitude, attitude});
  }
}

Track::Track(bool own_attitude, std::vector<TrackPiece> pieces,
             std::vector<AttitudePiece> attitudes)
    : own_attitude_(own_attitude), pieces_(std::move(pieces)), attitudes_(std::move(attitudes)) {
  require(!pieces_.empty(), "a track has a piece");
  require(own_attitude_ != attitudes_.empty(),
          "a track has attitude pieces exactly when it has an attitude of its own");
}

Vec3 Track::position(Subtick t) const {
  require(!pieces_.empty(), "a track has a piece");
  const TrackPiece* piece = ruling(pieces_, t);
  return piece == nullptr ? pieces_.front().p0 : piece_position(*piece, t);
}

Vec3 Track::velocity(Subtick t) const {
  require(!pieces_.empty(), "a track has a piece");
  const TrackPiece* piece = ruling(pieces_, t);
  return piece == nullptr ? pieces_.front().v0 : piece_velocity(*piece, t);
}

Vec3 Track::facing(Subtick t) const {
  require(!pieces_.empty(), "a track has a piece");
  const TrackPiece* piece = ruling(pieces_, t);
  return piece == nullptr ? unit_or(thaw(pieces_.front().facing), Vec3(0, 0, k_one))
                          : piece_facing(*piece, t);
}

Basis Track::basis(Subtick t) const {
  if (!own_attitude_) {
    return face_basis(facing(t));
  }
  const AttitudePiece* piece = ruling(attitudes_, t);
  return piece == nullptr ? basis_of(attitudes_.front().from) : piece_basis(*piece, t);
}

Pose Track::pose(Subtick t) const {
  return {position(t), basis(t)};
}

void Track::start_piece(Subtick start, int log2_duration, const Vec3& position,
                        const Vec3& velocity) {
  require(!pieces_.empty(), "a piece continues a track");
  require(start >= pieces_.back().start, "pieces start in the order of time");
  require(log2_duration >= k_min_log2_tick && log2_duration <= k_max_log2_piece,
          "a piece lasts 2^9 to 2^20 subticks");
  TrackPiece piece;
  piece.start = start;
  piece.log2_duration = static_cast<std::uint8_t>(log2_duration);
  piece.p0 = this->position(start);
  piece.v0 = clamp(this->velocity(start), k_max_speed);
  piece.p1 = position;
  piece.v1 = velocity;
  piece.facing = freeze(facing(start));
  pieces_.push_back(piece);
}

void Track::start_relative_piece(Subtick start, int log2_duration, const RelativeKey& key) {
  const EndState end = end_of(key, log2_duration, position(start), velocity(start));
  start_piece(start, log2_duration, end.position, end.velocity);
}

void Track::jump(Subtick start, const Vec3& position, const Vec3& velocity) {
  require(!pieces_.empty(), "a jump continues a track");
  require(start >= pieces_.back().start, "pieces start in the order of time");
  TrackPiece piece;
  piece.start = start;
  piece.jump = true;
  piece.p0 = this->position(start);
  piece.v0 = clamp(this->velocity(start), k_max_speed);
  piece.p1 = position;
  piece.v1 = velocity;
  piece.facing = freeze(facing(start));
  pieces_.push_back(piece);
}

void Track::start_attitude(Subtick start, int log2_duration, const Quaternion& to) {
  require(own_attitude_, "attitude keys are for entities with an attitude of their own");
  require(start >= attitudes_.back().start, "pieces start in the order of time");
  require(log2_duration >= 0 && log2_duration <= k_max_log2_piece,
          "an attitude piece lasts at most 2^20 subticks");
  const AttitudePiece* piece = ruling(attitudes_, start);
  const Quaternion from =
      piece == nullptr ? attitudes_.front().from : piece_attitude(*piece, start);
  attitudes_.push_back({start, static_cast<std::uint8_t>(log2_duration), from, to});
}

void Track::prune(Subtick limit) {
  forget_before(pieces_, limit);
  forget_before(attitudes_, limit);
}

TrackKey resolve(const RelativeKey& key, const Track& track, Subtick start, int log2_tick) {
  const EndState end =
      end_of(key, key.log2_ticks + log2_tick, track.position(start), track.velocity(start));
  return {key.entity, key.log2_ticks, false, end.position, end.velocity};
}

}  // namespace contrail::sim
