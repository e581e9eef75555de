#pragma once

// Reads the keys of one TOML table by name and type. Whatever is wrong becomes a problem and a
// harmless value, so reading goes on; keys nobody asked for are reported by finish().

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/decimal.hpp>
#include <contrail/edge/toml_document.hpp>

#include <contrail/sim/units.hpp>

namespace contrail::server {

/// Both in compiled units, both allowed.
struct Bounds {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

class TableReader {
 public:
  /// `table` and `problems` must outlive the reader. `path` names the table in messages.
  TableReader(const TomlNode& table, std::string path, ConfigProblems& problems);

  /// A number in a unit; without it: a problem, or `fallback` where one is given.
  std::int64_t number(const std::string& key, const Unit& unit, Bounds bounds,
                      std::optional<std::int64_t> fallback = std::nullopt);
  /// The same for a key that may be absent.
  std::optional<std::int64_t> optional_number(const std::string& key, const Unit& unit,
                                              Bounds bounds);
  /// An array of three numbers; every axis inside +-limit.
  sim::Vec3 vector(const std::string& key, const Unit& unit, std::int64_t limit,
                   std::optional<sim::Vec3> fallback = std::nullopt);
  std::optional<sim::Vec3> optional_vector(const std::string& key, const Unit& unit,
                                           std::int64_t limit);
  /// An array of vectors; empty where the key is absent.
  std::vector<sim::Vec3> vectors(const std::string& key, const Unit& unit, std::int64_t limit);
  /// An array of two numbers; `wanted` says what they are: "[yaw, pitch]".
  std::optional<std::array<std::int64_t, 2>> optional_pair(const std::string& key,
                                                           const char* wanted, const Unit& unit,
                                                           Bounds bounds);
  /// The same; without it: a problem, and the least of the bounds.
  std::array<std::int64_t, 2> pair(const std::string& key, const char* wanted, const Unit& unit,
                                   Bounds bounds);
  /// Degrees as a binary angle.
  std::int32_t angle(const std::string& key, Bounds degrees, std::int32_t fallback);
  /// A name: 1..64 bytes without control characters.
  std::string text(const std::string& key, std::optional<std::string> fallback = std::nullopt);
  /// The path of a file: 1..1024 bytes without control characters; empty where the key is absent.
  std::string path(const std::string& key);
  bool boolean(const std::string& key, bool fallback);
  /// The index of a text among `choices`.
  std::size_t choice(const std::string& key, const std::vector<std::string>& choices,
                     std::optional<std::size_t> fallback = std::nullopt);
  /// A whole number up to 2^64 - 1: written as a number, or as a text (beyond 2^63 - 1 TOML has
  /// none).
  std::uint64_t seed(const std::string& key, std::uint64_t fallback);

  /// The tables of an array of tables; none where the key is absent.
  std::vector<const TomlNode*> tables(const std::string& key);
  /// A table, or nullptr.
  const TomlNode* table(const std::string& key);

  [[nodiscard]] bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  /// Where a key's value stands, or the table's own place.
  [[nodiscard]] SourcePosition at(std::string_view key) const;
  [[nodiscard]] std::string path_of(std::string_view key) const;
  void problem(std::string_view key, std::string what, std::string remedy);
  /// Nothing of this table was wrong so far.
  [[nodiscard]] bool ok() const { return ok_; }

  /// Reports the keys that were not asked for.
  void finish();

 private:
  const TomlNode* look_up(const std::string& key);
  const TomlNode* look_up(const std::string& key, TomlNode::Kind kind, const char* wanted);
  std::optional<std::int64_t> convert(const TomlNode& node, const std::string& name,
                                      const Unit& unit, Bounds bounds);
  std::optional<sim::Vec3> convert_vector(const TomlNode& node, const std::string& key,
                                          const Unit& unit, std::int64_t limit);
  void missing(const std::string& key, std::string remedy);
  void report(SourcePosition at, std::string path, std::string what, std::string remedy);

  const TomlNode& table_;
  std::string path_;
  ConfigProblems& problems_;
  std::vector<std::string> known_;
  bool ok_ = true;
};

/// Can it be a name: 1..64 bytes, no control characters.
bool is_name(std::string_view text);

/// "must be 1 m/s to 10000 m/s", "must be 1 or more" ...
std::string describe_bounds(Bounds bounds, const Unit& unit);

}  // namespace contrail::server
