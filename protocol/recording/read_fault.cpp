#include <contrail/recording/read_fault.hpp>

namespace contrail::recording {

std::string_view describe(ReadError error) {
  switch (error) {
    case ReadError::none:
      return "no fault";
    case ReadError::empty_file:
      return "the file is empty";
    case ReadError::not_mcap:
      return "not a recording: it does not begin with the MCAP magic";
    case ReadError::wrong_version:
      return "MCAP of another major version than 0";
    case ReadError::not_contrail:
      return "an MCAP file, but not of the profile 'contrail'";
    case ReadError::truncated_record:
      return "the file ends inside a record";
    case ReadError::bad_length:
      return "a length contradicts the record it is in";
    case ReadError::unexpected_record:
      return "a record of a kind that has no place here";
    case ReadError::not_closed:
      return "the recording was not closed";
    case ReadError::bad_footer:
      return "the footer does not fit the file";
    case ReadError::bad_data_end:
      return "the end-of-data record is damaged";
    case ReadError::data_crc:
      return "the data section does not match its CRC";
    case ReadError::summary_crc:
      return "the summary does not match its CRC";
    case ReadError::chunk_crc:
      return "the chunk's contents do not match their CRC";
    case ReadError::chunk_header:
      return "the chunk's times or sizes are not those of its contents";
    case ReadError::unsupported_compression:
      return "a chunk compression this build does not know";
    case ReadError::too_large:
      return "larger than any recording has it";
    case ReadError::bad_declaration:
      return "a schema or channel is declared wrongly";
    case ReadError::unknown_channel:
      return "a message of a channel that was never declared";
    case ReadError::message_index:
      return "the message index differs from the chunk before it";
    case ReadError::chunk_index:
      return "the summary's chunk index differs from the chunks";
    case ReadError::summary_declaration:
      return "the summary's schemas or channels differ";
    case ReadError::statistics:
      return "the statistics differ from the contents";
    case ReadError::summary_offset:
      return "the summary offsets differ from the summary";
    case ReadError::missing_channel:
      return "one of contrail's channels is missing or there twice";
    case ReadError::bad_tick_length:
      return "the session channel names no valid tick length";
    case ReadError::no_session:
      return "does not begin with a session header";
    case ReadError::second_session:
      return "a second session header";
    case ReadError::bad_time:
      return "a message's times are not those of its tick";
    case ReadError::tick_order:
      return "ticks go backwards, or jump by more than an hour";
  }
  return "unknown fault";
}

}  // namespace contrail::recording
