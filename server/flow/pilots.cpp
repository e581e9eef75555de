#include <contrail/flow/pilots.hpp>

#include <algorithm>
#include <optional>

#include <contrail/flow/record_budget.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;
using wire::CommandStatus;

constexpr Subtick k_latest = sim::k_subticks_per_second / 4;
constexpr Subtick k_earliest = sim::k_subticks_per_second;
constexpr std::int64_t k_slack = 16;  // rounding of a driver, length units (per second)
constexpr int k_longest_drive = 15;   // log2 of subticks: 1/2 s
constexpr int k_longest_catch = 17;   // log2 of subticks: 2 s, of a track that catches up

sim::MotionLimits limits_of(const sim::World& world, const sim::Entity& entity) {
  const sim::EntityType& type = world.scenario().types[entity.type];
  return {type.max_speed, type.max_acceleration};
}

const sim::Entity* living(const sim::World& world, std::uint16_t id) {
  const sim::Entity* entity = world.find_entity(id);
  return entity == nullptr || entity->gone ? nullptr : entity;
}

bool leaves(const sim::TickRecord& record, std::uint16_t entity) {
  return std::any_of(record.despawns.begin(), record.despawns.end(),
                     [&](const sim::Despawn& d) { return d.entity == entity; });
}

/// Where a body under constant acceleration is after `span`.
sim::Motion ahead(const sim::Vec3& position, const sim::Vec3& velocity, const sim::Vec3& a,
                  Subtick span) {
  const WideVec3 gain = sim::drift(a, span);
  const WideVec3 way = sim::drift(velocity, span) + (sim::drift(sim::Vec3(gain), span) >> 1L);
  return {sim::clamp(WideVec3(position) + way, sim::k_world_limit),
          sim::clamp(WideVec3(velocity) + gain, sim::k_max_speed)};
}

bool is_near(const Vec3& a, const Vec3& b) {
  return sim::length(WideVec3(a) - WideVec3(b)) <= k_drive_tolerance;
}

/// The shortest piece from a track's own state at `now` to where its driver coasts, that the type
/// can fly: twice its acceleration, as the driver uses it up to once himself.
std::optional<sim::RelativeKey> catching_key(const sim::World& world, const sim::Entity& entity,
                                             const sim::Motion& driven, Subtick now) {
  const int log2_tick = world.scenario().log2_tick;
  const sim::MotionLimits limits = limits_of(world, entity);
  const sim::Motion start{entity.track.position(now), entity.track.velocity(now)};
  // A piece is fastest somewhere inside, whatever its ends: sixteen looks at it.
  const auto flies = [&](const sim::Track& tried, Subtick span) {
    const Subtick look = span / 16;
    const std::int64_t gain = sim::drift(std::int64_t{limits.max_acceleration} * 2, look) + k_slack;
    WideVec3 before(start.velocity);
    for (Subtick t = look; t <= span; t += look) {
      const WideVec3 velocity(tried.velocity(now + t));
      if (sim::length(velocity) > limits.max_speed + k_slack ||
          sim::length(velocity - before) > gain) {
        return false;
      }
      before = velocity;
    }
    return true;
  };
  for (int k = log2_tick; k <= k_longest_catch; ++k) {
    const Subtick span = Subtick{1} << k;
    const auto key = sim::relative_key(entity.id, k - log2_tick, log2_tick, start,
                                       ahead(driven.position, driven.velocity, Vec3(0), span));
    if (!key) continue;
    sim::Track tried = entity.track;
    tried.start_relative_piece(now, k, *key);
    if (flies(tried, span)) return key;
  }
  return std::nullopt;
}

}  // namespace

wire::CommandStatus in_time(const sim::World& world, Subtick at) {
  if (at <= world.time() - k_latest) {
    return CommandStatus::refused_late;
  }
  return at > world.time() + world.scenario().tick_length() + k_earliest
             ? CommandStatus::refused_early
             : CommandStatus::taken;
}

wire::CommandResult Pilots::take(const sim::World& world, std::uint32_t client,
                                 const wire::Command& command) {
  CommandStatus status = CommandStatus::taken;
  const sim::Scenario& scenario = world.scenario();
  switch (command.kind) {
    case wire::CommandKind::steer:
      status = steer(world, client, command);
      break;
    case wire::CommandKind::self_destruct:
      status = self_destruct(world, command);
      break;
    case wire::CommandKind::drive:
      status = in_time(world, command.drive.at);
      if (status == CommandStatus::taken && command.id <= newest_[{client, command.drive.entity}]) {
        status = CommandStatus::refused_stale;
      }
      if (status == CommandStatus::taken) {
        status = drive(world, command.drive);
      }
      if (status == CommandStatus::taken) {
        newest_[{client, command.drive.entity}] = command.id;
      }
      break;
    case wire::CommandKind::spawn:
      if (command.spawn.type >= scenario.types.size()) {
        status = CommandStatus::refused_type;
      } else if (sim::length(WideVec3(command.spawn.velocity)) >
                 scenario.types[command.spawn.type].max_speed + k_slack) {
        status = CommandStatus::refused_speed;
      } else if (world.entities().size() + spawns_.size() + scenario.entities.size() >=
                 std::size_t{sim::k_max_entities}) {
        status = CommandStatus::refused_full;
      } else {
        spawns_.emplace_back(command.id, command.spawn);
      }
      break;
    case wire::CommandKind::despawn:
      if (living(world, command.despawn) == nullptr) {
        status = CommandStatus::refused_entity;
      } else {
        despawns_.push_back(command.despawn);
      }
      break;
    case wire::CommandKind::custom:
      if (has_room_for_custom(custom_bytes_, command.custom)) {
        custom_bytes_ += RecordSizes::custom + command.custom.bytes.size();
        customs_.push_back(command.custom);
      } else {
        status = CommandStatus::refused_limit;
      }
      break;
    default:
      sim::require(false, "fire and release are decided elsewhere");
  }
  const bool taken = status == CommandStatus::taken;
  ++(taken ? counters_.taken : counters_.refused);
  return {command.id, status, taken ? world.tick() + 1 : 0};
}

CommandStatus Pilots::steer(const sim::World& world, std::uint32_t client,
                            const wire::Command& command) {
  const wire::SteerCommand& wish = command.steer;
  const sim::Entity* entity = living(world, wish.entity);
  if (entity == nullptr || entity->spawn_time > world.time()) {
    return CommandStatus::refused_entity;
  }
  if (const CommandStatus time = in_time(world, wish.at); time != CommandStatus::taken) {
    return time;
  }
  std::uint32_t& newest = newest_[{client, wish.entity}];
  if (command.id <= newest) {
    return CommandStatus::refused_stale;
  }
  newest = command.id;
  driven_.erase(wish.entity);
  helms_[wish.entity] = {wish.entity, wish.steer, world.tick() + 1, limits_of(world, *entity)};
  return CommandStatus::taken;
}

CommandStatus Pilots::self_destruct(const sim::World& world, const wire::Command& command) {
  const sim::Salvo* salvo = world.find_salvo(command.self_destruct.salvo);
  if (salvo == nullptr || salvo->alive == 0) {
    return CommandStatus::refused_salvo;
  }
  const CommandStatus time = in_time(world, command.self_destruct.at);
  if (time == CommandStatus::taken) {
    doomed_.insert(command.self_destruct.salvo);
  }
  return time;
}

/// A driver may move a ship as its type can fly: measured from his last word, or from the track.
CommandStatus Pilots::drive(const sim::World& world, const wire::DriveCommand& command) {
  const sim::Entity* entity = living(world, command.entity);
  if (entity == nullptr) {
    return CommandStatus::refused_entity;
  }
  const std::uint32_t tick = world.tick() + 1;
  const Subtick length = world.scenario().tick_length();
  const auto known = driven_.find(command.entity);
  Driven last{world.tick(),
              entity->track.position(world.time()),
              entity->track.velocity(world.time()),
              {0, 0, 0},
              0,
              std::nullopt};
  if (known != driven_.end()) {
    last = known->second;
  }
  const sim::MotionLimits limits = limits_of(world, *entity);
  const Subtick since = (std::max(tick, last.tick + 1) - last.tick) * length;
  const WideVec3 change = WideVec3(command.velocity) - WideVec3(last.velocity);
  // Half the sum of both velocities is the mean velocity of a steady acceleration; another course
  // between them differs by at most a t^2 / 4.
  const WideVec3 coasted =
      sim::shift_right(sim::drift(last.velocity, since) + sim::drift(command.velocity, since), 1);
  const WideVec3 way = WideVec3(command.position) - WideVec3(last.position) - coasted;
  const std::int64_t gain = sim::drift(std::int64_t{limits.max_acceleration}, since) + k_slack;
  const std::int64_t off =
      (sim::drift(sim::drift(std::int64_t{limits.max_acceleration}, since), since) >> 2) + k_slack;
  if (sim::length(WideVec3(command.velocity)) > limits.max_speed + k_slack ||
      sim::length(change) > gain || sim::length(way) > off + 2 * k_drive_tolerance ||
      sim::length(WideVec3(command.position) - WideVec3(last.position)) >
          sim::drift(std::int64_t{limits.max_speed}, since) + k_slack + 2 * k_drive_tolerance) {
    return CommandStatus::refused_speed;
  }
  const WideVec3 a(sim::floor_div(change.x << 16, since), sim::floor_div(change.y << 16, since),
                   sim::floor_div(change.z << 16, since));
  Driven now{tick,
             command.position,
             command.velocity,
             known == driven_.end() ? sim::Vec3(0) : sim::Vec3(a),
             0,
             std::nullopt};
  if (!follow(world, *entity, last, now)) {
    return CommandStatus::refused_speed;
  }
  helms_.erase(command.entity);
  driven_[command.entity] = now;
  return CommandStatus::taken;
}

/// Whether the track is where the driver says, or can get there as its type flies. A record moves
/// nothing before its tick, so the gap there is what the pause has made of it.
bool Pilots::follow(const sim::World& world, const sim::Entity& entity, const Driven& last,
                    Driven& now) {
  const Subtick length = world.scenario().tick_length();
  const Subtick at = Subtick{now.tick} * length;
  const std::int64_t acceleration = limits_of(world, entity).max_acceleration;
  const std::int64_t off =
      sim::length(WideVec3(now.position) - WideVec3(entity.track.position(at)));
  const std::int64_t change =
      sim::length(WideVec3(now.velocity) - WideVec3(entity.track.velocity(at)));
  const bool steady = last.caught_up == 0 && now.tick <= last.tick + 1;
  if (off <= k_drive_tolerance + sim::drift(sim::drift(acceleration, length), length) + k_slack &&
      (steady || change <= 4 * sim::drift(acceleration, length) + k_slack)) {
    return true;
  }
  const sim::Motion driven{now.position, now.velocity};
  if (last.caught_up > at) {
    const Subtick left = last.caught_up - at;
    if (is_near(entity.track.position(last.caught_up),
                ahead(now.position, now.velocity, Vec3(0), left).position)) {
      now.caught_up = last.caught_up;
      return true;
    }
  }
  now.key = catching_key(world, entity, driven, at);
  if (now.key) {
    now.caught_up = at + (length << now.key->log2_ticks);
  }
  return now.key.has_value();
}

void Pilots::add_self_destructs(const sim::World& world, std::vector<Contact>& contacts) {
  const Subtick end = world.time() + world.scenario().tick_length();
  std::erase_if(doomed_, [&](std::uint32_t id) {
    const sim::Salvo* salvo = world.find_salvo(id);
    return salvo == nullptr || salvo->alive == 0;
  });
  for (const std::uint32_t id : doomed_) {
    const sim::Salvo& salvo = *world.find_salvo(id);
    for (std::size_t i = salvo.next_end; i < salvo.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      const sim::Missile& missile = salvo.missiles[i];
      if (missile.end == sim::EndKind::alive && missile.end_time > end &&
          world.missile_launch_time(salvo, index) < end) {
        contacts.push_back({end, ContactClass::end, id, index, sim::k_no_entity});
      }
    }
  }
}

void Pilots::remove(const sim::World& world, sim::TickRecord& record) {
  const Subtick end = world.time() + world.scenario().tick_length();
  for (const std::uint16_t entity : despawns_) {
    if (!leaves(record, entity)) {
      record.despawns.push_back({entity, sim::DespawnKind::removed, sim::k_no_salvo, end});
    }
  }
  despawns_.clear();
}

void Pilots::spawn(const sim::World& world, Population& population, sim::TickRecord& record,
                   std::vector<wire::CommandResult>& spawned) {
  for (const auto& [id, spawn] : spawns_) {
    const bool added = population.add(world, spawn, record);
    sim::require(added, "there was room for a spawn that was taken");
    spawned.push_back({id, CommandStatus::taken, record.spawns.back().entity});
  }
  spawns_.clear();
}

void Pilots::forget(const sim::World& world, const sim::TickRecord& record) {
  const auto is_gone = [&](std::uint16_t entity) {
    return living(world, entity) == nullptr || leaves(record, entity);
  };
  std::erase_if(helms_, [&](const auto& entry) { return is_gone(entry.first); });
  std::erase_if(driven_, [&](const auto& entry) { return is_gone(entry.first); });
  std::erase_if(newest_, [&](const auto& entry) { return is_gone(entry.first.second); });
}

void Pilots::step(const sim::World& world, sim::TickRecord& record) {
  forget(world, record);
  std::move(customs_.begin(), customs_.end(), std::back_inserter(record.customs));
  customs_.clear();
  custom_bytes_ = 0;
  for (const auto& [id, helm] : helms_) {
    const sim::Track& track = world.find_entity(id)->track;
    const auto key = sim::helm_key(helm, track, record.tick, world.scenario().log2_tick);
    if (key) {
      record.relative_keys.push_back(*key);
      ++counters_.steer_keys;
    }
  }
  drive_keys(world, record);
  std::sort(
      record.relative_keys.begin(), record.relative_keys.end(),
      [](const sim::RelativeKey& a, const sim::RelativeKey& b) { return a.entity < b.entity; });
}

/// Looks one tick ahead: the track after this record is within the tolerance of where the driver is
/// expected at the next tick. What he really does there differs by at most a L^2: his acceleration,
/// and the one he seemed to have, are both within the type's a.
void Pilots::drive_keys(const sim::World& world, sim::TickRecord& record) {
  const int log2_tick = world.scenario().log2_tick;
  const Subtick length = world.scenario().tick_length();
  const Subtick now = Subtick{record.tick} << log2_tick;
  for (const auto& entry : driven_) {
    const std::uint16_t id = entry.first;
    const Driven& driven = entry.second;
    if (driven.tick != record.tick) {
      continue;  // nothing new was said: the ship flies on
    }
    if (driven.caught_up != 0) {
      if (driven.key) {
        record.relative_keys.push_back(*driven.key);
        ++counters_.drive_keys;
      }
      continue;
    }
    const sim::Track& track = world.find_entity(id)->track;
    const auto expected = [&](Subtick span) {
      return ahead(driven.position, driven.velocity, driven.acceleration, span);
    };
    if (is_near(track.position(now + length), expected(length).position)) {
      continue;
    }
    const sim::Motion start{track.position(now), track.velocity(now)};
    std::optional<sim::RelativeKey> chosen;
    for (int k = k_longest_drive; k >= log2_tick && !chosen; --k) {
      const auto key =
          sim::relative_key(id, k - log2_tick, log2_tick, start, expected(Subtick{1} << k));
      if (!key) {
        continue;
      }
      sim::Track tried = track;
      tried.start_relative_piece(now, k, *key);
      bool near = true;
      for (Subtick t = length; t <= Subtick{1} << k && near; t += length) {
        near = is_near(tried.position(now + t), expected(t).position);
      }
      if (near || k == log2_tick) {
        chosen = key;
      }
    }
    sim::require(chosen.has_value(), "one tick of a ship fits a relative key");
    record.relative_keys.push_back(*chosen);
    ++counters_.drive_keys;
  }
}

}  // namespace contrail::server
