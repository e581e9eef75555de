// contrail-server: plays a scenario and serves it to clients. Logs on stderr, results on stdout.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <contrail/edge/command_line.hpp>
#include <contrail/edge/health_probe.hpp>
#include <contrail/edge/own_addresses.hpp>
#include <contrail/edge/scenario_description.hpp>
#include <contrail/edge/scenario_file.hpp>
#include <contrail/edge/server_app.hpp>
#include <contrail/edge/token_key_file.hpp>
#include <contrail/flow/rules.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/wire/codec.hpp>

#include "stop_signal.hpp"

namespace contrail::server {

namespace {

constexpr int k_ok = 0;
constexpr int k_failure = 1;
constexpr int k_usage_error = 2;
constexpr int k_loss = 3;

bool print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

std::uint64_t random64() {
  std::random_device random;
  return (std::uint64_t{random()} << 32U) | random();
}

std::string version_text() {
  return "contrail-server " CONTRAIL_VERSION ", protocol " + std::to_string(wire::k_version_major) +
         "." + std::to_string(wire::k_version_minor) + ", path revision " +
         std::to_string(wire::k_path_revision) + ", fingerprint " +
         sim::compute_fingerprint().all.hex() + "\n";
}

int ask_health(const ServerConfig& config) {
  const HealthAnswer answer = probe_health(config.listen, sim::compute_fingerprint().all);
  print(std::string(answer.healthy ? "healthy: " : "unhealthy: ") + answer.text + "\n");
  return answer.healthy ? k_ok : k_failure;
}

/// The scenario as this run plays it: with the operator's seed.
std::shared_ptr<const sim::Scenario> with_seed(std::shared_ptr<const sim::Scenario> scenario,
                                               const ServerConfig& config) {
  if (!config.seed) return scenario;
  auto own = std::make_shared<sim::Scenario>(*scenario);
  own->seed = *config.seed;
  return own;
}

wire::UnixMilliseconds unix_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool read_token_keys(const ServerConfig& config, Log& log, std::vector<wire::TokenKey>& out) {
  for (const std::string& path : config.token_key_files) {
    const ReadTokenKey read = read_token_key_file(path);
    if (!read.key) {
      log.error(read.problem);
      return false;
    }
    if (read.others_may_read) {
      log.warning(path + " can be read by others than its owner; chmod 600 ends that");
    }
    const bool twice = std::any_of(
        out.begin(), out.end(), [&](const wire::TokenKey& key) { return key.id == read.key->id; });
    if (twice) {
      log.error(path + " has the number of another key; every key needs its own");
      return false;
    }
    out.push_back(*read.key);
  }
  return true;
}

int play(const ServerConfig& config, const LoadedScenario& loaded) {
  Log log(config.log_format, config.log_level);
  const sim::Scenario& scenario = *loaded.scenario;
  ServerAppConfig app;
  app.session.scenario = loaded.scenario;
  app.session.session_id = random64();
  app.session.fingerprint = sim::compute_fingerprint().all;
  app.batch = sim::choose_batch_target();
  app.session.secret = wire::entropy_from_system();
  app.session.clients = !config.unpaced;
  app.session.max_clients = config.max_clients;
  app.session.admission.insecure = config.insecure || config.insecure_public;
  app.session.admission.started = unix_now();
  for (const ListenAddress& address : config.public_addresses) {
    const auto addresses = wire_addresses(address);
    app.session.admission.addresses.insert(app.session.admission.addresses.end(), addresses.begin(),
                                           addresses.end());
  }
  if (!read_token_keys(config, log, app.session.admission.token_keys)) return k_usage_error;
  app.session.record = config.record;
  app.listen = config.listen;
  app.duration = config.duration;
  app.unpaced = config.unpaced;

  log.info("contrail-server " CONTRAIL_VERSION ", path revision " +
           std::to_string(wire::k_path_revision) + ", fingerprint " +
           app.session.fingerprint.hex());
  log.info("scenario " + scenario.name + " (" + loaded.source +
           "): " + summarize_scenario(scenario));
  if (config.insecure_public)
    log.warning("--insecure-public: anybody who can reach the port may join");

  ServerAppHost host;
  host.now = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  host.unix_now = unix_now;
  host.stop_requested = stop_requested;
  host.print = [](const std::string& line) { print(line); };
  ServerApp server(app, host, log);
  wire::secure_wipe(app.session.secret);
  if (server.run() != ServerEnd::done) return k_usage_error;
  const RunSummary summary = server.summary();
  log.info("ended: " + summary.end);
  if (!print(config.json ? to_json(summary) + "\n" : to_text(summary))) return k_failure;
  // The match was played on, but what was asked to be kept is not all kept.
  return summary.recorder.failed_writes == 0 ? k_ok : k_loss;
}

int with_scenario(const ServerConfig& config) {
  LoadedScenario loaded = load_scenario(config.scenario);
  if (!loaded.scenario) {
    std::fputs(loaded.problems.c_str(), stderr);
    return k_usage_error;
  }
  loaded.scenario = with_seed(loaded.scenario, config);
  const bool endless = config.duration == 0 && loaded.scenario->end_tick == 0 &&
                       !loaded.scenario->end_when_one_team_left;
  if (config.mode == ServerMode::describe_scenario) {
    return print(config.json ? scenario_json(*loaded.scenario, loaded.routes)
                             : describe_scenario(*loaded.scenario, loaded.routes))
               ? k_ok
               : k_failure;
  }
  if (loaded.scenario->rules != StandardRules::k_name) {
    std::fprintf(stderr,
                 "contrail-server: scenario %s is played by rules \"%s\", which this program does "
                 "not have: play it in the host that brings them, or by \"%s\"\n",
                 loaded.scenario->name.c_str(), loaded.scenario->rules.c_str(),
                 std::string(StandardRules::k_name).c_str());
    return k_usage_error;
  }
  if (config.unpaced && endless) {
    std::fprintf(stderr,
                 "contrail-server: --unpaced would never end: scenario %s has no end of its own. "
                 "Add --duration, as in --duration 60s\n",
                 loaded.scenario->name.c_str());
    return k_usage_error;
  }
  if (config.mode == ServerMode::check_config) {
    return print("good: scenario " + loaded.scenario->name + " (" + loaded.source + "), " +
                 summarize_scenario(*loaded.scenario) + "\n")
               ? k_ok
               : k_failure;
  }
  return play(config, loaded);
}

int run(int argc, char** argv) {
  const auto parsed = parse_server_command(argc, argv);
  if (const auto* end = std::get_if<CommandLineEnd>(&parsed)) {
    std::fputs(end->text.c_str(), end->exit_code == 0 ? stdout : stderr);
    return end->exit_code;
  }
  const auto& config = std::get<ServerConfig>(parsed);
  switch (config.mode) {
    case ServerMode::version:
      return print(version_text()) ? k_ok : k_failure;
    case ServerMode::print_config:
      return print(print_settings(config)) ? k_ok : k_failure;
    case ServerMode::health:
      return ask_health(config);
    default:
      return with_scenario(config);
  }
}

}  // namespace

}  // namespace contrail::server

// A broken contract inside leaves main as an exception: the process ends and prints which it was.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  contrail::server::catch_stop_signals();
  return contrail::server::run(argc, argv);
}
