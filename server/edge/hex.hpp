#pragma once

#include <cstdint>
#include <string>

namespace contrail::server {

/// 16 hex digits.
inline std::string hex64(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4U) text[i] = "0123456789abcdef"[value & 15U];
  return text;
}

}  // namespace contrail::server
