#pragma once

// A track: the path of a moving entity, pieces started by keys, coasting after each piece.

#include <cstdint>
#include <vector>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/sim/snapshot.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// Rules the times T > start, until the next piece.
struct TrackPiece {
  Subtick start = 0;
  std::uint8_t log2_duration = 0;  // subticks; meaningless with jump
  bool jump = false;
  Vec3 p0{0};
  Vec3 v0{0};
  Vec3 p1{0};
  Vec3 v1{0};
  PackedDirection facing{0, 0, 16384};  // at start, Q14
  bool operator==(const TrackPiece&) const = default;
};

/// Position at T > start, length units, clamped to the world.
Vec3 piece_position(const TrackPiece& piece, Subtick t);
/// Velocity at T > start, length units per second.
Vec3 piece_velocity(const TrackPiece& piece, Subtick t);
/// Facing at T > start, Q24.
Vec3 piece_facing(const TrackPiece& piece, Subtick t);

struct AttitudePiece {
  Subtick start = 0;
  std::uint8_t log2_duration = 0;  // subticks
  Quaternion from;
  Quaternion to;
  bool operator==(const AttitudePiece&) const = default;
};

/// Attitude at T > start: sign-aligned, normalised lerp.
Basis piece_basis(const AttitudePiece& piece, Subtick t);
Quaternion piece_attitude(const AttitudePiece& piece, Subtick t);

/// All kept pieces of one entity, oldest first. Any time, any order: a pure function of time.
/// At or before the first piece's start the track holds its start state (of a spawn: the spawn
/// state).
class Track {
 public:
  Track() = default;
  /// A spawn at `start`: a jump to the spawn state. own_attitude decides where the basis comes
  /// from.
  Track(Subtick start, bool own_attitude, const Vec3& position, const Vec3& velocity,
        const Quaternion& attitude);
  /// From kept pieces (of a snapshot). At least one track piece; attitude pieces only with
  /// own_attitude.
  Track(bool own_attitude, std::vector<TrackPiece> pieces, std::vector<AttitudePiece> attitudes);

  [[nodiscard]] Vec3 position(Subtick t) const;
  [[nodiscard]] Vec3 velocity(Subtick t) const;
  [[nodiscard]] Basis basis(Subtick t) const;
  /// Without an attitude of its own the direction of its forward axis.
  [[nodiscard]] Vec3 facing(Subtick t) const;
  [[nodiscard]] Pose pose(Subtick t) const;

  /// Starts a piece at `start` (not before any kept piece's start) from the track's own state
  /// there; 2^log2_duration subticks towards the end state.
  void start_piece(Subtick start, int log2_duration, const Vec3& position, const Vec3& velocity);
  /// The same with the end state relative to coasting (RelativeKey; its log2_ticks is not read).
  void start_relative_piece(Subtick start, int log2_duration, const RelativeKey& key);
  /// For T > start the track is position + drift(velocity, T - start).
  void jump(Subtick start, const Vec3& position, const Vec3& velocity);
  void start_attitude(Subtick start, int log2_duration, const Quaternion& to);

  /// Forgets pieces whose successor starts before `limit`.
  void prune(Subtick limit);

  [[nodiscard]] bool own_attitude() const { return own_attitude_; }
  [[nodiscard]] const std::vector<TrackPiece>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<AttitudePiece>& attitudes() const { return attitudes_; }

 private:
  bool own_attitude_ = false;
  std::vector<TrackPiece> pieces_;
  std::vector<AttitudePiece> attitudes_;
};

/// The exact end state of a relative key on a track at the key's start; it covers
/// 2^(log2_ticks + log2_tick) subticks.
TrackKey resolve(const RelativeKey& key, const Track& track, Subtick start, int log2_tick);

}  // namespace contrail::sim
