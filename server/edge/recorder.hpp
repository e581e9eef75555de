#pragma once

// Writes a session to a file while it is played. Everything given to tick() is in the file when
// tick() returns, so that a record sent afterwards can't be lost by killing the process; only a
// crash of the machine can take back what the kernel has not yet brought to the disk.
//
// A write that fails (full disk, I/O error) ends the recording, not the match: the file is cut back
// to its last whole record and left unclosed, tick() says so once, and later calls do nothing.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include <contrail/recording/recording_writer.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/commands.hpp>

namespace contrail::server {

/// The system calls a recorder makes on its file, for tests that let them fail.
struct RecorderCalls {
  std::function<ssize_t(int, const void*, std::size_t)> write;
  std::function<int(int, off_t)> truncate;
  /// write(2) and ftruncate(2).
  static RecorderCalls system();
};

struct RecorderConfig {
  std::string path;  // a file, or a directory in which it gets a name of its own
  std::uint64_t session_id = 0;
  std::uint8_t log2_tick = 11;            // of the scenario
  std::uint32_t snapshot_interval = 320;  // ticks between snapshots
};

struct RecorderStatistics {
  bool recording = false;  // everything so far is in the file
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t inputs = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t interrupted_writes = 0;  // EINTR or fewer bytes than asked for; continued
  std::uint64_t failed_writes = 0;       // 0 or 1: the one that ended the recording
};

/// One thread at a time.
class Recorder {
 public:
  explicit Recorder(RecorderConfig config, RecorderCalls calls = RecorderCalls::system());
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  /// Ends the file as it is; call close() for a complete one.
  ~Recorder();

  /// Creates the file and writes the session header. An existing file of the name is kept: it is
  /// renamed to the first free of NAME.1, NAME.2, ... On failure error() says why.
  [[nodiscard]] bool open(wire::ByteView session_header);

  /// The inputs of a tick as the match took them, and its canonical record (no bytes for a silent
  /// tick). Ticks ascend. False when this call ended the recording: log error() and play on.
  [[nodiscard]] bool tick(std::uint32_t tick, std::span<const wire::Input> inputs,
                          wire::ByteView record);

  /// A snapshot of `tick`, the last one given to tick(), would be due.
  [[nodiscard]] bool wants_snapshot(std::uint32_t tick) const;
  /// Encoded snapshot of the tick last given to tick(). False as tick().
  [[nodiscard]] bool snapshot(std::uint32_t tick, wire::ByteView bytes);

  /// Ends the file with its index. False, with error(), when that failed; the records stay
  /// readable.
  bool close();

  /// The file's path; after open().
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Where an older file of the name was moved to, or empty.
  [[nodiscard]] const std::string& moved_to() const { return moved_to_; }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const RecorderStatistics& statistics() const { return statistics_; }

 private:
  [[nodiscard]] bool create_file();
  [[nodiscard]] bool append(recording::Bytes bytes);
  void stop(const char* what, int error_number);

  RecorderConfig config_;
  RecorderCalls calls_;
  std::string path_;
  std::string moved_to_;
  std::string error_;
  int file_ = -1;
  std::optional<recording::RecordingWriter> writer_;
  std::uint32_t last_snapshot_ = 0;  // tick
  RecorderStatistics statistics_;
};

}  // namespace contrail::server
