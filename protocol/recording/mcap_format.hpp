#pragma once

// The constants of the MCAP container, major version 0 (https://mcap.dev/spec). All integers in a
// file are little-endian; a string, map or array carries its length in bytes before it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace contrail::recording {

using Bytes = std::span<const std::uint8_t>;

enum class Opcode : std::uint8_t {
  header = 0x01,
  footer = 0x02,
  schema = 0x03,
  channel = 0x04,
  message = 0x05,
  chunk = 0x06,
  message_index = 0x07,
  chunk_index = 0x08,
  attachment = 0x09,
  attachment_index = 0x0A,
  statistics = 0x0B,
  metadata = 0x0C,
  metadata_index = 0x0D,
  summary_offset = 0x0E,
  data_end = 0x0F,
};

inline constexpr std::array<std::uint8_t, 8> k_magic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

/// Opcode and content length, before the content of every record.
inline constexpr std::size_t k_record_prefix_bytes = 1 + 8;
inline constexpr std::size_t k_footer_content_bytes = 8 + 8 + 4;
inline constexpr std::size_t k_data_end_content_bytes = 4;
/// Channel, sequence and the two times, before the data of a message.
inline constexpr std::size_t k_message_prefix_bytes = 2 + 4 + 8 + 8;
/// The footer record and the closing magic: the fixed end of every closed file.
inline constexpr std::size_t k_file_end_bytes =
    k_record_prefix_bytes + k_footer_content_bytes + k_magic.size();

/// Readers refuse a longer chunk before they look into it; writers never make one.
inline constexpr std::uint64_t k_max_chunk_bytes = 256u << 20;
/// Schemas and channels of one file; contrail writes four of each.
inline constexpr std::size_t k_max_declarations = 1024;

}  // namespace contrail::recording
