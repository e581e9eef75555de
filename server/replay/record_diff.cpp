#include <contrail/replay/record_diff.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace contrail::server {
namespace {

using sim::StateHash;

// Looks at pairs of fields until one differs.
class Comparison {
 public:
  template <class T>
  void field(std::string_view name, const T& recorded, const T& played) {
    if (found_ || recorded == played) {
      return;
    }
    if constexpr (std::is_enum_v<T>) {
      report(name, std::to_string(static_cast<int>(recorded)),
             std::to_string(static_cast<int>(played)));
    } else if constexpr (std::is_same_v<T, bool>) {
      report(name, recorded ? "true" : "false", played ? "true" : "false");
    } else if constexpr (std::is_same_v<T, sim::Vec3>) {
      const std::string prefix(name);
      field(prefix + ".x", recorded.x, played.x);
      field(prefix + ".y", recorded.y, played.y);
      field(prefix + ".z", recorded.z, played.z);
    } else if constexpr (std::is_same_v<T, sim::Quaternion>) {
      const std::string prefix(name);
      field(prefix + ".x", recorded.x, played.x);
      field(prefix + ".y", recorded.y, played.y);
      field(prefix + ".z", recorded.z, played.z);
      field(prefix + ".w", recorded.w, played.w);
    } else if constexpr (std::is_same_v<T, std::array<std::int16_t, 3>>) {
      static constexpr std::string_view k_axes[] = {".x", ".y", ".z"};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        field(std::string(name).append(k_axes[axis]), recorded[axis], played[axis]);
      }
    } else {
      report(name, std::to_string(recorded), std::to_string(played));
    }
  }

  void bytes(std::string_view name, const std::vector<std::uint8_t>& recorded,
             const std::vector<std::uint8_t>& played) {
    const std::string prefix(name);
    field(prefix + ".size", recorded.size(), played.size());
    for (std::size_t i = 0; i < std::min(recorded.size(), played.size()); ++i) {
      field(prefix + "[" + std::to_string(i) + "]", recorded[i], played[i]);
    }
  }

  /// `fields(a, b)` compares the fields of one pair of elements.
  template <class T, class Fields>
  void elements(const char* name, const std::vector<T>& recorded, const std::vector<T>& played,
                Fields fields) {
    const std::size_t common = std::min(recorded.size(), played.size());
    for (std::size_t i = 0; i < common && !found_; ++i) {
      enter(name, i);
      fields(recorded[i], played[i]);
    }
    if (!found_ && recorded.size() != played.size()) {
      enter(name, common);
      path_.pop_back();  // the dot: the element itself is missing
      const bool in_recording = recorded.size() > common;
      report("", in_recording ? "present" : "absent", in_recording ? "absent" : "present");
    }
  }

  [[nodiscard]] const std::optional<RecordDifference>& found() const { return found_; }

 private:
  void enter(const char* name, std::size_t index) {
    path_ = std::string(name) + "[" + std::to_string(index) + "].";
  }
  void report(std::string_view name, std::string recorded, std::string played) {
    found_ = RecordDifference{path_ + std::string(name), std::move(recorded), std::move(played)};
  }

  std::string path_;
  std::optional<RecordDifference> found_;
};

// What a missile does: launches, ends, guidance.
void compare_missiles(Comparison& c, const sim::TickRecord& recorded,
                      const sim::TickRecord& played) {
  c.elements("launches", recorded.launches, played.launches,
             [&](const sim::Launch& a, const sim::Launch& b) {
               c.field("seed", a.seed, b.seed);
               c.field("launcher", a.launcher, b.launcher);
               c.field("target", a.target, b.target);
               c.field("t0", a.t0, b.t0);
               c.field("pieces", a.pieces, b.pieces);
               c.field("mount", a.mount, b.mount);
               c.field("weapon", a.weapon, b.weapon);
               c.field("count", a.count, b.count);
               c.field("log2_piece", a.log2_piece, b.log2_piece);
             });
  c.elements("outcomes", recorded.outcomes, played.outcomes,
             [&](const sim::Outcome& a, const sim::Outcome& b) {
               c.field("salvo", a.salvo, b.salvo);
               c.field("index", a.index, b.index);
               c.field("kind", a.kind, b.kind);
               c.field("victim", a.victim, b.victim);
               c.field("time", a.time, b.time);
             });
  c.elements("guidance", recorded.guidance, played.guidance,
             [&](const sim::Guidance& a, const sim::Guidance& b) {
               c.field("salvo", a.salvo, b.salvo);
               c.field("group", a.group, b.group);
               c.field("kind", a.kind, b.kind);
               c.field("mask", a.mask, b.mask);
               c.field("target", a.target, b.target);
             });
}

// What becomes of entities: health, despawns, spawns, turrets, shots.
void compare_entities(Comparison& c, const sim::TickRecord& recorded,
                      const sim::TickRecord& played) {
  c.elements("health", recorded.health, played.health,
             [&](const sim::Health& a, const sim::Health& b) {
               c.field("entity", a.entity, b.entity);
               c.field("health", a.health, b.health);
             });
  c.elements("despawns", recorded.despawns, played.despawns,
             [&](const sim::Despawn& a, const sim::Despawn& b) {
               c.field("entity", a.entity, b.entity);
               c.field("kind", a.kind, b.kind);
               c.field("by_salvo", a.by_salvo, b.by_salvo);
               c.field("time", a.time, b.time);
             });
  c.elements("spawns", recorded.spawns, played.spawns,
             [&](const sim::Spawn& a, const sim::Spawn& b) {
               c.field("entity", a.entity, b.entity);
               c.field("type", a.type, b.type);
               c.field("team", a.team, b.team);
               c.field("user_tag", a.user_tag, b.user_tag);
               c.field("position", a.position, b.position);
               c.field("velocity", a.velocity, b.velocity);
               c.field("attitude", a.attitude, b.attitude);
             });
  c.elements("turret_modes", recorded.turret_modes, played.turret_modes,
             [&](const sim::TurretMode& a, const sim::TurretMode& b) {
               c.field("entity", a.entity, b.entity);
               c.field("turret", a.turret, b.turret);
               c.field("order", a.order, b.order);
               c.field("target", a.target, b.target);
               c.field("index", a.index, b.index);
               c.field("bearing", a.bearing, b.bearing);
             });
  c.elements("shots", recorded.shots, played.shots, [&](const sim::Shot& a, const sim::Shot& b) {
    c.field("entity", a.entity, b.entity);
    c.field("turret", a.turret, b.turret);
    c.field("count", a.count, b.count);
    c.field("time", a.time, b.time);
    c.field("seed", a.seed, b.seed);
  });
}

void compare_tracks(Comparison& c, const sim::TickRecord& recorded, const sim::TickRecord& played) {
  c.elements("track_keys", recorded.track_keys, played.track_keys,
             [&](const sim::TrackKey& a, const sim::TrackKey& b) {
               c.field("entity", a.entity, b.entity);
               c.field("log2_ticks", a.log2_ticks, b.log2_ticks);
               c.field("jump", a.jump, b.jump);
               c.field("position", a.position, b.position);
               c.field("velocity", a.velocity, b.velocity);
             });
  c.elements("relative_keys", recorded.relative_keys, played.relative_keys,
             [&](const sim::RelativeKey& a, const sim::RelativeKey& b) {
               c.field("entity", a.entity, b.entity);
               c.field("log2_ticks", a.log2_ticks, b.log2_ticks);
               c.field("scale", a.scale, b.scale);
               c.field("d", a.d, b.d);
               c.field("dv", a.dv, b.dv);
             });
  c.elements("attitude_keys", recorded.attitude_keys, played.attitude_keys,
             [&](const sim::AttitudeKey& a, const sim::AttitudeKey& b) {
               c.field("entity", a.entity, b.entity);
               c.field("log2_ticks", a.log2_ticks, b.log2_ticks);
               c.field("attitude", a.attitude, b.attitude);
             });
}

void compare_rest(Comparison& c, const sim::TickRecord& recorded, const sim::TickRecord& played) {
  c.elements("customs", recorded.customs, played.customs,
             [&](const sim::Custom& a, const sim::Custom& b) {
               c.field("kind", a.kind, b.kind);
               c.bytes("bytes", a.bytes, b.bytes);
             });
  c.elements("timelines", recorded.timelines, played.timelines,
             [&](const sim::Timeline& a, const sim::Timeline& b) {
               c.field("epoch", a.epoch, b.epoch);
               c.field("tick", a.tick, b.tick);
               c.field("rate", a.rate, b.rate);
               c.field("paused", a.paused, b.paused);
             });
  static constexpr std::string_view k_lanes[sim::k_subsystems] = {"launches", "anchors", "tracks",
                                                                  "health",   "turrets", "flights"};
  c.elements("state_hashes", recorded.state_hashes, played.state_hashes,
             [&](const StateHash& a, const StateHash& b) {
               for (std::size_t lane = 0; lane < sim::k_subsystems; ++lane) {
                 c.field(k_lanes[lane], a.lanes[lane], b.lanes[lane]);
               }
               c.field("roll", a.roll, b.roll);
             });
}

}  // namespace

std::optional<RecordDifference> first_difference(const sim::TickRecord& recorded,
                                                 const sim::TickRecord& played) {
  Comparison comparison;
  comparison.field("tick", recorded.tick, played.tick);
  compare_missiles(comparison, recorded, played);
  compare_entities(comparison, recorded, played);
  compare_tracks(comparison, recorded, played);
  compare_rest(comparison, recorded, played);
  return comparison.found();
}

}  // namespace contrail::server
