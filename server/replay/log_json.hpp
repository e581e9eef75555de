#pragma once

// The log in JSON, for programs that have no codec: other implementations check themselves with it.

#include <nlohmann/json.hpp>

#include <contrail/sim/records.hpp>
#include <contrail/sim/scenario.hpp>

namespace contrail::server {

/// What of a scenario the fold of a log depends on; units as in the structs.
nlohmann::json json_of(const sim::Scenario& scenario);
/// All that a record says. Absent: a vector without elements.
nlohmann::json json_of(const sim::TickRecord& record);

}  // namespace contrail::server
