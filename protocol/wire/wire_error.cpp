#include <contrail/wire/wire_error.hpp>

namespace contrail::wire {

const char* describe(CodecError error) {
  switch (error) {
    case CodecError::none:
      return "no error";
    case CodecError::too_short:
      return "too few bytes";
    case CodecError::too_long:
      return "too many bytes";
    case CodecError::bad_identifier:
      return "another kind of message";
    case CodecError::malformed:
      return "offsets or lengths that do not hold";
    case CodecError::overlapping:
      return "vectors larger than the message";
    case CodecError::missing:
      return "a field is missing";
    case CodecError::unexpected:
      return "a field that must not be there";
    case CodecError::empty_vector:
      return "a vector without elements";
    case CodecError::empty_record:
      return "a record that says nothing";
    case CodecError::out_of_range:
      return "a value out of range";
    case CodecError::bad_reserved:
      return "a reserved bit that is not 0";
    case CodecError::bad_time:
      return "a time outside its tick";
    case CodecError::bad_tick:
      return "a tick outside the window";
    case CodecError::unsorted:
      return "elements out of order";
    case CodecError::duplicate:
      return "two where one may be";
    case CodecError::bad_length:
      return "lengths that do not add up";
    case CodecError::bad_text:
      return "a name too long, not UTF-8 or with control characters";
    case CodecError::bad_reference:
      return "an index to something that is not there";
    case CodecError::too_many:
      return "more elements than the limit";
    case CodecError::not_canonical:
      return "not the canonical bytes";
  }
  return "unknown error";
}

}  // namespace contrail::wire
