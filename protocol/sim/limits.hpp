#pragma once

// Every limit of the simulation, once.

#include <cstdint>

#include <contrail/sim/units.hpp>

namespace contrail::sim {

inline constexpr std::int32_t k_world_limit = 1 << 30;  // length units, +-262 km
inline constexpr std::int64_t k_point_limit =
    2'147'483'647;  // length units, of a flight's control points
inline constexpr std::int32_t k_max_speed = 40'960'000;    // length units per second, 10 km/s
inline constexpr std::int32_t k_homing_clamp = 1 << 26;    // length units
inline constexpr std::int32_t k_retarget_limit = 1 << 25;  // length units, of the gap at a retarget
inline constexpr Subtick k_back_step = 1024;               // subticks, h of the lock test
inline constexpr Subtick k_history = 8 * k_subticks_per_second;
inline constexpr Subtick k_max_lock_time = 4 * k_subticks_per_second;  // before a launch
inline constexpr Subtick k_history_kept = k_history + 2 * k_back_step;
/// Who fired is known as long as its rounds fly: gone entities are kept so long.
inline constexpr Subtick k_max_round_life = k_history;
inline constexpr Subtick k_burst_memory = k_subticks_per_second;  // after its last round's end
inline constexpr Subtick k_retarget_lead = 32'768;  // subticks a new lock needs before the end

inline constexpr int k_min_log2_tick = 9;   // 128 Hz
inline constexpr int k_max_log2_tick = 13;  // 8 Hz
inline constexpr int k_max_log2_piece_ticks = 9;
inline constexpr int k_max_log2_piece = 20;  // of a piece in subticks

inline constexpr int k_max_entities = 4096;
inline constexpr int k_max_salvos = 32'768;
inline constexpr int k_max_live_missiles = 131'072;
inline constexpr int k_max_hull_parts = 8;
inline constexpr int k_max_obstacles = 1024;
inline constexpr int k_max_released_decoys = 8;  // at once
inline constexpr int k_max_turrets = 8;
inline constexpr int k_max_bursts = 4096;  // in flight
inline constexpr int k_max_mounts = 64;
inline constexpr int k_max_weapons = 256;
inline constexpr int k_max_entity_types = 256;
inline constexpr int k_max_custom_bytes = 200;
inline constexpr int k_max_record_bytes = 2 * 1024 * 1024;
inline constexpr int k_max_events_per_missile = 3;

inline constexpr int k_min_log2_flight_piece = 8;
inline constexpr int k_max_log2_flight_piece = 13;
inline constexpr int k_max_flight_pieces = 960;
inline constexpr Subtick k_max_ripple = 32'768;  // subticks from first to last missile

inline constexpr std::int32_t k_max_hull_offset = 1
                                                  << 21;  // length units per axis, of |a| and |a+d|
inline constexpr std::int32_t k_max_hull_radius = 1 << 21;  // length units
inline constexpr std::int32_t k_max_radius_sum = 1 << 22;   // length units
inline constexpr std::int32_t k_min_radius_sum = 1229;      // length units, 0.3 m

inline constexpr std::uint16_t k_no_entity = 0xFFFF;
inline constexpr std::uint16_t k_no_salvo = 0xFFFF;

}  // namespace contrail::sim
