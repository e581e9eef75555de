#include <contrail/flow/match.hpp>

#include <algorithm>
#include <bit>
#include <set>
#include <string_view>
#include <utility>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/codec.hpp>

#include <contrail/flow/record_budget.hpp>
#include <contrail/flow/resolution.hpp>

namespace contrail::server {
namespace {

constexpr sim::Subtick k_hash_interval = sim::k_subticks_per_second / 2;

/// What can't be recorded can't be played again: refused, with `taken` for what can be.
wire::CommandStatus recordable(const wire::Input& input) {
  using wire::CommandStatus;
  const wire::Command& command = input.command;
  const wire::CodecResult checked = wire::check_command(command);
  const std::string_view field = checked ? "" : checked.field;
  if (command.kind > wire::k_last_client_kind && input.client != wire::k_host_client &&
      field != "kind") {
    return CommandStatus::refused_role;
  }
  if (checked) return CommandStatus::taken;
  if (field.ends_with(".entity")) return CommandStatus::refused_entity;
  if (field.ends_with(".target")) return CommandStatus::refused_target;
  return CommandStatus::refused_value;
}

}  // namespace

Match::Match(std::shared_ptr<const sim::Scenario> scenario, std::shared_ptr<const Rules> rules)
    : rules_(std::move(rules)),
      log_(scenario),
      fire_control_(scenario->seed, rules_),
      guidance_(*rules_),
      population_(*scenario),
      turret_control_(*scenario, *rules_) {
  sim::require(scenario->rules == rules_->name(), "a match is played by the rules it names");
}

bool Match::release_decoys(std::uint16_t entity) {
  return !ended_ && countermeasures_.release(world(), entity);
}

void Match::submit(std::uint32_t client, const wire::Command& command) {
  inputs_.push_back({tick() + 1, client, command});
}

StepResult Match::step() {
  sim::TickRecord record;
  record.tick = tick() + 1;
  take_inputs(record);
  if (!ended_) {
    turret_control_.fire(world(), record);
  }
  stage(record);
  resolve(record);
  population_.expire(world(), record);
  pilots_.remove(world(), record);
  guidance_.step(world(), staged_, record);
  population_.step(world(), record);
  spawn_asked(record);
  countermeasures_.step(world(), population_, record);
  route_driver_.step(world(), population_, pilots_, record);
  pilots_.step(world(), record);
  turret_control_.order(world(), record);
  const bool with_hash =
      sim::Subtick{record.tick} * world().scenario().tick_length() % k_hash_interval == 0;
  const LogEntry& entry = log_.append(std::move(record), with_hash);
  hit_resolver_.follow(world(), entry.events);
  count(entry);
  judge_end();
  return {entry, results_, accepted_};
}

/// Commands are decided in the order of (client, command id); fire and triggers become launches.
void Match::take_inputs(sim::TickRecord& record) {
  results_.clear();
  accepted_.clear();
  std::stable_sort(inputs_.begin(), inputs_.end(), [](const wire::Input& a, const wire::Input& b) {
    return a.client != b.client ? a.client < b.client : a.command.id < b.command.id;
  });
  std::vector<wire::Input> fires;
  std::uint32_t client = wire::k_host_client;
  std::size_t of_client = 0;
  for (const wire::Input& input : inputs_) {
    results_.push_back({input, {input.command.id, wire::CommandStatus::refused_ended, 0}});
    of_client = input.client == client ? of_client + 1 : 1;
    client = input.client;
    if (ended_) {
      continue;
    }
    if (client != wire::k_host_client && of_client > k_most_commands) {
      results_.back().result.status = wire::CommandStatus::refused_busy;
      continue;
    }
    if (const auto status = recordable(input); status != wire::CommandStatus::taken) {
      results_.back().result.status = status;
      continue;
    }
    if (input.command.kind == wire::CommandKind::fire) {
      fires.push_back(input);
    } else if (input.command.kind == wire::CommandKind::release) {
      results_.back().result = release(input.command);
    } else {
      results_.back().result = pilots_.take(world(), input.client, input.command);
    }
  }
  inputs_.clear();
  if (!ended_) {
    std::vector<InputResult> fired;
    fire_control_.step(world(), fires, record.launches, fired);
    auto next = fired.begin();
    for (InputResult& r : results_) {
      if (r.input.command.kind == wire::CommandKind::fire &&
          r.result.status == wire::CommandStatus::refused_ended) {
        r.result = (next++)->result;
      }
    }
  }
  for (const InputResult& r : results_) {
    const bool accepted = wire::is_accepted(r.result.status);
    if (accepted) {
      accepted_.push_back(r.input);
    }
    if (r.input.command.kind == wire::CommandKind::fire) {
      ++(accepted ? counters_.fires_accepted : counters_.fires_refused);
    } else {
      ++(accepted ? counters_.commands_accepted : counters_.commands_refused);
    }
  }
}

wire::CommandResult Match::release(const wire::Command& command) {
  wire::CommandStatus status = in_time(world(), command.release.at);
  const sim::Entity* entity = world().find_entity(command.release.entity);
  if (entity == nullptr || entity->gone) {
    status = wire::CommandStatus::refused_entity;
  } else if (status == wire::CommandStatus::taken && !release_decoys(command.release.entity)) {
    status = wire::CommandStatus::refused_decoys;
  }
  return {command.id, status, wire::is_accepted(status) ? tick() + 1 : 0};
}

/// Entities the host brings; the answers name them.
void Match::spawn_asked(sim::TickRecord& record) {
  std::vector<wire::CommandResult> spawned;
  pilots_.spawn(world(), population_, record, spawned);
  auto next = spawned.begin();
  for (InputResult& r : results_) {
    if (next != spawned.end() && r.input.command.kind == wire::CommandKind::spawn &&
        wire::is_accepted(r.result.status)) {
      r.result = *next++;
    }
  }
}

void Match::stage(const sim::TickRecord& record) {
  staged_.clear();
  for (const sim::Launch& l : record.launches) {
    const auto id = world().next_launch() + static_cast<std::uint32_t>(staged_.size());
    staged_.push_back(world().prepare_salvo(l, id, record.tick));
  }
}

/// Contacts, ends and damage inside the tick.
void Match::resolve(sim::TickRecord& record) {
  std::vector<Contact> contacts;
  hit_resolver_.find(world(), staged_, contacts);
  shot_resolver_.find(world(), staged_, record.shots, *rules_, hit_resolver_, contacts);
  pilots_.add_self_destructs(world(), contacts);
  Resolution resolution(world(), staged_, *rules_, &shot_resolver_);
  resolution.run(std::move(contacts), record);
  shot_resolver_.spend(resolution.spent());
}

void Match::count(const LogEntry& entry) {
  for (const sim::Guidance& g : entry.record.guidance) {
    const auto missiles = static_cast<std::uint64_t>(std::popcount(g.mask));
    counters_.retargets += g.kind == sim::GuidanceKind::retarget ? missiles : 0;
    counters_.decoyed += g.kind == sim::GuidanceKind::decoy ? missiles : 0;
  }
  counters_.decoys = countermeasures_.released();
  for (const sim::WorldEvent& event : entry.events) {
    switch (event.kind) {
      case sim::WorldEvent::Kind::launch:
        ++counters_.salvos;
        counters_.missiles += world().find_salvo(event.salvo)->launch.count;
        break;
      case sim::WorldEvent::Kind::missile_end: {
        switch (event.end) {
          case sim::EndKind::impact:
            ++counters_.impacts;
            break;
          case sim::EndKind::expired:
            ++counters_.expired;
            break;
          case sim::EndKind::aborted:
            ++counters_.aborted;
            break;
          case sim::EndKind::proximity:
            ++counters_.proximity;
            break;
          case sim::EndKind::self_destruct:
            ++counters_.self_destructs;
            break;
          case sim::EndKind::intercepted:
            ++counters_.intercepted;
            break;
          default:
            ++counters_.other_hits;
            break;
        }
        if (event.end != sim::EndKind::aborted) {
          const sim::Salvo& salvo = *world().find_salvo(event.salvo);
          counters_.missile_subticks +=
              event.time - world().missile_launch_time(salvo, event.index);
        }
        break;
      }
      case sim::WorldEvent::Kind::lock_lost:
        ++counters_.locks_lost;
        break;
      case sim::WorldEvent::Kind::shot:
        ++counters_.bursts;
        counters_.rounds += event.value;
        break;
      case sim::WorldEvent::Kind::destroyed:
        ++counters_.destroyed;
        break;
      case sim::WorldEvent::Kind::spawn:
        ++counters_.spawned;
        break;
      default:
        break;
    }
  }
}

std::int64_t Match::missile_subticks() const {
  std::int64_t flown = counters_.missile_subticks;
  for (const sim::Salvo& salvo : world().salvos()) {
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      const auto launched = world().missile_launch_time(salvo, static_cast<std::uint8_t>(i));
      if (salvo.missiles[i].end == sim::EndKind::alive) {
        flown += std::max<sim::Subtick>(0, world().time() - launched);
      }
    }
  }
  return flown;
}

void Match::judge_end() {
  const sim::Scenario& scenario = world().scenario();
  if (scenario.end_tick != 0 && tick() >= scenario.end_tick) {
    ended_ = true;
  }
  if (scenario.end_when_one_team_left && tick() > 1) {
    std::set<std::uint8_t> teams;
    for (const sim::Entity& entity : world().entities()) {
      if (!entity.gone && entity.team != 0) {
        teams.insert(entity.team);
      }
    }
    ended_ = ended_ || teams.size() <= 1;
  }
}

}  // namespace contrail::server
