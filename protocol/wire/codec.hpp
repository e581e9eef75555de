#pragma once

// The only reader and writer of log bytes: tick records, packet bodies, session header, snapshot,
// inputs and commands. SPEC.md, "Wire format", is the definition.
//
// Encoders assert that values are inside the ranges of the format; who takes values from outside
// checks them first. Decoders check everything that needs no state, whatever the bytes: length,
// identifier, structure, every range, order. On an error the output is unchanged. References into
// the scenario (weapon 7 of a launch) are checked by sim::World. Bytes may have any alignment.
//
// All functions are pure and may be called from any thread. `log2_tick` is the scenario's, 9..13.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <contrail/sim/fingerprint.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/sim/scenario.hpp>
#include <contrail/sim/snapshot.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/commands.hpp>
#include <contrail/wire/wire_error.hpp>
#include <contrail/wire/wire_limits.hpp>

namespace contrail::wire {

// ---- tick records ------------------------------------------------------------------------------

/// The canonical bytes of one record: equal records give equal bytes, on every machine. The record
/// must not be empty, its tick >= 1, and record_bytes(record) <= k_max_record_bytes.
Bytes encode_record(const sim::TickRecord& record, int log2_tick);

/// Refuses every byte sequence but the canonical one.
CodecResult decode_record(ByteView bytes, int log2_tick, sim::TickRecord& out);

/// Exact size of the canonical bytes; of an empty record too, which cannot be encoded.
std::size_t record_bytes(const sim::TickRecord& record);

// ---- packet bodies -----------------------------------------------------------------------------

/// The records of several ticks in one message, oldest first, ticks in (last_tick - W, last_tick]
/// with W = window_ticks(log2_tick). Empty records and an empty span give no bytes.
Bytes encode_packet_body(std::span<const sim::TickRecord* const> records, std::uint32_t last_tick,
                         int log2_tick);

/// `complete_bits`: bit i is set when everything of tick last_tick - i is here; records of other
/// ticks are refused, bits of W and above are not looked at. Gives the records that are not empty,
/// oldest first. No bytes are no records.
CodecResult decode_packet_body(ByteView bytes, std::uint32_t last_tick, std::uint32_t complete_bits,
                               int log2_tick, std::vector<sim::TickRecord>& out);

/// Exact size of a packet body, counted while records are added to it.
class PacketBodySize {
 public:
  void add(const sim::TickRecord& record);
  [[nodiscard]] std::size_t bytes() const;
  /// What bytes() would be after add(record).
  [[nodiscard]] std::size_t bytes_with(const sim::TickRecord& record) const;

  static constexpr std::size_t k_vectors = 15;
  /// Elements of each vector, custom_bytes counted in bytes.
  using Counts = std::array<std::size_t, k_vectors>;

 private:
  Counts counts_{};
};

// ---- session header ----------------------------------------------------------------------------

/// What a reader of the log starts from. Sent before the snapshot; identical in a recording.
struct SessionHeader {
  std::uint16_t version_major = k_version_major;
  std::uint16_t version_minor = k_version_minor;
  std::uint16_t path_revision = k_path_revision;
  sim::Hash64 fingerprint{0, 0};  // Fingerprint::all of the server
  std::uint64_t session_id = 0;
  sim::Scenario scenario;
  bool operator==(const SessionHeader&) const = default;
};

/// The scenario must satisfy check_scenario.
Bytes encode_session_header(const SessionHeader& header);
/// Versions and fingerprint are given as they stand: whether they match is the caller's question,
/// except that another version_major is refused (out_of_range).
CodecResult decode_session_header(ByteView bytes, SessionHeader& out);

/// Every range of a scenario, cross-references included; the same test the decoder makes. For who
/// builds a scenario from a file.
CodecResult check_scenario(const sim::Scenario& scenario);

/// Largest noise frequency a weapon may have, Q16 cells per second: half a cell a piece with
/// B-spline noise, a quarter with Perlin; pieces are those of its flight time, else the longest.
std::int32_t max_frequency(const sim::Weapon& weapon);

// ---- snapshots ---------------------------------------------------------------------------------

Bytes encode_snapshot(const sim::Snapshot& snapshot, int log2_tick);
CodecResult decode_snapshot(ByteView bytes, int log2_tick, sim::Snapshot& out);

// ---- inputs and commands -----------------------------------------------------------------------

/// For recordings: one accepted input.
Bytes encode_input(const Input& input);
/// Whether encode_input would take this command; else the field that is outside its range.
CodecResult check_command(const Command& command);
CodecResult decode_input(ByteView bytes, Input& out);

/// The body of a client's command message: 1..k_max_commands commands, ids strictly ascending.
Bytes encode_commands(std::span<const Command> commands);
CodecResult decode_commands(ByteView bytes, std::vector<Command>& out);

// ---- schema ------------------------------------------------------------------------------------

/// contrail.fbs as text.
std::string_view schema_text();
/// The same compiled by flatc (reflection.fbs), as recordings embed it.
ByteView schema_binary();

}  // namespace contrail::wire
