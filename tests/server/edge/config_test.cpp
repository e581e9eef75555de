#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <contrail/edge/command_line.hpp>
#include <contrail/edge/decimal.hpp>
#include <contrail/edge/own_addresses.hpp>
#include <contrail/edge/token_key_file.hpp>

namespace contrail::server {
namespace {

using testing::HasSubstr;

/// Environment variables of one test.
class Environment {
 public:
  Environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) {
      ::setenv(name, value, 1);
      names_.emplace_back(name);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

std::variant<ServerConfig, CommandLineEnd> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "contrail-server");
  return parse_server_command(static_cast<int>(arguments.size()), arguments.data());
}

ServerConfig good(const std::vector<const char*>& arguments) {
  auto parsed = parse(arguments);
  if (const auto* end = std::get_if<CommandLineEnd>(&parsed)) {
    ADD_FAILURE() << end->text;
    return {};
  }
  return std::get<ServerConfig>(parsed);
}

std::string refused(const std::vector<const char*>& arguments) {
  const auto parsed = parse(arguments);
  const auto* end = std::get_if<CommandLineEnd>(&parsed);
  EXPECT_NE(end, nullptr);
  if (end == nullptr) return "";
  EXPECT_EQ(end->exit_code, 2);
  return end->text;
}

TEST(ServerCommandLine, HasTheDocumentedDefaults) {
  const ServerConfig config = good({"--unpaced"});
  EXPECT_EQ(config.mode, ServerMode::run);
  EXPECT_EQ(config.scenario, "circus");
  EXPECT_EQ(config.listen, (ListenAddress{"::", 7777}));
  EXPECT_EQ(config.max_clients, 256U);
  EXPECT_FALSE(config.seed);
  EXPECT_EQ(config.duration, 0);
  EXPECT_EQ(config.record, "");
  EXPECT_FALSE(config.json);
  EXPECT_EQ(config.log_level, LogLevel::info);
}

TEST(ServerCommandLine, ReadsEveryFlag) {
  const ServerConfig config =
      good({"--scenario", "duel", "--listen=127.0.0.1:0", "--max-clients", "8", "--seed",
            "18446744073709551615", "--duration", "1500ms", "--record", "/tmp/x.mcap", "--insecure",
            "--log-format", "json", "--log-level", "warning", "--json"});
  EXPECT_EQ(config.scenario, "duel");
  EXPECT_EQ(config.listen, (ListenAddress{"127.0.0.1", 0}));
  EXPECT_EQ(config.max_clients, 8U);
  EXPECT_EQ(config.seed, 18'446'744'073'709'551'615U);
  EXPECT_EQ(config.duration, 98'304);
  EXPECT_EQ(config.record, "/tmp/x.mcap");
  EXPECT_TRUE(config.insecure);
  EXPECT_TRUE(config.json);
  EXPECT_EQ(config.log_format, LogFormat::json);
  EXPECT_EQ(config.log_level, LogLevel::warning);
}

TEST(ServerCommandLine, FlagsWinOverTheEnvironmentAndThatOverDefaults) {
  const Environment environment{{"CONTRAIL_MAX_CLIENTS", "12"},
                                {"CONTRAIL_SCENARIO", "duel"},
                                {"CONTRAIL_INSECURE", "1"},
                                {"CONTRAIL_JSON", "false"}};
  const ServerConfig config = good({"--max-clients", "34"});
  EXPECT_EQ(config.max_clients, 34U);
  EXPECT_EQ(config.scenario, "duel");
  EXPECT_TRUE(config.insecure);
  EXPECT_FALSE(config.json);

  const std::string printed = print_settings(config);
  EXPECT_THAT(printed, testing::ContainsRegex("max-clients +34 +flag\n"));
  EXPECT_THAT(printed, testing::ContainsRegex("scenario +duel +environment\n"));
  EXPECT_THAT(printed, testing::ContainsRegex("insecure +true +environment\n"));
  EXPECT_THAT(printed, testing::ContainsRegex("log-level +info +default\n"));
}

TEST(ServerCommandLine, RefusesWhatItCannotUseAndSaysWhatWouldBeRight) {
  EXPECT_THAT(refused({"--recrod", "x"}), HasSubstr("did you mean --record?"));
  EXPECT_THAT(refused({"--listen", "example.org:7777"}), HasSubstr("[::]:7777"));
  EXPECT_THAT(refused({"--listen", "127.0.0.1"}), HasSubstr("127.0.0.1:7777"));
  EXPECT_THAT(refused({"--duration", "10 minutes"}), HasSubstr("60s, 500ms, 2m"));
  EXPECT_THAT(refused({"--seed", "-1"}), HasSubstr("0 to 18446744073709551615"));
  EXPECT_THAT(refused({"--max-clients", "0"}), HasSubstr("1 to 1024"));
  EXPECT_THAT(refused({"--max-clients", "1025"}), HasSubstr("1 to 1024"));
  EXPECT_THAT(refused({"--log-level", "loud"}), HasSubstr("warning"));
  refused({"--health", "--version"});
  const Environment environment{{"CONTRAIL_DURATION", "soon"}};
  EXPECT_THAT(refused({"--unpaced"}), HasSubstr("\"soon\" is no duration"));
}

TEST(ServerCommandLine, HelpEndsWithZeroAndNamesTheEnvironment) {
  const auto parsed = parse({"--help"});
  const auto* end = std::get_if<CommandLineEnd>(&parsed);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->exit_code, 0);
  EXPECT_THAT(end->text, HasSubstr("CONTRAIL_MAX_CLIENTS"));
  EXPECT_THAT(end->text, HasSubstr("circus, dodge, duel"));
}

TEST(ServerCommandLine, ModesNeedNoPermissionToListen) {
  EXPECT_EQ(good({"--health"}).mode, ServerMode::health);
  EXPECT_EQ(good({"--version"}).mode, ServerMode::version);
  EXPECT_EQ(good({"--print-config"}).mode, ServerMode::print_config);
  EXPECT_EQ(good({"--describe-scenario"}).mode, ServerMode::describe_scenario);
  EXPECT_EQ(good({"--check-config", "--insecure"}).mode, ServerMode::check_config);
}

TEST(ServerConfig, OpenToAnybodyMustBeAskedFor) {
  EXPECT_THAT(refused({}), HasSubstr("--insecure"));
  EXPECT_EQ(good({"--check-config"}).mode, ServerMode::check_config);
  EXPECT_THAT(refused({"--insecure", "--listen", "[::]:7777"}), HasSubstr("--insecure-public"));
  EXPECT_THAT(refused({"--insecure", "--listen", "192.168.0.5:7777"}),
              HasSubstr("--insecure-public"));
  good({"--insecure-public", "--listen", "[::]:7777"});
  good({"--insecure", "--listen", "[::1]:7777"});
  good({"--insecure", "--listen", "127.0.0.2:7777"});
  good({"--unpaced", "--listen", "[::]:7777"});
}

TEST(ServerConfig, TokensOrAnybodyNotBoth) {
  const ServerConfig config =
      good({"--token-key-file", "a", "--token-key-file", "b", "--public-address",
            "203.0.113.7:7777", "--public-address", "[2001:db8::7]:7777"});
  EXPECT_EQ(config.token_key_files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.public_addresses,
            (std::vector<ListenAddress>{{"203.0.113.7", 7777}, {"2001:db8::7", 7777}}));
  EXPECT_EQ(config.listen, (ListenAddress{"::", 7777}));
  EXPECT_FALSE(config.insecure);
  EXPECT_THAT(print_settings(config), testing::ContainsRegex("token-key-file +a,b +flag\n"));
  EXPECT_THAT(refused({"--token-key-file", "a", "--insecure"}), HasSubstr("choose one"));
  EXPECT_THAT(refused({"--token-key-file", "a", "--insecure-public"}), HasSubstr("choose one"));
  EXPECT_THAT(refused({"--token-key-file", "a", "--public-address", "example.org:7777"}),
              HasSubstr("right would be"));
  EXPECT_THAT(refused({"--token-key-file", "a", "--public-address", "203.0.113.7:0"}),
              HasSubstr("right would be"));
}

TEST(TokenKeyText, ReadsWhatItWritesAndNothingElse) {
  wire::TokenKey key;
  key.id = 0x2A;
  for (std::size_t i = 0; i < wire::k_key_bytes; ++i) {
    key.key.bytes()[i] = static_cast<std::uint8_t>(7 * i);
  }
  const std::string text = token_key_text(key);
  const auto read = parse_token_key(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, key.id);
  EXPECT_EQ(read->key, key.key);
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    EXPECT_FALSE(parse_token_key(text.substr(0, at))) << at;
    std::string changed = text;
    changed[at] = 'x';
    EXPECT_FALSE(parse_token_key(changed)) << at;
  }
  EXPECT_FALSE(parse_token_key(text + "x"));
}

TEST(OwnAddresses, OfAWildcardAreThoseOfTheMachine) {
  EXPECT_EQ(own_addresses({"127.0.0.1", 99}),
            (std::vector<wire::Address>{wire::ipv4_address(127, 0, 0, 1, 99)}));
  const auto all = own_addresses({"::", 99});
  EXPECT_THAT(all, testing::Contains(wire::ipv4_address(127, 0, 0, 1, 99)));
  for (const wire::Address& address : all) EXPECT_EQ(address.port, 99);
}

TEST(ServerConfig, InsecureAloneMovesToTheLoopback) {
  const ServerConfig config = good({"--insecure"});
  EXPECT_EQ(config.listen, (ListenAddress{"127.0.0.1", 7777}));
  EXPECT_THAT(print_settings(config), testing::ContainsRegex("listen +127.0.0.1:7777 +default\n"));
}

TEST(ListenAddressText, ReadsNumericAddressesOnly) {
  EXPECT_EQ(parse_listen_address("[::]:0"), (ListenAddress{"::", 0}));
  EXPECT_EQ(parse_listen_address("0.0.0.0:65535"), (ListenAddress{"0.0.0.0", 65'535}));
  EXPECT_EQ(parse_listen_address("localhost:1"), (ListenAddress{"127.0.0.1", 1}));
  for (const char* text : {"", ":", "7777", ":7777", "::1:7777", "[127.0.0.1]:1", "[::1]", "[::1]:",
                           "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:1x", "1.2.3:1", "[]:1", "a:1"}) {
    EXPECT_FALSE(parse_listen_address(text)) << text;
  }
}

TEST(ListenAddressText, PrintsAsItReads) {
  for (const char* text : {"[::1]:7777", "127.0.0.1:0", "[::]:9"}) {
    const auto address = parse_listen_address(text);
    ASSERT_TRUE(address);
    EXPECT_EQ(to_string(*address), text);
  }
}

TEST(ListenAddressText, KnowsTheLoopback) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback({host, 1})) << host;
  }
  for (const char* host : {"::", "0.0.0.0", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1", "nonsense"}) {
    EXPECT_FALSE(is_loopback({host, 1})) << host;
  }
}

TEST(Duration, ReadsTheUsualForms) {
  EXPECT_EQ(parse_duration("60s"), 60 * 65'536);
  EXPECT_EQ(parse_duration("500ms"), 32'768);
  EXPECT_EQ(parse_duration("2m"), 120 * 65'536);
  EXPECT_EQ(parse_duration("1.5h"), 5400 * 65'536);
  EXPECT_EQ(parse_duration("0"), 0);
  EXPECT_EQ(parse_duration("2.25"), 147'456);
  for (const char* text : {"", "s", "-1s", "1d", "1 s", "ms", "10sm", "1e9h", "nan", "infs"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

}  // namespace
}  // namespace contrail::server
