#pragma once

namespace contrail::server {

/// What contrail-replay's exit status says.
enum class ExitCode : int {
  ok = 0,         // done, or equal
  failure = 1,    // the recording can't be read, or is damaged
  usage = 2,      // command line
  loss = 3,       // done, but the recording was never closed: its end may be missing
  different = 4,  // compared, and not equal
};

}  // namespace contrail::server
