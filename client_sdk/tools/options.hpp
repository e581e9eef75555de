#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <contrail/client/client.hpp>

namespace contrail::client_tool {

/// The command line of contrail-client, checked.
struct Options {
  client::ServerAddress server{"127.0.0.1", 7777};
  client::ClientConfig join;
  double duration = 0.0;     // seconds after going live; 0: until stopped or the session ends
  double fire_every = 0.0;   // seconds between fire requests; 0: never
  double steer_every = 0.0;  // seconds between random turns of the own entity; 0: never
  double wait_first = 0.0;   // seconds to wait for a live session, trying again; 0: one attempt
  int count = 1;             // connections
  bool json = false;
  bool quiet = false;
  client::TestFault fault = client::TestFault::none;
};

/// A duration in seconds from "10", "10s", "500ms", "2m" or "1h"; nothing for anything else.
std::optional<double> parse_duration(std::string_view text);

/// The options, or the exit code of a command line that is done already (help) or wrong; what was
/// wrong is on stderr then.
std::variant<Options, int> parse_options(int argc, const char* const* argv);

}  // namespace contrail::client_tool
