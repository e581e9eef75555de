#pragma once

#include <contrail/sim/fingerprint.hpp>

namespace contrail::battery {

/// What the same kind of work gives in float and double: curves, a normalisation, a decaying sum.
/// The matrix's control: cells that really differ don't agree on this one.
sim::Hash64 float_witness();

}  // namespace contrail::battery
