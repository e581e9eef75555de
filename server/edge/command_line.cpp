#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>

#include <CLI/CLI.hpp>

#include <contrail/edge/command_line.hpp>
#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/decimal.hpp>
#include <contrail/edge/scenario_file.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::server {

namespace {

constexpr int k_usage_error = 2;

const std::map<std::string, LogFormat> k_log_formats{{"text", LogFormat::text},
                                                     {"json", LogFormat::json}};
const std::map<std::string, LogLevel> k_log_levels{{"debug", LogLevel::debug},
                                                   {"info", LogLevel::info},
                                                   {"warning", LogLevel::warning},
                                                   {"error", LogLevel::error},
                                                   {"off", LogLevel::off}};

/// Values as text; what has a form of its own is read after CLI11 is through.
struct Texts {
  std::string listen = "[::]:7777";
  std::string duration = "0";
  std::string seed;
  std::vector<std::string> public_addresses;
  std::string log_format = "text";
  std::string log_level = "info";
};

std::string environment_name(const std::string& flag) {
  std::string name = "CONTRAIL_" + flag;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

template <class Value>
CLI::Option* add_setting(CLI::App& app, const std::string& flag, Value& value,
                         const std::string& help) {
  return app.add_option("--" + flag, value, help)
      ->envname(environment_name(flag))
      ->capture_default_str();
}

CLI::Option* add_switch(CLI::App& app, const std::string& flag, bool& value,
                        const std::string& help) {
  return app.add_flag("--" + flag, value, help)->envname(environment_name(flag));
}

void add_settings(CLI::App& app, ServerConfig& config, Texts& texts) {
  std::string names;
  for (const std::string& name : builtin_scenario_names())
    names += (names.empty() ? "" : ", ") + name;
  add_setting(app, "scenario", config.scenario, "A scenario file, or a built-in one: " + names);
  add_setting(app, "listen", texts.listen,
              "UDP address for clients, numeric; [::] is every address, port 0 any free one");
  add_setting(app, "max-clients", config.max_clients, "Clients at once")
      ->check(CLI::Range(std::size_t{1}, std::size_t{wire::k_max_clients}));
  add_setting(app, "seed", texts.seed, "Session seed instead of the scenario's own")
      ->type_name("UINT64");
  add_setting(app, "duration", texts.duration,
              "Session time to play, as 60s, 500ms or 2m; 0: until stopped or the scenario ends");
  add_switch(app, "unpaced", config.unpaced,
             "Simulated time, as fast as it goes; opens no sockets");
  add_setting(app, "record", config.record, "Record to this file, or to a new file in this folder");
  add_setting(
      app, "token-key-file", config.token_key_files,
      "File with a key that connect tokens are sealed with; may be given again, for rotation")
      ->delimiter(',');
  add_setting(
      app, "public-address", texts.public_addresses,
      "Address that tokens may name this server by, as 203.0.113.7:7777; may be given again. "
      "None: those of this machine")
      ->delimiter(',');
  add_switch(app, "insecure", config.insecure, "Let anybody join, over the loopback only");
  add_switch(app, "insecure-public", config.insecure_public,
             "Let anybody join, from every network the server listens on");
  add_setting(app, "log-format", texts.log_format, "text or json, on stderr")
      ->check(CLI::IsMember({"text", "json"}));
  add_setting(app, "log-level", texts.log_level, "debug, info, warning, error or off")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}));
  add_switch(app, "json", config.json, "The last line on stdout is one JSON object");
}

struct ModeFlag {
  const char* flag;
  ServerMode mode;
  const char* help;
};
constexpr ModeFlag k_modes[] = {
    {"--check-config", ServerMode::check_config, "Check settings and scenario, and exit"},
    {"--print-config", ServerMode::print_config, "Print every setting and where it comes from"},
    {"--describe-scenario", ServerMode::describe_scenario, "Print what the scenario is made of"},
    {"--health", ServerMode::health, "Ask the server that listens on --listen; 0: it answered"},
    {"--version", ServerMode::version, "Print version, protocol and fingerprint"},
};

using ModeSwitches = std::array<bool, std::size(k_modes)>;

void add_modes(CLI::App& app, ModeSwitches& wanted) {
  CLI::Option_group* group = app.add_option_group("Instead of playing");
  for (std::size_t i = 0; i < std::size(k_modes); ++i) {
    group->add_flag(k_modes[i].flag, wanted[i], k_modes[i].help);
  }
  group->require_option(0, 1);
}

/// Settings whose text has a form of its own.
void read_texts(const Texts& texts, ServerConfig& config) {
  const auto listen = parse_listen_address(texts.listen);
  if (!listen) {
    throw CLI::ValidationError("--listen", "\"" + texts.listen +
                                               "\" is no numeric address with a port; right would "
                                               "be [::]:7777, 127.0.0.1:7777 or [::1]:0");
  }
  config.listen = *listen;
  for (const std::string& text : texts.public_addresses) {
    const auto address = parse_listen_address(text);
    if (!address || address->port == 0) {
      throw CLI::ValidationError("--public-address",
                                 "\"" + text +
                                     "\" is no numeric address with a port; right would be "
                                     "203.0.113.7:7777 or [2001:db8::7]:7777");
    }
    config.public_addresses.push_back(*address);
  }
  const auto duration = parse_duration(texts.duration);
  if (!duration) {
    throw CLI::ValidationError(
        "--duration",
        "\"" + texts.duration + "\" is no duration; right would be 60s, 500ms, 2m, 1h or 0");
  }
  config.duration = *duration;
  if (!texts.seed.empty()) {
    std::uint64_t seed = 0;
    const char* end = texts.seed.data() + texts.seed.size();
    const auto [rest, error] = std::from_chars(texts.seed.data(), end, seed);
    if (error != std::errc() || rest != end) {
      throw CLI::ValidationError("--seed", "\"" + texts.seed +
                                               "\" is no seed; right would be a whole number from "
                                               "0 to 18446744073709551615");
    }
    config.seed = seed;
  }
  config.log_format = k_log_formats.at(texts.log_format);
  config.log_level = k_log_levels.at(texts.log_level);
}

bool on_command_line(const std::string& flag, int argc, const char* const* argv) {
  return std::any_of(argv + 1, argv + argc, [&flag](const char* argument) {
    const std::string text = argument;
    return text == flag || text.rfind(flag + "=", 0) == 0;
  });
}

void collect_settings(const CLI::App& app, int argc, const char* const* argv,
                      ServerConfig& config) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->get_envname().empty()) continue;
    Setting setting;
    setting.name = name.substr(2);
    setting.origin = option->count() == 0                ? SettingOrigin::standard
                     : on_command_line(name, argc, argv) ? SettingOrigin::flag
                                                         : SettingOrigin::environment;
    const bool is_switch = option->get_items_expected_max() == 0;
    if (is_switch) {
      setting.value = option->count() != 0 && option->as<bool>() ? "true" : "false";
    } else if (option->count() != 0 && option->get_items_expected_max() > 1) {
      for (const std::string& one : option->results()) {
        setting.value += (setting.value.empty() ? "" : ",") + one;
      }
    } else {
      setting.value = option->count() != 0 ? option->as<std::string>() : option->get_default_str();
    }
    config.settings.push_back(std::move(setting));
  }
}

/// What CLI11 has to say, and what an unknown flag was probably meant to be.
CommandLineEnd end_of(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return {0, app.help()};
  std::string text = std::string("contrail-server: ") + error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : app.get_options()) flags.push_back(option->get_name());
    for (const ModeFlag& mode : k_modes) flags.emplace_back(mode.flag);
    for (const std::string& extra : app.remaining()) {
      const std::string_view near = nearest_word(extra.substr(0, extra.find('=')), flags);
      if (!near.empty()) text += "; did you mean " + std::string(near) + "?";
    }
  }
  return {k_usage_error, text + "\nRun contrail-server --help for every flag.\n"};
}

}  // namespace

std::variant<ServerConfig, CommandLineEnd> parse_server_command(int argc, const char* const* argv) {
  ServerConfig config;
  Texts texts;
  CLI::App app(
      "The contrail dedicated server: plays a scenario and brings every client the same missiles.\n"
      "Every setting has an environment variable, CONTRAIL_MAX_CLIENTS for --max-clients; flags "
      "win.\n"
      "Exit code: 0 done, 1 run-time failure, 2 usage, configuration or bind, 3 done but the "
      "recording "
      "failed, 128+n forced by a "
      "second signal.",
      "contrail-server");
  add_settings(app, config, texts);
  ModeSwitches modes{};
  add_modes(app, modes);
  try {
    app.parse(argc, argv);
    read_texts(texts, config);
  } catch (const CLI::ParseError& error) {
    return end_of(app, error);
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i]) config.mode = k_modes[i].mode;
  }
  collect_settings(app, argc, argv, config);
  const std::string conflict = reconcile(config);
  if (!conflict.empty())
    return CommandLineEnd{k_usage_error, "contrail-server: " + conflict + "\n"};
  return config;
}

}  // namespace contrail::server
