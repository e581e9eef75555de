#include <contrail/edge/scenario_file.hpp>

#include <fstream>
#include <iterator>

#include <contrail/edge/builtin_scenarios.hpp>
#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/scenario_compiler.hpp>
#include <contrail/edge/scenario_reader.hpp>
#include <contrail/edge/toml_document.hpp>

namespace contrail::server {

namespace {

constexpr std::size_t k_max_file_bytes = 16U << 20U;

/// "fleets/night.toml" gives "night".
std::string stem(const std::string& file) {
  std::string name = file.substr(file.find_last_of("/\\") + 1);
  if (const auto dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
  return name.empty() ? "unnamed" : name;
}

bool looks_like_file(const std::string& name) {
  return name.find('/') != std::string::npos ||
         (name.size() > 5 && name.compare(name.size() - 5, 5, ".toml") == 0);
}

LoadedScenario refusal(ConfigProblems problems, std::string what, std::string remedy) {
  problems.add({}, "", std::move(what), std::move(remedy));
  return {nullptr, problems.file(), problems.to_string()};
}

}  // namespace

LoadedScenario load_scenario_text(std::string_view text, const std::string& file) {
  ConfigProblems problems(file);
  if (const auto root = parse_toml(text, problems)) {
    const ScenarioDraft draft = read_scenario(*root, stem(file), problems);
    sim::Scenario scenario = compile_scenario(draft, problems);
    if (problems.empty()) {
      return {std::make_shared<const sim::Scenario>(std::move(scenario)), file, ""};
    }
  }
  return {nullptr, file, problems.to_string()};
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
  std::ifstream in(name_or_file, std::ios::binary);
  std::string text;
  if (in) {
    text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (!in || in.bad()) {
    return refusal(ConfigProblems(name_or_file), "can't be read",
                   "give a readable scenario file, or a built-in name");
  }
  if (text.size() > k_max_file_bytes) {
    return refusal(ConfigProblems(name_or_file), "is larger than 16 MiB", "no scenario is");
  }
  return load_scenario_text(text, name_or_file);
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
