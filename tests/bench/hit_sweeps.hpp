#pragma once

namespace contrail::bench {

/// What simpler tests miss and invent, beside the exact answer: a point once a tick, and the
/// segment swept relative to the hull. Prints a table.
void compare_sweeps();

}  // namespace contrail::bench
