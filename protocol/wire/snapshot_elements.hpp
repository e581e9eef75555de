#pragma once

// Each element of a snapshot between its decoded and its wire form, and the ranges it may have.
// Private to the codec.

#include <contrail/sim/snapshot.hpp>
#include <contrail/wire/record_elements.hpp>

namespace contrail::wire {

// `now` is the snapshot's tick: nothing in it is later.
fb::SnapSalvo pack(const sim::SnapshotSalvo& in, const Place& now);
fb::SnapEnd pack(const sim::SnapshotEnd& in, const Place& now);
fb::SnapEvent pack(const sim::SnapshotEvent& in, const Place& now);
fb::SnapEntity pack(const sim::SnapshotEntity& in, const Place& now);
fb::SnapTrack pack(const sim::SnapshotTrack& in, const Place& now);
fb::SnapKey pack(const sim::SnapshotKey& in, const Place& now);
fb::SnapAttitude pack(const sim::SnapshotAttitude& in, const Place& now);
fb::SnapTurret pack(const sim::SnapshotTurret& in, const Place& now);
fb::SnapBurst pack(const sim::SnapshotBurst& in, const Place& now);

CodecResult unpack(const fb::SnapSalvo& in, const Place& now, sim::SnapshotSalvo& out);
CodecResult unpack(const fb::SnapEnd& in, const Place& now, sim::SnapshotEnd& out);
CodecResult unpack(const fb::SnapEvent& in, const Place& now, sim::SnapshotEvent& out);
CodecResult unpack(const fb::SnapEntity& in, const Place& now, sim::SnapshotEntity& out);
CodecResult unpack(const fb::SnapTrack& in, const Place& now, sim::SnapshotTrack& out);
CodecResult unpack(const fb::SnapKey& in, const Place& now, sim::SnapshotKey& out);
CodecResult unpack(const fb::SnapAttitude& in, const Place& now, sim::SnapshotAttitude& out);
CodecResult unpack(const fb::SnapTurret& in, const Place& now, sim::SnapshotTurret& out);
CodecResult unpack(const fb::SnapBurst& in, const Place& now, sim::SnapshotBurst& out);

/// Two Q24 axes of length 1 at right angles, within 1/8192.
bool is_basis(const sim::Basis& b);

}  // namespace contrail::wire
