#include <contrail/edge/toml_document.hpp>

#include <algorithm>
#include <tuple>

#include <toml++/toml.h>

namespace contrail::server {

namespace {

SourcePosition position(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}

/// Finds again what the parser has read: the library keeps decimals as double, we want the digits.
class SourceText {
 public:
  explicit SourceText(std::string_view text) {
    std::size_t start = 0;
    while (start <= text.size()) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  /// The word at a position whose column counts code points, up to what can end a number.
  [[nodiscard]] std::string word(SourcePosition at) const {
    if (at.line == 0 || at.line > lines_.size()) return {};
    const std::string_view line = lines_[at.line - 1];
    std::size_t i = 0;
    for (std::uint32_t column = 1; column < at.column && i < line.size(); ++column) {
      ++i;
      while (i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0U) == 0x80U) ++i;
    }
    const std::size_t end = std::min(line.find_first_of(" \t\r,]}#", i), line.size());
    return std::string(line.substr(i, end - i));
  }

 private:
  std::vector<std::string_view> lines_;
};

TomlNode convert(const toml::node& node, const SourceText& source);

void convert_table(const toml::table& table, const SourceText& source, TomlNode& out) {
  out.kind = TomlNode::Kind::table;
  for (const auto& [key, value] : table) {
    out.members.push_back({std::string(key.str()), position(key.source()), convert(value, source)});
  }
  std::sort(out.members.begin(), out.members.end(), [](const TomlMember& a, const TomlMember& b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  });
}

TomlNode convert(const toml::node& node, const SourceText& source) {
  TomlNode out;
  out.at = position(node.source());
  switch (node.type()) {
    case toml::node_type::table:
      convert_table(*node.as_table(), source, out);
      break;
    case toml::node_type::array:
      out.kind = TomlNode::Kind::array;
      for (const toml::node& item : *node.as_array()) out.items.push_back(convert(item, source));
      break;
    case toml::node_type::string:
      out.kind = TomlNode::Kind::text;
      out.text = node.as_string()->get();
      break;
    case toml::node_type::integer:
      out.kind = TomlNode::Kind::integer;
      out.text = std::to_string(node.as_integer()->get());
      break;
    case toml::node_type::floating_point:
      out.kind = TomlNode::Kind::decimal;
      out.text = source.word(out.at);
      break;
    case toml::node_type::boolean:
      out.kind = TomlNode::Kind::boolean;
      out.boolean = node.as_boolean()->get();
      break;
    default:
      out.kind = TomlNode::Kind::date;
      break;
  }
  return out;
}

}  // namespace

const TomlMember* TomlNode::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [key](const TomlMember& member) { return member.key == key; });
  return found == members.end() ? nullptr : &*found;
}

const char* kind_name(TomlNode::Kind kind) {
  switch (kind) {
    case TomlNode::Kind::table:
      return "a table";
    case TomlNode::Kind::array:
      return "an array";
    case TomlNode::Kind::text:
      return "a text";
    case TomlNode::Kind::integer:
      return "a whole number";
    case TomlNode::Kind::decimal:
      return "a decimal number";
    case TomlNode::Kind::boolean:
      return "a boolean";
    case TomlNode::Kind::date:
      return "a date or time";
  }
  return "a value";
}

std::optional<TomlNode> parse_toml(std::string_view text, ConfigProblems& problems) {
  // The library refuses to nest deeper than 256 levels by itself, so the conversion may recurse.
  try {
    const toml::table table = toml::parse(text, problems.file());
    return convert(table, SourceText(text));
  } catch (const toml::parse_error& error) {
    problems.add(position(error.source()), "", std::string(error.description()),
                 "the text must be TOML 1.0");
    return std::nullopt;
  }
}

}  // namespace contrail::server
