#include <utility>

#include <contrail/wire/codec.hpp>
#include <contrail/wire/scenario_tables.hpp>

namespace contrail::wire {
namespace {

/// The one stated form, however large.
Bytes build(const SessionHeader& header) {
  sim::require(header.version_major == k_version_major, "this code writes its own version");
  sim::require(static_cast<bool>(check_scenario(header.scenario)),
               "the scenario satisfies check_scenario");
  flatbuffers::FlatBufferBuilder builder;
  const auto scenario = pack_scenario(builder, header.scenario);
  const auto table = fb::CreateSessionHeader(
      builder, header.version_major, header.version_minor, header.path_revision,
      header.fingerprint.a, header.fingerprint.b, static_cast<std::uint32_t>(header.session_id),
      static_cast<std::uint32_t>(header.session_id >> 32U), scenario);
  builder.Finish(table, k_session_identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace

Bytes encode_session_header(const SessionHeader& header) {
  Bytes bytes = build(header);
  sim::require(bytes.size() <= k_max_session_header_bytes, "a session header fits into its limit");
  return bytes;
}

CodecResult decode_session_header(ByteView bytes, SessionHeader& out) {
  const AlignedBytes aligned(bytes, k_max_session_header_bytes);
  const fb::SessionHeader* table = nullptr;
  if (const CodecResult opened = open_message(aligned, k_session_identifier, table); !opened) {
    return opened;
  }
  if (table->version_major() != k_version_major) {
    return {CodecError::out_of_range, "version_major"};
  }
  if (table->scenario() == nullptr) {
    return {CodecError::missing, "scenario"};
  }
  SessionHeader header;
  header.version_major = table->version_major();
  header.version_minor = table->version_minor();
  header.path_revision = table->path_revision();
  header.fingerprint.a = table->fingerprint_a();
  header.fingerprint.b = table->fingerprint_b();
  header.session_id = (std::uint64_t{table->session_high()} << 32U) | table->session_low();
  CodecResult result = unpack_scenario(*table->scenario(), header.scenario);
  if (result) {
    result = check_scenario(header.scenario);
  }
  if (!result) {
    return result;
  }
  if (!same_bytes(build(header), bytes)) {
    return {CodecError::not_canonical, "message"};
  }
  out = std::move(header);
  return k_decoded;
}

}  // namespace contrail::wire
