#include <contrail/edge/table_reader.hpp>

#include <algorithm>
#include <charconv>

#include <contrail/wire/wire_limits.hpp>

namespace contrail::server {

namespace {

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string with_unit(const std::string& number, const Unit& unit) {
  return unit.name[0] == '\0' ? number : number + " " + unit.name;
}

/// The TOML header of a path: "type[frigate].mount" is written [[type.mount]].
std::string header(std::string_view path) {
  std::string result;
  int depth = 0;
  for (const char c : path) {
    if (c == '[') ++depth;
    if (depth == 0) result += c;
    if (c == ']') --depth;
  }
  return result;
}

}  // namespace

bool is_name(std::string_view text) {
  // The TOML parser lets valid UTF-8 pass only; C1 controls begin with 0xC2.
  bool after_c2 = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (after_c2 && byte < 0xA0)) return false;
    after_c2 = byte == 0xC2;
  }
  return !text.empty() && text.size() <= wire::k_max_name_bytes;
}

std::string describe_bounds(Bounds bounds, const Unit& unit) {
  const Unit bare{"", unit.numerator, unit.denominator};
  return "must be " + print_scaled(bounds.min, bare) + " to " + print_scaled(bounds.max, unit);
}

TableReader::TableReader(const TomlNode& table, std::string path, ConfigProblems& problems)
    : table_(table), path_(std::move(path)), problems_(problems) {}

SourcePosition TableReader::at(std::string_view key) const {
  const TomlMember* member = table_.find(key);
  return member != nullptr ? member->value.at : table_.at;
}

std::string TableReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void TableReader::report(SourcePosition at, std::string path, std::string what,
                         std::string remedy) {
  ok_ = false;
  problems_.add(at, std::move(path), std::move(what), std::move(remedy));
}

void TableReader::problem(std::string_view key, std::string what, std::string remedy) {
  report(at(key), path_of(key), std::move(what), std::move(remedy));
}

void TableReader::missing(const std::string& key, std::string remedy) {
  report(table_.at, path_of(key), "is missing", std::move(remedy));
}

const TomlNode* TableReader::look_up(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  const TomlMember* member = table_.find(key);
  return member != nullptr ? &member->value : nullptr;
}

const TomlNode* TableReader::look_up(const std::string& key, TomlNode::Kind kind,
                                     const char* wanted) {
  const TomlNode* node = look_up(key);
  if (node == nullptr || node->kind == kind) return node;
  problem(key, std::string("is ") + kind_name(node->kind), std::string("must be ") + wanted);
  return nullptr;
}

std::optional<std::int64_t> TableReader::convert(const TomlNode& node, const std::string& name,
                                                 const Unit& unit, Bounds bounds) {
  const bool whole = unit.numerator == 1 && unit.denominator == 1;
  if (node.kind != TomlNode::Kind::integer && node.kind != TomlNode::Kind::decimal) {
    report(node.at, name, std::string("is ") + kind_name(node.kind),
           std::string(whole ? "must be a whole number" : "must be a number") +
               (unit.name[0] == '\0' ? std::string() : std::string(" in ") + unit.name));
    return std::nullopt;
  }
  const std::optional<Decimal> decimal = parse_decimal(node.text);
  if (!decimal) {
    report(node.at, name, "is " + quoted(node.text),
           "must be a finite number of at most " + std::to_string(k_max_decimal_digits) +
               " significant digits");
    return std::nullopt;
  }
  if (whole && !is_whole(*decimal)) {
    report(node.at, name, "is " + node.text, "must be a whole number");
    return std::nullopt;
  }
  const std::optional<std::int64_t> value = scale(*decimal, unit);
  if (!value || *value < bounds.min || *value > bounds.max) {
    report(node.at, name, "is " + with_unit(node.text, unit), describe_bounds(bounds, unit));
    return std::nullopt;
  }
  return value;
}

std::int64_t TableReader::number(const std::string& key, const Unit& unit, Bounds bounds,
                                 std::optional<std::int64_t> fallback) {
  const TomlNode* node = look_up(key);
  if (node == nullptr) {
    if (!fallback) missing(key, describe_bounds(bounds, unit));
    return fallback.value_or(bounds.min);
  }
  return convert(*node, path_of(key), unit, bounds).value_or(fallback.value_or(bounds.min));
}

std::optional<std::int64_t> TableReader::optional_number(const std::string& key, const Unit& unit,
                                                         Bounds bounds) {
  const TomlNode* node = look_up(key);
  if (node == nullptr) return std::nullopt;
  return convert(*node, path_of(key), unit, bounds);
}

std::optional<sim::Vec3> TableReader::convert_vector(const TomlNode& node, const std::string& key,
                                                     const Unit& unit, std::int64_t limit) {
  const std::string wanted =
      std::string("must be an array of three numbers, [x, y, z]") +
      (unit.name[0] == '\0' ? std::string() : std::string(" in ") + unit.name);
  if (node.kind != TomlNode::Kind::array) {
    report(node.at, path_of(key), std::string("is ") + kind_name(node.kind), wanted);
    return std::nullopt;
  }
  if (node.items.size() != 3) {
    report(node.at, path_of(key), "has " + std::to_string(node.items.size()) + " items", wanted);
    return std::nullopt;
  }
  sim::Vec3 result{0};
  bool good = true;
  for (int axis = 0; axis < 3; ++axis) {
    const std::string name = path_of(key) + "[" + std::to_string(axis) + "]";
    const auto value =
        convert(node.items[static_cast<std::size_t>(axis)], name, unit, {-limit, limit});
    good = good && value.has_value();
    result[axis] = static_cast<std::int32_t>(value.value_or(0));
  }
  return good ? std::optional(result) : std::nullopt;
}

sim::Vec3 TableReader::vector(const std::string& key, const Unit& unit, std::int64_t limit,
                              std::optional<sim::Vec3> fallback) {
  const TomlNode* node = look_up(key);
  if (node == nullptr) {
    if (!fallback) missing(key, "must be an array of three numbers, [x, y, z]");
    return fallback.value_or(sim::Vec3{0});
  }
  return convert_vector(*node, key, unit, limit).value_or(fallback.value_or(sim::Vec3{0}));
}

std::optional<sim::Vec3> TableReader::optional_vector(const std::string& key, const Unit& unit,
                                                      std::int64_t limit) {
  const TomlNode* node = look_up(key);
  if (node == nullptr) return std::nullopt;
  return convert_vector(*node, key, unit, limit);
}

std::vector<sim::Vec3> TableReader::vectors(const std::string& key, const Unit& unit,
                                            std::int64_t limit) {
  std::vector<sim::Vec3> result;
  const TomlNode* node =
      look_up(key, TomlNode::Kind::array, "an array of points, [[x, y, z], ...]");
  if (node == nullptr) return result;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const std::string item = key + "[" + std::to_string(i) + "]";
    result.push_back(convert_vector(node->items[i], item, unit, limit).value_or(sim::Vec3{0}));
  }
  return result;
}

std::optional<std::array<std::int64_t, 2>> TableReader::optional_pair(const std::string& key,
                                                                      const char* wanted,
                                                                      const Unit& unit,
                                                                      Bounds bounds) {
  const std::string remedy =
      std::string("must be an array of two numbers, ") + wanted + " in " + unit.name;
  const TomlNode* node = look_up(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != TomlNode::Kind::array || node->items.size() != 2) {
    problem(key,
            node->kind == TomlNode::Kind::array
                ? "has " + std::to_string(node->items.size()) + " items"
                : std::string("is ") + kind_name(node->kind),
            remedy);
    return std::nullopt;
  }
  const auto first = convert(node->items[0], path_of(key) + "[0]", unit, bounds);
  const auto second = convert(node->items[1], path_of(key) + "[1]", unit, bounds);
  if (!first || !second) return std::nullopt;
  return std::array{*first, *second};
}

std::array<std::int64_t, 2> TableReader::pair(const std::string& key, const char* wanted,
                                              const Unit& unit, Bounds bounds) {
  if (!has(key)) {
    missing(key, std::string("must be an array of two numbers, ") + wanted + " in " + unit.name);
  }
  return optional_pair(key, wanted, unit, bounds).value_or(std::array{bounds.min, bounds.min});
}

std::int32_t TableReader::angle(const std::string& key, Bounds degrees, std::int32_t fallback) {
  const TomlNode* node = look_up(key);
  if (node == nullptr) return fallback;
  const auto bound = [](std::int64_t d) { return *scale(Decimal{d, 0}, k_degrees); };
  const auto value =
      convert(*node, path_of(key), k_degrees, {bound(degrees.min), bound(degrees.max)});
  // A binary angle wraps: +180 degrees is -180 degrees.
  return value ? static_cast<std::int32_t>(static_cast<std::uint32_t>(*value)) : fallback;
}

std::string TableReader::text(const std::string& key, std::optional<std::string> fallback) {
  const bool present = has(key);
  const TomlNode* node = look_up(key, TomlNode::Kind::text, "a text in quotes");
  if (node != nullptr && is_name(node->text)) return node->text;
  if (node != nullptr) {
    problem(key, node->text.empty() ? "is empty" : "is too long or contains control characters",
            "must be 1 to " + std::to_string(wire::k_max_name_bytes) + " bytes of text");
  }
  if (!present && !fallback) missing(key, "must be a text in quotes");
  return fallback.value_or(std::string());
}

std::string TableReader::path(const std::string& key) {
  const TomlNode* node = look_up(key, TomlNode::Kind::text, "a text in quotes");
  if (node == nullptr) return "";
  const std::string& text = node->text;
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (!text.empty() && text.size() <= 1024 && !controls) return text;
  problem(key, "is no file name", "must be 1 to 1024 bytes of text");
  return "";
}

bool TableReader::boolean(const std::string& key, bool fallback) {
  const TomlNode* node = look_up(key, TomlNode::Kind::boolean, "true or false");
  return node != nullptr ? node->boolean : fallback;
}

std::size_t TableReader::choice(const std::string& key, const std::vector<std::string>& choices,
                                std::optional<std::size_t> fallback) {
  std::string wanted = "must be";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    wanted += (i == 0 ? " " : i + 1 == choices.size() ? " or " : ", ") + quoted(choices[i]);
  }
  const bool present = has(key);
  const TomlNode* node = look_up(key, TomlNode::Kind::text, wanted.c_str() + sizeof("must be"));
  if (!present && !fallback) missing(key, wanted);
  if (node == nullptr) return fallback.value_or(0);
  const auto found = std::find(choices.begin(), choices.end(), node->text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  problem(key, "is " + quoted(node->text), wanted);
  return fallback.value_or(0);
}

std::uint64_t TableReader::seed(const std::string& key, std::uint64_t fallback) {
  const TomlNode* node = look_up(key);
  if (node == nullptr) return fallback;
  const bool may_be = node->kind == TomlNode::Kind::integer || node->kind == TomlNode::Kind::text;
  std::uint64_t value = 0;
  if (may_be) {
    const char* end = node->text.data() + node->text.size();
    const auto [rest, error] = std::from_chars(node->text.data(), end, value);
    if (error == std::errc() && rest == end && !node->text.empty()) return value;
  }
  problem(key, may_be ? "is " + quoted(node->text) : std::string("is ") + kind_name(node->kind),
          "must be a whole number from 0 to 18446744073709551615 (in quotes beyond "
          "9223372036854775807)");
  return fallback;
}

std::vector<const TomlNode*> TableReader::tables(const std::string& key) {
  std::vector<const TomlNode*> result;
  const std::string wanted =
      "an array of tables; write [[" + header(path_of(key)) + "]] before each, or [{...}, {...}]";
  const TomlNode* node = look_up(key, TomlNode::Kind::array, wanted.c_str());
  if (node == nullptr) return result;
  for (const TomlNode& item : node->items) {
    if (item.kind == TomlNode::Kind::table) {
      result.push_back(&item);
    } else {
      report(item.at, path_of(key), std::string("contains ") + kind_name(item.kind),
             "must contain tables only");
    }
  }
  return result;
}

const TomlNode* TableReader::table(const std::string& key) {
  const std::string wanted = "a table; write [" + header(path_of(key)) + "] before its keys";
  return look_up(key, TomlNode::Kind::table, wanted.c_str());
}

void TableReader::finish() {
  for (const TomlMember& member : table_.members) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    report(member.at, path_of(member.key), "is no known key",
           suggest(member.key, known_, "known keys"));
  }
}

}  // namespace contrail::server
