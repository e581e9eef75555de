#pragma once

// The world: the fold of tick records. The same code runs in server, client and replay, so whoever
// folds the same log over the same scenario holds the same state to the bit.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <contrail/sim/flight.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/sim/scenario.hpp>
#include <contrail/sim/snapshot.hpp>
#include <contrail/sim/track.hpp>

namespace contrail::sim {

/// Why a record or snapshot was refused. State is unchanged then.
enum class FoldError : std::uint8_t {
  none = 0,
  tick_out_of_order,  // records come with ascending ticks, none below the world's
  time_out_of_tick,   // an absolute time outside (n-1, n]
  unknown_entity,     // named entity is not there or already gone
  entity_in_use,      // spawn of an id that lives or rests
  unknown_type,
  unknown_weapon,
  unknown_mount,
  unknown_salvo,
  salvo_in_use,  // low 16 bits of the launch id still in use
  bad_missile,   // index beyond the salvo, ended, not launched or past its end
  bad_guidance,  // too many events, third names a target, target too late
  bad_key,       // piece too long, two keys for one entity in one record
  bad_value,     // a count, kind or range outside its limits
  too_many,      // a limit of limits.hpp
};
const char* describe(FoldError error);

/// What a fold did, for whoever shows or counts it. In the order it happened inside the record.
struct WorldEvent {
  enum class Kind : std::uint8_t {
    launch,
    missile_end,
    lock_lost,
    retarget,
    health,
    destroyed,
    despawn,
    spawn,
    turret,
    shot,
    custom,
    timeline
  };
  Kind kind = Kind::launch;
  Subtick time = 0;
  std::uint32_t salvo = 0;       // launch id; launch, missile_end, lock_lost, retarget
  std::uint8_t index = 0;        // missile; missile_end, lock_lost, retarget
  EndKind end = EndKind::alive;  // missile_end
  std::uint16_t entity =
      k_no_entity;          // victim, spawned, despawned or hurt entity, launcher of a launch
  std::uint16_t value = 0;  // health left; custom: index into the record's customs
  Vec3 position{0};         // missile_end: where; length units
  bool operator==(const WorldEvent&) const = default;
};

/// The answer to a state hash in a record.
struct HashCheck {
  bool present = false;
  std::uint8_t differing = 0;  // bit i: lane i (Subsystem) differs
};

struct FoldResult {
  FoldError error = FoldError::none;
  HashCheck hash;
};

struct Entity {
  std::uint16_t id = 0;
  std::uint8_t type = 0;
  std::uint8_t team = 0;
  std::uint32_t user_tag = 0;
  std::uint16_t health = 0;
  Subtick spawn_time = 0;  // exists for T in (spawn_time, gone_time]
  bool gone = false;
  DespawnKind gone_kind = DespawnKind::removed;
  Subtick gone_time = 0;
  Track track;
  std::array<TurretMode, k_max_turrets> turrets{};
  std::uint8_t turret_mask = 0;  // turrets with a mode
  [[nodiscard]] bool exists_at(Subtick t) const {
    return t > spawn_time && (!gone || t <= gone_time);
  }
};

struct Missile {
  Subtick end_time = 0;  // known beforehand while alive: Tend_i
  EndKind end = EndKind::alive;
  bool explicit_end = false;  // outcome, abort, or expired although locked
  std::uint16_t victim = k_no_entity;
  std::uint16_t target = k_no_entity;  // of the lock in force, or last
  std::uint8_t events = 0;
  bool locked = true;
};

/// A missile's flight and aim offset, compiled on first use.
struct CompiledMissile {
  Flight flight;
  Vec3 offset{0};  // body axes of the announced target, length units
};

struct Salvo {
  std::uint32_t id = 0;
  std::uint32_t tick = 0;
  Launch launch;
  Anchor anchor;
  std::vector<Missile> missiles;
  std::vector<SnapshotEvent> events;  // field `salvo` unused; in fold order
  std::uint16_t alive = 0;
  std::uint16_t next_end = 0;  // missiles below have ended
  Subtick last_end = 0;        // of the missiles ended so far
  /// Cache, filled by evaluation; one thread per World.
  mutable std::vector<std::unique_ptr<CompiledMissile>> compiled;
};

/// The lock a missile holds at some time, with all that its homing term needs.
struct LockInForce {
  bool locked = false;
  std::uint32_t number = 0;  // guidance events before; 0: the announced target
  std::uint16_t target = k_no_entity;
  Subtick begin = 0;        // start of its ramp window
  WideVec3 velocity{0};     // sum of the velocities ended locks left
  WideVec3 kept{0};         // sum of what ended locks left, at the asked time
  WideVec3 kept_at_end{0};  // the same at the missile's end
};

/// Faults that negative controls plant; a conforming world has none.
enum class Fault : std::uint8_t { none, flight_knot, lost_piece };

/// One thread per World: evaluation fills caches of compiled flights.
class World {
 public:
  explicit World(std::shared_ptr<const Scenario> scenario);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  /// Folds record n; every tick between the world's and n is folded as empty first. Everything is
  /// checked before anything of the record is folded: on an error only those silent ticks were.
  /// Events are appended to `events` if given. A record without content is folded like any other.
  FoldResult fold(const TickRecord& record, std::vector<WorldEvent>* events = nullptr);
  /// Folds empty ticks up to and including `tick`.
  void advance(std::uint32_t tick, std::vector<WorldEvent>* events = nullptr);

  [[nodiscard]] std::uint32_t tick() const;
  /// tick() * L: everything up to here is final.
  [[nodiscard]] Subtick time() const;
  [[nodiscard]] const Scenario& scenario() const;
  [[nodiscard]] std::shared_ptr<const Scenario> shared_scenario() const;
  [[nodiscard]] std::uint32_t next_launch() const;
  [[nodiscard]] const Timeline& timeline() const;

  /// Kept entities by ascending id, gone ones of the last 8 s included.
  [[nodiscard]] const std::vector<Entity>& entities() const;
  [[nodiscard]] const Entity* find_entity(std::uint16_t id) const;
  /// Kept salvos by ascending id.
  [[nodiscard]] std::span<const Salvo> salvos() const;
  /// By number in salvos(): no missile of that salvo ends by itself before this time. 0 once
  /// guidance has had to do with it.
  [[nodiscard]] std::span<const Subtick> salvo_dues() const;
  [[nodiscard]] const Salvo* find_salvo(std::uint32_t id) const;
  /// The kept salvo whose id ends in these 16 bits, or none.
  [[nodiscard]] const Salvo* find_salvo_low(std::uint16_t low) const;
  [[nodiscard]] std::uint32_t live_missiles() const;

  [[nodiscard]] Subtick missile_launch_time(const Salvo& salvo, std::uint8_t index) const;
  [[nodiscard]] Subtick missile_end_time(const Salvo& salvo, std::uint8_t index) const;
  /// X(T), length units. T from the missile's launch to its end; exact for T <= time() and back
  /// over the kept history; beyond time() provisional (targets coast).
  [[nodiscard]] Vec3 missile_position(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// How fast X moves at T, length units per second: the flight's own velocity, what ended locks
  /// left, and what the lock in force would leave if it ended at T. For rendering.
  [[nodiscard]] Vec3 missile_velocity(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// The level basis that looks along that velocity; where it is zero, along the piece of the
  /// flight.
  [[nodiscard]] Basis missile_basis(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// Is the missile in flight at T (launched, not ended; T <= time() is final).
  [[nodiscard]] bool missile_flies(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// The compiled flight and announced aim offset of one missile (cached in the salvo).
  [[nodiscard]] const CompiledMissile& compiled(const Salvo& salvo, std::uint8_t index) const;
  /// The homing gap of the lock in force at T, zero when there is none.
  [[nodiscard]] WideVec3 homing_gap(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// What the missile keeps of locks it lost before T: their velocities summed, units per second.
  [[nodiscard]] WideVec3 kept_velocity(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// When the lock in force at T (or the last one) was taken.
  [[nodiscard]] Subtick lock_begin(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// The lock in force at T.
  [[nodiscard]] LockInForce lock_in_force(const Salvo& salvo, std::uint8_t index, Subtick t) const;
  /// Drops a missile's compiled flight; it is compiled again when it is asked for.
  void release(const Salvo& salvo, std::uint8_t index) const;
  /// The salvo a launch of the next record would make, to evaluate before it is folded. The launch
  /// must be acceptable to fold().
  [[nodiscard]] Salvo prepare_salvo(const Launch& launch, std::uint32_t id,
                                    std::uint32_t tick) const;

  /// The hash of the state as it is, for the next roll.
  [[nodiscard]] StateHash state_hash() const;
  /// The same, and moves on to the next roll: what the author of the log puts into the record it
  /// has just folded without a hash.
  StateHash take_state_hash();
  [[nodiscard]] Snapshot snapshot() const;
  /// A world in the snapshot's state, or the reason why not.
  static FoldError restore(std::shared_ptr<const Scenario> scenario, const Snapshot& snapshot,
                           std::optional<World>& out);

  /// Test seam for negative controls: plants a fault into everything evaluated from now on.
  void plant_fault(Fault fault);

  struct State;  // opaque

 private:
  explicit World(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace contrail::sim
