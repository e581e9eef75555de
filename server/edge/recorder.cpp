#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <contrail/edge/recorder.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {
namespace {

constexpr int k_most_kept_files = 999;

std::string describe_errno(int error_number) {
  return std::generic_category().message(error_number);
}

recording::RecordingFormat session_format(std::uint8_t log2_tick) {
  recording::RecordingFormat format;
  format.library = "contrail " CONTRAIL_VERSION;
  format.log2_tick = log2_tick;
  const wire::ByteView schema = wire::schema_binary();
  const char* const types[recording::k_entry_kinds] = {
      "contrail.wire.fb.SessionHeader", "contrail.wire.fb.TickRecord", "contrail.wire.fb.Input",
      "contrail.wire.fb.Snapshot"};
  for (std::size_t i = 0; i < recording::k_entry_kinds; ++i) {
    format.channels[i] = {"flatbuffer", types[i], "flatbuffer", {schema.begin(), schema.end()}};
  }
  return format;
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// "" when there is nothing to keep; else where the old file now is, or nothing with errno set.
std::optional<std::string> move_aside(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
    return std::string();
  }
  for (int number = 1; number <= k_most_kept_files; ++number) {
    const std::string kept = path + "." + std::to_string(number);
    if (::link(path.c_str(), kept.c_str()) == 0) {  // fails where the name is taken
      if (::unlink(path.c_str()) != 0) return std::nullopt;
      return kept;
    }
    if (errno == EEXIST) continue;
    // A file system without hard links: the check and the rename are two steps there.
    if (::access(kept.c_str(), F_OK) == 0) continue;
    if (::rename(path.c_str(), kept.c_str()) != 0) return std::nullopt;
    return kept;
  }
  errno = EEXIST;
  return std::nullopt;
}

}  // namespace

RecorderCalls RecorderCalls::system() {
  return {::write, ::ftruncate};
}

Recorder::Recorder(RecorderConfig config, RecorderCalls calls)
    : config_(std::move(config)), calls_(std::move(calls)) {}

Recorder::~Recorder() {
  if (file_ >= 0) ::close(file_);
}

bool Recorder::create_file() {
  path_ = config_.path;
  if (is_directory(path_)) {
    char name[40];
    std::snprintf(name, sizeof name, "/session-%016llx.mcap",
                  static_cast<unsigned long long>(config_.session_id));
    path_ += name;
  }
  const std::optional<std::string> kept = move_aside(path_);
  if (!kept) {
    error_ = "cannot keep the older recording " + path_ + ": " + describe_errno(errno);
    return false;
  }
  moved_to_ = *kept;
  // Not blocking: a FIFO without a reader must not hold the server up.
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0644);
  if (file_ < 0) {
    error_ = "cannot create the recording " + path_ + ": " + describe_errno(errno);
    return false;
  }
  return true;
}

bool Recorder::open(wire::ByteView session_header) {
  if (!create_file()) return false;
  writer_.emplace(session_format(config_.log2_tick));
  statistics_.recording = append(writer_->begin(session_header));
  return statistics_.recording;
}

void Recorder::stop(const char* what, int error_number) {
  error_ = std::string(what) + " " + path_ + ": " + describe_errno(error_number) +
           "; the recording ends at its last whole record";
  statistics_.recording = false;
  ++statistics_.failed_writes;
  // Where cutting back fails, a torn end stays, which readers recognise.
  (void)calls_.truncate(file_, static_cast<off_t>(statistics_.bytes));
  ::close(file_);
  file_ = -1;
}

bool Recorder::append(recording::Bytes bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = calls_.write(file_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) {
      ++statistics_.interrupted_writes;
      continue;
    }
    if (count <= 0) {
      stop("cannot write to the recording", count < 0 ? errno : ENOSPC);
      return false;
    }
    written += static_cast<std::size_t>(count);
    if (written < bytes.size()) ++statistics_.interrupted_writes;
  }
  statistics_.bytes += bytes.size();
  return true;
}

bool Recorder::tick(std::uint32_t tick, std::span<const wire::Input> inputs,
                    wire::ByteView record) {
  if (!statistics_.recording) return true;
  for (const wire::Input& input : inputs) writer_->input(tick, wire::encode_input(input));
  if (!record.empty()) writer_->record(tick, record);
  if (!append(writer_->flush())) return false;
  statistics_.inputs += inputs.size();
  statistics_.records += record.empty() ? 0 : 1;
  return true;
}

bool Recorder::wants_snapshot(std::uint32_t tick) const {
  return statistics_.recording && tick - last_snapshot_ >= config_.snapshot_interval;
}

bool Recorder::snapshot(std::uint32_t tick, wire::ByteView bytes) {
  if (!statistics_.recording) return true;
  writer_->snapshot(tick, bytes);
  if (!append(writer_->flush())) return false;
  last_snapshot_ = tick;
  ++statistics_.snapshots;
  return true;
}

bool Recorder::close() {
  if (!statistics_.recording) return error_.empty();
  if (!append(writer_->close())) return false;
  statistics_.recording = false;
  const bool synced = ::fsync(file_) == 0 || errno == EINVAL || errno == EROFS;
  const int sync_error = errno;
  const bool closed = ::close(file_) == 0 || errno == EINTR;
  const int close_error = errno;
  file_ = -1;
  if (synced && closed) return true;
  error_ = "cannot finish the recording " + path_ + ": " +
           describe_errno(synced ? close_error : sync_error);
  ++statistics_.failed_writes;
  return false;
}

}  // namespace contrail::server
