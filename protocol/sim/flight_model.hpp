#pragma once

// How a ship under command moves: constant acceleration over one track piece, limited in
// acceleration and speed. The server turns commands into track keys with it; a client predicts its
// own ship with it, from the same commands, and finds the same keys.

#include <cstdint>
#include <optional>

#include <contrail/sim/records.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

struct Motion {
  Vec3 position{0};  // length units
  Vec3 velocity{0};  // length units per second
  bool operator==(const Motion&) const = default;
};

/// Both by length, not by axis. max_acceleration < 2^26.
struct MotionLimits {
  std::int32_t max_speed = 0;         // length units per second, at most 10 km/s
  std::int32_t max_acceleration = 0;  // length units per second^2
};

enum class SteerKind : std::uint8_t {
  coast = 0,   // no acceleration
  accelerate,  // value: acceleration, length units per second^2
  velocity,    // value: velocity to reach and hold
  waypoint     // value: position to reach and stop at
};

/// What the pilot wants.
struct Steer {
  SteerKind kind = SteerKind::coast;
  Vec3 value{0};
  bool operator==(const Steer&) const = default;
};

/// The state 2^k subticks later, 9 <= k <= 20, world and speed limits held. The cubic piece between
/// `start` and the result is the motion under constant acceleration, up to rounding. Along a
/// straight line a waypoint is never overshot if every step has the same length and the ship could
/// stop before it when the command came.
Motion steer(const Motion& start, const Steer& command, const MotionLimits& limits, int k);

/// The relative key nearest to `end` for a piece of 2^log2_ticks ticks of 2^log2_tick subticks that
/// starts at `start`; none where `end` is too far from coasting. Fly what resolve() makes of it.
std::optional<RelativeKey> relative_key(std::uint16_t entity, int log2_ticks, int log2_tick,
                                        const Motion& start, const Motion& end);

}  // namespace contrail::sim
