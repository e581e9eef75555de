#pragma once

#include "battery.hpp"

namespace contrail::battery {

/// The bytes of everything that travels: records (records), packet bodies (packets), session
/// headers, snapshots, inputs, commands (messages), and the outside of datagrams (datagrams). What
/// is written is read back.
void wire_stages(Stages& stages);

}  // namespace contrail::battery
