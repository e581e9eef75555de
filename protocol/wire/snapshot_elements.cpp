#include <contrail/sim/basis.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/wire/snapshot_elements.hpp>

namespace contrail::wire {
namespace {

constexpr CodecResult range(const char* field) {
  return {CodecError::out_of_range, field};
}
constexpr CodecResult reserved(const char* field) {
  return {CodecError::bad_reserved, field};
}

std::uint32_t tick_of(sim::Subtick t, int log2_tick) {
  return static_cast<std::uint32_t>((t + (sim::Subtick{1} << log2_tick) - 1) >> log2_tick);
}

std::int64_t dot(const sim::Vec3& a, const sim::Vec3& b) {
  return std::int64_t{a.x} * b.x + std::int64_t{a.y} * b.y + std::int64_t{a.z} * b.z;
}

bool near(std::int64_t value, std::int64_t wanted, std::int64_t tolerance) {
  return value >= wanted - tolerance && value <= wanted + tolerance;
}

// Q14 components are rounded: the square of a length is off by up to 2^15 of 2^28.
constexpr std::int64_t k_packed_tolerance = std::int64_t{1} << 17;
bool is_unit(const sim::PackedDirection& d) {
  const sim::Vec3 v(d[0], d[1], d[2]);
  return near(dot(v, v), std::int64_t{1} << 28, k_packed_tolerance);
}
bool is_basis(const sim::PackedBasis& b) {
  const sim::Vec3 f(b.forward[0], b.forward[1], b.forward[2]);
  const sim::Vec3 u(b.up[0], b.up[1], b.up[2]);
  return is_unit(b.forward) && is_unit(b.up) && near(dot(f, u), 0, k_packed_tolerance);
}

bool is_pose(const sim::Pose& pose) {
  return is_position(pose.position) && wire::is_basis(pose.basis);
}

fb::Pose pack_pose(const sim::Pose& pose) {
  return {pack(pose.position), pack(pose.basis.forward), pack(pose.basis.up)};
}
sim::Pose unpack_pose(const fb::Pose& pose) {
  return {unpack(pose.position()), {unpack(pose.forward()), unpack(pose.up())}};
}

/// A piece of a track; an attitude piece may have any length up to the longest.
bool is_piece_length(int log2_duration, bool jump, int log2_tick) {
  return jump ? log2_duration == 0
              : log2_duration >= log2_tick && log2_duration <= sim::k_max_log2_piece &&
                    log2_duration <= log2_tick + sim::k_max_log2_piece_ticks;
}

}  // namespace

bool is_basis(const sim::Basis& b) {
  constexpr std::int32_t k_largest = sim::k_one + (1 << 12);
  constexpr std::int64_t k_tolerance = std::int64_t{1} << 35;
  return inside(b.forward, k_largest) && inside(b.up, k_largest) &&
         near(dot(b.forward, b.forward), std::int64_t{1} << 48, k_tolerance) &&
         near(dot(b.up, b.up), std::int64_t{1} << 48, k_tolerance) &&
         near(dot(b.forward, b.up), 0, k_tolerance);
}

fb::SnapSalvo pack(const sim::SnapshotSalvo& in, const Place& /*now*/) {
  const sim::Anchor& a = in.anchor;
  return {pack(in.launch, std::uint8_t{0}),
          in.id,
          in.tick,
          pack(a.muzzle),
          pack(a.launcher_velocity),
          pack(a.target_position),
          pack(a.target_velocity),
          pack(a.muzzle_basis.forward),
          pack(a.muzzle_basis.up),
          pack(a.target_basis.forward),
          pack(a.target_basis.up),
          a.target_type,
          0,
          0};
}

CodecResult unpack(const fb::SnapSalvo& in, const Place& now, sim::SnapshotSalvo& out) {
  out.id = in.id();
  out.tick = in.tick();
  out.anchor = {unpack(in.muzzle()),
                unpack(in.launcher_velocity()),
                unpack(in.target_position()),
                unpack(in.target_velocity()),
                {unpack(in.muzzle_forward()), unpack(in.muzzle_up())},
                {unpack(in.target_forward()), unpack(in.target_up())},
                in.target_type()};
  if (in.reserved0() != 0 || in.reserved1() != 0) {
    return reserved("salvos.reserved");
  }
  if (out.tick < 1 || out.tick > now.tick) {
    return {CodecError::bad_tick, "salvos.tick"};
  }
  if (const CodecResult result = unpack(in.launch(), {out.tick, now.log2_tick}, out.launch);
      !result) {
    return result;
  }
  if (!is_position(out.anchor.muzzle) || !is_position(out.anchor.target_position)) {
    return range("salvos.position");
  }
  if (!is_velocity(out.anchor.launcher_velocity) || !is_velocity(out.anchor.target_velocity)) {
    return range("salvos.velocity");
  }
  return is_basis(out.anchor.muzzle_basis) && is_basis(out.anchor.target_basis)
             ? k_decoded
             : range("salvos.basis");
}

fb::SnapEnd pack(const sim::SnapshotEnd& in, const Place& now) {
  return {tick_of(in.time, now.log2_tick),  in.salvo, in.victim, low_bits(in.time), in.index,
          static_cast<fb::EndKind>(in.kind)};
}

CodecResult unpack(const fb::SnapEnd& in, const Place& now, sim::SnapshotEnd& out) {
  const Place place{in.tick(), now.log2_tick};
  out.salvo = in.salvo();
  out.index = in.index();
  out.kind = static_cast<sim::EndKind>(in.kind());
  out.victim = in.victim();
  out.time = place.widen(in.time());
  if (place.tick < 1 || place.tick > now.tick) {
    return {CodecError::bad_tick, "ends.tick"};
  }
  if (!place.holds(out.time)) {
    return {CodecError::bad_time, "ends.time"};
  }
  return out.kind == sim::EndKind::alive || out.kind > sim::k_last_end_kind ? range("ends.kind")
                                                                            : k_decoded;
}

fb::SnapEvent pack(const sim::SnapshotEvent& in, const Place& /*now*/) {
  return {in.mask,
          in.tick,
          pack_pose(in.at_event),
          pack_pose(in.back_step),
          in.salvo,
          in.new_target,
          in.old_type,
          in.group,
          in.ordinal,
          static_cast<std::uint8_t>(in.was_locked ? 1 : 0)};
}

CodecResult unpack(const fb::SnapEvent& in, const Place& now, sim::SnapshotEvent& out) {
  out.salvo = in.salvo();
  out.new_target = in.new_target();
  out.old_type = in.old_type();
  out.group = in.group();
  out.ordinal = in.ordinal();
  out.was_locked = in.was_locked() != 0;
  out.mask = in.mask();
  out.tick = in.tick();
  out.at_event = unpack_pose(in.at_event());
  out.back_step = unpack_pose(in.back_step());
  if (in.was_locked() > 1) {
    return range("events.was_locked");
  }
  if (out.tick < 1 || out.tick > now.tick) {
    return {CodecError::bad_tick, "events.tick"};
  }
  if (out.mask == 0) {
    return range("events.mask");
  }
  if (out.group > 7) {
    return range("events.group");
  }
  if (out.ordinal >= sim::k_max_events_per_missile) {
    return range("events.ordinal");
  }
  if (!out.was_locked) {
    return out.at_event == sim::Pose{} && out.back_step == sim::Pose{} && out.old_type == 0
               ? k_decoded
               : range("events.pose");
  }
  return is_pose(out.at_event) && is_pose(out.back_step) ? k_decoded : range("events.pose");
}

fb::SnapEntity pack(const sim::SnapshotEntity& in, const Place& now) {
  return {in.user_tag,
          in.spawn_tick,
          in.gone ? tick_of(in.gone_time, now.log2_tick) : 0,
          low_bits(in.gone_time),
          in.entity,
          in.health,
          in.type,
          in.team,
          static_cast<std::uint8_t>(in.gone ? 1 : 0),
          static_cast<fb::DespawnKind>(in.gone_kind),
          0};
}

CodecResult unpack(const fb::SnapEntity& in, const Place& now, sim::SnapshotEntity& out) {
  const Place gone{in.gone_tick(), now.log2_tick};
  out.entity = in.entity();
  out.type = in.type();
  out.team = in.team();
  out.user_tag = in.user_tag();
  out.spawn_tick = in.spawn_tick();
  out.health = in.health();
  out.gone = in.gone() != 0;
  out.gone_kind = static_cast<sim::DespawnKind>(in.gone_kind());
  out.gone_time = out.gone ? gone.widen(in.gone_time()) : 0;
  if (in.reserved() != 0) {
    return reserved("entities.reserved");
  }
  if (out.entity == sim::k_no_entity) {
    return range("entities.entity");
  }
  if (out.spawn_tick < 1 || out.spawn_tick > now.tick) {
    return {CodecError::bad_tick, "entities.spawn_tick"};
  }
  if (in.gone() > 1) {
    return range("entities.gone");
  }
  if (out.gone_kind > sim::DespawnKind::destroyed) {
    return range("entities.gone_kind");
  }
  if (!out.gone) {
    return in.gone_tick() == 0 && in.gone_time() == 0 && out.gone_kind == sim::DespawnKind::removed
               ? k_decoded
               : range("entities.gone");
  }
  if (gone.tick <= out.spawn_tick || gone.tick > now.tick) {
    return {CodecError::bad_tick, "entities.gone_tick"};
  }
  const bool removed_early =
      out.gone_kind == sim::DespawnKind::removed && out.gone_time != gone.end();
  return !gone.holds(out.gone_time) || removed_early
             ? CodecResult{CodecError::bad_time, "entities.gone_time"}
             : k_decoded;
}

fb::SnapTrack pack(const sim::SnapshotTrack& in, const Place& /*now*/) {
  return {in.tick,
          pack(in.p0),
          pack(in.v0),
          pack(in.p1),
          pack(in.v1),
          pack(in.facing),
          in.entity,
          in.log2_duration,
          static_cast<std::uint8_t>(in.jump ? 1 : 0),
          0};
}

CodecResult unpack(const fb::SnapTrack& in, const Place& now, sim::SnapshotTrack& out) {
  out = {in.entity(),     in.log2_duration(), in.jump() != 0,  in.tick(),          unpack(in.p0()),
         unpack(in.v0()), unpack(in.p1()),    unpack(in.v1()), unpack(in.facing())};
  if (in.reserved() != 0) {
    return reserved("tracks.reserved");
  }
  if (out.tick < 1 || out.tick > now.tick) {
    return {CodecError::bad_tick, "tracks.tick"};
  }
  if (in.jump() > 1) {
    return range("tracks.jump");
  }
  if (!is_piece_length(out.log2_duration, out.jump, now.log2_tick)) {
    return range("tracks.log2_duration");
  }
  if (!is_position(out.p0) || !is_position(out.p1)) {
    return range("tracks.position");
  }
  if (!is_velocity(out.v0) || !is_velocity(out.v1)) {
    return range("tracks.velocity");
  }
  return is_unit(out.facing) ? k_decoded : range("tracks.facing");
}

fb::SnapKey pack(const sim::SnapshotKey& in, const Place& /*now*/) {
  return {in.tick,   pack(in.p1),      pack(in.v1),
          in.entity, in.log2_duration, static_cast<std::uint8_t>(in.jump ? 1 : 0)};
}

CodecResult unpack(const fb::SnapKey& in, const Place& now, sim::SnapshotKey& out) {
  out = {in.entity(), in.log2_duration(), in.jump() != 0,
         in.tick(),   unpack(in.p1()),    unpack(in.v1())};
  if (out.tick < 1 || out.tick > now.tick) {
    return {CodecError::bad_tick, "keys.tick"};
  }
  if (in.jump() > 1) {
    return range("keys.jump");
  }
  if (!is_piece_length(out.log2_duration, out.jump, now.log2_tick)) {
    return range("keys.log2_duration");
  }
  if (!is_position(out.p1)) {
    return range("keys.position");
  }
  return is_velocity(out.v1) ? k_decoded : range("keys.velocity");
}

fb::SnapAttitude pack(const sim::SnapshotAttitude& in, const Place& /*now*/) {
  return {in.tick, pack(in.from), pack(in.to), in.entity, in.log2_duration, 0};
}

CodecResult unpack(const fb::SnapAttitude& in, const Place& now, sim::SnapshotAttitude& out) {
  out = {in.entity(), in.log2_duration(), in.tick(), unpack(in.from()), unpack(in.to())};
  if (in.reserved() != 0) {
    return reserved("attitudes.reserved");
  }
  if (out.tick < 1 || out.tick > now.tick) {
    return {CodecError::bad_tick, "attitudes.tick"};
  }
  if (out.log2_duration > sim::k_max_log2_piece) {
    return range("attitudes.log2_duration");
  }
  return sim::is_unit(out.from) && sim::is_unit(out.to) ? k_decoded : range("attitudes.attitude");
}

fb::SnapTurret pack(const sim::SnapshotTurret& in, const Place& /*now*/) {
  return {pack(in.mode, std::uint8_t{0}), in.state.yaw.angle, in.state.yaw.rate,
          in.state.pitch.angle, in.state.pitch.rate};
}

CodecResult unpack(const fb::SnapTurret& in, const Place& now, sim::SnapshotTurret& out) {
  out.state = {{in.yaw(), in.yaw_rate()}, {in.pitch(), in.pitch_rate()}};
  const auto turns = [](const sim::AxisState& axis) {
    return axis.angle >= -sim::k_turret_turn && axis.angle <= sim::k_turret_turn &&
           axis.rate >= -sim::k_max_turret_rate && axis.rate <= sim::k_max_turret_rate;
  };
  if (in.mode().at() != 0) {
    return range("turrets.at");
  }
  if (!turns(out.state.yaw)) {
    return range("turrets.yaw");
  }
  if (!turns(out.state.pitch)) {
    return range("turrets.pitch");
  }
  return unpack(in.mode(), now, out.mode);
}

fb::SnapBurst pack(const sim::SnapshotBurst& in, const Place& now) {
  const auto tick = static_cast<std::uint32_t>((in.shot.time + now.length() - 1) / now.length());
  return {pack(in.shot, std::uint8_t{0}),
          tick,
          pack(in.pivot),
          pack(in.velocity),
          pack(in.bore.forward),
          pack(in.bore.up),
          in.type,
          0,
          0};
}

CodecResult unpack(const fb::SnapBurst& in, const Place& now, sim::SnapshotBurst& out) {
  out.type = in.type();
  out.pivot = unpack(in.pivot());
  out.velocity = unpack(in.velocity());
  out.bore = {unpack(in.forward()), unpack(in.up())};
  if (in.reserved0() != 0 || in.reserved1() != 0) {
    return reserved("bursts.reserved");
  }
  if (in.tick() < 1 || in.tick() > now.tick) {
    return {CodecError::bad_tick, "bursts.tick"};
  }
  if (in.shot().at() != 0) {
    return range("bursts.at");
  }
  if (!is_position(out.pivot)) {
    return range("bursts.pivot");
  }
  if (!is_velocity(out.velocity)) {
    return range("bursts.velocity");
  }
  if (!is_basis(out.bore)) {
    return range("bursts.bore");
  }
  const CodecResult result = unpack(in.shot(), {in.tick(), now.log2_tick}, out.shot);
  const bool none_left = out.shot.count == 0 && result.error == CodecError::out_of_range;
  return none_left ? k_decoded : result;
}

}  // namespace contrail::wire
