#include <contrail/wire/turret_tables.hpp>

#include <contrail/sim/limits.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/snapshot_elements.hpp>

namespace contrail::wire {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
template <class T>
using Offset = flatbuffers::Offset<T>;

constexpr CodecResult range(const char* field) {
  return {CodecError::out_of_range, field};
}

bool between(std::int64_t value, std::int64_t low, std::int64_t high) {
  return value >= low && value <= high;
}

std::uint32_t wait(sim::Subtick t) {
  return static_cast<std::uint32_t>(t);
}

fb::TurretAxis pack(const sim::TurretAxis& a) {
  return {a.low,
          a.high,
          a.rest,
          a.max_speed,
          a.max_acceleration,
          static_cast<std::uint8_t>(a.full_turn ? 1 : 0),
          std::uint8_t{0},
          std::uint16_t{0}};
}

Offset<fb::Gun> pack_gun(Builder& b, const sim::Gun& g) {
  if (g.speed == 0) {
    return 0;
  }
  return fb::CreateGun(b, g.speed, g.radius, g.damage, wait(g.life), g.burst, g.interval,
                       wait(g.reload), g.inherits, g.error, g.range, wait(g.reaction),
                       g.point_defence);
}

}  // namespace

Offset<fb::Turret> pack_turret(Builder& b, const sim::Turret& t) {
  const sim::TurretMount& m = t.mount;
  const auto gun = pack_gun(b, t.gun);
  std::vector<fb::Vec3> muzzles;
  for (const sim::Vec3& muzzle : m.muzzles) {
    muzzles.push_back(pack(muzzle));
  }
  const auto muzzle_vector = b.CreateVectorOfStructs(muzzles.data(), muzzles.size());
  const auto name = b.CreateString(t.name);
  const fb::Vec3 pivot = pack(m.pivot);
  const fb::Vec3 forward = pack(m.orientation.forward);
  const fb::Vec3 up = pack(m.orientation.up);
  const fb::TurretAxis yaw = pack(m.yaw);
  const fb::TurretAxis pitch = pack(m.pitch);
  const fb::AlignSettings align(m.align.target_radius, m.align.slow_radius,
                                wait(m.align.time_to_target));
  return fb::CreateTurret(b, name, &pivot, &forward, &up, muzzle_vector, &yaw, &pitch,
                          static_cast<fb::TurretController>(m.controller), &align, m.tolerance,
                          gun);
}

namespace {

sim::TurretAxis unpack(const fb::TurretAxis& in) {
  return {in.full_turn() != 0, in.low(),       in.high(),
          in.rest(),           in.max_speed(), in.max_acceleration()};
}

CodecResult unpack_gun(const fb::Gun* in, sim::Gun& out) {
  if (in == nullptr) {
    return k_decoded;
  }
  if (in->speed() == 0) {
    return {CodecError::out_of_range, "types.turrets.gun.speed"};
  }
  out = {in->speed(), in->radius(),   in->damage(),   in->life(),
         in->burst(), in->interval(), in->reload(),   in->inherits(),
         in->error(), in->range(),    in->reaction(), in->point_defence()};
  return k_decoded;
}

}  // namespace

CodecResult unpack_turret(const fb::Turret& in, sim::Turret& out) {
  if (in.pivot() == nullptr || in.forward() == nullptr || in.up() == nullptr ||
      in.muzzles() == nullptr || in.yaw() == nullptr || in.pitch() == nullptr ||
      in.align() == nullptr) {
    return {CodecError::missing, "types.turrets"};
  }
  if (in.muzzles()->size() > static_cast<std::size_t>(sim::k_max_barrels)) {
    return {CodecError::too_many, "types.turrets.muzzles"};
  }
  sim::TurretMount& m = out.mount;
  m.pivot = unpack(*in.pivot());
  m.orientation = {unpack(*in.forward()), unpack(*in.up())};
  for (const fb::Vec3* muzzle : *in.muzzles()) {
    m.muzzles.push_back(unpack(*muzzle));
  }
  m.yaw = unpack(*in.yaw());
  m.pitch = unpack(*in.pitch());
  m.controller = static_cast<sim::TurretController>(in.controller());
  m.align = {in.align()->target_radius(), in.align()->slow_radius(), in.align()->time_to_target()};
  m.tolerance = in.tolerance();
  return unpack_gun(in.gun(), out.gun);
}

namespace {

CodecResult check_gun(const sim::Gun& g) {
  if (g.speed == 0) {
    return g == sim::Gun{} ? k_decoded : range("types.turrets.gun.speed");
  }
  if (!between(g.speed, 1, sim::k_max_speed)) {
    return range("types.turrets.gun.speed");
  }
  if (!between(g.radius, 0, sim::k_max_hull_radius)) {
    return range("types.turrets.gun.radius");
  }
  if (!between(g.life, 1, sim::k_max_round_life)) {
    return range("types.turrets.gun.life");
  }
  if (g.burst < 1) {
    return range("types.turrets.gun.burst");
  }
  if (!between(g.interval, 0, sim::k_max_ripple) ||
      (g.burst - 1) * sim::Subtick{g.interval} > sim::k_max_ripple) {
    return range("types.turrets.gun.interval");
  }
  if (!between(g.reload, 1, k_max_wait)) {
    return range("types.turrets.gun.reload");
  }
  if (!between(g.error, 0, sim::k_one)) {
    return range("types.turrets.gun.error");
  }
  if (g.range < 0) {
    return range("types.turrets.gun.range");
  }
  return between(g.reaction, 0, k_max_wait) ? k_decoded : range("types.turrets.gun.reaction");
}

}  // namespace

CodecResult check_turret(const sim::Turret& t) {
  if (!inside(t.mount.pivot, sim::k_max_hull_offset)) {
    return range("types.turrets.pivot");
  }
  if (!is_basis(t.mount.orientation)) {
    return range("types.turrets.orientation");
  }
  for (const sim::Vec3& muzzle : t.mount.muzzles) {
    if (!inside(muzzle, sim::k_max_hull_offset)) {
      return range("types.turrets.muzzles");
    }
  }
  switch (sim::turret_fault(t.mount)) {
    case sim::TurretFault::none:
      return t.mount.controller > sim::TurretController::align ? range("types.turrets.controller")
                                                               : check_gun(t.gun);
    case sim::TurretFault::no_muzzle:
      return range("types.turrets.muzzles");
    case sim::TurretFault::no_speed:
      return range("types.turrets.speed");
    case sim::TurretFault::align_settings:
      return range("types.turrets.align");
    case sim::TurretFault::tolerance:
      return range("types.turrets.tolerance");
    default:
      return range("types.turrets.stops");
  }
}

}  // namespace contrail::wire
