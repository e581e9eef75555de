#pragma once

// Why bytes were refused. Bytes from a peer or a file are checked, never asserted.

#include <cstdint>

namespace contrail::wire {

enum class CodecError : std::uint8_t {
  none = 0,
  too_short,       // fewer bytes than the smallest message of this kind
  too_long,        // more bytes than the largest message of this kind
  bad_identifier,  // not this kind of message
  malformed,       // offsets, lengths or alignment that do not hold (FlatBuffers verifier)
  overlapping,     // vectors that together are larger than the message
  missing,         // a field that must be there
  unexpected,      // a field that must not be there
  empty_vector,    // a vector without elements; absent is the form for none
  empty_record,    // a record that says nothing
  out_of_range,    // a value outside its range
  bad_reserved,    // a spare byte or bit that is not 0
  bad_time,        // an absolute time outside its tick
  bad_tick,        // a tick outside the complete ticks of the packet, or tick 0
  unsorted,        // elements out of their stated order
  duplicate,       // two where one may be
  bad_length,      // lengths of parts that do not add up
  bad_text,        // a name too long, not UTF-8, or with control characters
  bad_reference,   // an index to something the same message does not hold
  too_many,        // more elements than a limit allows
  not_canonical,   // the same content in other bytes than the one stated form
};
/// A short English phrase, static storage.
const char* describe(CodecError error);

/// The answer of every decode function. True when the bytes were good.
struct CodecResult {
  CodecError error = CodecError::none;
  const char* field = "";  // what was wrong, as "launches.pieces"; static storage
  explicit operator bool() const { return error == CodecError::none; }
};

}  // namespace contrail::wire
