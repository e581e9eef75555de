#pragma once

#include "battery.hpp"

namespace contrail::battery {

/// Beyond the fingerprint's battery, and larger. launches: flights in any direction; tracks: keys
/// of every kind, steered ships; pursuit: homing ramps and gaps; hits: capsules touched or missed.
void path_stages(Stages& stages);

}  // namespace contrail::battery
