#pragma once

// The files of server/scenarios, embedded when the project is built.

#include <span>
#include <string_view>

namespace contrail::server {

struct BuiltinScenario {
  std::string_view name;
  std::string_view text;
};

/// By name.
std::span<const BuiltinScenario> builtin_scenarios();

}  // namespace contrail::server
