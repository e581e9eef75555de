#include <contrail/flow/match.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <contrail/flow/resolution.hpp>

namespace contrail::server {
namespace {

constexpr sim::Subtick k_hash_interval = sim::k_subticks_per_second / 2;

}  // namespace

Match::Match(std::shared_ptr<const sim::Scenario> scenario)
    : log_(scenario), fire_control_(scenario->seed), population_(*scenario) {}

void Match::submit(std::uint32_t client, const wire::Command& command) {
  inputs_.push_back({tick() + 1, client, command});
}

StepResult Match::step() {
  sim::TickRecord record;
  record.tick = tick() + 1;
  launch(record);
  resolve(record);
  population_.step(world(), record);
  route_driver_.step(world(), population_, record);
  const bool with_hash =
      sim::Subtick{record.tick} * world().scenario().tick_length() % k_hash_interval == 0;
  const LogEntry& entry = log_.append(std::move(record), with_hash);
  hit_resolver_.follow(world(), entry.events);
  count(entry);
  judge_end();
  return {entry, results_, accepted_};
}

/// Commands and triggers become launches.
void Match::launch(sim::TickRecord& record) {
  results_.clear();
  accepted_.clear();
  if (ended_) {
    for (const wire::Input& input : inputs_) {
      results_.push_back({input, {input.command.id, wire::CommandStatus::refused_ended, 0}});
    }
  } else {
    fire_control_.step(world(), inputs_, record.launches, results_);
  }
  inputs_.clear();
  for (const InputResult& r : results_) {
    if (r.result.status == wire::CommandStatus::launched) {
      accepted_.push_back(r.input);
    }
  }
  counters_.fires_accepted += accepted_.size();
  counters_.fires_refused += results_.size() - accepted_.size();
}

/// Contacts, ends and damage inside the tick.
void Match::resolve(sim::TickRecord& record) {
  std::vector<sim::Salvo> staged;
  for (const sim::Launch& l : record.launches) {
    const auto id = world().next_launch() + static_cast<std::uint32_t>(staged.size());
    staged.push_back(world().prepare_salvo(l, id, record.tick));
  }
  std::vector<Contact> contacts;
  hit_resolver_.find(world(), staged, contacts);
  Resolution(world(), staged).run(std::move(contacts), record);
}

void Match::count(const LogEntry& entry) {
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
