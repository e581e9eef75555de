// contrail-replay as it is run: its exit codes, what it prints, and what it makes of bad files.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "sample_session.hpp"

namespace contrail::server {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string out;  // stdout
  std::string err;  // stderr
};

class ReplayCommandTest : public ::testing::Test {
 protected:
  Outcome run(const std::string& arguments) { return run_program(CONTRAIL_REPLAY, arguments); }

  Outcome run_program(const std::string& program, const std::string& arguments) {
    const std::string err_file = directory_.file("stderr");
    const std::string command = program + " " + arguments + " 2>" + err_file;
    Outcome result;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      result.out.append(buffer.data(), count);
    }
    const int status = ::pclose(pipe);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const auto err = support::read_file(err_file);
    result.err.assign(err.begin(), err.end());
    return result;
  }

  static const SampleSession& sample() {
    static const SampleSession session = record_sample_session(200);
    return session;
  }
  std::string sample_file(const std::vector<std::uint8_t>& bytes = sample().file) {
    support::write_file(directory_.file("a.mcap"), bytes);
    return directory_.file("a.mcap");
  }
  static nlohmann::json last_line(const std::string& out) {
    const std::size_t end = out.find_last_not_of('\n');
    const std::size_t begin = out.rfind('\n', end);
    return nlohmann::json::parse(out.substr(begin == std::string::npos ? 0 : begin + 1));
  }

  support::TemporaryDirectory directory_;
};

TEST_F(ReplayCommandTest, InfoSaysWhatARecordingHolds) {
  const std::string file = sample_file();
  const Outcome text = run("info --check " + file);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("scenario small, seed 7"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("closed, every byte verified"), std::string::npos) << text.out;
  EXPECT_TRUE(text.err.empty()) << text.err;

  const Outcome json = run("info --json " + file);
  EXPECT_EQ(json.exit_code, 0);
  const nlohmann::json info = last_line(json.out);
  EXPECT_EQ(info["channels"]["session"], 1);
  EXPECT_EQ(info["channels"]["record"], sample().records);
  EXPECT_EQ(info["channels"]["input"], sample().inputs);
  EXPECT_EQ(info["channels"]["snapshot"], 4);
  EXPECT_EQ(info["messages"], 5 + sample().records + sample().inputs);
  EXPECT_EQ(info["seed"], "7");
  EXPECT_EQ(info["session"], "0000000000001234");
  EXPECT_EQ(info["tick_rate"], 32);
  EXPECT_EQ(info["closed"], true);
  EXPECT_EQ(info["fingerprint"], info["recorded_fingerprint"]);
}

TEST_F(ReplayCommandTest, VerifyEndsWithZeroAndHashWithTheStatesHash) {
  const std::string file = sample_file();
  const Outcome verified = run("verify " + file);
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_EQ(verified.out.rfind("equal: ", 0), 0U) << verified.out;
  const nlohmann::json json = last_line(run("verify --json " + file).out);
  EXPECT_EQ(json["log_hash"], sample().log_hash.hex());
  EXPECT_EQ(json["equal"], true);

  const Outcome quick = run("hash --at 123 " + file);
  const Outcome slow = run("hash --at 123 --from-start " + file);
  EXPECT_EQ(quick.exit_code, 0) << quick.err;
  EXPECT_EQ(quick.out, slow.out);
  EXPECT_EQ(quick.out.rfind("tick 123: ", 0), 0U) << quick.out;
}

TEST_F(ReplayCommandTest, AnEditedRecordWithRepairedCrcsEndsWithFourNamingTickAndField) {
  const std::string file = sample_file();
  const std::string edited = directory_.file("edited.mcap");
  const Outcome edit = run_program(CONTRAIL_EDIT_RECORDING, file + " " + edited + " 60");
  ASSERT_EQ(edit.exit_code, 0) << edit.err;
  const std::string changed =
      edit.out.substr(0, edit.out.find('\n'));  // "tick 65: launches[0].seed"
  EXPECT_EQ(run("info --check " + edited).exit_code, 0);
  const Outcome result = run("verify --json " + edited);
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find(changed + ": recorded "), std::string::npos) << result.err;
  const nlohmann::json json = last_line(result.out);
  EXPECT_EQ("tick " + std::to_string(json["different_tick"].get<int>()) + ": " +
                json["different_field"].get<std::string>(),
            changed);
}

TEST_F(ReplayCommandTest, AFlippedByteEndsCheckAndVerifyWithOne) {
  auto bytes = sample().file;
  bytes[bytes.size() / 2] ^= 0x20;
  const std::string file = sample_file(bytes);
  const Outcome check = run("info --check " + file);
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_NE(check.err.find(", at byte "), std::string::npos) << check.err;
  EXPECT_EQ(run("verify " + file).exit_code, 1);
}

TEST_F(ReplayCommandTest, case_42_ATruncatedRecordingIsReadUpToItsLastTick) {
  auto bytes = sample().file;
  bytes.resize(sample().sizes[150] + 11);
  const std::string file = sample_file(bytes);
  const Outcome info = run("info " + file);
  EXPECT_EQ(info.exit_code, 3);
  EXPECT_NE(info.out.find("truncated    at tick "), std::string::npos) << info.out;
  EXPECT_EQ(run("info --check " + file).exit_code, 3);
  EXPECT_EQ(run("verify " + file).exit_code, 3);
  EXPECT_EQ(run("hash --at 100 " + file).exit_code, 0);
}

TEST_F(ReplayCommandTest, case_42_WhatIsNoRecordingGivesAReasonAndOne) {
  const auto expect = [&](const std::string& path, const std::string& reason) {
    for (const char* command : {"info ", "verify ", "hash ", "info --check --json "}) {
      const Outcome result = run(command + path);
      EXPECT_EQ(result.exit_code, 1) << command << path;
      EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    }
  };
  support::write_file(directory_.file("empty"), {});
  expect(directory_.file("empty"), "the file is empty");
  support::write_file(directory_.file("one"), {0x89});
  expect(directory_.file("one"), "not a recording");
  support::write_file(directory_.file("text"), {'h', 'e', 'l', 'l', 'o', ',', ' ', 'y', 'o', 'u'});
  expect(directory_.file("text"), "not a recording");
  expect(directory_.path(), "it is a directory");
  expect(directory_.file("missing"), "No such file or directory");
  ASSERT_EQ(::mkfifo(directory_.file("fifo").c_str(), 0600), 0);
  expect(directory_.file("fifo"), "it is not a regular file");
  expect("/dev/zero", "it is not a regular file");
}

TEST_F(ReplayCommandTest, WrongUsageEndsWithTwo) {
  EXPECT_EQ(run("").exit_code, 2);
  EXPECT_EQ(run("play " + sample_file()).exit_code, 2);
  EXPECT_EQ(run("info").exit_code, 2);
  EXPECT_EQ(run("info --no-such-flag " + sample_file()).exit_code, 2);
  EXPECT_EQ(run("hash --at soon " + sample_file()).exit_code, 2);
  EXPECT_EQ(run("hash --at -1 " + sample_file()).exit_code, 2);
  const Outcome beyond = run("hash --at 99999 " + sample_file());
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_NE(beyond.err.find("tick 99999 is not in the recording, which has ticks 0.."),
            std::string::npos)
      << beyond.err;
}

TEST_F(ReplayCommandTest, HelpAndVersionGoToStdout) {
  const Outcome help = run("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("verify"), std::string::npos);
  EXPECT_NE(help.out.find("Exit codes"), std::string::npos);
  EXPECT_EQ(run("verify --help").exit_code, 0);
  EXPECT_EQ(run("--version").out.rfind("contrail-replay ", 0), 0U);
}

}  // namespace
}  // namespace contrail::server
