#pragma once

// Scenario files: TOML in, compiled integer scenario out, with every fault of the file reported.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <contrail/edge/route_report.hpp>

#include <contrail/sim/scenario.hpp>

namespace contrail::server {

struct LoadedScenario {
  std::shared_ptr<const sim::Scenario> scenario;  // null when there are problems
  std::string source;                             // "FILE" or "built-in NAME"
  std::string problems;                           // one line each; empty when all is well
  std::vector<RouteReport> routes;                // in the order of first use
};

/// A built-in scenario by its name, or a file: whatever contains a slash or ends with ".toml".
LoadedScenario load_scenario(const std::string& name_or_file);
/// A text; `file` names it in messages, and the scenario where the text has no name of its own.
LoadedScenario load_scenario_text(std::string_view text, const std::string& file);

/// Names of the built-in scenarios.
std::vector<std::string> builtin_scenario_names();
/// The text of one, or empty.
std::string_view builtin_scenario_text(std::string_view name);

}  // namespace contrail::server
