#include "specification.hpp"

#include <algorithm>
#include <sstream>

namespace contrail::spec {
namespace {

const std::string k_opening = "```worked ";
const std::string k_closing = "```";

}  // namespace

std::vector<Example> examples_in(const std::string& specification) {
  std::vector<Example> examples;
  std::istringstream lines(specification);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!inside && line.starts_with(k_opening)) {
      examples.push_back({line.substr(k_opening.size()), ""});
      inside = true;
    } else if (inside && line == k_closing) {
      inside = false;
    } else if (inside) {
      examples.back().text += line + '\n';
    }
  }
  return examples;
}

std::string with_examples(const std::string& specification, const std::vector<Example>& examples) {
  std::string result;
  std::istringstream lines(specification);
  bool replaced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == k_closing) {
      replaced = false;
    }
    if (!replaced) {
      result += line + '\n';
    }
    if (line.starts_with(k_opening)) {
      const auto found = std::find_if(examples.begin(), examples.end(), [&](const Example& e) {
        return e.name == line.substr(k_opening.size());
      });
      replaced = found != examples.end();
      result += replaced ? found->text : "";
    }
  }
  return result;
}

}  // namespace contrail::spec
