#pragma once

// The locks of missiles that guidance events spoke of, ready to be evaluated at any time.

#include <array>
#include <cstdint>
#include <vector>

#include <contrail/sim/batch/blocks.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::sim::batch {

/// One event of one missile, and the lock it began.
struct LockChange {
  Subtick time = 0;      // L; in force for later times
  WideVec3 kept{0};      // E, what the ended lock left, length units
  Vec3 velocity{0};      // V, and its velocity
  WideVec3 aimed_at{0};  // where the missile ends without the new lock
  bool locked = false;   // on the new target
  std::uint16_t target = k_no_entity;
  Vec3 offset{0};  // aim offset on the new target's type
};

/// The events of one missile in their order; at most three.
struct LockHistory {
  std::uint8_t count = 0;
  std::array<LockChange, k_max_events_per_missile> changes;
};

/// Where a flight ends and what it aims at.
struct Aim {
  Vec3 end{0};        // P3, length units
  Vec3 offset{0};     // body axes of the announced target
  Vec3 reference{0};  // the same in world axes at the anchor's target basis
};

/// The announced target's position as expected at T, without the aim offset.
WideVec3 expected_target(const Anchor& anchor, const Launch& launch, Subtick t);

LockHistory lock_history(const World& world, const Salvo& salvo, std::uint8_t index,
                         const Aim& aim);

/// A target's pose where it is known.
struct KnownPose {
  bool known = false;
  Vec3 position{0};
  Vec3 right{0};
  Vec3 up{0};
  Vec3 forward{0};
};

/// Poses of entities at one time, each computed when first asked for.
class PoseCache {
 public:
  void reset(const World& world, Subtick t);
  /// Valid until the next call of reset().
  const KnownPose& pose(std::uint16_t entity);

 private:
  const World* world_ = nullptr;
  Subtick time_ = 0;
  std::uint32_t round_ = 0;
  struct Entry {
    std::uint32_t round = 0;
    KnownPose pose;
  };
  std::vector<Entry> entries_;  // by entity id, as far as asked for
};

/// Fills one lane for a missile with a history at time t; `now` and `before` hold poses at t and a
/// back step earlier (null: not wanted), `launched` is the missile's launch time.
void fill_lock(const Salvo& salvo, const LockHistory& history, const Aim& aim, Subtick launched,
               Subtick t, PoseCache& now, PoseCache* before, LockLanes& lanes, std::size_t lane);

}  // namespace contrail::sim::batch
