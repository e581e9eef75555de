// The command line and the report of contrail-client.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "options.hpp"
#include "summary.hpp"

namespace contrail::client_tool {
namespace {

using client::EndReason;
using client::State;

std::variant<Options, int> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "contrail-client");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(ClientOptions, have_the_documented_defaults) {
  const auto parsed = parse({});
  const Options& options = std::get<Options>(parsed);
  EXPECT_EQ(options.server, (client::ServerAddress{"127.0.0.1", 7777}));
  EXPECT_EQ(options.duration, 0.0);
  EXPECT_EQ(options.join.role, wire::Role::spectator);
  EXPECT_EQ(options.count, 1);
  EXPECT_FALSE(options.json);
  EXPECT_EQ(options.fault, client::TestFault::none);
}

TEST(ClientOptions, are_read_from_the_command_line) {
  const auto parsed = parse({"--server", "[::1]:99", "--duration", "1500ms", "--role", "pilot",
                             "--entity", "3", "--fire-every", "0.5", "--count", "7", "--json",
                             "--quiet", "--wait-first", "2m", "--test-fault", "flight-knot"});
  const Options& options = std::get<Options>(parsed);
  EXPECT_EQ(options.server, (client::ServerAddress{"::1", 99}));
  EXPECT_EQ(options.duration, 1.5);
  EXPECT_EQ(options.join.role, wire::Role::pilot);
  EXPECT_EQ(options.join.entity, 3);
  EXPECT_EQ(options.fire_every, 0.5);
  EXPECT_EQ(options.wait_first, 120.0);
  EXPECT_EQ(options.count, 7);
  EXPECT_TRUE(options.json);
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.fault, client::TestFault::flight_knot);
}

TEST(ClientOptions, wrong_ones_end_with_exit_code_2_and_say_what_would_be_right) {
  const std::vector<std::pair<std::vector<const char*>, const char*>> cases{
      {{"--server", "host"}, "right would be"},
      {{"--duration", "soon"}, "right would be 10s"},
      {{"--role", "king"}, "--role"},
      {{"--count", "0"}, "--count"},
      {{"--fire-every", "1s"}, "--role pilot"},
      {{"--token", "/no/such/file"}, "/no/such/file"},
      {{"--test-fault", "none"}, "--test-fault"},
      {{"--nonsense"}, "--nonsense"}};
  for (const auto& [arguments, wanted] : cases) {
    testing::internal::CaptureStderr();
    const auto parsed = parse(arguments);
    const std::string said = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << arguments[0];
    EXPECT_EQ(std::get<int>(parsed), 2) << arguments[0];
    EXPECT_NE(said.find(wanted), std::string::npos) << said;
  }
}

TEST(ParseDuration, takes_a_number_and_a_unit) {
  EXPECT_EQ(parse_duration("0"), 0.0);
  EXPECT_EQ(parse_duration("10"), 10.0);
  EXPECT_EQ(parse_duration("2.5s"), 2.5);
  EXPECT_EQ(parse_duration("250ms"), 0.25);
  EXPECT_EQ(parse_duration("3m"), 180.0);
  EXPECT_EQ(parse_duration("1h"), 3600.0);
  for (const char* wrong : {"", "s", "-1", "1 s", "1x", "nan", "inf", "1e3", "9999999999h"}) {
    EXPECT_FALSE(parse_duration(wrong).has_value()) << wrong;
  }
}

Summary good_run() {
  Summary summary;
  summary.clients = 1;
  summary.clients_live = 1;
  summary.worst_state = State::disconnected;
  summary.end_reason = EndReason::closed;
  summary.sums.log.hash_checks = 20;
  summary.all_well = true;
  return summary;
}

TEST(ClientSummary, exit_codes_tell_how_it_went) {
  EXPECT_EQ(exit_code(good_run()), 0);
  Summary lost = good_run();
  lost.all_well = false;
  lost.end_reason = EndReason::silence;
  EXPECT_EQ(exit_code(lost), 1);
  Summary different = good_run();
  different.sums.log.hash_mismatches = 1;
  EXPECT_EQ(exit_code(different), 4);
  different.all_well = false;
  EXPECT_EQ(exit_code(different), 4);
  Summary misplaced = good_run();
  misplaced.sightings.misplaced_ends = 1;
  EXPECT_EQ(exit_code(misplaced), 4);
  Summary refused = good_run();
  refused.worst_state = State::refused;
  refused.all_well = false;
  EXPECT_EQ(exit_code(refused), 5);
}

TEST(ClientSummary, is_one_line_of_json_with_every_promised_key) {
  Summary summary = good_run();
  summary.session = "ffffffffffffffff";
  summary.sums.log.first_divergent = sim::Subsystem::flights;
  summary.sums.fire_requests = 4;
  summary.sums.fire_results[0] = 1;
  summary.sums.fire_results[static_cast<std::size_t>(client::CommandStatus::refused_range)] = 3;
  summary.scenario = "broken \xFF name";
  const std::string text = to_json(summary);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  for (const char* key :
       {"connected", "hash_checks",     "hash_mismatches", "first_divergent", "launches",
        "missiles",  "impacts",         "other_ends",      "destroyed",       "ticks",
        "bytes_in",  "bytes_out",       "packets_in",      "rtt_ms",          "fingerprint",
        "session",   "render_delay_ms", "fire_requests",   "fires_accepted",  "fires_refused",
        "reason",    "explanation"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["connected"], true);
  EXPECT_EQ(json["first_divergent"], "flights");
  EXPECT_EQ(json["session"], "ffffffffffffffff");
  EXPECT_EQ(json["fires_accepted"], 1);
  EXPECT_EQ(json["fires_refused"], nlohmann::json({{"range", 3}}));
  EXPECT_EQ(json["entity"], nullptr);
  const auto without = nlohmann::json::parse(to_json(good_run()));
  EXPECT_EQ(without["first_divergent"], nullptr);
}

}  // namespace
}  // namespace contrail::client_tool
