#pragma once

#include <string>
#include <variant>

#include <contrail/edge/config.hpp>

namespace contrail::server {

/// A command line that ends the process at once: asked for help, or wrong.
struct CommandLineEnd {
  int exit_code = 0;  // 0 or 2
  std::string text;   // help for stdout, or what was wrong for stderr
};

/// Reads flags, and the environment (CONTRAIL_MAX_CLIENTS for --max-clients, ...) where a flag is
/// absent. The settings are reconciled.
std::variant<ServerConfig, CommandLineEnd> parse_server_command(int argc, const char* const* argv);

}  // namespace contrail::server
