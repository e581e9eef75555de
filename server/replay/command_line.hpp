#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <contrail/replay/exit_code.hpp>

namespace contrail::server {

enum class ReplayCommand : std::uint8_t { info, verify, hash, export_vectors };

struct ReplayOptions {
  ReplayCommand command = ReplayCommand::info;
  std::string file;
  bool json = false;
  bool check = false;                 // info
  std::optional<std::uint32_t> tick;  // hash; absent: the last one
  bool from_start = false;            // hash
  bool vectors = false;               // export_vectors: always
  std::uint32_t times = 1000;         // export_vectors
  std::uint64_t seed = 1;             // export_vectors
};

/// The command line, or what the process should end with: help and version go to stdout, faults of
/// usage to stderr.
struct ParsedReplayCommand {
  std::optional<ReplayOptions> options;
  ExitCode exit_code = ExitCode::ok;  // without options
};

ParsedReplayCommand parse_replay_command(int argc, const char* const* argv);

}  // namespace contrail::server
