// Damaged bytes: truncations, single byte changes, random mutations, nonsense lengths. Run under
// the address and undefined-behaviour sanitizers to see reads outside the buffer; here, whatever is
// accepted must encode and decode to itself.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;
constexpr int k_log2_tick = 11;
constexpr std::uint32_t k_last_tick = 1000;

/// Decodes bytes; true if accepted, after checking that what was read is stable.
using Decode = std::function<bool(ByteView)>;

bool read_record(ByteView bytes) {
  sim::TickRecord out;
  if (!decode_record(bytes, k_log2_tick, out)) {
    EXPECT_EQ(out, sim::TickRecord{});
    return false;
  }
  EXPECT_EQ(encode_record(out, k_log2_tick), Bytes(bytes.begin(), bytes.end()));
  return true;
}

bool read_body(ByteView bytes) {
  std::vector<sim::TickRecord> out;
  if (!decode_packet_body(bytes, k_last_tick, 0xFFFF'FFFF, k_log2_tick, out)) {
    EXPECT_TRUE(out.empty());
    return false;
  }
  std::vector<const sim::TickRecord*> records;
  records.reserve(out.size());
  for (const sim::TickRecord& r : out) {
    records.push_back(&r);
  }
  std::vector<sim::TickRecord> again;
  EXPECT_TRUE(decode_packet_body(encode_packet_body(records, k_last_tick, k_log2_tick), k_last_tick,
                                 0xFFFF'FFFF, k_log2_tick, again));
  EXPECT_EQ(again, out);
  return true;
}

bool read_header(ByteView bytes) {
  SessionHeader out;
  if (!decode_session_header(bytes, out)) {
    return false;
  }
  EXPECT_EQ(encode_session_header(out), Bytes(bytes.begin(), bytes.end()));
  return true;
}

bool read_snapshot(ByteView bytes) {
  sim::Snapshot out;
  if (!decode_snapshot(bytes, k_log2_tick, out)) {
    return false;
  }
  EXPECT_EQ(encode_snapshot(out, k_log2_tick), Bytes(bytes.begin(), bytes.end()));
  return true;
}

bool read_input(ByteView bytes) {
  Input out;
  if (!decode_input(bytes, out)) {
    return false;
  }
  EXPECT_EQ(encode_input(out), Bytes(bytes.begin(), bytes.end()));
  return true;
}

bool read_commands(ByteView bytes) {
  std::vector<Command> out;
  if (!decode_commands(bytes, out)) {
    return false;
  }
  EXPECT_EQ(encode_commands(out), Bytes(bytes.begin(), bytes.end()));
  return true;
}

struct Kind {
  const char* name;
  std::function<Bytes(Dice&)> make;
  Decode decode;
};

Bytes small_body(Dice& dice) {
  for (;;) {
    const sim::TickRecord a = samples::random_record(dice, k_last_tick - 5, k_log2_tick, 3);
    const sim::TickRecord b = samples::random_record(dice, k_last_tick, k_log2_tick, 3);
    const sim::TickRecord* records[] = {&a, &b};
    const Bytes bytes = encode_packet_body(records, k_last_tick, k_log2_tick);
    if (bytes.size() <= k_max_datagram_bytes) {
      return bytes;
    }
  }
}

std::vector<Kind> kinds() {
  return {
      {"record",
       [](Dice& d) {
         return encode_record(samples::random_record(d, k_last_tick, k_log2_tick, 3), k_log2_tick);
       },
       read_record},
      {"packet body", small_body, read_body},
      {"session header", [](Dice& d) { return encode_session_header(samples::random_header(d)); },
       read_header},
      {"snapshot",
       [](Dice& d) {
         return encode_snapshot(samples::random_snapshot(d, k_log2_tick), k_log2_tick);
       },
       read_snapshot},
      {"input", [](Dice& d) { return encode_input(samples::random_input(d)); }, read_input},
      {"commands", [](Dice& d) { return encode_commands(samples::random_commands(d)); },
       read_commands},
  };
}

/// A copy that ends where its memory ends, so that a read past it is seen.
bool decode_exact(const Kind& kind, const Bytes& bytes) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  return kind.decode({exact.get(), bytes.size()});
}

TEST(CodecDamage, EveryTruncationIsRefused) {
  const std::uint64_t seed = samples::test_seed(20'010);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    for (int i = 0; i < samples::repetitions(10); ++i) {
      const Bytes bytes = kind.make(dice);
      ASSERT_TRUE(decode_exact(kind, bytes));
      const bool is_body = std::string(kind.name) == "packet body";
      for (std::size_t n = is_body ? 1 : 0; n < bytes.size(); ++n) {
        const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
        // The padding behind the last vector of a body carries nothing.
        const bool only_padding_lost = is_body && bytes.size() - n <= 3;
        ASSERT_FALSE(decode_exact(kind, cut) && !only_padding_lost) << n;
      }
    }
  }
}

TEST(CodecDamage, EveryChangedByteIsRefusedOrReadAsAnotherValidMessage) {
  const std::uint64_t seed = samples::test_seed(20'011);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    std::size_t refused = 0;
    for (int i = 0; i < samples::repetitions(3); ++i) {
      Bytes bytes = kind.make(dice);
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        const std::uint8_t right = bytes[at];
        for (const int change : {0x01, 0x80, 0xFF, 0x10}) {
          bytes[at] = static_cast<std::uint8_t>(right ^ change);
          refused += decode_exact(kind, bytes) ? 0U : 1U;
        }
        bytes[at] = right;
      }
    }
    EXPECT_GT(refused, 20U);
  }
}

void mutate(Dice& dice, Bytes& bytes) {
  for (std::int64_t n = dice.between(1, 4); n > 0; --n) {
    const auto at =
        static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(bytes.size()) - 1));
    switch (dice.between(0, 4)) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(dice.next());
        break;
      case 1:
        bytes[at] = dice.chance(50) ? 0 : 0xFF;
        break;
      case 2:
        bytes[at] = static_cast<std::uint8_t>(bytes[at] + dice.between(-4, 4));
        break;
      case 3:
        bytes[at & ~std::size_t{3}] ^= 0x04;
        break;
      default:
        if (bytes.size() > 16) {
          bytes.resize(bytes.size() - static_cast<std::size_t>(dice.between(0, 8)));
        }
        return;
    }
  }
}

TEST(CodecDamage, RandomMutationsAreRefusedOrReadAsAnotherValidMessage) {
  const std::uint64_t seed = samples::test_seed(20'012);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const bool large =
        std::string(kind.name) == "snapshot" || std::string(kind.name) == "session header";
    std::size_t accepted = 0;
    std::size_t refused = 0;
    for (int i = 0; i < samples::repetitions(large ? 50 : 500); ++i) {
      const Bytes bytes = kind.make(dice);
      for (int k = 0; k < 40; ++k) {
        Bytes changed = bytes;
        mutate(dice, changed);
        ++(decode_exact(kind, changed) ? accepted : refused);
      }
    }
    EXPECT_GT(accepted, 0U);
    EXPECT_GT(refused, 0U);
  }
}

TEST(CodecDamage, GarbageOfEveryShortLengthIsRefused) {
  const std::uint64_t seed = samples::test_seed(20'013);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    for (std::size_t n = 1; n <= 1300; ++n) {
      Bytes bytes(n);
      for (std::uint8_t& b : bytes) {
        b = static_cast<std::uint8_t>(dice.next());
      }
      ASSERT_FALSE(decode_exact(kind, bytes)) << n;
      ASSERT_FALSE(decode_exact(kind, Bytes(n, 0))) << n;
      ASSERT_FALSE(decode_exact(kind, Bytes(n, 0xFF))) << n;
    }
  }
}

TEST(CodecDamage, NonsenseLengthsInsideAMessageAreRefused) {
  const std::uint64_t seed = samples::test_seed(20'014);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    Bytes bytes = kind.make(dice);
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      for (const std::uint32_t value : {0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFFU, 0xFFFF'FFFCU}) {
        Bytes changed = bytes;
        for (std::size_t i = 0; i < 4; ++i) {
          changed[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
        }
        decode_exact(kind, changed);
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[i] = 0xFF;
    }
    EXPECT_FALSE(decode_exact(kind, bytes));
  }
}

}  // namespace
}  // namespace contrail::wire
