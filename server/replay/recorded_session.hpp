#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <contrail/recording/recording_reader.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/wire/codec.hpp>

#include <contrail/replay/mapped_file.hpp>

namespace contrail::server {

/// A recording with its session header decoded: what every command starts from.
class RecordedSession {
 public:
  /// False, with error(), when there is no readable session. A recording that is cut off or damaged
  /// further on opens with its valid prefix: see reader().damage().
  [[nodiscard]] bool open(const std::string& path);
  /// The same over bytes that outlive this object; `name` stands for them in messages.
  [[nodiscard]] bool open_bytes(std::span<const std::uint8_t> bytes, const std::string& name);

  /// Why this program can't reproduce the session: its arithmetic or protocol is another one.
  /// Empty when it can.
  [[nodiscard]] std::string incompatibility() const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const recording::RecordingReader& reader() const { return reader_; }
  [[nodiscard]] const wire::SessionHeader& header() const { return header_; }
  [[nodiscard]] std::shared_ptr<const sim::Scenario> scenario() const { return scenario_; }
  [[nodiscard]] int log2_tick() const { return header_.scenario.log2_tick; }
  [[nodiscard]] const sim::Hash64& own_fingerprint() const { return own_fingerprint_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  MappedFile file_;
  std::string name_;
  recording::RecordingReader reader_;
  wire::SessionHeader header_;
  std::shared_ptr<const sim::Scenario> scenario_;
  sim::Hash64 own_fingerprint_;
  std::string error_;
};

/// "the chunk's contents do not match their CRC, at byte 4711"
std::string describe(const recording::Fault& fault);

}  // namespace contrail::server
