#include <contrail/replay/recorded_session.hpp>

namespace contrail::server {

std::string describe(const recording::Fault& fault) {
  return std::string(recording::describe(fault.error)) + ", at byte " +
         std::to_string(fault.offset);
}

bool RecordedSession::open(const std::string& path) {
  if (!file_.open(path)) {
    error_ = file_.error();
    return false;
  }
  return open_bytes(file_.bytes(), path);
}

bool RecordedSession::open_bytes(std::span<const std::uint8_t> bytes, const std::string& name) {
  name_ = name;
  if (const recording::Fault fault = reader_.open(bytes)) {
    error_ = "cannot read " + name + ": " + describe(fault);
    return false;
  }
  const wire::CodecResult decoded = wire::decode_session_header(reader_.session(), header_);
  if (!decoded) {
    error_ = "cannot read " + name + ": session header: " + decoded.field + ": " +
             wire::describe(decoded.error);
    return false;
  }
  if (header_.scenario.log2_tick != reader_.log2_tick()) {
    error_ = "cannot read " + name + ": session header and recording differ in the tick length";
    return false;
  }
  scenario_ = std::make_shared<const sim::Scenario>(header_.scenario);
  own_fingerprint_ = sim::compute_fingerprint().all;
  return true;
}

std::string RecordedSession::incompatibility() const {
  if (header_.path_revision != wire::k_path_revision) {
    return "recorded with path revision " + std::to_string(header_.path_revision) +
           ", this program has " + std::to_string(wire::k_path_revision);
  }
  if (header_.fingerprint != own_fingerprint_) {
    return "recorded with fingerprint " + header_.fingerprint.hex() + ", this program has " +
           own_fingerprint_.hex();
  }
  return {};
}

}  // namespace contrail::server
