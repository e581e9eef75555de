#include <contrail/edge/route_csv.hpp>

#include <algorithm>
#include <array>
#include <cctype>

#include <contrail/edge/decimal.hpp>
#include <contrail/edge/route_curve.hpp>

#include <contrail/sim/limits.hpp>

namespace contrail::server {

namespace {

constexpr std::size_t k_max_faults = 10;
constexpr std::size_t k_none = SIZE_MAX;
constexpr std::int64_t k_metre_scale = 1'000'000;
constexpr sim::Subtick k_longest = 86'400 * sim::k_subticks_per_second;
constexpr std::array<const char*, 4> k_column_names{"t", "x", "y", "z"};

struct Field {
  std::string_view text;
  std::uint32_t column = 1;  // in bytes, from 1
};

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<Field> split(std::string_view line, char separator) {
  std::vector<Field> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    std::string_view text = trimmed(line.substr(begin, end - begin));
    if (text.size() > 1 && text.front() == '"' && text.back() == '"') {
      text = text.substr(1, text.size() - 2);
    }
    const auto column = static_cast<std::uint32_t>(text.data() - line.data()) + 1;
    fields.push_back({text, column});
    begin = end + 1;
  }
  return fields;
}

/// Of the first line with content: whichever of ; tab and , it has.
char separator_of(std::string_view line) {
  for (const char c : {';', '\t'}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ',';
}

/// The index in k_column_names of "x_m", "X [m]" or "time"; k_none for any other name.
std::size_t column_named(std::string_view name) {
  std::string word;
  for (const char c : name) {
    if (c == '_' || c == ' ' || c == '[' || c == '(') break;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (word == "time") return 0;
  const auto found = std::find(k_column_names.begin(), k_column_names.end(), word);
  return found == k_column_names.end() ? k_none
                                       : static_cast<std::size_t>(found - k_column_names.begin());
}

class CsvReader {
 public:
  explicit CsvReader(const CsvForm& form) : form_(form) {}

  CsvTrack run(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    for (std::size_t begin = 0; begin < text.size() && !full();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      read_line(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (out_.points.empty() && out_.faults.empty()) {
      fault(1, "has no points", "a line for each: t,x,y,z or x,y,z or x,y");
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool full() const { return stopped_ || out_.faults.size() >= k_max_faults; }
  void fault(std::uint32_t column, std::string what, std::string remedy) {
    if (full()) return;  // a line may have a fault in every column
    out_.faults.push_back({{line_, column}, std::move(what), std::move(remedy)});
  }

  void read_line(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.empty()) return;
    if (content.front() == '#') {
      if (!known_) comment_ = content.substr(1);
      return;
    }
    if (!known_) {
      separator_ = separator_of(content);
      const std::vector<Field> fields = split(line, separator_);
      known_ = true;
      const bool header = std::none_of(fields.begin(), fields.end(), [](const Field& f) {
        return parse_decimal(f.text).has_value();
      });
      if (header) {
        name_columns(fields);
        if (!columns_good_) {
          fault(fields.front().column,
                "is a header without a column for x and one for y, each once",
                "columns are named t, x, y and z; others are ignored");
          stopped_ = true;
        }
        return;
      }
      // A header behind a comment sign, as some programs write it.
      if (!comment_.empty()) name_columns(split(comment_, separator_));
      if (!columns_good_) columns_by_number(fields);
    }
    if (!full()) read_point(split(line, separator_));
  }

  void name_columns(const std::vector<Field>& names) {
    columns_.fill(k_none);
    columns_good_ = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t column = column_named(names[i].text);
      if (column == k_none) continue;
      columns_good_ = columns_good_ && columns_[column] == k_none;
      columns_[column] = i;
    }
    columns_good_ = columns_good_ && columns_[1] != k_none && columns_[2] != k_none;
  }

  void columns_by_number(const std::vector<Field>& fields) {
    columns_.fill(k_none);
    const std::size_t count = fields.size();
    const std::size_t first = count == 4 ? 0 : 1;
    if (count < 2 || count > 4) {
      fault(fields.front().column, "has " + std::to_string(count) + " columns without names",
            "x,y or x,y,z or t,x,y,z; a header line names those of other files");
      stopped_ = true;
      return;
    }
    for (std::size_t i = 0; i < count; ++i) columns_[first + i] = i;
  }

  std::optional<std::int64_t> number(const std::vector<Field>& fields, std::size_t column,
                                     const Unit& unit, std::int64_t limit) {
    const std::size_t index = columns_[column];
    const std::string name = k_column_names[column];
    if (index >= fields.size()) {
      fault(fields.back().column, "has " + std::to_string(fields.size()) + " columns",
            name + " is in column " + std::to_string(index + 1));
      return std::nullopt;
    }
    const Field& field = fields[index];
    const std::optional<Decimal> decimal = parse_decimal(field.text);
    if (!decimal) {
      fault(field.column, name + " is \"" + std::string(field.text.substr(0, 40)) + "\"",
            "must be a finite number of at most 18 significant digits");
      return std::nullopt;
    }
    const std::optional<std::int64_t> value = convert(*decimal, unit);
    if (value && *value <= limit && *value >= -limit) return value;
    fault(field.column, name + " is " + std::string(field.text.substr(0, 40)),
          "must be within " + print_scaled(limit, unit) + " of 0");
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> convert(const Decimal& decimal,
                                                    const Unit& unit) const {
    if (unit.numerator != k_metres.numerator || form_.scale == k_metre_scale) {
      return scale(decimal, unit);
    }
    const std::optional<std::int64_t> fine = scale(decimal, Unit{"", std::int64_t{1} << 24, 1});
    if (!fine) return std::nullopt;
    const Int128 scaled = Int128{*fine} * form_.scale;
    const Int128 denominator = Int128{4096} * k_metre_scale;
    if (scaled / denominator > sim::k_world_limit || scaled / denominator < -sim::k_world_limit) {
      return std::nullopt;
    }
    return divide(scaled, denominator);
  }

  void read_point(const std::vector<Field>& fields) {
    const std::size_t before = out_.faults.size();
    CsvPoint point;
    sim::Subtick time = 0;
    if (columns_[0] != k_none) {
      time = number(fields, 0, k_seconds, std::int64_t{1} << 46).value_or(0);
    }
    std::array<std::int32_t, 3> c{};
    for (std::size_t i = 0; i < 3; ++i) {
      if (columns_[i + 1] == k_none) continue;
      c[i] = static_cast<std::int32_t>(
          number(fields, i + 1, k_metres, sim::k_world_limit).value_or(0));
    }
    if (out_.faults.size() != before) return;
    point.position = placed(c);
    if (columns_[0] != k_none && !set_time(point, time, fields[columns_[0]].column)) return;
    if (!out_.points.empty() && out_.points.back().position == point.position) {
      ++out_.repeated;
      return;
    }
    if (out_.points.size() == k_max_csv_points) {
      fault(1, "has more than " + std::to_string(k_max_csv_points) + " points",
            "no route needs so many");
      stopped_ = true;
      return;
    }
    out_.points.push_back(point);
  }

  bool set_time(CsvPoint& point, sim::Subtick time, std::uint32_t column) {
    if (!first_time_) first_time_ = time;
    const sim::Subtick since = time - *first_time_;
    if (last_time_ && since <= *last_time_) {
      fault(column, "t is not later than that of the point before", "times must ascend");
      return false;
    }
    if (since > k_longest) {
      fault(column, "t is " + print_scaled(since, k_seconds) + " after the first point's",
            "a route lasts a day at most");
      return false;
    }
    last_time_ = since;
    point.time = since;
    return true;
  }

  /// The file's coordinates on the world's axes.
  [[nodiscard]] sim::Vec3 placed(const std::array<std::int32_t, 3>& c) const {
    const std::string axes = !form_.axes.empty()     ? form_.axes
                             : columns_[3] != k_none ? "xyz"
                                                     : "xz";
    sim::Vec3 p{form_.height};
    std::size_t coordinate = 0;
    std::int32_t sign = 1;
    for (const char a : axes) {
      if (a == '-' || a == '+') {
        sign = a == '-' ? -1 : 1;
        continue;
      }
      if (coordinate < 2 || columns_[3] != k_none) p[a - 'x'] = sign * c[coordinate];
      ++coordinate;
      sign = 1;
    }
    return p;
  }

  const CsvForm& form_;
  CsvTrack out_;
  std::uint32_t line_ = 0;
  std::string_view comment_;
  bool stopped_ = false;
  bool known_ = false;  // the columns
  bool columns_good_ = false;
  char separator_ = ',';
  std::array<std::size_t, 4> columns_{k_none, k_none, k_none, k_none};  // of t, x, y, z
  std::optional<sim::Subtick> first_time_;
  std::optional<sim::Subtick> last_time_;
};

}  // namespace

bool is_axes(std::string_view text) {
  std::string seen;
  bool sign = false;
  for (const char c : text) {
    if ((c == '-' || c == '+') && !sign) {
      sign = true;
      continue;
    }
    if (c < 'x' || c > 'z' || seen.find(c) != std::string::npos) return false;
    seen += c;
    sign = false;
  }
  return !sign && (seen.size() == 2 || seen.size() == 3);
}

CsvTrack read_csv_track(std::string_view text, const CsvForm& form) {
  return CsvReader(form).run(text);
}

}  // namespace contrail::server
