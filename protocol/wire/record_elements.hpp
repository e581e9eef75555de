#pragma once

// Each element of a record between its decoded and its wire form, and the ranges it may have.
// Private to the codec.

#include <array>
#include <cstdint>

#include <contrail/sim/limits.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/wire/message.hpp>

namespace contrail::wire {

/// One tick, as the place of an element in time.
struct Place {
  std::uint32_t tick = 0;
  int log2_tick = 11;
  [[nodiscard]] sim::Subtick length() const { return sim::Subtick{1} << log2_tick; }
  [[nodiscard]] sim::Subtick end() const { return sim::Subtick{tick} << log2_tick; }
  /// The last time at or before end() with these low 16 bits.
  [[nodiscard]] sim::Subtick widen(std::uint16_t low) const {
    return end() - ((end() - low) & 0xFFFF);
  }
  [[nodiscard]] bool holds(sim::Subtick t) const { return t > end() - length() && t <= end(); }
};
inline std::uint16_t low_bits(sim::Subtick t) {
  return static_cast<std::uint16_t>(t & 0xFFFF);
}

inline fb::Vec3 pack(const sim::Vec3& v) {
  return {v.x, v.y, v.z};
}
inline sim::Vec3 unpack(const fb::Vec3& v) {
  return {v.x(), v.y(), v.z()};
}
inline fb::ShortVec3 pack(const std::array<std::int16_t, 3>& v) {
  return {v[0], v[1], v[2]};
}
inline std::array<std::int16_t, 3> unpack(const fb::ShortVec3& v) {
  return {v.x(), v.y(), v.z()};
}
inline fb::Quaternion pack(const sim::Quaternion& q) {
  return {q.x, q.y, q.z, q.w};
}
inline sim::Quaternion unpack(const fb::Quaternion& q) {
  return {q.x(), q.y(), q.z(), q.w()};
}

/// Each axis inside +-limit.
bool inside(const sim::Vec3& v, std::int32_t limit);
inline bool is_position(const sim::Vec3& v) {
  return inside(v, sim::k_world_limit);
}
inline bool is_velocity(const sim::Vec3& v) {
  return inside(v, sim::k_max_speed);
}

// pack takes values as they are; `at` is 0 in a record. unpack checks every range that needs no
// state and fills `out` in any case.
fb::Launch pack(const sim::Launch& in, std::uint8_t at);
fb::Outcome pack(const sim::Outcome& in, std::uint8_t at);
fb::Guidance pack(const sim::Guidance& in, std::uint8_t at);
fb::Health pack(const sim::Health& in, std::uint8_t at);
fb::Despawn pack(const sim::Despawn& in, std::uint8_t at);
fb::Spawn pack(const sim::Spawn& in, std::uint8_t at);
fb::TurretMode pack(const sim::TurretMode& in, std::uint8_t at);
fb::Shot pack(const sim::Shot& in, std::uint8_t at);
fb::TrackKey pack(const sim::TrackKey& in, std::uint8_t at);
fb::RelativeKey pack(const sim::RelativeKey& in, std::uint8_t at);
fb::AttitudeKey pack(const sim::AttitudeKey& in, std::uint8_t at);
fb::Custom pack(const sim::Custom& in, std::uint8_t at);
fb::Timeline pack(const sim::Timeline& in, std::uint8_t at);
fb::StateHash pack(const sim::StateHash& in, std::uint8_t at);

CodecResult unpack(const fb::Launch& in, const Place& place, sim::Launch& out);
CodecResult unpack(const fb::Outcome& in, const Place& place, sim::Outcome& out);
CodecResult unpack(const fb::Guidance& in, const Place& place, sim::Guidance& out);
CodecResult unpack(const fb::Health& in, const Place& place, sim::Health& out);
CodecResult unpack(const fb::Despawn& in, const Place& place, sim::Despawn& out);
CodecResult unpack(const fb::Spawn& in, const Place& place, sim::Spawn& out);
CodecResult unpack(const fb::TurretMode& in, const Place& place, sim::TurretMode& out);
CodecResult unpack(const fb::Shot& in, const Place& place, sim::Shot& out);
CodecResult unpack(const fb::TrackKey& in, const Place& place, sim::TrackKey& out);
CodecResult unpack(const fb::RelativeKey& in, const Place& place, sim::RelativeKey& out);
CodecResult unpack(const fb::AttitudeKey& in, const Place& place, sim::AttitudeKey& out);
/// Gives the kind only; its bytes are in another vector.
CodecResult unpack(const fb::Custom& in, const Place& place, sim::Custom& out);
CodecResult unpack(const fb::Timeline& in, const Place& place, sim::Timeline& out);
CodecResult unpack(const fb::StateHash& in, const Place& place, sim::StateHash& out);

}  // namespace contrail::wire
