#pragma once

namespace contrail::server {

/// Makes SIGINT and SIGTERM ask for an orderly end, whatever disposition was inherited; a second
/// one ends the process at once with 128 + its number. SIGPIPE is ignored: a closed stdout is a
/// failed write. Call it first in main.
void catch_stop_signals();
/// One of them has come.
bool stop_requested();

}  // namespace contrail::server
