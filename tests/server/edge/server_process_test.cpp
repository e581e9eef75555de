// contrail-server as a process: signals, exit codes, what goes to stdout and what to stderr.

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <contrail/support/process.hpp>
#include <contrail/support/temporary_directory.hpp>

namespace contrail::server {
namespace {

using testing::HasSubstr;

using support::last_line;

/// The server as a process.
struct Process : support::Process {
  explicit Process(std::vector<std::string> arguments, bool ignore_stops = false)
      : support::Process(with_binary(std::move(arguments)), ignore_stops) {}
  static std::vector<std::string> with_binary(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CONTRAIL_SERVER_BINARY);
    return arguments;
  }
};

const std::vector<std::string> k_serve{"--insecure", "--listen", "127.0.0.1:0", "--json"};

TEST(ServerProcess, case_46_StopSignalsEndItInOrder) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Process server(k_serve);
    const auto listening = nlohmann::json::parse(server.first_line());
    EXPECT_EQ(listening.at("event"), "listening");
    server.kill(signal);
    EXPECT_EQ(server.wait(), 0);
    const auto summary = nlohmann::json::parse(last_line(server.out()));
    EXPECT_EQ(summary.at("end"), "stopped");
    EXPECT_EQ(summary.at("session"), listening.at("session"));
    EXPECT_THAT(server.err(), HasSubstr("Ctrl-C or SIGTERM stops"));
  }
}

TEST(ServerProcess, case_46_InheritedIgnoredSignalsStillStopIt) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Process server(k_serve, true);
    EXPECT_NE(server.first_line(), "");
    server.kill(signal);
    EXPECT_EQ(server.wait(), 0);
  }
}

/// Both signals are pending when it wakes up, so the second finds the first one taken.
TEST(ServerProcess, case_46_ASecondSignalForcesTheEnd) {
  Process server(k_serve);
  EXPECT_NE(server.first_line(), "");
  server.kill(SIGSTOP);
  server.kill(SIGTERM);
  server.kill(SIGINT);
  server.kill(SIGCONT);
  EXPECT_THAT(server.wait(), testing::AnyOf(128 + SIGTERM, 128 + SIGINT));
}

TEST(ServerProcess, AStopDuringAnUnpacedRunStillSumsUp) {
  Process server({"--unpaced", "--duration", "1000h", "--json"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  server.kill(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  const std::string out = server.out();
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << "no listening line without sockets";
  EXPECT_EQ(nlohmann::json::parse(out).at("end"), "stopped");
}

TEST(ServerProcess, PlaysTheSameMatchEveryTime) {
  std::string hash;
  for (const char* seed : {"5", "5", "6"}) {
    Process server({"--unpaced", "--duration", "5s", "--json", "--seed", seed});
    ASSERT_EQ(server.wait(), 0);
    const auto summary = nlohmann::json::parse(last_line(server.out()));
    EXPECT_EQ(summary.at("ticks"), 160);
    EXPECT_EQ(summary.at("seed"), seed);
    const std::string other = summary.at("log_hash");
    EXPECT_EQ(hash.empty() || other == hash, std::string(seed) == "5");
    hash = other;
  }
}

TEST(ServerProcess, WrongUseEndsWithTwoAndSaysWhatWouldBeRight) {
  const support::TemporaryDirectory directory;
  const std::string file = directory.file("bad.toml");
  {
    const int out = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    const std::string text = "[world]\ntick_rat = 32\n";
    EXPECT_EQ(::write(out, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(out);
  }
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const Case cases[] = {
      {{}, "--insecure"},
      {{"--bogus"}, "--bogus"},
      {{"--insecure", "--listen", "[::]:0"}, "--insecure-public"},
      {{"--unpaced"}, "--duration 60s"},
      {{"--insecure", "--scenario", "circos"}, "did you mean \"circus\"?"},
      {{"--insecure", "--scenario", "./missing.toml"}, "does not exist"},
      {{"--check-config", "--insecure", "--scenario", file},
       "bad.toml:2:1: world.tick_rat: is no known key; did you mean \"tick_rate\"?"},
      {{"--insecure", "--listen", "127.0.0.1:0", "--record", "/no/such/folder/x.mcap"},
       "cannot create the recording"},
  };
  for (const Case& c : cases) {
    Process server(c.arguments);
    EXPECT_EQ(server.wait(), 2) << c.message;
    EXPECT_THAT(server.err(), HasSubstr(c.message));
    EXPECT_EQ(server.out(), "");
  }
}

TEST(ServerProcess, case_39_ASecondServerOnThePortEndsWithItInTheMessage) {
  Process first(k_serve);
  const auto listening = nlohmann::json::parse(first.first_line());
  const std::string address = listening.at("udp").at(0);
  Process second({"--insecure", "--listen", address});
  EXPECT_EQ(second.wait(), 2);
  EXPECT_THAT(second.err(), HasSubstr(address));
  EXPECT_EQ(second.out(), "");

  Process health({"--health", "--listen", address});
  EXPECT_EQ(health.wait(), 0) << health.out();
  first.kill(SIGTERM);
  EXPECT_EQ(first.wait(), 0);
  Process gone({"--health", "--listen", address});
  EXPECT_EQ(gone.wait(), 1);
}

TEST(ServerProcess, AnswersQuestionsOnStdoutAndEndsWithZero) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--version"}, "path revision 1, fingerprint "},
      {{"--print-config"}, "max-clients"},
      {{"--describe-scenario"}, "Amber Throne: cruiser of team 1"},
      {{"--check-config", "--insecure"}, "good: scenario circus"},
      {{"--help"}, "CONTRAIL_SCENARIO"},
  };
  for (const auto& [arguments, text] : cases) {
    Process server(arguments);
    EXPECT_EQ(server.wait(), 0);
    EXPECT_THAT(server.out(), HasSubstr(text));
    EXPECT_EQ(server.err(), "");
  }
}

}  // namespace
}  // namespace contrail::server
