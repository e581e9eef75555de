#include <contrail/replay/report.hpp>

#include <cstdio>

#include <nlohmann/json.hpp>

namespace contrail::server {
namespace {

using nlohmann::json;

constexpr const char* k_lane_names[sim::k_subsystems] = {"launches", "anchors", "tracks",
                                                         "health",   "turrets", "flights"};

std::string hex(std::uint64_t value, int digits) {
  char text[17];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

// Names in the file may be any bytes a damaged or foreign writer left there.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string seconds(std::uint64_t milliseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%llu.%03llu s",
                static_cast<unsigned long long>(milliseconds / 1000),
                static_cast<unsigned long long>(milliseconds % 1000));
  return text;
}

std::string version_of(const wire::SessionHeader& header) {
  return std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
}

json base(const RecordedSession& session, ExitCode exit_code) {
  json out;
  out["file"] = session.name();
  out["exit_code"] = static_cast<int>(exit_code);
  out["fingerprint"] = session.own_fingerprint().hex();
  out["closed"] = session.reader().closed();
  if (!session.reader().closed()) {
    out["truncated_at_tick"] = session.reader().last_tick();
  }
  return out;
}

}  // namespace

std::string text_of(const RecordedSession& session, const RecordingInfo& info) {
  const wire::SessionHeader& header = session.header();
  std::string out;
  const auto line = [&](const char* name, const std::string& value) {
    char padded[32];
    std::snprintf(padded, sizeof padded, "%-13s", name);
    out += padded + value + "\n";
  };
  line("file", session.name() + ", " + std::to_string(info.bytes) + " bytes");
  line("written by", std::string(session.reader().index().header.library));
  line("session", hex(header.session_id, 16) + ", scenario " + header.scenario.name + ", seed " +
                      std::to_string(header.scenario.seed));
  line("rules", header.scenario.rules);
  line("protocol", version_of(header) + ", path revision " + std::to_string(header.path_revision) +
                       ", fingerprint " + header.fingerprint.hex());
  line("ticks", std::to_string(info.first_tick) + ".." + std::to_string(info.last_tick) + ", " +
                    std::to_string(1 << (16 - session.log2_tick())) + " a second, " +
                    seconds(info.duration_ms));
  std::string messages;
  for (std::size_t kind = 0; kind < recording::k_entry_kinds; ++kind) {
    messages += std::string(kind == 0 ? "" : ", ") + std::to_string(info.messages[kind]) + " " +
                std::string(recording::k_topics[kind]);
  }
  line("messages", messages);
  line("state", std::string(info.closed ? "closed" : "not closed") +
                    (info.checked && info.fault.empty() ? ", every byte verified" : ""));
  if (!info.closed) {
    line("truncated", "at tick " + std::to_string(info.last_tick));
  }
  if (!info.fault.empty()) {
    line("fault", info.fault);
  }
  if (!info.incompatibility.empty()) {
    line("replay", "not by this program: " + info.incompatibility);
  }
  return out;
}

std::string text_of(const StateAt& state) {
  if (state.exit_code != ExitCode::ok) {
    return state.message + "\n";
  }
  std::string out = "tick " + std::to_string(state.tick) + ": " + state.combined.hex() + "\n";
  for (std::size_t lane = 0; lane < sim::k_subsystems; ++lane) {
    char text[32];
    std::snprintf(text, sizeof text, "  %-9s %08x\n", k_lane_names[lane], state.hash.lanes[lane]);
    out += text;
  }
  return out;
}

std::string text_of(const VerifyResult& result) {
  return result.message + "\n";
}

std::string json_of(const RecordedSession& session, const RecordingInfo& info) {
  const wire::SessionHeader& header = session.header();
  json out = base(session, info.exit_code);
  out["bytes"] = info.bytes;
  out["checked"] = info.checked;
  out["library"] = session.reader().index().header.library;
  out["session"] = hex(header.session_id, 16);
  out["scenario"] = header.scenario.name;
  out["seed"] = std::to_string(header.scenario.seed);
  out["rules"] = header.scenario.rules;
  out["version"] = version_of(header);
  out["path_revision"] = header.path_revision;
  out["recorded_fingerprint"] = header.fingerprint.hex();
  out["replayable"] = info.incompatibility.empty();
  out["tick_rate"] = 1 << (16 - session.log2_tick());
  out["first_tick"] = info.first_tick;
  out["last_tick"] = info.last_tick;
  out["duration_ms"] = info.duration_ms;
  std::uint64_t messages = 0;
  json channels = json::object();
  for (std::size_t kind = 0; kind < recording::k_entry_kinds; ++kind) {
    channels[std::string(recording::k_topics[kind])] = info.messages[kind];
    messages += info.messages[kind];
  }
  out["channels"] = channels;
  out["messages"] = messages;
  out["snapshots"] = info.snapshots;
  out["fault"] = info.fault.empty() ? json(nullptr) : json(info.fault);
  return dump(out);
}

std::string json_of(const RecordedSession& session, const StateAt& state) {
  json out = base(session, state.exit_code);
  out["tick"] = state.tick;
  if (state.exit_code != ExitCode::ok) {
    out["message"] = state.message;
    return dump(out);
  }
  out["hash"] = state.combined.hex();
  json lanes = json::object();
  for (std::size_t lane = 0; lane < sim::k_subsystems; ++lane) {
    lanes[k_lane_names[lane]] = hex(state.hash.lanes[lane], 8);
  }
  out["lanes"] = lanes;
  out["roll"] = state.hash.roll;
  out["records"] = state.records;
  out["hashes_checked"] = state.hashes_checked;
  out["from_snapshot"] = state.from_snapshot ? json(*state.from_snapshot) : json(nullptr);
  return dump(out);
}

std::string json_of(const RecordedSession& session, const VerifyResult& result) {
  json out = base(session, result.exit_code);
  out["equal"] = result.exit_code == ExitCode::ok || result.exit_code == ExitCode::loss;
  out["message"] = result.message;
  out["last_tick"] = result.last_tick;
  out["records"] = result.records;
  out["inputs"] = result.inputs;
  out["snapshots"] = result.snapshots;
  out["hashes"] = result.hashes;
  out["decisions_rerun"] = result.decisions_rerun;
  out["log_hash"] = result.log_hash.hex();
  if (result.exit_code == ExitCode::different) {
    out["different_tick"] = result.different_tick;
    out["different_field"] = result.different_field;
  }
  return dump(out);
}

std::string json_of_error(const std::string& file, ExitCode exit_code, const std::string& message) {
  json out;
  out["file"] = file;
  out["exit_code"] = static_cast<int>(exit_code);
  out["message"] = message;
  return dump(out);
}

}  // namespace contrail::server
