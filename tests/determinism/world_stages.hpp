#pragma once

#include "battery.hpp"

namespace contrail::battery {

/// world: random logs folded, state hashes, positions of every missile, worlds restored from
/// snapshots.
void world_stages(Stages& stages);

}  // namespace contrail::battery
