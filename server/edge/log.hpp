#pragma once

// Log lines on stderr, as text or as one JSON object a line.

#include <cstdint>
#include <memory>
#include <string>

namespace contrail::server {

enum class LogFormat : std::uint8_t { text, json };
enum class LogLevel : std::uint8_t { debug, info, warning, error, off };

/// One thread at a time.
class Log {
 public:
  Log(LogFormat format, LogLevel level);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void debug(const std::string& message);
  void info(const std::string& message);
  void warning(const std::string& message);
  void error(const std::string& message);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contrail::server
