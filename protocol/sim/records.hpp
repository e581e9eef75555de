#pragma once

// The entries of the ordered log in decoded form: what the codec produces and the world folds.
// A record of tick n speaks of the interval (n-1, n]; absolute times lie in it.

#include <array>
#include <cstdint>
#include <vector>

#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// One salvo of 1..255 missiles at one target; its id is its number in the log.
struct Launch {
  std::uint32_t seed = 0;
  std::uint16_t launcher = 0;   // entity
  std::uint16_t target = 0;     // entity
  Subtick t0 = 0;               // launch time of missile 0; the wire carries the low 16 bits
  std::uint16_t pieces = 0;     // 1..960
  std::uint8_t mount = 0;       // index into the launcher type's mounts
  std::uint8_t weapon = 0;      // index into the weapon table
  std::uint8_t count = 0;       // 1..255
  std::uint8_t log2_piece = 8;  // subticks of one piece, 8..13
  bool operator==(const Launch&) const = default;
};

/// How a missile ended. Impacts, expiries and aborts follow from the log and are never sent.
enum class EndKind : std::uint8_t {
  alive = 0,
  impact,         // implicit: reached the aim point of its locked target
  expired,        // implicit: reached the end without a lock
  aborted,        // implicit: not yet launched when its launcher was destroyed
  hull,           // outcome: touched a hull that was not its locked target
  obstacle,       // outcome: static obstacle or ground
  proximity,      // outcome: fuse
  intercepted,    // outcome: shot down
  self_destruct,  // outcome: ordered
};
inline constexpr EndKind k_last_end_kind = EndKind::self_destruct;

/// The end of one missile that does not follow from the log.
struct Outcome {
  std::uint16_t salvo = 0;  // low 16 bits of the launch id
  std::uint8_t index = 0;   // missile in the salvo
  EndKind kind = EndKind::hull;
  std::uint16_t victim = 0;  // entity, 0xFFFF none
  Subtick time = 0;          // the wire carries the low 16 bits
  bool operator==(const Outcome&) const = default;
};

enum class GuidanceKind : std::uint8_t { lock_lost = 0, retarget = 1, decoy = 2 };

/// Missiles 32*group + bit of a salvo lose their lock at the record's tick, or take another.
struct Guidance {
  std::uint16_t salvo = 0;
  std::uint8_t group = 0;  // 0..7
  GuidanceKind kind = GuidanceKind::lock_lost;
  std::uint32_t mask = 0;    // not 0
  std::uint16_t target = 0;  // entity, 0xFFFF none
  bool operator==(const Guidance&) const = default;
};

struct Health {
  std::uint16_t entity = 0;
  std::uint16_t health = 0;  // hit points left
  bool operator==(const Health&) const = default;
};

enum class DespawnKind : std::uint8_t { removed = 0, destroyed = 1 };

struct Despawn {
  std::uint16_t entity = 0;
  DespawnKind kind = DespawnKind::removed;
  std::uint16_t by_salvo = 0;  // low 16 bits of the launch id credited, 0xFFFF none
  Subtick time = 0;            // destroyed: its subtick; removed: the record's tick
  bool operator==(const Despawn&) const = default;
};

struct Spawn {
  std::uint16_t entity = 0;
  std::uint8_t type = 0;  // index into the entity types
  std::uint8_t team = 0;
  std::uint32_t user_tag = 0;  // the host's own, opaque
  Vec3 position{0};            // length units
  Vec3 velocity{0};            // length units per second
  Quaternion attitude;         // start attitude; its forward is the start facing
  bool operator==(const Spawn&) const = default;
};

/// What a turret does until told otherwise.
enum class TurretOrder : std::uint8_t {
  rest = 0,     // goes to its rest pose
  hold = 1,     // stops where it is
  entity = 2,   // follows an entity, with lead where the turret has a gun
  missile = 3,  // follows a missile likewise
  bearing = 4   // goes to an angle of the mount
};
inline constexpr TurretOrder k_last_turret_order = TurretOrder::bearing;

/// A turret's order from the record's tick on.
struct TurretMode {
  std::uint16_t entity = 0;
  std::uint8_t turret = 0;  // index into the type's turrets, 0..7
  TurretOrder order = TurretOrder::rest;
  std::uint16_t target = 0xFFFF;  // entity; missile: low 16 bits of the launch id; else 0xFFFF
  std::uint8_t index = 0;         // missile: in its salvo; else 0
  std::uint32_t bearing = 0;  // bearing: yaw << 16 | pitch, high halves of binary angles; else 0
  bool operator==(const TurretMode&) const = default;
};

/// A burst of rounds from one turret, with its pose before the record. Round i leaves at
/// time + i * interval of the turret's gun, if its entity still exists then.
struct Shot {
  std::uint16_t entity = 0;
  std::uint8_t turret = 0;  // 0..7
  std::uint8_t count = 0;   // rounds, 1..255
  Subtick time = 0;         // the first subtick of the record; the wire carries the low 16 bits
  std::uint32_t seed = 0;   // of the gunner's errors
  bool operator==(const Shot&) const = default;
};

/// Starts a track piece at the record's tick, towards an exact end state.
struct TrackKey {
  std::uint16_t entity = 0;
  std::uint8_t log2_ticks = 0;  // duration of the piece, 0..9
  bool jump = false;            // log2_ticks = 0: the track continues at position, velocity
  Vec3 position{0};             // end of the piece
  Vec3 velocity{0};             // at the end of the piece
  bool operator==(const TrackKey&) const = default;
};

/// The small form of a track key: the end relative to coasting from the track's own state.
struct RelativeKey {
  std::uint16_t entity = 0;
  std::uint8_t log2_ticks = 0;       // 0..9
  std::uint8_t scale = 0;            // 0..15
  std::array<std::int16_t, 3> d{};   // end = p0 + drift(v0) + d * 2^scale
  std::array<std::int16_t, 3> dv{};  // end velocity = v0 + dv * 2^scale
  bool operator==(const RelativeKey&) const = default;
};

/// Starts an attitude piece at the record's tick, for entities with an attitude of their own.
struct AttitudeKey {
  std::uint16_t entity = 0;
  std::uint8_t log2_ticks = 0;  // 0..9
  Quaternion attitude;
  bool operator==(const AttitudeKey&) const = default;
};

struct Custom {
  std::uint16_t kind = 0;           // the host's own
  std::vector<std::uint8_t> bytes;  // at most 200
  bool operator==(const Custom&) const = default;
};

struct Timeline {
  std::uint32_t epoch = 0;
  std::uint32_t tick = 0;
  std::uint16_t rate = 256;  // 1/256 of real time
  bool paused = false;
  bool operator==(const Timeline&) const = default;
};

/// The subsystems a state hash tells apart, in the order of its lanes.
enum class Subsystem : std::uint8_t { launches, anchors, tracks, health, turrets, flights };
inline constexpr int k_subsystems = 6;

struct StateHash {
  std::array<std::uint32_t, k_subsystems> lanes{};
  std::uint8_t roll = 0;  // missiles with (launch + index) mod 256 == roll are evaluated
  bool operator==(const StateHash&) const = default;
};

/// Everything one tick has to say, vectors in the order of the fold.
struct TickRecord {
  std::uint32_t tick = 0;
  std::vector<Launch> launches;
  std::vector<Outcome> outcomes;
  std::vector<Guidance> guidance;
  std::vector<Health> health;
  std::vector<Despawn> despawns;
  std::vector<Spawn> spawns;
  std::vector<TurretMode> turret_modes;
  std::vector<Shot> shots;
  std::vector<TrackKey> track_keys;
  std::vector<RelativeKey> relative_keys;
  std::vector<AttitudeKey> attitude_keys;
  std::vector<Custom> customs;
  std::vector<Timeline> timelines;      // 0 or 1
  std::vector<StateHash> state_hashes;  // 0 or 1
  bool operator==(const TickRecord&) const = default;

  [[nodiscard]] bool empty() const {
    return launches.empty() && outcomes.empty() && guidance.empty() && health.empty() &&
           despawns.empty() && spawns.empty() && turret_modes.empty() && shots.empty() &&
           track_keys.empty() && relative_keys.empty() && attitude_keys.empty() &&
           customs.empty() && timelines.empty() && state_hashes.empty();
  }
};

}  // namespace contrail::sim
