#pragma once

// Turrets of a scenario between their decoded and their wire form, and the ranges they may have.
// Private to the codec.

#include <contrail/sim/scenario.hpp>
#include <contrail/wire/message.hpp>

namespace contrail::wire {

flatbuffers::Offset<fb::Turret> pack_turret(flatbuffers::FlatBufferBuilder& builder,
                                            const sim::Turret& turret);
/// Everything but the name.
CodecResult unpack_turret(const fb::Turret& table, sim::Turret& out);
/// Everything but the name.
CodecResult check_turret(const sim::Turret& turret);

}  // namespace contrail::wire
