#pragma once

// The scenario between its decoded and its wire form. Private to the codec.

#include <contrail/sim/scenario.hpp>
#include <contrail/wire/message.hpp>

namespace contrail::wire {

/// Any scenario inside the ranges of check_scenario.
flatbuffers::Offset<fb::Scenario> pack_scenario(flatbuffers::FlatBufferBuilder& builder,
                                                const sim::Scenario& scenario);
/// Checks only what bounds the work and what a field's type cannot hold; check_scenario does the
CodecResult unpack_scenario(const fb::Scenario& table, sim::Scenario& out);

}  // namespace contrail::wire
