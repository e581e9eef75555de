#include "seeds.hpp"

#include <string_view>

#include <contrail/edge/scenario_file.hpp>
#include <contrail/edge/token_key_file.hpp>
#include <contrail/recording/recording_writer.hpp>

#include "../protocol/recording/sample_recording.hpp"

namespace contrail::fuzz {
namespace {

using wire::Bytes;

Bytes with_head(const std::vector<std::uint8_t>& head, const Bytes& bytes) {
  Bytes input(head.begin(), head.end());
  input.insert(input.end(), bytes.begin(), bytes.end());
  return input;
}

void add_recordings(std::vector<Seed>& out) {
  const auto add = [&](const std::string& name, std::uint8_t left_out, const Bytes& file) {
    out.push_back({"recording", name, with_head({left_out}, file)});
  };
  add("closed", 0, recording::make_sample(9).bytes);
  add("closed_and_no_crc_is_checked", 7, recording::make_sample(9).bytes);
  add("refused_the_recording_was_not_closed", 0, recording::make_sample(7, false).bytes);
  add("refused_the_recording_was_not_closed_and_no_crc_is_checked", 7,
      recording::make_sample(7, false).bytes);
  Bytes cut = recording::make_sample(7, false).bytes;
  cut.resize(cut.size() - 30);
  add("refused_the_file_ends_inside_a_record", 0, cut);
}

Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

// A small scenario of what the built-in ones leave out.
constexpr std::string_view k_route_scenario = R"([world]
name = "routes"
tick_rate = 64
[[type]]
name = "ship"
hit_points = 1
max_speed = 100
max_acceleration = 50
hull = [{ radius = 2 }]
[[route]]
name = "loop"
closed = true
speed = 30
points = [[0, 0, 0], [800, 100, 0], [900, 50, 700], [-50, 0, 650]]
[[route]]
name = "file"
csv = "ways/loop.csv"
[[entity]]
name = "one"
type = "ship"
route = "loop"
)";

void add_scenarios(std::vector<Seed>& out) {
  for (const std::string& name : server::builtin_scenario_names()) {
    out.push_back(
        {"scenario_toml", "built_in_" + name, bytes_of(server::builtin_scenario_text(name))});
  }
  out.push_back({"scenario_toml", "refused_route_in_a_file", bytes_of(k_route_scenario)});
}

void add_routes(std::vector<Seed>& out) {
  const auto add = [&](const std::string& name, const std::vector<std::uint8_t>& head,
                       std::string_view text) {
    out.push_back({"route_csv", name, with_head(head, bytes_of(text))});
  };
  add("x_y", {0, 0, 0}, "0,0\n10.5,3\n-7,8e1\n");
  add("t_x_y_z_with_header", {0, 0, 0}, "time,x_m,y_m,z_m,width\n0,1,2,3,7\n0.5,1,2,4,7\n");
  add("t_x_y_z_ascending", {0, 2, 0}, "0,1,2,3\n1,2,3,4\n2.25,3,4,5\n");
  add("header_behind_a_comment_sign", {0, 3, 10}, "# x_m,y_m,width\r\n0,0,7\r\n4,0,7\r\n4,4,7\r\n");
  add("semicolons_and_quotes", {1, 4, 0}, "\"x\";\"y\";\"z\"\n\"1000000\";2;3\n5;6;7\n");
  add("tabs_and_byte_order_mark", {2, 0, 0}, "\xEF\xBB\xBFx\ty\n1\t2\n3\t4\n");
  add("points_that_repeat", {0, 0, 0}, "1,1\n1,1\n2,2\n2,2\n");
  add("refused_empty", {0, 0, 0}, "");
  add("refused_times_that_go_back", {0, 0, 0}, "0,1,2,3\n2,2,3,4\n1,3,4,5\n");
  add("refused_columns_without_names", {0, 0, 0}, "1,2,3,4,5\n");
  add("refused_header_without_y", {0, 0, 0}, "x,z\n1,2\n");
  add("refused_outside_the_world", {5, 0, 0}, "1e9,2\n");
  add("refused_no_numbers", {0, 0, 0}, "1,2\n3\n4,five\n");
  add("refused_longer_than_a_day", {0, 0, 0}, "0,1,2,3\n86401,2,3,4\n");
}

void add_decimals(std::vector<Seed>& out) {
  const auto add = [&](const std::string& name, std::string_view text) {
    out.push_back({"decimal", name, bytes_of(text)});
  };
  add("whole", "42");
  add("fraction", "-1_000.062_5");
  add("exponent", "+12.5e-3");
  add("largest_exponent", "1E100");
  add("eighteen_digits", "123456789012345678");
  add("zero", "-0.00");
  add("trailing_zeros", "1500000000000000000000000.000");
  add("seconds", "60s");
  add("milliseconds", "0.5ms");
  add("minutes", "2m");
  add("a_year_of_hours", "8784h");
  add("refused_nineteen_digits", "1234567890123456789");
  add("refused_exponent_too_large", "1e101");
  add("refused_not_a_number", "nan");
  add("refused_two_points", "1.2.3");
  add("refused_underscore_at_the_end", "1_");
  add("refused_no_digits", "-.5");
  add("refused_empty", "");
}

void add_token_keys(std::vector<Seed>& out) {
  const std::string text = server::token_key_text({0xC0FFEE, {}});
  out.push_back({"token_key", "as_written", bytes_of(text)});
  out.push_back({"token_key", "without_its_line_end", bytes_of(text.substr(0, text.size() - 1))});
  out.push_back({"token_key", "refused_cut_off", bytes_of(text.substr(0, text.size() - 2))});
}

}  // namespace

std::vector<Seed> file_seeds() {
  std::vector<Seed> out;
  add_recordings(out);
  add_scenarios(out);
  add_routes(out);
  add_decimals(out);
  add_token_keys(out);
  return out;
}

}  // namespace contrail::fuzz
