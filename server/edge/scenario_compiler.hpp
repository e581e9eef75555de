#pragma once

// From a draft to the compiled scenario: names resolved, routes compiled, limits of one part
// against another checked.

#include <vector>

#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/route_report.hpp>
#include <contrail/edge/scenario_draft.hpp>

#include <contrail/sim/scenario.hpp>

namespace contrail::server {

struct CompiledScenario {
  sim::Scenario scenario;
  std::vector<RouteReport> routes;  // one for each route and type that flies it
};

/// The scenario of a draft. It may be used only if `problems` is empty afterwards.
CompiledScenario compile_scenario(const ScenarioDraft& draft, ConfigProblems& problems);

}  // namespace contrail::server
