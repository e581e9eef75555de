#include "summary.hpp"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace contrail::client_tool {
namespace {

constexpr double k_nanoseconds_per_millisecond = 1e6;

/// How bad it is that a connection ended like this.
int badness(client::State state, client::EndReason reason) {
  if (state == client::State::refused) return 4;
  if (state == client::State::failed) return 3;
  switch (reason) {
    case client::EndReason::none:
    case client::EndReason::closed:
    case client::EndReason::server_closing:
    case client::EndReason::session_ended:
      return 0;
    default:
      return 2;
  }
}

/// The word of a refusal, as in {"range": 3}.
const char* refusal_word(client::CommandStatus status) {
  using client::CommandStatus;
  switch (status) {
    case CommandStatus::launched:
      return "launched";
    case CommandStatus::refused_role:
      return "role";
    case CommandStatus::refused_entity:
      return "entity";
    case CommandStatus::refused_launcher:
      return "launcher";
    case CommandStatus::refused_target:
      return "target";
    case CommandStatus::refused_range:
      return "range";
    case CommandStatus::refused_reloading:
      return "reloading";
    case CommandStatus::refused_ammunition:
      return "ammunition";
    case CommandStatus::refused_late:
      return "late";
    case CommandStatus::refused_early:
      return "early";
    case CommandStatus::refused_limit:
      return "limit";
    case CommandStatus::refused_busy:
      return "busy";
    case CommandStatus::refused_ended:
      return "ended";
    case CommandStatus::refused_arc:
      return "arc";
    case CommandStatus::refused_lock:
      return "lock";
    case CommandStatus::refused_team:
      return "team";
    case CommandStatus::refused_rules:
      return "rules";
    case CommandStatus::taken:
      return "taken";
    case CommandStatus::refused_stale:
      return "stale";
    case CommandStatus::refused_salvo:
      return "salvo";
    case CommandStatus::refused_decoys:
      return "decoys";
    case CommandStatus::refused_speed:
      return "speed";
    case CommandStatus::refused_type:
      return "type";
    case CommandStatus::refused_full:
      return "full";
    case CommandStatus::refused_value:
      return "value";
  }
  return "unknown";
}

void add_log(client::LogCounts& sum, const client::LogCounts& more) {
  sum.ticks += more.ticks;
  sum.records += more.records;
  sum.launches += more.launches;
  sum.missiles += more.missiles;
  sum.impacts += more.impacts;
  sum.other_ends += more.other_ends;
  sum.destroyed += more.destroyed;
  sum.hash_checks += more.hash_checks;
  sum.hash_mismatches += more.hash_mismatches;
  if (!sum.first_divergent && more.first_divergent) {
    sum.first_divergent = more.first_divergent;
    sum.first_divergent_tick = more.first_divergent_tick;
  }
}

void add_transport(client::Statistics& sum, const client::Statistics& more) {
  sum.packets_in += more.packets_in;
  sum.bytes_in += more.bytes_in;
  sum.packets_out += more.packets_out;
  sum.bytes_out += more.bytes_out;
  sum.packets_lost += more.packets_lost;
  sum.packets_missed += more.packets_missed;
  sum.packets_dropped += more.packets_dropped;
  sum.resyncs += more.resyncs;
  sum.missile_bytes += more.missile_bytes;
  sum.round_trip = std::max(sum.round_trip, more.round_trip);
  sum.render_delay = std::max(sum.render_delay, more.render_delay);
  sum.fire_requests += more.fire_requests;
  for (std::size_t i = 0; i < sum.fire_results.size(); ++i) {
    sum.fire_results[i] += more.fire_results[i];
  }
  sum.command_requests += more.command_requests;
  for (std::size_t i = 0; i < sum.command_results.size(); ++i) {
    sum.command_results[i] += more.command_results[i];
  }
  sum.largest_correction = std::max(sum.largest_correction, more.largest_correction);
  sum.events_dropped += more.events_dropped;
}

void add_sightings(Sightings& sum, const Sightings& more) {
  sum.events += more.events;
  sum.events_out_of_order += more.events_out_of_order;
  sum.misplaced_ends += more.misplaced_ends;
  sum.most_missiles = std::max(sum.most_missiles, more.most_missiles);
}

void describe_session(Summary& summary, const client::Client& client) {
  const client::SessionInfo* session = client.session();
  if (session == nullptr || !summary.session.empty()) return;
  char id[17];
  std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(session->session_id));
  summary.session = id;
  summary.fingerprint = session->fingerprint;
  summary.scenario = session->scenario;
  summary.role = wire::describe(client.role());
  if (client.own_entity() != sim::k_no_entity) summary.entity = client.own_entity();
}

nlohmann::ordered_json refusals(
    const std::array<std::uint64_t, client::k_command_statuses>& results) {
  auto reasons = nlohmann::ordered_json::object();
  for (std::size_t i = 1; i < results.size(); ++i) {
    const auto status = static_cast<client::CommandStatus>(i);
    if (results[i] == 0 || status == client::CommandStatus::taken) continue;
    reasons[refusal_word(static_cast<client::CommandStatus>(i))] = results[i];
  }
  return reasons;
}

double milliseconds(client::Nanoseconds time) {
  return static_cast<double>(time) / k_nanoseconds_per_millisecond;
}

}  // namespace

Summary summarize(const std::vector<Follower>& followers, double seconds) {
  Summary summary;
  summary.seconds = seconds;
  summary.all_well = !followers.empty();
  int worst = -1;
  for (const Follower& follower : followers) {
    const client::Client& client = follower.client();
    const client::Statistics statistics = client.statistics();
    ++summary.clients;
    summary.clients_live += follower.sightings().was_live ? 1 : 0;
    add_log(summary.sums.log, statistics.log);
    add_transport(summary.sums, statistics);
    add_sightings(summary.sightings, follower.sightings());
    describe_session(summary, client);
    int bad = badness(client.state(), client.end_reason());
    if (!follower.sightings().was_live) bad = std::max(bad, 1);
    if (bad > 0 || !follower.sightings().was_live) summary.all_well = false;
    if (bad > worst) {
      worst = bad;
      summary.worst_state = client.state();
      summary.end_reason = client.end_reason();
      summary.explanation = follower.explanation();
    }
  }
  return summary;
}

int exit_code(const Summary& summary) {
  constexpr int k_failure = 1;
  constexpr int k_different = 4;
  constexpr int k_refused = 5;
  if (summary.worst_state == client::State::refused) return k_refused;
  if (summary.sums.log.hash_mismatches > 0 || summary.sightings.misplaced_ends > 0 ||
      summary.sightings.events_out_of_order > 0) {
    return k_different;
  }
  return summary.all_well ? 0 : k_failure;
}

std::string to_json(const Summary& summary) {
  const client::Statistics& sums = summary.sums;
  nlohmann::ordered_json json;
  json["connected"] = summary.clients_live == summary.clients;
  json["state"] = client::describe(summary.worst_state);
  json["reason"] = client::describe(summary.end_reason);
  json["explanation"] = summary.explanation;
  json["clients"] = summary.clients;
  json["clients_live"] = summary.clients_live;
  json["session"] = summary.session;
  json["scenario"] = summary.scenario;
  json["fingerprint"] = summary.fingerprint;
  json["role"] = summary.role;
  if (summary.entity >= 0) {
    json["entity"] = summary.entity;
  } else {
    json["entity"] = nullptr;
  }
  json["seconds"] = summary.seconds;
  json["ticks"] = sums.log.ticks;
  json["hash_checks"] = sums.log.hash_checks;
  json["hash_mismatches"] = sums.log.hash_mismatches;
  if (sums.log.first_divergent) {
    json["first_divergent"] = client::subsystem_name(*sums.log.first_divergent);
    json["first_divergent_tick"] = sums.log.first_divergent_tick;
  } else {
    json["first_divergent"] = nullptr;
  }
  json["launches"] = sums.log.launches;
  json["missiles"] = sums.log.missiles;
  json["impacts"] = sums.log.impacts;
  json["other_ends"] = sums.log.other_ends;
  json["destroyed"] = sums.log.destroyed;
  json["events"] = summary.sightings.events;
  json["events_out_of_order"] = summary.sightings.events_out_of_order;
  json["events_dropped"] = sums.events_dropped;
  json["misplaced_ends"] = summary.sightings.misplaced_ends;
  json["most_missiles_in_flight"] = summary.sightings.most_missiles;
  json["fire_requests"] = sums.fire_requests;
  json["fires_accepted"] =
      sums.fire_results[static_cast<std::size_t>(client::CommandStatus::launched)];
  json["fires_refused"] = refusals(sums.fire_results);
  json["command_requests"] = sums.command_requests;
  json["commands_taken"] =
      sums.command_results[static_cast<std::size_t>(client::CommandStatus::taken)];
  json["commands_refused"] = refusals(sums.command_results);
  json["largest_correction_m"] =
      static_cast<double>(sums.largest_correction) / sim::k_units_per_metre;
  json["packets_in"] = sums.packets_in;
  json["bytes_in"] = sums.bytes_in;
  json["packets_out"] = sums.packets_out;
  json["bytes_out"] = sums.bytes_out;
  json["packets_lost"] = sums.packets_lost;
  json["packets_missed"] = sums.packets_missed;
  json["packets_dropped"] = sums.packets_dropped;
  json["missile_bytes"] = sums.missile_bytes;
  json["resyncs"] = sums.resyncs;
  json["rtt_ms"] = milliseconds(sums.round_trip);
  json["render_delay_ms"] = milliseconds(sums.render_delay);
  // Names come from the server's scenario: whatever is not UTF-8 is replaced, never thrown at.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_text(const Summary& summary) {
  const client::Statistics& sums = summary.sums;
  char line[512];
  std::snprintf(line, sizeof line,
                "%d of %d connections were live, %.1f s, %llu ticks\n"
                "%llu launches, %llu missiles: %llu impacts, %llu other ends\n"
                "%llu state hashes compared, %llu differed%s%s\n"
                "%llu bytes in, %llu bytes out, round trip %.2f ms\n",
                summary.clients_live, summary.clients, summary.seconds,
                static_cast<unsigned long long>(sums.log.ticks),
                static_cast<unsigned long long>(sums.log.launches),
                static_cast<unsigned long long>(sums.log.missiles),
                static_cast<unsigned long long>(sums.log.impacts),
                static_cast<unsigned long long>(sums.log.other_ends),
                static_cast<unsigned long long>(sums.log.hash_checks),
                static_cast<unsigned long long>(sums.log.hash_mismatches),
                sums.log.first_divergent ? ", first in subsystem " : "",
                sums.log.first_divergent ? client::subsystem_name(*sums.log.first_divergent) : "",
                static_cast<unsigned long long>(sums.bytes_in),
                static_cast<unsigned long long>(sums.bytes_out), milliseconds(sums.round_trip));
  return std::string(line) + summary.explanation + "\n";
}

}  // namespace contrail::client_tool
