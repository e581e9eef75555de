// Embeds a match the way a game does: no sockets, a ship of its own, a log that others can read.

#include <cstdio>
#include <memory>

#include <contrail/flow/hosted_match.hpp>

int main() {
  using namespace contrail;
  auto scenario = std::make_shared<sim::Scenario>();
  scenario->name = "consumer";
  sim::EntityType ship;
  ship.name = "ship";
  ship.hull.push_back({{0, 0, 0}, {0, 0, 0}, sim::k_units_per_metre});
  ship.hit_points = 1;
  ship.max_speed = 100 * sim::k_units_per_metre;
  ship.max_acceleration = 10 * sim::k_units_per_metre;
  scenario->types.push_back(ship);
  server::HostedMatch match(scenario);
  match.spawn({});
  const server::HostedStep step = match.step();
  std::printf("tick %u: %zu bytes, %s\n", step.tick, step.bytes.size(),
              wire::describe(step.answers.at(0).status));
  return step.answers.at(0).status == wire::CommandStatus::taken && !step.bytes.empty() ? 0 : 1;
}
