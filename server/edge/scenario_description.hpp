#pragma once

#include <string>
#include <vector>

#include <contrail/edge/route_report.hpp>

#include <contrail/sim/scenario.hpp>

namespace contrail::server {

/// One line: "14 entities in 2 teams, 3 types, 4 weapons, 32 Hz, seed 7".
std::string summarize_scenario(const sim::Scenario& scenario);
/// What the scenario is made of, and what became of its routes, for its author: several lines.
std::string describe_scenario(const sim::Scenario& scenario,
                              const std::vector<RouteReport>& routes);
/// The same as one JSON object.
std::string scenario_json(const sim::Scenario& scenario, const std::vector<RouteReport>& routes);

}  // namespace contrail::server
