#pragma once

// From what a pilot wants to track keys. The server steers ships with it; a client that knows the
// same commands finds the same keys, because nothing is remembered but the track and the command.

#include <cstdint>
#include <optional>

#include <contrail/sim/flight_model.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/sim/track.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// Ticks from one key of a steered ship to the next, at least: those of 1/16 s. So a ship costs at
/// most 16 keys a second, however often its pilot changes his mind.
constexpr std::uint32_t key_interval(int log2_tick) {
  return log2_tick >= 12 ? 1 : std::uint32_t{1} << (12 - log2_tick);
}

/// A ship under command.
struct Helm {
  std::uint16_t entity = 0;
  Steer steer;              // the command that stands
  std::uint32_t taken = 0;  // tick that took it
  MotionLimits limits;      // of the entity's type
};

/// The key record `tick` needs, given the track as the records before it left it; none while the
/// last one still does what is wanted, or less than key_interval ticks ago a piece was started.
std::optional<RelativeKey> helm_key(const Helm& helm, const Track& track, std::uint32_t tick,
                                    int log2_tick);

}  // namespace contrail::sim
