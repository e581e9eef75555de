#include <contrail/replay/log_json.hpp>

#include <vector>

namespace contrail::server {
namespace {

using nlohmann::json;

json of(const sim::Vec3& v) {
  return {{"x", v.x}, {"y", v.y}, {"z", v.z}};
}
json of(const std::array<std::int16_t, 3>& v) {
  return {{"x", v[0]}, {"y", v[1]}, {"z", v[2]}};
}
json of(const sim::Quaternion& q) {
  return {{"x", q.x}, {"y", q.y}, {"z", q.z}, {"w", q.w}};
}
json of(const sim::Basis& basis) {
  return {{"f", of(basis.forward)}, {"u", of(basis.up)}};
}
json of(const sim::Cone& cone) {
  return {{"a", cone.along}, {"b", cone.across}};
}

template <class T, class OfElement>
json array_of(const std::vector<T>& elements, OfElement&& of_element) {
  json out = json::array();
  for (const T& element : elements) {
    out.push_back(of_element(element));
  }
  return out;
}

json of(const sim::Weapon& w) {
  return {{"noise", w.noise},
          {"muzzle_cone", of(w.muzzle_cone)},
          {"approach_cone", of(w.approach_cone)},
          {"muzzle_handle", w.muzzle_handle},
          {"approach_handle", w.approach_handle},
          {"amplitude", w.amplitude},
          {"frequency", w.frequency},
          {"ripple_interval", w.ripple_interval},
          {"max_extra_speed", w.max_extra_speed}};
}

json of(const sim::TurretAxis& axis) {
  return {{"full_turn", axis.full_turn}, {"low", axis.low},
          {"high", axis.high},           {"rest", axis.rest},
          {"speed", axis.max_speed},     {"acceleration", axis.max_acceleration}};
}

json of(const sim::Gun& g) {
  return {{"speed", g.speed},       {"life", g.life},         {"burst", g.burst},
          {"interval", g.interval}, {"inherits", g.inherits}, {"error", g.error}};
}

json of(const sim::Turret& t) {
  const sim::TurretMount& m = t.mount;
  return {{"pivot", of(m.pivot)},
          {"orientation", of(m.orientation)},
          {"muzzles", array_of(m.muzzles, [](const sim::Vec3& v) { return of(v); })},
          {"yaw", of(m.yaw)},
          {"pitch", of(m.pitch)},
          {"controller", m.controller},
          {"align",
           {{"target_radius", m.align.target_radius},
            {"slow_radius", m.align.slow_radius},
            {"time_to_target", m.align.time_to_target}}},
          {"gun", of(t.gun)}};
}

json of(const sim::EntityType& type) {
  return {
      {"hull", array_of(type.hull,
                        [](const sim::HullPart& part) -> json {
                          return {{"a", of(part.a)}, {"d", of(part.d)}, {"r", part.radius}};
                        })},
      {"hit_points", type.hit_points},
      {"max_speed", type.max_speed},
      {"own_attitude", type.own_attitude},
      {"mounts", array_of(type.mounts,
                          [](const sim::Mount& mount) -> json {
                            return {{"offset", of(mount.offset)}, {"basis", of(mount.orientation)}};
                          })},
      {"turrets", array_of(type.turrets, [](const sim::Turret& t) { return of(t); })}};
}

json of(const sim::Launch& l) {
  return {{"seed", l.seed},     {"launcher", l.launcher}, {"target", l.target},
          {"t0", l.t0},         {"pieces", l.pieces},     {"mount", l.mount},
          {"weapon", l.weapon}, {"count", l.count},       {"log2_piece", l.log2_piece}};
}

json of(const sim::Outcome& o) {
  return {{"salvo", o.salvo},
          {"index", o.index},
          {"kind", o.kind},
          {"victim", o.victim},
          {"time", o.time}};
}

json of(const sim::Guidance& g) {
  return {{"salvo", g.salvo},
          {"group", g.group},
          {"kind", g.kind},
          {"mask", g.mask},
          {"target", g.target}};
}

json of(const sim::Health& h) {
  return {{"entity", h.entity}, {"health", h.health}};
}

json of(const sim::Despawn& d) {
  return {{"entity", d.entity}, {"kind", d.kind}, {"by_salvo", d.by_salvo}, {"time", d.time}};
}

json of(const sim::Spawn& s) {
  return {{"entity", s.entity},
          {"type", s.type},
          {"team", s.team},
          {"user_tag", s.user_tag},
          {"position", of(s.position)},
          {"velocity", of(s.velocity)},
          {"attitude", of(s.attitude)}};
}

json of(const sim::TurretMode& m) {
  return {{"entity", m.entity}, {"turret", m.turret}, {"order", m.order},
          {"target", m.target}, {"index", m.index},   {"bearing", m.bearing}};
}

json of(const sim::Shot& s) {
  return {{"entity", s.entity},
          {"turret", s.turret},
          {"count", s.count},
          {"time", s.time},
          {"seed", s.seed}};
}

json of(const sim::TrackKey& k) {
  return {{"entity", k.entity},
          {"log2_ticks", k.log2_ticks},
          {"jump", k.jump},
          {"position", of(k.position)},
          {"velocity", of(k.velocity)}};
}

json of(const sim::RelativeKey& k) {
  return {{"entity", k.entity},
          {"log2_ticks", k.log2_ticks},
          {"scale", k.scale},
          {"d", of(k.d)},
          {"dv", of(k.dv)}};
}

json of(const sim::AttitudeKey& k) {
  return {{"entity", k.entity}, {"log2_ticks", k.log2_ticks}, {"attitude", of(k.attitude)}};
}

json of(const sim::Custom& c) {
  return {{"kind", c.kind}, {"bytes", c.bytes}};
}

json of(const sim::Timeline& t) {
  return {{"epoch", t.epoch}, {"tick", t.tick}, {"rate", t.rate}, {"paused", t.paused}};
}

json of(const sim::StateHash& h) {
  return {{"lanes", h.lanes}, {"roll", h.roll}};
}

template <class T>
void add(json& out, const char* name, const std::vector<T>& elements) {
  if (!elements.empty()) {
    out[name] = array_of(elements, [](const T& element) { return of(element); });
  }
}

}  // namespace

json json_of(const sim::Scenario& scenario) {
  json out{{"log2_tick", scenario.log2_tick}};
  out["weapons"] = array_of(scenario.weapons, [](const sim::Weapon& w) { return of(w); });
  out["types"] = array_of(scenario.types, [](const sim::EntityType& t) { return of(t); });
  return out;
}

json json_of(const sim::TickRecord& record) {
  json out{{"tick", record.tick}};
  add(out, "launches", record.launches);
  add(out, "outcomes", record.outcomes);
  add(out, "guidance", record.guidance);
  add(out, "health", record.health);
  add(out, "despawns", record.despawns);
  add(out, "spawns", record.spawns);
  add(out, "turret_modes", record.turret_modes);
  add(out, "shots", record.shots);
  add(out, "track_keys", record.track_keys);
  add(out, "relative_keys", record.relative_keys);
  add(out, "attitude_keys", record.attitude_keys);
  add(out, "customs", record.customs);
  add(out, "timelines", record.timelines);
  add(out, "state_hashes", record.state_hashes);
  return out;
}

}  // namespace contrail::server
