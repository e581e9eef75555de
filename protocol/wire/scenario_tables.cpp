#include <string>
#include <utility>

#include <contrail/sim/limits.hpp>
#include <contrail/wire/record_elements.hpp>
#include <contrail/wire/scenario_tables.hpp>
#include <contrail/wire/turret_tables.hpp>
#include <contrail/wire/wire_limits.hpp>

namespace contrail::wire {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
template <class T>
using Offset = flatbuffers::Offset<T>;
template <class T>
using Tables = flatbuffers::Vector<Offset<T>>;

static_assert(static_cast<int>(fb::NoiseKind::MAX) == static_cast<int>(sim::NoiseKind::perlin));
static_assert(static_cast<int>(fb::DispenserTrigger::MAX) ==
              static_cast<int>(sim::DispenserTrigger::threatened));
static_assert(static_cast<int>(fb::Trigger::MAX) == static_cast<int>(sim::Trigger::nearest_enemy));

fb::Cone pack(const sim::Cone& cone) {
  return {cone.along, cone.across};
}
sim::Cone unpack(const fb::Cone& cone) {
  return {cone.along(), cone.across()};
}
std::uint32_t wait(sim::Subtick t) {
  return static_cast<std::uint32_t>(t);
}
using wire::pack;
using wire::unpack;

Offset<fb::Weapon> pack_table(Builder& b, const sim::Weapon& w) {
  const auto name = b.CreateString(w.name);
  const fb::Cone muzzle = pack(w.muzzle_cone);
  const fb::Cone approach = pack(w.approach_cone);
  return fb::CreateWeapon(b, name, w.art, static_cast<fb::NoiseKind>(w.noise), &muzzle, &approach,
                          w.muzzle_handle, w.approach_handle, w.amplitude, w.frequency, w.speed,
                          wait(w.flight_time), w.ripple_interval, w.radius, w.damage, w.min_range,
                          w.max_range, w.max_extra_speed, w.max_extra_acceleration,
                          w.max_displacement, w.fuse_radius, w.blast_radius, w.seeker_range,
                          w.seeker_cone, wait(w.lock_time), wait(w.self_destruct), w.retarget);
}

Offset<fb::Mount> pack_table(Builder& b, const sim::Mount& m) {
  const auto name = b.CreateString(m.name);
  const fb::Vec3 offset = pack(m.offset);
  const fb::Vec3 forward = pack(m.orientation.forward);
  const fb::Vec3 up = pack(m.orientation.up);
  return fb::CreateMount(b, name, &offset, &forward, &up);
}

Offset<fb::Launcher> pack_table(Builder& b, const sim::Launcher& l) {
  const auto name = b.CreateString(l.name);
  return fb::CreateLauncher(b, name, l.mount, l.weapon, l.salvo,
                            static_cast<fb::Trigger>(l.trigger), l.ammunition, wait(l.reload),
                            wait(l.first), l.arc, l.facing);
}

Offset<fb::Turret> pack_table(Builder& b, const sim::Turret& t) {
  return pack_turret(b, t);
}

Offset<fb::Route> pack_table(Builder& b, const sim::Route& r) {
  std::vector<fb::RouteKey> keys;
  for (const sim::RouteKey& key : r.keys) {
    keys.emplace_back(pack(key.position), pack(key.velocity), key.log2_ticks, std::uint8_t{0},
                      std::uint16_t{0});
  }
  const auto key_vector = b.CreateVectorOfStructs(keys.data(), keys.size());
  const auto name = b.CreateString(r.name);
  const fb::Vec3 position = pack(r.start_position);
  const fb::Vec3 velocity = pack(r.start_velocity);
  return fb::CreateRoute(b, name, &position, &velocity, key_vector, r.closed);
}

Offset<fb::EntityPlan> pack_table(Builder& b, const sim::EntityPlan& e) {
  const auto name = b.CreateString(e.name);
  const fb::Vec3 position = pack(e.position);
  const fb::Vec3 velocity = pack(e.velocity);
  const fb::Quaternion attitude = pack(e.attitude);
  return fb::CreateEntityPlan(b, name, e.type, e.team, e.user_tag, e.route, &position, &velocity,
                              &attitude, e.spawn_tick, e.respawn_ticks);
}

Offset<fb::EntityType> pack_table(Builder& b, const sim::EntityType& t);

template <class Table, class Element>
Offset<Tables<Table>> pack_tables(Builder& b, const std::vector<Element>& elements) {
  std::vector<Offset<Table>> offsets;
  offsets.reserve(elements.size());
  for (const Element& element : elements) {
    offsets.push_back(pack_table(b, element));
  }
  return b.CreateVector(offsets);
}

std::vector<fb::HullPart> pack(const std::vector<sim::HullPart>& parts) {
  std::vector<fb::HullPart> out;
  for (const sim::HullPart& part : parts) {
    out.emplace_back(pack(part.a), pack(part.d), part.radius);
  }
  return out;
}

Offset<fb::Dispenser> pack_dispenser(Builder& b, const sim::Dispenser& d) {
  if (d.count == 0) {
    return 0;
  }
  const fb::Vec3 velocity = pack(d.velocity);
  return fb::CreateDispenser(b, d.type, d.count, d.ammunition, wait(d.reload), &velocity,
                             static_cast<fb::DispenserTrigger>(d.trigger), wait(d.warning));
}

Offset<fb::EntityType> pack_table(Builder& b, const sim::EntityType& t) {
  const std::vector<fb::HullPart> hull = pack(t.hull);
  const auto dispenser = pack_dispenser(b, t.dispenser);
  const Offset<Tables<fb::Turret>> turrets =
      t.turrets.empty() ? 0 : pack_tables<fb::Turret>(b, t.turrets);
  const auto launchers = pack_tables<fb::Launcher>(b, t.launchers);
  const auto mounts = pack_tables<fb::Mount>(b, t.mounts);
  const auto hull_vector = b.CreateVectorOfStructs(hull.data(), hull.size());
  const auto name = b.CreateString(t.name);
  return fb::CreateEntityType(b, name, t.art, hull_vector, t.hit_points, t.max_speed,
                              t.max_acceleration, t.own_attitude, mounts, launchers, t.decoy_chance,
                              t.decoy_range, wait(t.lifetime), dispenser, turrets);
}

// ---- reading -----------------------------------------------------------------------------------

constexpr CodecResult missing(const char* field) {
  return {CodecError::missing, field};
}

CodecResult read_name(const flatbuffers::String* in, const char* field, std::string& out) {
  if (in == nullptr) {
    return missing(field);
  }
  if (in->size() > k_max_name_bytes) {
    return {CodecError::bad_text, field};
  }
  out.assign(in->data(), in->size());
  return k_decoded;
}

CodecResult unpack_table(const fb::Weapon& in, sim::Weapon& out) {
  if (in.muzzle_cone() == nullptr || in.approach_cone() == nullptr) {
    return missing("weapons.cone");
  }
  out.art = in.art();
  out.noise = static_cast<sim::NoiseKind>(in.noise());
  out.muzzle_cone = unpack(*in.muzzle_cone());
  out.approach_cone = unpack(*in.approach_cone());
  out.muzzle_handle = in.muzzle_handle();
  out.approach_handle = in.approach_handle();
  out.amplitude = in.amplitude();
  out.frequency = in.frequency();
  out.speed = in.speed();
  out.flight_time = in.flight_time();
  out.ripple_interval = in.ripple_interval();
  out.radius = in.radius();
  out.damage = in.damage();
  out.min_range = in.min_range();
  out.max_range = in.max_range();
  out.max_extra_speed = in.max_extra_speed();
  out.max_extra_acceleration = in.max_extra_acceleration();
  out.max_displacement = in.max_displacement();
  out.fuse_radius = in.fuse_radius();
  out.blast_radius = in.blast_radius();
  out.seeker_range = in.seeker_range();
  out.seeker_cone = in.seeker_cone();
  out.lock_time = in.lock_time();
  out.self_destruct = in.self_destruct();
  out.retarget = in.retarget();
  return read_name(in.name(), "weapons.name", out.name);
}

CodecResult unpack_table(const fb::Mount& in, sim::Mount& out) {
  if (in.offset() == nullptr || in.forward() == nullptr || in.up() == nullptr) {
    return missing("types.mounts");
  }
  out.offset = unpack(*in.offset());
  out.orientation = {unpack(*in.forward()), unpack(*in.up())};
  return read_name(in.name(), "types.mounts.name", out.name);
}

CodecResult unpack_table(const fb::Launcher& in, sim::Launcher& out) {
  out.mount = in.mount();
  out.weapon = in.weapon();
  out.salvo = in.salvo();
  out.trigger = static_cast<sim::Trigger>(in.trigger());
  out.ammunition = in.ammunition();
  out.reload = in.reload();
  out.first = in.first();
  out.arc = in.arc();
  out.facing = in.facing();
  return read_name(in.name(), "types.launchers.name", out.name);
}

CodecResult unpack_table(const fb::Turret& in, sim::Turret& out) {
  const CodecResult result = unpack_turret(in, out);
  return result ? read_name(in.name(), "types.turrets.name", out.name) : result;
}

CodecResult unpack_table(const fb::EntityPlan& in, sim::EntityPlan& out) {
  if (in.position() == nullptr || in.velocity() == nullptr || in.attitude() == nullptr) {
    return missing("entities");
  }
  out.type = in.type();
  out.team = in.team();
  out.user_tag = in.user_tag();
  out.route = in.route();
  out.position = unpack(*in.position());
  out.velocity = unpack(*in.velocity());
  out.attitude = unpack(*in.attitude());
  out.spawn_tick = in.spawn_tick();
  out.respawn_ticks = in.respawn_ticks();
  return read_name(in.name(), "entities.name", out.name);
}

CodecResult unpack_table(const fb::EntityType& in, sim::EntityType& out);

template <class Table, class Element>
CodecResult unpack_tables(const Tables<Table>* in, std::size_t limit, const char* field,
                          std::vector<Element>& out) {
  if (in == nullptr) {
    return missing(field);
  }
  if (in->size() > limit) {
    return {CodecError::too_many, field};
  }
  for (flatbuffers::uoffset_t i = 0; i < in->size(); ++i) {
    if (const CodecResult result = unpack_table(*in->Get(i), out.emplace_back()); !result) {
      return result;
    }
  }
  return k_decoded;
}

void unpack(const flatbuffers::Vector<const fb::HullPart*>& in, std::vector<sim::HullPart>& out) {
  for (const fb::HullPart* part : in) {
    out.push_back({unpack(part->a()), unpack(part->d()), part->radius()});
  }
}

CodecResult unpack_dispenser(const fb::Dispenser* in, sim::Dispenser& out) {
  if (in == nullptr) {
    return k_decoded;
  }
  if (in->velocity() == nullptr) {
    return missing("types.dispenser.velocity");
  }
  if (in->count() == 0) {
    return {CodecError::out_of_range, "types.dispenser.count"};
  }
  out = {in->type(),
         in->count(),
         in->ammunition(),
         in->reload(),
         unpack(*in->velocity()),
         static_cast<sim::DispenserTrigger>(in->trigger()),
         in->warning()};
  return k_decoded;
}

CodecResult unpack_table(const fb::EntityType& in, sim::EntityType& out) {
  if (in.hull() == nullptr) {
    return missing("types.hull");
  }
  if (in.hull()->size() > static_cast<std::size_t>(sim::k_max_hull_parts)) {
    return {CodecError::too_many, "types.hull"};
  }
  out.art = in.art();
  unpack(*in.hull(), out.hull);
  out.hit_points = in.hit_points();
  out.max_speed = in.max_speed();
  out.max_acceleration = in.max_acceleration();
  out.own_attitude = in.own_attitude();
  out.decoy_chance = in.decoy_chance();
  out.decoy_range = in.decoy_range();
  out.lifetime = in.lifetime();
  CodecResult result = unpack_dispenser(in.dispenser(), out.dispenser);
  if (result) {
    result = unpack_tables(in.mounts(), static_cast<std::size_t>(sim::k_max_mounts), "types.mounts",
                           out.mounts);
  }
  if (result) {
    result = unpack_tables(in.launchers(), k_max_launchers, "types.launchers", out.launchers);
  }
  if (result && in.turrets() != nullptr) {
    result = unpack_tables(in.turrets(), static_cast<std::size_t>(sim::k_max_turrets),
                           "types.turrets", out.turrets);
  }
  return result ? read_name(in.name(), "types.name", out.name) : result;
}

CodecResult unpack_route(const fb::Route& in, std::size_t max_keys, sim::Route& out) {
  if (in.start_position() == nullptr || in.start_velocity() == nullptr || in.keys() == nullptr) {
    return missing("routes");
  }
  // Many routes may point at one vector of keys: the sum is what bounds the memory.
  if (in.keys()->size() > max_keys) {
    return {CodecError::too_many, "routes.keys"};
  }
  out.start_position = unpack(*in.start_position());
  out.start_velocity = unpack(*in.start_velocity());
  out.keys.reserve(in.keys()->size());
  for (const fb::RouteKey* key : *in.keys()) {
    out.keys.push_back({key->log2_ticks(), unpack(key->position()), unpack(key->velocity())});
  }
  out.closed = in.closed();
  return read_name(in.name(), "routes.name", out.name);
}

CodecResult unpack_routes(const Tables<fb::Route>* in, std::vector<sim::Route>& out) {
  if (in == nullptr) {
    return missing("routes");
  }
  if (in->size() > k_max_routes) {
    return {CodecError::too_many, "routes"};
  }
  std::size_t keys_left = k_max_route_keys;
  for (flatbuffers::uoffset_t i = 0; i < in->size(); ++i) {
    sim::Route& route = out.emplace_back();
    if (const CodecResult result = unpack_route(*in->Get(i), keys_left, route); !result) {
      return result;
    }
    keys_left -= route.keys.size();
  }
  return k_decoded;
}

}  // namespace

Offset<fb::Scenario> pack_scenario(Builder& b, const sim::Scenario& s) {
  const auto rules = b.CreateString(s.rules);
  const std::vector<fb::HullPart> parts = pack(s.obstacles);
  const auto obstacles = b.CreateVectorOfStructs(parts.data(), parts.size());
  const auto entities = pack_tables<fb::EntityPlan>(b, s.entities);
  const auto routes = pack_tables<fb::Route>(b, s.routes);
  const auto types = pack_tables<fb::EntityType>(b, s.types);
  const auto weapons = pack_tables<fb::Weapon>(b, s.weapons);
  const auto name = b.CreateString(s.name);
  return fb::CreateScenario(b, name, static_cast<std::uint32_t>(s.seed),
                            static_cast<std::uint32_t>(s.seed >> 32U), s.log2_tick, s.ground,
                            weapons, types, routes, entities, s.end_tick, s.end_when_one_team_left,
                            obstacles, rules);
}

CodecResult unpack_scenario(const fb::Scenario& in, sim::Scenario& out) {
  out.seed = (std::uint64_t{in.seed_high()} << 32U) | in.seed_low();
  out.log2_tick = in.log2_tick();
  out.ground = in.ground();
  out.end_tick = in.end_tick();
  out.end_when_one_team_left = in.end_when_one_team_left();
  if (in.obstacles() != nullptr) {
    if (in.obstacles()->size() > static_cast<std::size_t>(sim::k_max_obstacles)) {
      return {CodecError::too_many, "obstacles"};
    }
    unpack(*in.obstacles(), out.obstacles);
  }
  CodecResult result = read_name(in.name(), "name", out.name);
  if (result && in.rules() != nullptr) {
    result = read_name(in.rules(), "rules", out.rules);
  }
  const auto good = [&](CodecResult next) { return static_cast<bool>(result = next); };
  static_cast<void>(
      result &&
      good(unpack_tables(in.weapons(), static_cast<std::size_t>(sim::k_max_weapons), "weapons",
                         out.weapons)) &&
      good(unpack_tables(in.types(), static_cast<std::size_t>(sim::k_max_entity_types), "types",
                         out.types)) &&
      good(unpack_routes(in.routes(), out.routes)) &&
      good(unpack_tables(in.entities(), static_cast<std::size_t>(sim::k_max_entities), "entities",
                         out.entities)));
  return result;
}

}  // namespace contrail::wire
