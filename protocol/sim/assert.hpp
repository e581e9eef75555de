#pragma once

// Contracts between callers and this library. Bytes from outside are checked where they are decoded
// and answered with a reason; a broken contract is a fault in the program. These checks stay on in
// release builds.
//
// A failed check throws AssertionFailure, the only exception of this library. Nobody inside the
// simulation or the server catches it: there it ends the process through std::terminate, which
// prints the message. The client SDK catches it at its outer boundary, turns the object into its
// failed state and never uses that object's world again, so the host process lives on.

#include <stdexcept>

namespace contrail::sim {

/// A contract that did not hold; what() names it with file and line.
class AssertionFailure final : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws AssertionFailure("file:line: expected that <contract>").
[[noreturn]] void assertion_failed(const char* contract, const char* file, int line);

/// `contract` says what must hold, as in require(count > 0, "a salvo has missiles").
inline void require(bool holds, const char* contract, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!holds) [[unlikely]] {
    assertion_failed(contract, file, line);
  }
}

}  // namespace contrail::sim
