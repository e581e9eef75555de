#pragma once

// What is wrong with a configuration text: collected, so that one reading reports everything.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contrail::server {

/// Both from 1; line 0: the text as a whole.
struct SourcePosition {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const SourcePosition&) const = default;
};

struct ConfigProblem {
  SourcePosition at;
  std::string key;     // path of the key, "weapon[wasp].speed"; empty for the text as a whole
  std::string what;    // what is wrong
  std::string remedy;  // what would be right
  bool operator==(const ConfigProblem&) const = default;
};

/// The problems of one text.
class ConfigProblems {
 public:
  explicit ConfigProblems(std::string file) : file_(std::move(file)) {}

  void add(SourcePosition at, std::string key, std::string what, std::string remedy);
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// In the order of the text.
  [[nodiscard]] const std::vector<ConfigProblem>& list() const { return problems_; }
  /// One line a problem: "FILE:LINE:COLUMN: KEY: what is wrong; what would be right".
  [[nodiscard]] std::string to_string() const;

 private:
  std::string file_;
  std::vector<ConfigProblem> problems_;
};

/// The candidate a misspelt word most likely stands for, or an empty view.
std::string_view nearest_word(std::string_view word, const std::vector<std::string>& candidates);
/// "did you mean \"x\"?" where a candidate is near, else "NOUN: a, b, c" ("there is no NOUN" for
/// none).
std::string suggest(std::string_view word, const std::vector<std::string>& candidates,
                    std::string_view noun);

}  // namespace contrail::server
