#include <contrail/edge/scenario_file.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include <contrail/edge/builtin_scenarios.hpp>
#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/scenario_compiler.hpp>
#include <contrail/edge/scenario_reader.hpp>
#include <contrail/edge/table_reader.hpp>
#include <contrail/edge/toml_document.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {

namespace {

constexpr std::size_t k_max_file_bytes = 16U << 20U;

/// "fleets/night.toml" gives "night".
std::string stem(const std::string& file) {
  std::string name = file.substr(file.find_last_of("/\\") + 1);
  if (const auto dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
  return ascii && is_name(name) ? name : "unnamed";
}

bool looks_like_file(const std::string& name) {
  return name.find('/') != std::string::npos ||
         (name.size() > 5 && name.compare(name.size() - 5, 5, ".toml") == 0);
}

/// Why a file of that name can't be a scenario; empty when it can. A FIFO or device would block.
std::string unreadable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "does not exist";
  if (std::filesystem::is_directory(status)) return "is a directory";
  if (error || !std::filesystem::is_regular_file(status)) return "is no regular file";
  return "";
}

/// At most a byte more than a scenario may have; nothing if it can't be read.
std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  std::string block(65'536, '\0');
  while (in && text.size() <= k_max_file_bytes) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad() || (!in.eof() && text.size() <= k_max_file_bytes)) return std::nullopt;
  return text;
}

/// `path` as seen from where `file` lies.
std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

/// The points of a route from its file.
void load_route_file(RouteDraft& draft, const std::string& scenario_file,
                     ConfigProblems& problems) {
  const Origin& origin = draft.file->origin;
  const std::string path = beside(scenario_file, draft.file->path);
  const auto problem = [&](const std::string& what, const std::string& remedy) {
    draft.ok = false;
    problems.add(origin.at, origin.path, what, remedy);
  };
  std::string why = unreadable(path);
  const std::optional<std::string> text =
      why.empty() ? read_file(path) : std::optional<std::string>();
  if (why.empty() && !text) why = "can't be read";
  if (why.empty() && text->size() > k_max_file_bytes) why = "is larger than 16 MiB";
  if (!why.empty()) {
    problem(path + " " + why, "give a readable file; its path is seen from the scenario file's");
    return;
  }
  CsvTrack track = read_csv_track(*text, draft.file->form);
  for (const CsvFault& fault : track.faults) {
    problem(path + ":" + std::to_string(fault.at.line) + ":" + std::to_string(fault.at.column) +
                ": " + fault.what,
            fault.remedy);
  }
  std::vector<CsvPoint>& points = track.points;
  // A lap that is written out to its first point again: the way back is the last leg.
  if (draft.plan.closed && points.size() > 1 && points.back().position == points.front().position) {
    if (points.back().time && !draft.plan.lap) draft.plan.lap = points.back().time;
    points.pop_back();
  }
  for (const CsvPoint& point : points) {
    Waypoint waypoint;
    waypoint.position = point.position;
    waypoint.time = point.time;
    draft.plan.waypoints.push_back(waypoint);
    draft.waypoints.push_back(origin);
  }
  if (!points.empty() && points.front().time && draft.plan.speed) {
    problem(path + " has times, and the route a speed", "drop one of them");
  }
}

LoadedScenario refusal(ConfigProblems problems, std::string what, std::string remedy) {
  problems.add({}, "", std::move(what), std::move(remedy));
  return {nullptr, problems.file(), problems.to_string(), {}};
}

/// What the session header can't carry: limits that concern the whole, like the number of route
/// keys.
void check_limits(const sim::Scenario& scenario, ConfigProblems& problems) {
  const wire::CodecResult result = wire::check_scenario(scenario);
  if (!result) {
    problems.add({}, result.field, wire::describe(result.error),
                 "the scenario must fit the session header");
  } else if (wire::encode_session_header({.scenario = scenario}).size() >
             wire::k_max_session_header_bytes) {
    problems.add({}, "", "is too large for the session header",
                 "use fewer or simpler routes, types and entities");
  }
}

}  // namespace

LoadedScenario load_scenario_text(std::string_view text, const std::string& file) {
  ConfigProblems problems(file);
  if (const auto root = parse_toml(text, problems)) {
    ScenarioDraft draft = read_scenario(*root, stem(file), problems);
    for (RouteDraft& route : draft.routes) {
      if (route.file && route.ok) load_route_file(route, file, problems);
    }
    CompiledScenario compiled = compile_scenario(draft, problems);
    if (problems.empty()) check_limits(compiled.scenario, problems);
    if (problems.empty()) {
      return {std::make_shared<const sim::Scenario>(std::move(compiled.scenario)), file, "",
              std::move(compiled.routes)};
    }
  }
  return {nullptr, file, problems.to_string(), {}};
}

LoadedScenario load_scenario(const std::string& name_or_file) {
  if (!looks_like_file(name_or_file)) {
    const std::string_view text = builtin_scenario_text(name_or_file);
    if (!text.empty()) {
      LoadedScenario loaded = load_scenario_text(text, name_or_file + ".toml");
      loaded.source = "built-in " + name_or_file;
      return loaded;
    }
    return refusal(ConfigProblems("scenario \"" + name_or_file + "\""), "is no built-in scenario",
                   suggest(name_or_file, builtin_scenario_names(), "built-in scenarios") +
                       " (a file needs a slash or the ending .toml)");
  }
  if (std::string why = unreadable(name_or_file); !why.empty()) {
    return refusal(ConfigProblems(name_or_file), std::move(why),
                   "give a readable scenario file, or a built-in name");
  }
  const std::optional<std::string> text = read_file(name_or_file);
  if (!text) {
    return refusal(ConfigProblems(name_or_file), "can't be read",
                   "give a readable scenario file, or a built-in name");
  }
  if (text->size() > k_max_file_bytes) {
    return refusal(ConfigProblems(name_or_file), "is larger than 16 MiB", "no scenario is");
  }
  return load_scenario_text(*text, name_or_file);
}

std::vector<std::string> builtin_scenario_names() {
  std::vector<std::string> names;
  for (const BuiltinScenario& scenario : builtin_scenarios()) names.emplace_back(scenario.name);
  return names;
}

std::string_view builtin_scenario_text(std::string_view name) {
  for (const BuiltinScenario& scenario : builtin_scenarios()) {
    if (scenario.name == name) return scenario.text;
  }
  return {};
}

}  // namespace contrail::server
