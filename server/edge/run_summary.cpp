#include <cstdio>
#include <numeric>

#include <nlohmann/json.hpp>

#include <contrail/edge/hex.hpp>
#include <contrail/edge/run_summary.hpp>

namespace contrail::server {

namespace {

std::uint64_t missile_bytes(const RunSummary& s) {
  return s.log.launches * wire::element_bytes(wire::RecordKind::launch) +
         s.log.outcomes * wire::element_bytes(wire::RecordKind::outcome);
}

/// Bytes sent by what they were; payload by kind of record, kinds that never occurred left out.
nlohmann::ordered_json to_object(const SentBytes& sent) {
  nlohmann::ordered_json out;
  auto payload = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < wire::k_record_kinds; ++i) {
    const auto kind = static_cast<wire::RecordKind>(i);
    if (sent.payload.of(kind) != 0) payload[wire::name_of(kind)] = sent.payload.of(kind);
  }
  out["payload"] = payload;
  out["messages"] = sent.messages;
  out["slices"] = sent.slices;
  out["controls"] = sent.controls;
  out["envelopes"] = sent.envelopes;
  out["handshakes"] = sent.handshakes;
  return out;
}

std::uint64_t refused(const BroadcasterStatistics& network) {
  return std::accumulate(network.refused.begin(), network.refused.end(), std::uint64_t{0});
}

std::uint64_t dropped(const BroadcasterStatistics& network) {
  return std::accumulate(network.dropped.begin(), network.dropped.end(), std::uint64_t{0});
}

std::string decimal(double value, const char* format = "%.3f") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// JSON numbers of a fixed number of decimals.
double rounded(double value) {
  return std::stod(decimal(value));
}

}  // namespace

std::optional<double> missile_bytes_per_missile_second(const RunSummary& summary) {
  if (summary.network.joined == 0 || summary.client_missile_seconds <= 0) return std::nullopt;
  return static_cast<double>(summary.network.sent.payload.missiles()) /
         summary.client_missile_seconds;
}

std::string to_json(const RunSummary& s) {
  nlohmann::ordered_json out;
  out["event"] = "summary";
  out["end"] = s.end;
  out["scenario"] = s.scenario;
  out["seed"] = std::to_string(s.seed);  // JSON readers round beyond 2^53
  out["session"] = hex64(s.session_id);
  out["fingerprint"] = s.fingerprint;
  out["ticks"] = s.ticks;
  out["seconds"] = rounded(s.seconds);
  out["wall_seconds"] = rounded(s.wall_seconds);
  out["salvos"] = s.match.salvos;
  out["missiles"] = s.match.missiles;
  out["impacts"] = s.match.impacts;
  out["other_hits"] = s.match.other_hits;
  out["proximity"] = s.match.proximity;
  out["shots"] = s.match.rounds;  // rounds fired by turrets
  out["bursts"] = s.match.bursts;
  out["intercepted"] = s.match.intercepted;
  out["self_destructs"] = s.match.self_destructs;
  out["expired"] = s.match.expired;
  out["aborted"] = s.match.aborted;
  out["locks_lost"] = s.match.locks_lost;
  out["retargets"] = s.match.retargets;
  out["decoyed"] = s.match.decoyed;
  out["decoys"] = s.match.decoys;
  out["destroyed"] = s.match.destroyed;
  out["spawned"] = s.match.spawned;
  out["fires_accepted"] = s.match.fires_accepted;
  out["fires_refused"] = s.match.fires_refused;
  out["launch_bytes"] = missile_bytes(s);
  out["missile_seconds"] = rounded(s.missile_seconds);
  const auto ratio = missile_bytes_per_missile_second(s);
  out["missile_bytes_per_missile_second"] =
      ratio ? nlohmann::ordered_json(rounded(*ratio)) : nlohmann::ordered_json(nullptr);
  out["clients"] = s.network.joined;
  out["refused"] = refused(s.network);
  auto refusals = nlohmann::ordered_json::object();
  for (std::size_t i = 1; i < s.network.refused.size(); ++i) {
    if (s.network.refused[i] == 0) continue;
    refusals[wire::name_of(static_cast<wire::RefuseReason>(i))] = s.network.refused[i];
  }
  out["refusals"] = refusals;
  out["dropped_datagrams"] = dropped(s.network);
  out["kernel_drops"] = s.udp.kernel_drops;
  out["send_failures"] = s.udp.send_would_block + s.udp.send_errors;
  out["sent_datagrams"] = s.network.datagrams_sent;
  out["sent_bytes"] = s.network.bytes_sent;
  out["sent"] = to_object(s.network.sent);
  out["log_bytes"] = s.log.bytes;
  out["records"] = s.log.records;
  out["log_hash"] = s.log_hash;
  out["dropped_ticks"] = s.dropped_ticks;
  out["recording"] =
      s.recording.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(s.recording);
  out["recording_complete"] = s.recording.empty()
                                  ? nlohmann::ordered_json(nullptr)
                                  : nlohmann::ordered_json(s.recorder.failed_writes == 0);
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_text(const RunSummary& s) {
  std::string text;
  const auto row = [&text](const char* name, const std::string& value) {
    std::string line = name;
    line.resize(18, ' ');
    text += line + value + "\n";
  };
  const auto count = [](std::uint64_t n) { return std::to_string(n); };
  row("scenario", s.scenario + ", seed " + count(s.seed) + ", ended: " + s.end);
  row("played", decimal(s.seconds, "%.1f") + " s in " + decimal(s.wall_seconds, "%.1f") + " s, " +
                    count(s.ticks) + " ticks, " + count(s.dropped_ticks) + " dropped");
  row("salvos", count(s.match.salvos) + " of " + count(s.match.missiles) + " missiles, " +
                    decimal(s.missile_seconds, "%.0f") + " missile-seconds");
  row("ends", count(s.match.impacts) + " impacts, " + count(s.match.other_hits) + " other hits, " +
                  count(s.match.proximity) + " by fuse, " + count(s.match.expired) + " expired, " +
                  count(s.match.self_destructs) + " self-destructed, " + count(s.match.aborted) +
                  " aborted");
  row("guidance", count(s.match.locks_lost) + " locks lost, " + count(s.match.retargets) +
                      " retargets, " + count(s.match.decoyed) + " missiles won by " +
                      count(s.match.decoys) + " decoys");
  row("turrets", count(s.match.rounds) + " rounds in " + count(s.match.bursts) + " bursts, " +
                     count(s.match.intercepted) + " missiles intercepted");
  row("entities", count(s.match.destroyed) + " destroyed, " + count(s.match.spawned) + " spawned");
  row("log",
      count(s.log.records) + " records, " + count(s.log.bytes) + " bytes, hash " + s.log_hash);
  const auto ratio = missile_bytes_per_missile_second(s);
  row("clients", count(s.network.joined) + " joined, " + count(refused(s.network)) + " refused, " +
                     count(s.network.bytes_sent) + " bytes sent" +
                     (ratio ? ", " + decimal(*ratio) + " missile bytes a missile-second" : ""));
  if (dropped(s.network) != 0) {
    row("refused", count(dropped(s.network)) + " datagrams that were no packets of ours");
  }
  if (s.udp.kernel_drops != 0) {
    row("lost", count(s.udp.kernel_drops) + " datagrams that found no room in the receive buffer");
  }
  if (!s.recording.empty()) {
    row("recording", s.recording + ", " + count(s.recorder.bytes) + " bytes" +
                         (s.recorder.failed_writes == 0 ? "" : ", INCOMPLETE"));
  }
  row("fingerprint", s.fingerprint);
  return text;
}

}  // namespace contrail::server
