#include <contrail/sim/basis.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/wire/record_elements.hpp>

namespace contrail::wire {
namespace {

constexpr unsigned k_low4 = 0x0F;
constexpr unsigned k_jump_bit = 0x10;
constexpr unsigned k_flight_piece_bits = 0x07;

constexpr CodecResult range(const char* field) {
  return {CodecError::out_of_range, field};
}
constexpr CodecResult reserved(const char* field) {
  return {CodecError::bad_reserved, field};
}

std::uint8_t byte(unsigned value) {
  return static_cast<std::uint8_t>(value);
}

bool is_key_length(unsigned log2_ticks, const Place& place) {
  return log2_ticks <= static_cast<unsigned>(sim::k_max_log2_piece_ticks) &&
         static_cast<int>(log2_ticks) + place.log2_tick <= sim::k_max_log2_piece;
}

}  // namespace

static_assert(static_cast<int>(fb::EndKind::MAX) == static_cast<int>(sim::k_last_end_kind));
static_assert(static_cast<int>(fb::GuidanceKind::MAX) ==
              static_cast<int>(sim::GuidanceKind::decoy));
static_assert(static_cast<int>(fb::DespawnKind::MAX) ==
              static_cast<int>(sim::DespawnKind::destroyed));

bool inside(const sim::Vec3& v, std::int32_t limit) {
  return v.x >= -limit && v.x <= limit && v.y >= -limit && v.y <= limit && v.z >= -limit &&
         v.z <= limit;
}

fb::Launch pack(const sim::Launch& in, std::uint8_t /*at*/) {
  return {in.seed,         in.launcher, in.target,
          low_bits(in.t0), in.pieces,   in.mount,
          in.weapon,       in.count,    byte(static_cast<unsigned>(in.log2_piece) - 8U)};
}

CodecResult unpack(const fb::Launch& in, const Place& place, sim::Launch& out) {
  out.seed = in.seed();
  out.launcher = in.launcher();
  out.target = in.target();
  out.t0 = place.widen(in.t0());
  out.pieces = in.pieces();
  out.mount = in.mount();
  out.weapon = in.weapon();
  out.count = in.count();
  out.log2_piece = byte(sim::k_min_log2_flight_piece + (in.flags() & k_flight_piece_bits));
  if ((in.flags() & ~k_flight_piece_bits) != 0) {
    return reserved("launches.flags");
  }
  if (out.log2_piece > sim::k_max_log2_flight_piece) {
    return range("launches.flags");
  }
  if (!place.holds(out.t0)) {
    return {CodecError::bad_time, "launches.t0"};
  }
  if (out.launcher == sim::k_no_entity) {
    return range("launches.launcher");
  }
  if (out.target == sim::k_no_entity) {
    return range("launches.target");
  }
  if (out.pieces < 1 || out.pieces > sim::k_max_flight_pieces) {
    return range("launches.pieces");
  }
  if (out.mount >= sim::k_max_mounts) {
    return range("launches.mount");
  }
  return out.count < 1 ? range("launches.count") : k_decoded;
}

fb::Outcome pack(const sim::Outcome& in, std::uint8_t /*at*/) {
  return {in.salvo, in.index, static_cast<fb::EndKind>(in.kind), in.victim, low_bits(in.time)};
}

CodecResult unpack(const fb::Outcome& in, const Place& place, sim::Outcome& out) {
  out.salvo = in.salvo();
  out.index = in.index();
  out.kind = static_cast<sim::EndKind>(in.kind());
  out.victim = in.victim();
  out.time = place.widen(in.time());
  if (!place.holds(out.time)) {
    return {CodecError::bad_time, "outcomes.time"};
  }
  if (out.kind < sim::EndKind::hull || out.kind > sim::k_last_end_kind) {
    return range("outcomes.kind");
  }
  return out.index == 255 ? range("outcomes.index") : k_decoded;
}

fb::Guidance pack(const sim::Guidance& in, std::uint8_t at) {
  return {in.mask, in.salvo, in.target, in.group, static_cast<fb::GuidanceKind>(in.kind), at, 0};
}

CodecResult unpack(const fb::Guidance& in, const Place& /*place*/, sim::Guidance& out) {
  out.salvo = in.salvo();
  out.group = in.group();
  out.kind = static_cast<sim::GuidanceKind>(in.kind());
  out.mask = in.mask();
  out.target = in.target();
  if (in.reserved() != 0) {
    return reserved("guidance.reserved");
  }
  if (out.group > 7) {
    return range("guidance.group");
  }
  if (out.kind > sim::GuidanceKind::decoy) {
    return range("guidance.kind");
  }
  if (out.mask == 0) {
    return range("guidance.mask");
  }
  const bool names_none = out.target == sim::k_no_entity;
  return names_none != (out.kind == sim::GuidanceKind::lock_lost) ? range("guidance.target")
                                                                  : k_decoded;
}

fb::Health pack(const sim::Health& in, std::uint8_t at) {
  return {in.entity, in.health, at, 0};
}

CodecResult unpack(const fb::Health& in, const Place& /*place*/, sim::Health& out) {
  out.entity = in.entity();
  out.health = in.health();
  if (in.reserved() != 0) {
    return reserved("health.reserved");
  }
  return out.entity == sim::k_no_entity ? range("health.entity") : k_decoded;
}

fb::Despawn pack(const sim::Despawn& in, std::uint8_t at) {
  return {in.entity, in.by_salvo, low_bits(in.time), static_cast<fb::DespawnKind>(in.kind), at};
}

CodecResult unpack(const fb::Despawn& in, const Place& place, sim::Despawn& out) {
  out.entity = in.entity();
  out.kind = static_cast<sim::DespawnKind>(in.kind());
  out.by_salvo = in.by_salvo();
  out.time = place.widen(in.time());
  if (out.entity == sim::k_no_entity) {
    return range("despawns.entity");
  }
  if (out.kind > sim::DespawnKind::destroyed) {
    return range("despawns.kind");
  }
  const bool removed_early = out.kind == sim::DespawnKind::removed && out.time != place.end();
  return !place.holds(out.time) || removed_early
             ? CodecResult{CodecError::bad_time, "despawns.time"}
             : k_decoded;
}

fb::Spawn pack(const sim::Spawn& in, std::uint8_t at) {
  return {in.user_tag,
          pack(in.position),
          pack(in.velocity),
          pack(in.attitude),
          in.entity,
          in.type,
          in.team,
          at,
          0,
          0};
}

CodecResult unpack(const fb::Spawn& in, const Place& /*place*/, sim::Spawn& out) {
  out.entity = in.entity();
  out.type = in.type();
  out.team = in.team();
  out.user_tag = in.user_tag();
  out.position = unpack(in.position());
  out.velocity = unpack(in.velocity());
  out.attitude = unpack(in.attitude());
  if (in.reserved0() != 0 || in.reserved1() != 0) {
    return reserved("spawns.reserved");
  }
  if (out.entity == sim::k_no_entity) {
    return range("spawns.entity");
  }
  if (!is_position(out.position)) {
    return range("spawns.position");
  }
  if (!is_velocity(out.velocity)) {
    return range("spawns.velocity");
  }
  return sim::is_unit(out.attitude) ? k_decoded : range("spawns.attitude");
}

fb::TurretMode pack(const sim::TurretMode& in, std::uint8_t at) {
  return {in.bearing, in.entity, in.target, in.turret, static_cast<std::uint8_t>(in.order),
          at,         in.index};
}

CodecResult unpack(const fb::TurretMode& in, const Place& /*place*/, sim::TurretMode& out) {
  using sim::TurretOrder;
  out.entity = in.entity();
  out.turret = in.turret();
  out.order = static_cast<TurretOrder>(in.order());
  out.target = in.target();
  out.index = in.index();
  out.bearing = in.bearing();
  if (out.entity == sim::k_no_entity) {
    return range("turret_modes.entity");
  }
  if (out.turret >= sim::k_max_turrets) {
    return range("turret_modes.turret");
  }
  if (out.order > sim::k_last_turret_order) {
    return range("turret_modes.order");
  }
  const bool follows = out.order == TurretOrder::entity || out.order == TurretOrder::missile;
  const bool names = out.order == TurretOrder::missile || out.target != sim::k_no_entity;
  if (follows != names) {
    return range("turret_modes.target");
  }
  if (out.index != 0 && out.order != TurretOrder::missile) {
    return range("turret_modes.index");
  }
  return out.bearing != 0 && out.order != TurretOrder::bearing ? range("turret_modes.bearing")
                                                               : k_decoded;
}

fb::Shot pack(const sim::Shot& in, std::uint8_t at) {
  return {in.seed, in.entity, low_bits(in.time), in.turret, in.count, at, 0};
}

CodecResult unpack(const fb::Shot& in, const Place& place, sim::Shot& out) {
  out.entity = in.entity();
  out.turret = in.turret();
  out.count = in.count();
  out.time = place.widen(in.time());
  out.seed = in.seed();
  if (in.reserved() != 0) {
    return reserved("shots.reserved");
  }
  if (!place.holds(out.time)) {
    return {CodecError::bad_time, "shots.time"};
  }
  if (out.entity == sim::k_no_entity) {
    return range("shots.entity");
  }
  if (out.turret >= sim::k_max_turrets) {
    return range("shots.turret");
  }
  return out.count < 1 ? range("shots.count") : k_decoded;
}

fb::TrackKey pack(const sim::TrackKey& in, std::uint8_t at) {
  return {pack(in.position), pack(in.velocity), in.entity,
          byte(in.log2_ticks | (in.jump ? k_jump_bit : 0U)), at};
}

CodecResult unpack(const fb::TrackKey& in, const Place& place, sim::TrackKey& out) {
  out.entity = in.entity();
  out.log2_ticks = byte(in.bits() & k_low4);
  out.jump = (in.bits() & k_jump_bit) != 0;
  out.position = unpack(in.position());
  out.velocity = unpack(in.velocity());
  if ((in.bits() & ~(k_low4 | k_jump_bit)) != 0) {
    return reserved("track_keys.bits");
  }
  if (out.entity == sim::k_no_entity) {
    return range("track_keys.entity");
  }
  if (!is_key_length(out.log2_ticks, place) || (out.jump && out.log2_ticks != 0)) {
    return range("track_keys.bits");
  }
  if (!is_position(out.position)) {
    return range("track_keys.position");
  }
  return is_velocity(out.velocity) ? k_decoded : range("track_keys.velocity");
}

fb::RelativeKey pack(const sim::RelativeKey& in, std::uint8_t at) {
  return {in.entity, byte(in.log2_ticks | (static_cast<unsigned>(in.scale) << 4U)), at, pack(in.d),
          pack(in.dv)};
}

CodecResult unpack(const fb::RelativeKey& in, const Place& place, sim::RelativeKey& out) {
  out.entity = in.entity();
  out.log2_ticks = byte(in.bits() & k_low4);
  out.scale = byte(static_cast<unsigned>(in.bits()) >> 4U);
  out.d = unpack(in.d());
  out.dv = unpack(in.dv());
  if (out.entity == sim::k_no_entity) {
    return range("relative_keys.entity");
  }
  return is_key_length(out.log2_ticks, place) ? k_decoded : range("relative_keys.bits");
}

fb::AttitudeKey pack(const sim::AttitudeKey& in, std::uint8_t at) {
  return {in.entity, in.log2_ticks, at, pack(in.attitude)};
}

CodecResult unpack(const fb::AttitudeKey& in, const Place& place, sim::AttitudeKey& out) {
  out.entity = in.entity();
  out.log2_ticks = byte(in.bits() & k_low4);
  out.attitude = unpack(in.attitude());
  if ((in.bits() & ~k_low4) != 0) {
    return reserved("attitude_keys.bits");
  }
  if (out.entity == sim::k_no_entity) {
    return range("attitude_keys.entity");
  }
  if (!is_key_length(out.log2_ticks, place)) {
    return range("attitude_keys.bits");
  }
  return sim::is_unit(out.attitude) ? k_decoded : range("attitude_keys.attitude");
}

fb::Custom pack(const sim::Custom& in, std::uint8_t at) {
  return {in.kind, byte(static_cast<unsigned>(in.bytes.size())), at};
}

CodecResult unpack(const fb::Custom& in, const Place& /*place*/, sim::Custom& out) {
  out.kind = in.kind();
  return in.length() > sim::k_max_custom_bytes ? range("customs.length") : k_decoded;
}

fb::Timeline pack(const sim::Timeline& in, std::uint8_t at) {
  return {in.epoch, in.tick, in.rate, byte(in.paused ? 1U : 0U), at};
}

CodecResult unpack(const fb::Timeline& in, const Place& /*place*/, sim::Timeline& out) {
  out.epoch = in.epoch();
  out.tick = in.tick();
  out.rate = in.rate();
  out.paused = in.paused() != 0;
  if (out.rate < 1) {
    return range("timelines.rate");
  }
  return in.paused() > 1 ? range("timelines.paused") : k_decoded;
}

fb::StateHash pack(const sim::StateHash& in, std::uint8_t at) {
  return {
      in.lanes[0], in.lanes[1], in.lanes[2], in.lanes[3], in.lanes[4], in.lanes[5], in.roll, at, 0};
}

CodecResult unpack(const fb::StateHash& in, const Place& /*place*/, sim::StateHash& out) {
  out.lanes = {in.launches(), in.anchors(), in.tracks(), in.health(), in.turrets(), in.flights()};
  out.roll = in.roll();
  return in.reserved() != 0 ? reserved("state_hashes.reserved") : k_decoded;
}

}  // namespace contrail::wire
