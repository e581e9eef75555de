#include <contrail/edge/config_problem.hpp>

#include <algorithm>
#include <tuple>

namespace contrail::server {

namespace {

/// Number of insertions, deletions and replacements from a to b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

void ConfigProblems::add(SourcePosition at, std::string key, std::string what, std::string remedy) {
  const auto later = [](const SourcePosition& x, const ConfigProblem& p) {
    return std::tie(x.line, x.column) < std::tie(p.at.line, p.at.column);
  };
  const auto place = std::upper_bound(problems_.begin(), problems_.end(), at, later);
  problems_.insert(place, {at, std::move(key), std::move(what), std::move(remedy)});
}

std::string ConfigProblems::to_string() const {
  std::string text;
  for (const ConfigProblem& p : problems_) {
    text += file_;
    if (p.at.line != 0) {
      text += ":" + std::to_string(p.at.line) + ":" + std::to_string(p.at.column);
    }
    text += ": ";
    if (!p.key.empty()) text += p.key + ": ";
    text += p.what;
    if (!p.remedy.empty()) text += "; " + p.remedy;
    text += "\n";
  }
  return text;
}

std::string_view nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates,
                    std::string_view noun) {
  if (candidates.empty()) return "there is no " + std::string(noun);
  const std::string_view near = nearest_word(word, candidates);
  if (!near.empty()) return "did you mean \"" + std::string(near) + "\"?";
  std::string text = std::string(noun) + ": ";
  for (std::size_t i = 0; i < candidates.size(); ++i) text += (i == 0 ? "" : ", ") + candidates[i];
  return text;
}

}  // namespace contrail::server
