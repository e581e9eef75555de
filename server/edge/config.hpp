#pragma once

// What the operator wants of contrail-server.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <contrail/edge/listen_address.hpp>
#include <contrail/edge/log.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::server {

enum class ServerMode : std::uint8_t {
  run,
  check_config,
  print_config,
  describe_scenario,
  health,
  version,
};

/// Where a setting came from.
enum class SettingOrigin : std::uint8_t { standard, environment, flag };
const char* describe(SettingOrigin origin);

/// A setting as --print-config shows it.
struct Setting {
  std::string name;
  std::string value;
  SettingOrigin origin = SettingOrigin::standard;
};

struct ServerConfig {
  ServerMode mode = ServerMode::run;
  std::string scenario = "circus";  // built-in name or file
  ListenAddress listen;
  std::size_t max_clients = 256;
  std::optional<std::uint64_t> seed;  // instead of the scenario's own
  sim::Subtick duration = 0;          // subticks; 0: until stopped or the scenario ends
  bool unpaced = false;               // simulated time, no sockets
  std::string record;                 // file or directory; empty: none
  std::vector<std::string> token_key_files;
  std::vector<ListenAddress> public_addresses;  // as token issuers know this server
  bool insecure = false;                        // anybody may join, over the loopback
  bool insecure_public = false;                 // anybody may join, from anywhere
  LogFormat log_format = LogFormat::text;
  LogLevel log_level = LogLevel::info;
  bool json = false;              // results as JSON
  std::vector<Setting> settings;  // as read, for --print-config
};

/// Makes the settings agree with each other: --insecure alone moves the standard listening address
/// to the loopback. What can't be made to agree is returned as a message that says what would be
/// right; empty when all is well.
std::string reconcile(ServerConfig& config);

/// The settings with their origin: a table, or one JSON object.
std::string print_settings(const ServerConfig& config);

}  // namespace contrail::server
