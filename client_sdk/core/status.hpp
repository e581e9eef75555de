#pragma once

#include <cstddef>
#include <cstdint>

namespace contrail::client {

/// The answer of every SDK call that can be refused. Nothing was changed unless the call says so.
enum class Status : std::uint8_t {
  ok = 0,
  not_live,         // needs a joined session: call it while state() == State::live
  wrong_state,      // connect() twice, or a call after the object failed
  unreachable,      // no such host, or no route to it
  array_too_small,  // the first elements were written; Filled::needed says how many there are
  not_finite,       // a floating-point argument was NaN or infinite
  out_of_range,     // an argument outside the limits its comment gives
  outside_window,   // a time older than the kept 8 s of history, or more than 8 s ahead of the log
  unknown_missile,  // never launched, or ended so long ago that the log no longer keeps it
  unknown_entity,   // never spawned, or gone for so long that the log no longer keeps it
  not_allowed,      // a spectator cannot command
  too_many,         // more unanswered commands than the connection holds; poll results, try later
  failed,           // the object met an internal error; see failure()
};

/// One line of plain text, never null.
const char* describe(Status status);

/// What a call wrote into a caller's array. Arrays are filled from the front; elements from
/// `written` on are untouched.
struct Filled {
  Status status = Status::ok;
  std::size_t written = 0;
  std::size_t needed = 0;    // elements a large enough array would have received
  bool provisional = false;  // the time lies ahead of the received log: extrapolated, may change
};

}  // namespace contrail::client
