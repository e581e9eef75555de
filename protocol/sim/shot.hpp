#pragma once

// Rounds of a burst: straight ways from muzzles, a pure function of the burst. SPEC.md, "Shots", is
// the definition.

#include <contrail/sim/records.hpp>
#include <contrail/sim/scenario.hpp>
#include <contrail/sim/snapshot.hpp>

namespace contrail::sim {

/// One round in flight.
struct Round {
  Subtick begin = 0;  // leaves the muzzle
  Subtick end = 0;    // has flown its time
  Vec3 start{0};      // length units, the muzzle at `begin`
  Vec3 velocity{0};   // length units per second
  /// Length units; begin <= t <= end. May lie outside the world.
  [[nodiscard]] WideVec3 position(Subtick t) const;
};

/// When round i leaves.
inline Subtick round_time(const Shot& shot, const Gun& gun, int i) {
  return shot.time + Subtick{i} * gun.interval;
}
/// When the burst's last round has flown its time; before the shot where no round is left.
Subtick burst_end(const Shot& shot, const Gun& gun);
/// How many rounds have left by `time`, at most shot.count.
std::uint8_t rounds_until(const Shot& shot, const Gun& gun, Subtick time);

/// Round i of a burst, 0 <= i < count, from barrel i mod barrels.
Round round_of(const SnapshotBurst& burst, const Turret& turret, int i);

}  // namespace contrail::sim
