#pragma once

#include "battery.hpp"

namespace contrail::battery {

/// batch_compile: flights of salvos compiled side by side, on every SIMD target of this build and
/// processor; batch_evaluate: every missile of random worlds at one time, likewise. The hash is
/// that of the scalar code, one missile at a time, and another one where a target differs: which
/// targets there are does not show in it.
void batch_stages(Stages& stages);

/// Names of the targets that batch_stages() runs, space-separated.
std::string batch_target_list();

}  // namespace contrail::battery
