#pragma once

#include <cstdint>

namespace contrail::wire {

/// What travels in slices.
enum class StreamKind : std::uint8_t {
  session_header = 0,  // id 0
  snapshot = 1,        // id = its tick
  record = 2,          // canonical bytes of a tick too large for a packet; id = its tick
};
inline constexpr StreamKind k_last_stream_kind = StreamKind::record;

struct StreamName {
  StreamKind kind = StreamKind::session_header;
  std::uint32_t id = 0;
  bool operator==(const StreamName&) const = default;
};

}  // namespace contrail::wire
