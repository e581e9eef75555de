#pragma once

// States of the floating-point unit in which a host may leave it, and proof that they are in force.

#include <cstdint>
#include <optional>
#include <string>

namespace contrail::battery {

enum class FpuState : std::uint8_t { unchanged, ftz, up, down, zero, nearest };

/// The state of a rounding mode's name.
std::optional<FpuState> rounding_state(const char* name);
/// Puts this thread into the state. False where the machine has no such state, or doesn't show it.
bool enter(FpuState state);
/// Is it in force: by the control register, and by what a division gives.
bool in_force(FpuState state);
/// Are subnormal results flushed to zero; of the unit that can be told to.
bool flushes_to_zero();
/// Rounding mode, flushing and control register, for people.
std::string describe_state();

}  // namespace contrail::battery
