#include <memory>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <nlohmann/json.hpp>

#include <contrail/edge/log.hpp>

namespace contrail::server {

namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

/// A message as JSON text: peers and files have a hand in what it says.
class JsonMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    const std::string text(message.payload.begin(), message.payload.end());
    const std::string json =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.append(json.data(), json.data() + json.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonMessage>();
  }
};

}  // namespace

struct Log::Impl {
  spdlog::logger logger{"contrail", std::make_shared<spdlog::sinks::stderr_sink_st>()};
};

Log::Log(LogFormat format, LogLevel level) : impl_(std::make_unique<Impl>()) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  if (format == LogFormat::json) {
    formatter->add_flag<JsonMessage>('*').set_pattern(
        R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
  } else {
    formatter->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
  }
  impl_->logger.set_formatter(std::move(formatter));
  impl_->logger.set_level(to_spdlog(level));
}

Log::~Log() = default;

// The message is data, never a format string.
void Log::debug(const std::string& message) {
  impl_->logger.debug("{}", message);
}
void Log::info(const std::string& message) {
  impl_->logger.info("{}", message);
}
void Log::warning(const std::string& message) {
  impl_->logger.warn("{}", message);
}
void Log::error(const std::string& message) {
  impl_->logger.error("{}", message);
}

}  // namespace contrail::server
