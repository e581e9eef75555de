#pragma once

#include "battery.hpp"

namespace contrail::battery {

/// rounding: every operation that rounds; trig: sine, cosine, arc tangent.
void arithmetic_stages(Stages& stages);

}  // namespace contrail::battery
