#pragma once

// What one tick may say. What must happen in it (ends, damage, despawns) always fits a record;
// everything else has a share of the rest, and what finds no room is refused or waits.

#include <cstddef>

#include <contrail/sim/limits.hpp>
#include <contrail/sim/records.hpp>

namespace contrail::server {

// Of one tick. Spawns, keys and shots need none: there are never more of them in a tick than
// entities (of keys, one each) and bursts.
inline constexpr std::size_t k_most_launches = 8192;  // salvos
inline constexpr std::size_t k_most_guidance = 12'288;
inline constexpr std::size_t k_most_turret_modes = 16'384;
inline constexpr std::size_t k_most_custom_bytes = 131'072;  // with 4 of each entry's own
inline constexpr std::size_t k_most_commands = 16;           // of one client, not of the host

/// Bytes of one of each in a record.
struct RecordSizes {
  static constexpr std::size_t launch = 16;
  static constexpr std::size_t outcome = 8;
  static constexpr std::size_t guidance = 12;
  static constexpr std::size_t health = 6;
  static constexpr std::size_t despawn = 8;
  static constexpr std::size_t spawn = 44;
  static constexpr std::size_t turret_mode = 12;
  static constexpr std::size_t shot = 12;
  static constexpr std::size_t key = 28;  // the larger form
  static constexpr std::size_t custom = 4;
  static constexpr std::size_t frame =
      256;  // table, lengths, padding, one state hash, one timeline
};

/// The largest record a match can write.
inline constexpr std::size_t k_largest_record =
    RecordSizes::frame + std::size_t{sim::k_max_live_missiles} * RecordSizes::outcome +
    std::size_t{sim::k_max_entities} *
        (RecordSizes::health + RecordSizes::despawn + RecordSizes::spawn + RecordSizes::key) +
    std::size_t{sim::k_max_bursts} * RecordSizes::shot + k_most_launches * RecordSizes::launch +
    k_most_guidance * RecordSizes::guidance + k_most_turret_modes * RecordSizes::turret_mode +
    k_most_custom_bytes;
static_assert(k_largest_record <= std::size_t{sim::k_max_record_bytes});

[[nodiscard]] inline bool has_room_for_launch(std::size_t launches) {
  return launches < k_most_launches;
}
[[nodiscard]] inline bool has_room_for_guidance(const sim::TickRecord& record) {
  return record.guidance.size() < k_most_guidance;
}
[[nodiscard]] inline bool has_room_for_turret_mode(const sim::TickRecord& record) {
  return record.turret_modes.size() < k_most_turret_modes;
}
/// `taken`: what the customs of this tick cost so far.
[[nodiscard]] inline bool has_room_for_custom(std::size_t taken, const sim::Custom& custom) {
  return taken + RecordSizes::custom + custom.bytes.size() <= k_most_custom_bytes;
}

}  // namespace contrail::server
