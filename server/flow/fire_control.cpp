#include <contrail/flow/fire_control.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;
using wire::CommandStatus;

constexpr Subtick k_latest = sim::k_subticks_per_second / 4;
constexpr Subtick k_earliest = sim::k_subticks_per_second;

std::int64_t distance(const sim::Entity& a, const sim::Entity& b, Subtick t) {
  return sim::length(WideVec3(a.track.position(t)) - WideVec3(b.track.position(t)));
}

/// The nearest living enemy that the rules allow, lower id first; none: null. Decoys draw missiles,
/// not launchers.
const sim::Entity* nearest_enemy(const Rules& rules, const sim::World& world,
                                 const sim::Entity& from, std::uint8_t launcher,
                                 std::uint32_t ammunition, Subtick ready, Subtick t) {
  const sim::Entity* best = nullptr;
  std::int64_t best_distance = 0;
  for (const sim::Entity& other : world.entities()) {
    if (other.gone || other.spawn_time >= t || world.scenario().types[other.type].is_decoy() ||
        !rules.is_enemy(from, other)) {
      continue;
    }
    const std::int64_t d = distance(from, other, t);
    if ((best == nullptr || d < best_distance) &&
        rules.may_fire({world, from, launcher, other, t, ammunition, ready}) ==
            CommandStatus::launched) {
      best = &other;
      best_distance = d;
    }
  }
  return best;
}

/// How long a missile takes: the weapon's fixed time, or its speed over the chord to where the
/// target will be, met by two rounds of correction.
Subtick flight_duration(const sim::Weapon& weapon, const sim::Entity& from,
                        const sim::Entity& target, Subtick t0) {
  if (weapon.speed == 0) {
    return weapon.flight_time;
  }
  const WideVec3 muzzle(from.track.position(t0));
  const WideVec3 aim(target.track.position(t0));
  const sim::Vec3 velocity = target.track.velocity(t0);
  Subtick duration = 0;
  for (int round = 0; round < 3; ++round) {
    const WideVec3 chord = aim + sim::drift(velocity, duration) - muzzle;
    duration = std::min<Subtick>(
        sim::floor_div(sim::length(chord) * sim::k_subticks_per_second, weapon.speed),
        Subtick{sim::k_max_flight_pieces} << sim::k_max_log2_flight_piece);
  }
  return duration;
}

}  // namespace

void FireControl::step(const sim::World& world, std::span<const wire::Input> inputs,
                       std::vector<sim::Launch>& launches, std::vector<InputResult>& results) {
  refresh_batteries(world);
  Step step{world, launches, world.live_missiles(), world.time(),
            world.time() + world.scenario().tick_length()};
  std::vector<wire::Input> ordered(inputs.begin(), inputs.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const wire::Input& a, const wire::Input& b) {
    return a.client != b.client ? a.client < b.client : a.command.id < b.command.id;
  });
  for (const wire::Input& input : ordered) {
    results.push_back({input, command(step, input.command)});
  }
  for (auto& [id, battery] : batteries_) {
    triggers(step, *world.find_entity(id), battery);
  }
}

void FireControl::refresh_batteries(const sim::World& world) {
  auto at = batteries_.begin();  // both by id
  for (const sim::Entity& entity : world.entities()) {
    while (at != batteries_.end() &&
           (at->first < entity.id || (at->first == entity.id && entity.gone))) {
      at = batteries_.erase(at);
    }
    if (entity.gone) {
      continue;
    }
    if (at != batteries_.end() && at->first == entity.id) {
      ++at;
      continue;
    }
    Battery& battery = batteries_.emplace_hint(at, entity.id, Battery{})->second;
    for (const sim::Launcher& launcher : world.scenario().types[entity.type].launchers) {
      const bool automatic = launcher.trigger != sim::Trigger::command;
      battery.push_back(
          {launcher.ammunition, entity.spawn_time + (automatic ? launcher.first : 0)});
    }
  }
  batteries_.erase(at, batteries_.end());
}

wire::CommandResult FireControl::command(Step& step, const wire::Command& command) {
  const wire::FireCommand& fire = command.fire;
  const auto refuse = [&](CommandStatus status) {
    return wire::CommandResult{command.id, status, 0};
  };
  const sim::Entity* from = step.world.find_entity(fire.entity);
  if (from == nullptr || from->gone) {
    return refuse(CommandStatus::refused_entity);
  }
  Battery& battery = batteries_.at(fire.entity);
  if (fire.launcher >= battery.size()) {
    return refuse(CommandStatus::refused_launcher);
  }
  const sim::Entity* target = step.world.find_entity(fire.target);
  if (target == nullptr || target->gone || target == from) {
    return refuse(CommandStatus::refused_target);
  }
  if (fire.at <= step.begin - k_latest) {
    return refuse(CommandStatus::refused_late);
  }
  if (fire.at > step.end + k_earliest) {
    return refuse(CommandStatus::refused_early);
  }
  LauncherState& state = battery[fire.launcher];
  const sim::Scenario& scenario = step.world.scenario();
  const sim::Launcher& launcher = scenario.types[from->type].launchers[fire.launcher];
  const Subtick t0 = std::clamp(fire.at, step.begin + 1, step.end);
  const CommandStatus answer = rules_->may_fire(
      {step.world, *from, fire.launcher, *target, t0, state.ammunition, state.ready});
  if (answer != CommandStatus::launched) {
    return refuse(answer);
  }
  if (!has_room(step, launcher.salvo)) {
    return refuse(CommandStatus::refused_limit);
  }
  const std::uint32_t id = launch(step, *from, fire.launcher, state, *target, t0);
  return {command.id, CommandStatus::launched, id};
}

void FireControl::triggers(Step& step, const sim::Entity& entity, Battery& battery) {
  const sim::Scenario& scenario = step.world.scenario();
  const auto& launchers = scenario.types[entity.type].launchers;
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    const sim::Launcher& launcher = launchers[i];
    LauncherState& state = battery[i];
    if (launcher.trigger == sim::Trigger::command || state.ammunition == 0 ||
        state.ready > step.end) {
      continue;
    }
    const Subtick t0 = std::max(state.ready, step.begin + 1);
    const sim::Entity* target =
        nearest_enemy(*rules_, step.world, entity, static_cast<std::uint8_t>(i), state.ammunition,
                      state.ready, t0);
    if (target != nullptr && has_room(step, launcher.salvo)) {
      launch(step, entity, static_cast<std::uint8_t>(i), state, *target, t0);
    } else if (launcher.trigger == sim::Trigger::schedule) {
      state.ready += std::max<Subtick>(launcher.reload, 1);  // this slot of the schedule is lost
    }
  }
}

bool FireControl::has_room(const Step& step, std::uint32_t missiles) const {
  const auto& kept = step.world.salvos();
  const std::uint64_t next = step.world.next_launch() + step.launches.size();
  return step.missiles + missiles <= static_cast<std::uint64_t>(sim::k_max_live_missiles) &&
         kept.size() + step.launches.size() < static_cast<std::size_t>(sim::k_max_salvos) &&
         (kept.empty() || next - kept.front().id < 65536);
}

std::uint32_t FireControl::launch(Step& step, const sim::Entity& from, std::uint8_t index,
                                  LauncherState& state, const sim::Entity& target, Subtick t0) {
  const sim::Scenario& scenario = step.world.scenario();
  const sim::Launcher& launcher = scenario.types[from.type].launchers[index];
  const sim::Weapon& weapon = scenario.weapons[launcher.weapon];
  const auto id = step.world.next_launch() + static_cast<std::uint32_t>(step.launches.size());
  const Subtick duration = flight_duration(weapon, from, target, t0);

  sim::Launch l;
  l.seed = sim::launch_seed(session_seed_, id);
  l.launcher = from.id;
  l.target = target.id;
  l.t0 = t0;
  l.mount = launcher.mount;
  l.weapon = launcher.weapon;
  // Only rules that hand out missiles for nothing get here with an empty launcher.
  const std::uint32_t left = state.ammunition == 0 ? launcher.salvo : state.ammunition;
  l.count = static_cast<std::uint8_t>(std::min<std::uint32_t>(launcher.salvo, left));
  const int log2_piece = sim::log2_piece_for(std::max<Subtick>(duration, 1));
  const Subtick pieces = (duration + (Subtick{1} << log2_piece) - 1) >> log2_piece;
  l.log2_piece = static_cast<std::uint8_t>(log2_piece);
  l.pieces = static_cast<std::uint16_t>(std::clamp<Subtick>(pieces, 1, sim::k_max_flight_pieces));

  step.missiles += l.count;
  step.launches.push_back(l);
  if (state.ammunition != sim::k_unlimited) {
    state.ammunition -= std::min<std::uint32_t>(state.ammunition, l.count);
  }
  state.ready = t0 + std::max<Subtick>(launcher.reload, 1);
  return id;
}

}  // namespace contrail::server
