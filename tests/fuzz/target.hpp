#pragma once

// What a fuzz target is, and the tools all of them use. A target takes any bytes, does with them
// what the product would, and checks what must hold whatever the bytes are. contrail-fuzz runs one
// of them under libFuzzer; corpus_test runs the committed corpus through all of them.

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <contrail/wire/byte_io.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/packet_header.hpp>
#include <contrail/wire/wire_error.hpp>

namespace contrail::fuzz {

using wire::Bytes;
using wire::ByteView;

/// What became of an input; the views are of static storage. A file of the corpus that is refused
/// is named after it: refused_<why>_<field>.
struct Outcome {
  bool accepted = true;
  std::string_view why;
  std::string_view field;
};
inline constexpr Outcome k_accepted{};

/// "refused_value_outside_its_range_launches_pieces"; "accepted".
std::string word_of(const Outcome& outcome);

struct Target {
  std::string_view name;  // of its folder in the corpus, too
  std::size_t max_bytes;  // of an input
  int weight;             // share of the runs, in thousandths
  Outcome (*run)(ByteView input);
};

/// All of them; their weights add up to 1000.
std::span<const Target> targets();
/// Null for an unknown name.
const Target* find_target(std::string_view name);

/// Something that must hold did not.
class Violation final : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
inline void check(bool holds, const char* what) {
  if (!holds) throw Violation(what);
}

/// A copy at an address that is a multiple of 16, plus `shift`, with nothing behind its last byte:
/// reading on is seen by the address sanitizer, and alignment is what the test wants it to be.
class ExactCopy {
 public:
  explicit ExactCopy(ByteView bytes, std::size_t shift = 0);
  [[nodiscard]] ByteView view() const { return {memory_.get() + shift_, size_}; }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t shift_;
  std::size_t size_;
};

inline Outcome outcome_of(const wire::CodecResult& result) {
  return {static_cast<bool>(result), describe(result.error), result.field};
}
inline Outcome outcome_of(wire::PacketError error) {
  return {error == wire::PacketError::none, describe(error), {}};
}

/// The head of an input: what a decoder is told beside its bytes.
struct Parameters {
  explicit Parameters(ByteView input) : reader(input) {}
  int log2_tick() { return 9 + reader.u8() % 5; }
  ByteView rest() { return reader.bytes(reader.left()); }
  wire::ByteReader reader;
};

/// What holds for every decoder that takes the stated bytes only: the answer does not depend on
/// where the bytes lie, `sentinel` is untouched by what is refused, and what is accepted is
/// encoded into the same bytes again. `decode(bytes, out)` and `encode(value)`.
template <class Value, class Decode, class Encode>
Outcome check_canonical(ByteView bytes, const Value& sentinel, const Decode& decode,
                        const Encode& encode, Value& out) {
  const ExactCopy aligned(bytes);
  const ExactCopy shifted(bytes, 1);
  out = sentinel;
  const wire::CodecResult result = decode(aligned.view(), out);
  Value other = sentinel;
  const wire::CodecResult again = decode(shifted.view(), other);
  check(
      result.error == again.error && std::string_view(result.field) == again.field && out == other,
      "the answer depends on where the bytes lie");
  if (!result) {
    check(out == sentinel, "a refused message changed the output");
    return outcome_of(result);
  }
  const Bytes encoded = encode(out);
  check(std::equal(encoded.begin(), encoded.end(), bytes.begin(), bytes.end()),
        "an accepted message is encoded into other bytes");
  return k_accepted;
}

}  // namespace contrail::fuzz
