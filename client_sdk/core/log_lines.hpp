#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace contrail::client {

enum class LogLevel : std::uint8_t { info, warning, error };

/// One line of what the SDK has to say to a developer; English, without a line break.
struct LogLine {
  LogLevel level = LogLevel::info;
  std::string text;
};

/// Lines waiting for a host that polls them. The SDK prints nothing by itself.
class LogLines {
 public:
  static constexpr std::size_t k_capacity = 256;

  void add(LogLevel level, std::string text) {
    if (lines_.size() == k_capacity) {
      lines_.pop_front();
      ++dropped_;
    }
    lines_.push_back({level, std::move(text)});
  }
  /// Takes the oldest line; false when there is none.
  bool pop(LogLine& out) {
    if (lines_.empty()) return false;
    out = std::move(lines_.front());
    lines_.pop_front();
    return true;
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  std::deque<LogLine> lines_;
  std::uint64_t dropped_ = 0;
};

}  // namespace contrail::client
