#include <contrail/edge/recorder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <contrail/recording/recording_reader.hpp>
#include <contrail/support/recording_tools.hpp>
#include <contrail/support/temporary_directory.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {
namespace {

using recording::EntryKind;
using support::entries_of;
using support::read_file;
using support::TemporaryDirectory;

wire::Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

wire::Bytes record_of(std::uint32_t tick) {
  return bytes_of("record " + std::to_string(tick));
}

wire::Input input_of(std::uint32_t tick) {
  wire::Input input;
  input.tick = tick;
  input.client = 3;
  input.command.id = tick;
  input.command.fire = {1, 2, 0, 4711};
  return input;
}

RecorderConfig config_for(const std::string& path) {
  RecorderConfig config;
  config.path = path;
  config.session_id = 0xABCDEF;
  config.snapshot_interval = 10;
  return config;
}

// System calls that fail on command.
struct Faults {
  int interrupt_every = 0;     // EINTR on each of these calls
  std::size_t most_bytes = 0;  // written by one call; 0: all
  std::uint64_t room = ~0ull;  // bytes until the device is full
  int error_when_full = ENOSPC;
  bool can_truncate = true;
  int writes = 0;

  RecorderCalls calls() {
    return {[this](int file, const void* data, std::size_t size) -> ssize_t {
              ++writes;
              if (interrupt_every != 0 && writes % interrupt_every == 0) {
                errno = EINTR;
                return -1;
              }
              if (most_bytes != 0) size = std::min(size, most_bytes);
              size = static_cast<std::size_t>(std::min<std::uint64_t>(size, room));
              if (size == 0) {
                errno = error_when_full;
                return -1;
              }
              const ssize_t count = ::write(file, data, size);
              if (count > 0) room -= static_cast<std::uint64_t>(count);
              return count;
            },
            [this](int file, off_t size) {
              errno = EIO;
              return can_truncate ? ::ftruncate(file, size) : -1;
            }};
  }
};

TEST(Recorder, WhatATickWasGivenIsInTheFileWhenItReturns) {
  const TemporaryDirectory directory;
  Recorder recorder(config_for(directory.file("a.mcap")));
  ASSERT_TRUE(recorder.open(bytes_of("header"))) << recorder.error();
  EXPECT_EQ(entries_of(read_file(recorder.path())).size(), 1U);
  std::size_t expected = 1;
  for (std::uint32_t tick = 1; tick <= 20; ++tick) {
    const std::vector<wire::Input> inputs(tick % 3 == 0 ? 2 : 0, input_of(tick));
    ASSERT_TRUE(recorder.tick(tick, inputs, record_of(tick)));
    expected += inputs.size() + 1;
    const auto entries = entries_of(read_file(recorder.path()));
    ASSERT_EQ(entries.size(), expected);
    EXPECT_EQ(entries.back().payload, record_of(tick));
  }
  EXPECT_TRUE(recorder.close()) << recorder.error();
  const auto file = read_file(recorder.path());
  EXPECT_FALSE(recording::check_recording(file));
  EXPECT_EQ(entries_of(file).size(), expected);
  EXPECT_EQ(recorder.statistics().records, 20U);
  EXPECT_EQ(recorder.statistics().inputs, 12U);
  EXPECT_EQ(recorder.statistics().bytes, file.size());
}

TEST(Recorder, RecordsInputsAsTheCodecReadsThemBack) {
  const TemporaryDirectory directory;
  Recorder recorder(config_for(directory.file("a.mcap")));
  ASSERT_TRUE(recorder.open(bytes_of("header")));
  ASSERT_TRUE(recorder.tick(5, std::vector{input_of(5)}, {}));
  ASSERT_TRUE(recorder.close());
  const auto entries = entries_of(read_file(recorder.path()));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].kind, EntryKind::input);
  wire::Input input;
  ASSERT_TRUE(wire::decode_input(entries[1].payload, input));
  EXPECT_EQ(input, input_of(5));
}

TEST(Recorder, WritesNothingForASilentTick) {
  const TemporaryDirectory directory;
  Recorder recorder(config_for(directory.file("a.mcap")));
  ASSERT_TRUE(recorder.open(bytes_of("header")));
  const auto size = std::filesystem::file_size(recorder.path());
  ASSERT_TRUE(recorder.tick(1, {}, {}));
  EXPECT_EQ(std::filesystem::file_size(recorder.path()), size);
}

TEST(Recorder, AsksForASnapshotAtEveryInterval) {
  const TemporaryDirectory directory;
  Recorder recorder(config_for(directory.file("a.mcap")));
  ASSERT_TRUE(recorder.open(bytes_of("header")));
  std::vector<std::uint32_t> asked;
  for (std::uint32_t tick = 1; tick <= 35; ++tick) {
    ASSERT_TRUE(recorder.tick(tick, {}, record_of(tick)));
    if (recorder.wants_snapshot(tick)) {
      asked.push_back(tick);
      ASSERT_TRUE(recorder.snapshot(tick, bytes_of("snapshot")));
    }
  }
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{10, 20, 30}));
  ASSERT_TRUE(recorder.close());
  const auto file = read_file(recorder.path());
  recording::RecordingReader reader;
  ASSERT_FALSE(reader.open(file));
  ASSERT_EQ(reader.snapshots().size(), 3U);
  EXPECT_EQ(reader.snapshots()[2].tick, 30U);
}

TEST(Recorder, ContinuesInterruptedAndShortWrites) {
  const TemporaryDirectory directory;
  Faults faults;
  faults.interrupt_every = 3;
  faults.most_bytes = 7;
  Recorder recorder(config_for(directory.file("a.mcap")), faults.calls());
  ASSERT_TRUE(recorder.open(bytes_of("header")));
  for (std::uint32_t tick = 1; tick <= 20; ++tick) {
    ASSERT_TRUE(recorder.tick(tick, {}, record_of(tick)));
  }
  ASSERT_TRUE(recorder.close());
  const auto file = read_file(recorder.path());
  EXPECT_FALSE(recording::check_recording(file));
  EXPECT_EQ(entries_of(file).size(), 21U);
  EXPECT_GT(recorder.statistics().interrupted_writes, 100U);
  EXPECT_EQ(recorder.statistics().failed_writes, 0U);
}

// Fills the device at every byte of the third record's write and looks at what remains.
void expect_clean_stop(int error, bool can_truncate) {
  const TemporaryDirectory directory;
  Recorder whole(config_for(directory.file("whole.mcap")));
  ASSERT_TRUE(whole.open(bytes_of("header")));
  ASSERT_TRUE(whole.tick(1, {}, record_of(1)));
  ASSERT_TRUE(whole.tick(2, {}, record_of(2)));
  const std::uint64_t before = whole.statistics().bytes;
  ASSERT_TRUE(whole.tick(3, {}, record_of(3)));
  const std::uint64_t after = whole.statistics().bytes;
  for (std::uint64_t room = before; room < after; ++room) {
    Faults faults;
    faults.room = room;
    faults.error_when_full = error;
    faults.can_truncate = can_truncate;
    std::filesystem::remove(directory.file("full.mcap"));
    Recorder recorder(config_for(directory.file("full.mcap")), faults.calls());
    ASSERT_TRUE(recorder.open(bytes_of("header")));
    int stopped = 0;
    for (std::uint32_t tick = 1; tick <= 10; ++tick) {
      stopped += recorder.tick(tick, {}, record_of(tick)) ? 0 : 1;
      EXPECT_FALSE(tick >= 3 && recorder.wants_snapshot(1000));
    }
    EXPECT_EQ(stopped, 1);
    EXPECT_FALSE(recorder.statistics().recording);
    EXPECT_EQ(recorder.statistics().failed_writes, 1U);
    EXPECT_EQ(recorder.statistics().records, 2U);
    EXPECT_NE(recorder.error().find(std::generic_category().message(error)), std::string::npos);
    EXPECT_FALSE(recorder.close());
    const auto file = read_file(recorder.path());
    if (can_truncate) {
      EXPECT_EQ(file.size(), before);
    }
    recording::RecordingReader reader;
    ASSERT_FALSE(reader.open(file));
    EXPECT_EQ(reader.lost_bytes(), file.size() > before);
    EXPECT_GE(reader.last_tick(), 2U);
  }
}

TEST(Recorder, case_45_AFullDiskEndsTheRecordingAtItsLastRecordAndNotTheMatch) {
  expect_clean_stop(ENOSPC, true);
}
TEST(Recorder, case_45_AnInputOutputErrorEndsTheRecordingAtItsLastRecord) {
  expect_clean_stop(EIO, true);
}
TEST(Recorder, case_45_ATornEndThatCannotBeCutOffIsRecognisedByReaders) {
  expect_clean_stop(EDQUOT, false);
}

TEST(Recorder, KeepsAnOlderFileOfTheName) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.mcap");
  support::write_file(path, bytes_of("first"));
  Recorder second(config_for(path));
  ASSERT_TRUE(second.open(bytes_of("second")));
  EXPECT_EQ(second.moved_to(), path + ".1");
  Recorder third(config_for(path));
  ASSERT_TRUE(third.open(bytes_of("third")));
  EXPECT_EQ(third.moved_to(), path + ".2");
  EXPECT_EQ(read_file(path + ".1"), bytes_of("first"));
  EXPECT_EQ(entries_of(read_file(path + ".2"))[0].payload, bytes_of("second"));
  EXPECT_EQ(entries_of(read_file(path))[0].payload, bytes_of("third"));
}

TEST(Recorder, NamesTheFileAfterTheSessionInADirectory) {
  const TemporaryDirectory directory;
  Recorder recorder(config_for(directory.path()));
  ASSERT_TRUE(recorder.open(bytes_of("header")));
  EXPECT_EQ(recorder.path(), directory.path() + "/session-0000000000abcdef.mcap");
}

TEST(Recorder, SaysWhyAFileCannotBeCreatedOrWritten) {
  const TemporaryDirectory directory;
  Recorder missing(config_for(directory.file("no/such/a.mcap")));
  EXPECT_FALSE(missing.open(bytes_of("header")));
  EXPECT_NE(missing.error().find("no/such/a.mcap: No such file or directory"), std::string::npos)
      << missing.error();

  Recorder full(config_for("/dev/full"));
  EXPECT_FALSE(full.open(bytes_of("header")));
  EXPECT_NE(full.error().find("No space left on device"), std::string::npos) << full.error();

  ASSERT_EQ(::mkfifo(directory.file("fifo").c_str(), 0600), 0);
  Recorder fifo(config_for(directory.file("fifo")));  // does not wait for a reader
  EXPECT_FALSE(fifo.open(bytes_of("header")));
  EXPECT_FALSE(fifo.error().empty());
}

// The child records and says over the pipe which tick it would now broadcast; as the fault that
// the test below has to see, it records a tick only after it has broadcast the next one.
[[noreturn]] void record_until_killed(const std::string& path, int pipe, bool too_late) {
  Recorder recorder(config_for(path));
  if (!recorder.open(bytes_of("header"))) ::_exit(1);
  for (std::uint32_t tick = 1;; ++tick) {
    const std::uint32_t recorded = too_late ? tick - 1 : tick;
    if (recorded > 0 && !too_late && !recorder.tick(recorded, {}, record_of(recorded))) ::_exit(1);
    if (::write(pipe, &tick, sizeof tick) != sizeof tick) ::_exit(1);
    if (recorded > 0 && too_late && !recorder.tick(recorded, {}, record_of(recorded))) ::_exit(1);
  }
}

// Kills children at random instants; how many of their broadcast ticks are not in their files.
std::uint64_t count_lost_ticks(bool too_late) {
  const std::uint64_t seed = 0x5EED0001;
  std::printf("seed=%#llx\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  const TemporaryDirectory directory;
  std::uint64_t lost = 0;
  for (int round = 0; round < 20; ++round) {
    const std::string path = directory.file(std::to_string(round) + ".mcap");
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    EXPECT_GE(child, 0);
    if (child == 0) record_until_killed(path, ends[1], too_late);
    ::close(ends[1]);
    // Killed after a random number of ticks, somewhere in what it does next.
    const std::uint64_t ticks = 2 + random() % 200;
    std::uint32_t sent = 0;
    for (std::uint64_t i = 0; i < ticks; ++i) {
      EXPECT_EQ(::read(ends[0], &sent, sizeof sent), static_cast<ssize_t>(sizeof sent));
    }
    ::usleep(static_cast<useconds_t>(random() % 500));
    EXPECT_EQ(::kill(child, SIGKILL), 0);
    while (::read(ends[0], &sent, sizeof sent) == static_cast<ssize_t>(sizeof sent)) {
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));

    const auto file = read_file(path);
    recording::RecordingReader reader;
    EXPECT_FALSE(reader.open(file));
    EXPECT_EQ(reader.count(EntryKind::record), reader.last_tick());
    lost += sent > reader.last_tick() ? sent - reader.last_tick() : 0;
  }
  return lost;
}

TEST(Recorder, case_42_NoTickThatWasBroadcastIsLostWhenTheProcessIsKilled) {
  EXPECT_EQ(count_lost_ticks(false), 0U);
}

TEST(Recorder, TicksBroadcastBeforeTheyAreRecordedAreSeenToBeLost) {  // the control
  EXPECT_GE(count_lost_ticks(true), 20U);
}

}  // namespace
}  // namespace contrail::server
