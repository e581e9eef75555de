// Keys, tokens, server and client as an operator uses them: separate programs and files.

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <contrail/support/process.hpp>
#include <contrail/support/temporary_directory.hpp>

namespace contrail {
namespace {

using support::last_line;
using support::Process;
using Words = std::vector<std::string>;

struct Ended {
  int code = -1;
  nlohmann::json json;
  std::string out;
  std::string err;
};

Ended run(Words words) {
  Process process(std::move(words));
  Ended ended;
  ended.code = process.wait();
  ended.out = process.out();
  ended.err = process.err();
  ended.json = nlohmann::json::parse(last_line(ended.out), nullptr, false);
  return ended;
}

class TokenProcess : public ::testing::Test {
 protected:
  std::string file(const std::string& name) { return directory_.file(name); }
  Ended token(Words words) {
    words.insert(words.begin(), CONTRAIL_TOKEN_BINARY);
    return run(std::move(words));
  }
  std::string issue(const std::string& name, const Words& more = {},
                    const std::string& key = "key") {
    Words words{"issue", "--key", file(key), "--out", file(name)};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = token(words);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return file(name);
  }
  void serve(const Words& keys) {
    Words words{CONTRAIL_SERVER_BINARY, "--listen", "127.0.0.1:0", "--json"};
    for (const std::string& key : keys) {
      words.insert(words.end(), {"--token-key-file", file(key)});
    }
    server_ = std::make_unique<Process>(words);
    const auto line = nlohmann::json::parse(server_->first_line(), nullptr, false);
    ASSERT_TRUE(line.contains("port")) << server_->err();
    address_ = "127.0.0.1:" + std::to_string(line["port"].get<int>());
  }
  Ended join(const Words& more) {
    Words words{CONTRAIL_CLIENT_BINARY, "--server", address_, "--json", "--quiet",
                "--duration",           "500ms"};
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }
  void expect_refused(const Words& words, const std::string& reason) {
    const Ended ended = join(words);
    EXPECT_EQ(ended.code, 5) << reason << ": " << ended.out << ended.err;
    EXPECT_EQ(ended.json.value("state", ""), "refused");
    EXPECT_EQ(ended.json.value("reason", ""), reason) << ended.out;
    EXPECT_NE(ended.json.value("explanation", ""), "");
  }
  /// A copy with its first bytes only, or with one of them changed.
  std::string damaged(const std::string& from, std::size_t keep, std::size_t change) {
    std::ifstream in(from, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    if (change < bytes.size()) bytes[change] = static_cast<char>(bytes[change] ^ 1);
    std::ofstream(from + ".damaged", std::ios::binary) << bytes.substr(0, keep);
    return from + ".damaged";
  }

  std::unique_ptr<Process> server_;
  std::string address_;

 private:
  support::TemporaryDirectory directory_;
};

TEST_F(TokenProcess, a_token_from_a_file_joins_and_every_other_is_refused_with_its_reason) {
  ASSERT_EQ(token({"keygen", "--out", file("key")}).code, 0);
  ASSERT_EQ(token({"keygen", "--out", file("other_key")}).code, 0);
  const std::string before = issue("before");
  serve({"key"});
  ASSERT_FALSE(HasFailure());

  const std::string good =
      issue("good", {"--role", "pilot", "--entity", "1", "--server", address_});
  const Ended joined = join({"--token", good, "--role", "pilot"});
  EXPECT_EQ(joined.code, 0) << joined.out << joined.err;
  EXPECT_EQ(joined.json.value("role", ""), "pilot");
  EXPECT_EQ(joined.json.value("entity", -1), 1);
  EXPECT_EQ(joined.json.value("hash_mismatches", -1), 0);

  expect_refused({"--token", good, "--role", "pilot"}, "token_used");
  expect_refused({}, "token_required");
  expect_refused({"--token", before}, "token_before_start");
  expect_refused({"--token", issue("elsewhere", {"--server", "127.0.0.1:1"})},
                 "token_other_server");
  expect_refused({"--token", issue("foreign", {}, "other_key")}, "token_unknown_key");
  expect_refused({"--token", damaged(issue("cut"), 100, 9999)}, "bad_token");
  expect_refused({"--token", damaged(issue("short"), 10, 9999)}, "bad_token");
  expect_refused({"--token", damaged(issue("changed"), 9999, 90)}, "bad_token");
  expect_refused({"--token", issue("modest"), "--role", "director"}, "not_granted");
  const std::string brief = issue("brief", {"--expires", "50ms"});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  expect_refused({"--token", brief}, "token_expired");

  // The pass alone, without the secret behind it, is welcomed in words nobody can open.
  const std::string copied = issue("copied", {"--timeout", "1"});
  const Ended thief = join({"--token", copied, "--test-fault", "token-secret"});
  EXPECT_EQ(thief.code, 1);
  EXPECT_EQ(thief.json.value("reason", ""), "no_answer");
  EXPECT_EQ(join({"--token", copied}).code, 0);  // and is still its bearer's

  server_->kill(SIGTERM);
  EXPECT_EQ(server_->wait(), 0);
  const auto summary = nlohmann::json::parse(last_line(server_->out()), nullptr, false);
  EXPECT_EQ(summary["refusals"].value("token_used", 0), 1) << server_->out();
  EXPECT_EQ(summary["refusals"].value("bad_token", 0), 3);
}

TEST_F(TokenProcess, keys_rotate_while_servers_run_with_both) {
  ASSERT_EQ(token({"keygen", "--out", file("old"), "--id", "1"}).code, 0);
  ASSERT_EQ(token({"keygen", "--out", file("new"), "--id", "2"}).code, 0);
  serve({"old", "new"});
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(join({"--token", issue("a", {}, "old")}).code, 0);
  EXPECT_EQ(join({"--token", issue("b", {}, "new")}).code, 0);
}

TEST_F(TokenProcess, secrets_are_in_files_of_their_owner_and_nowhere_else) {
  const Ended made = token({"keygen", "--out", file("key")});
  ASSERT_EQ(made.code, 0);
  std::ifstream in(file("key"));
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string key = text.substr(text.size() - 65, 64);
  EXPECT_THAT(key, testing::MatchesRegex("[0-9a-f]+"));
  issue("player");
  std::ifstream token_file(file("player"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(token_file)), {});
  std::string secret;
  for (const char byte : bytes.substr(bytes.size() - 32)) {
    constexpr const char* k_digits = "0123456789abcdef";
    secret += k_digits[static_cast<unsigned char>(byte) >> 4];
    secret += k_digits[static_cast<unsigned char>(byte) & 15];
  }
  for (const char* name : {"key", "player"}) {
    struct stat about {};
    ASSERT_EQ(::stat(file(name).c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0600U) << name;
  }
  const Ended shown = token({"inspect", file("player"), "--key", file("key")});
  EXPECT_EQ(shown.code, 0);
  EXPECT_TRUE(shown.json.value("secret_matches", false));
  for (const std::string& said : {made.out, made.err, shown.out, shown.err}) {
    EXPECT_EQ(said.find(key), std::string::npos);
    EXPECT_EQ(said.find(secret), std::string::npos);
  }
  // Nothing that is there is written over, and what is wrong is said.
  EXPECT_EQ(token({"keygen", "--out", file("key")}).code, 1);
  EXPECT_EQ(token({"inspect", file("key")}).code, 1);
  EXPECT_EQ(token({"issue", "--key", file("key"), "--out", file("x"), "--expires", "25h"}).code, 2);
  EXPECT_EQ(token({"issue", "--key", file("key"), "--out", file("x"), "--server", "host:1"}).code,
            2);
  EXPECT_EQ(token({"--help"}).code, 0);
}

}  // namespace
}  // namespace contrail
