#pragma once

// A TOML text as a tree that keeps what configuration needs: numbers as they were written, and the
// place of every key and value. Nothing else of the project knows the TOML library.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <contrail/edge/config_problem.hpp>

namespace contrail::server {

struct TomlMember;

struct TomlNode {
  enum class Kind : std::uint8_t { table, array, text, integer, decimal, boolean, date };

  Kind kind = Kind::table;
  SourcePosition at;
  std::string text;  // a text's value; a number's digits
  bool boolean = false;
  std::vector<TomlMember> members;  // of a table, in the order of the text
  std::vector<TomlNode> items;      // of an array

  [[nodiscard]] const TomlMember* find(std::string_view key) const;
};

struct TomlMember {
  std::string key;
  SourcePosition at;  // of the key
  TomlNode value;
};

/// "a table", "a text", ... with its article, for messages.
const char* kind_name(TomlNode::Kind kind);

/// The tree of a text, or nothing after a syntax error, which is added to `problems`.
std::optional<TomlNode> parse_toml(std::string_view text, ConfigProblems& problems);

}  // namespace contrail::server
