#pragma once

// The stages of a match with room for a test between decision and fold: manoeuvres, jumps and
// despawns that no scenario file can ask for.

#include <functional>
#include <memory>
#include <vector>

#include <contrail/flow/countermeasures.hpp>
#include <contrail/flow/event_log.hpp>
#include <contrail/flow/fire_control.hpp>
#include <contrail/flow/guidance.hpp>
#include <contrail/flow/hit_resolver.hpp>
#include <contrail/flow/population.hpp>
#include <contrail/flow/resolution.hpp>
#include <contrail/support/random_log.hpp>

namespace contrail::server {

class StagedMatch {
 public:
  explicit StagedMatch(std::shared_ptr<const sim::Scenario> scenario)
      : log(scenario),
        rules(standard_rules()),
        fire_control(scenario->seed),
        guidance(*rules),
        population(*scenario) {}

  /// One tick; `more` adds keys to the record before it is folded.
  const LogEntry& step(const std::function<void(sim::TickRecord&)>& more = {}) {
    sim::TickRecord record;
    record.tick = log.world().tick() + 1;
    results.clear();
    fire_control.step(log.world(), inputs, record.launches, results);
    inputs.clear();
    std::vector<sim::Salvo> staged;
    for (const sim::Launch& l : record.launches) {
      const auto id = log.world().next_launch() + static_cast<std::uint32_t>(staged.size());
      staged.push_back(log.world().prepare_salvo(l, id, record.tick));
    }
    std::vector<Contact> contacts;
    hits.find(log.world(), staged, contacts);
    Resolution(log.world(), staged, *rules).run(std::move(contacts), record);
    population.expire(log.world(), record);
    guidance.step(log.world(), staged, record);
    population.step(log.world(), record);
    countermeasures.step(log.world(), population, record);
    if (more) {
      more(record);
    }
    const LogEntry& entry = log.append(std::move(record), false);
    hits.follow(log.world(), entry.events);
    events.insert(events.end(), entry.events.begin(), entry.events.end());
    records.push_back(entry.record);
    return entry;
  }
  void fire(std::uint16_t entity, std::uint16_t target, std::uint8_t launcher = 0) {
    wire::Command c;
    c.id = ++commands_;
    c.fire = {entity, target, launcher, log.world().time() + 1};
    inputs.push_back({log.world().tick() + 1, 1, c});
  }
  [[nodiscard]] const sim::World& world() const { return log.world(); }
  [[nodiscard]] std::vector<sim::WorldEvent> of(sim::WorldEvent::Kind kind) const {
    std::vector<sim::WorldEvent> out;
    for (const sim::WorldEvent& e : events) {
      if (e.kind == kind) out.push_back(e);
    }
    return out;
  }

  EventLog log;
  std::shared_ptr<const Rules> rules;
  FireControl fire_control;
  HitResolver hits;
  GuidanceControl guidance;
  Population population;
  Countermeasures countermeasures;
  std::vector<wire::Input> inputs;
  std::vector<InputResult> results;
  std::vector<sim::WorldEvent> events;
  std::vector<sim::TickRecord> records;

 private:
  std::uint32_t commands_ = 0;
};

}  // namespace contrail::server
