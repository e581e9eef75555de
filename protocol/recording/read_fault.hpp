#pragma once

#include <cstdint>
#include <string_view>

namespace contrail::recording {

/// Why a recording, or the rest of it, can't be read.
enum class ReadError : std::uint8_t {
  none = 0,
  empty_file,
  not_mcap,           // no magic at the start
  wrong_version,      // MCAP of another major version
  not_contrail,       // the header names another profile
  truncated_record,   // the file ends inside a record
  bad_length,         // a length inside a record contradicts the record's own
  unexpected_record,  // a record kind where it must not be
  not_closed,         // the data ends without the end-of-data record
  bad_footer,         // footer, its offsets or the closing magic
  bad_data_end,
  data_crc,
  summary_crc,
  chunk_crc,
  chunk_header,  // times or sizes differ from the chunk's contents
  unsupported_compression,
  too_large,
  bad_declaration,      // schema or channel: id 0, twice, or a channel of an unknown schema
  unknown_channel,      // a message of a channel never declared
  message_index,        // differs from the messages of its chunk
  chunk_index,          // the summary's index differs from the chunks
  summary_declaration,  // the summary's schemas or channels differ from the data's
  statistics,           // differ from what the file holds
  summary_offset,       // differs from the groups of the summary
  missing_channel,      // not one of each of contrail's channels
  bad_tick_length,
  no_session,  // does not begin with one session header
  second_session,
  bad_time,    // a message's times are not those of its tick
  tick_order,  // ticks go backwards, or forward by more than an hour
};

/// What `error` means, for people: "the chunk's contents do not match their CRC".
[[nodiscard]] std::string_view describe(ReadError error);

/// Where and why reading stopped.
struct Fault {
  ReadError error = ReadError::none;
  std::uint64_t offset = 0;  // bytes from the start of the file, of the record or field at fault
  explicit operator bool() const { return error != ReadError::none; }
  bool operator==(const Fault&) const = default;
};

}  // namespace contrail::recording
