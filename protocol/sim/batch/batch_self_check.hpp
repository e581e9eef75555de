#pragma once

// The start-up check of batch evaluation: a target is used only when it computes on this very
// machine what the scalar code does.

#include <optional>
#include <string>
#include <vector>

#include <contrail/sim/batch/batch_target.hpp>
#include <contrail/sim/fingerprint.hpp>

namespace contrail::sim {

/// Hash of what a target computes on a fixed battery: whole flights, single pieces in any order,
/// positions, velocities and orientations under announced, lost and later locks. Equal for every
/// target of every build. A few milliseconds; any thread. `target` is one of batch_targets().
Hash64 batch_fingerprint(BatchTarget target);

struct BatchChoice {
  BatchTarget target = BatchTarget::scalar;
  /// Faster targets that this processor runs and that computed something else: a fault of compiler,
  /// processor or emulator worth reporting. Empty on a sound machine.
  std::vector<BatchTarget> refused;
};

/// The fastest target whose batch_fingerprint() is the scalar one. Every program calls it once when
/// it computes its fingerprint, and says so when something was refused.
/// `planted` is a test seam: that target is checked with one control point of one missile off by
/// one.
BatchChoice choose_batch_target(std::optional<BatchTarget> planted = std::nullopt);

/// One line for a log: what is used, and what computed something else and is not.
std::string describe(const BatchChoice& choice);

}  // namespace contrail::sim
