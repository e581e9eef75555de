#pragma once

// What all FlatBuffers messages share: how bytes become a verified table, and how checks answer.
// Private to the codec.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <contrail_generated.h>
#include <contrail/sim/assert.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/wire_error.hpp>

namespace contrail::wire {

inline constexpr CodecResult k_decoded{};

inline constexpr const char* k_record_identifier = "CTRL";
inline constexpr const char* k_session_identifier = "CTSH";
inline constexpr const char* k_snapshot_identifier = "CTSN";
inline constexpr const char* k_input_identifier = "CTIN";

/// The bytes at an address that is a multiple of 16, copied there when they are not. Bytes beyond
/// the limit are not copied: no message is that long.
class AlignedBytes {
 public:
  AlignedBytes(ByteView bytes, std::size_t max_bytes) : view_(bytes), max_bytes_(max_bytes) {
    if (!bytes.empty() && bytes.size() <= max_bytes &&
        reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(Block) != 0) {
      copy_.resize((bytes.size() + sizeof(Block) - 1) / sizeof(Block));
      std::memcpy(copy_.data(), bytes.data(), bytes.size());
      view_ = ByteView(reinterpret_cast<const std::uint8_t*>(copy_.data()), bytes.size());
    }
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  [[nodiscard]] ByteView view() const { return view_; }
  [[nodiscard]] bool is_too_long() const { return view_.size() > max_bytes_; }

 private:
  struct alignas(16) Block {
    std::array<std::uint8_t, 16> bytes;
  };
  std::vector<Block> copy_;
  ByteView view_;
  std::size_t max_bytes_;
};

/// The root table of a message, or why there is none. `identifier` may be null: then the message
/// has none. Length comes before identifier, because the generated test of it reads past short
/// buffers.
template <class Table>
CodecResult open_message(const AlignedBytes& bytes, const char* identifier, const Table*& out) {
  constexpr std::size_t k_identifier_end = 8;
  constexpr flatbuffers::uoffset_t k_max_depth = 8;
  constexpr flatbuffers::uoffset_t k_max_tables = 65'536;
  const ByteView view = bytes.view();
  if (view.size() < k_identifier_end + 4) {
    return {CodecError::too_short, "message"};
  }
  if (bytes.is_too_long()) {
    return {CodecError::too_long, "message"};
  }
  if (identifier != nullptr && std::memcmp(view.data() + 4, identifier, 4) != 0) {
    return {CodecError::bad_identifier, "message"};
  }
  flatbuffers::Verifier verifier(view.data(), view.size(), k_max_depth, k_max_tables);
  if (!verifier.VerifyBuffer<Table>(nullptr)) {
    return {CodecError::malformed, "message"};
  }
  out = flatbuffers::GetRoot<Table>(view.data());
  return k_decoded;
}

/// Whether a scalar field stands in the table, its default value included.
template <class Table>
bool has_field(const Table& table, flatbuffers::voffset_t field) {
  return reinterpret_cast<const flatbuffers::Table&>(table).CheckField(field);
}

/// Number of elements; 0 of an absent vector.
template <class Vector>
std::size_t length_of(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}

/// Bytes the elements of a vector of structs take.
template <class Struct>
std::size_t bytes_of(const flatbuffers::Vector<const Struct*>* vector) {
  return length_of(vector) * sizeof(Struct);
}

inline bool same_bytes(ByteView a, ByteView b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace contrail::wire
