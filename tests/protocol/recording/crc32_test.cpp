#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/recording/crc32.hpp>

namespace contrail::recording {
namespace {

Bytes view(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The definition, bit by bit.
std::uint32_t bitwise_crc32(Bytes bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

TEST(Crc32, GivesThePublishedCheckValues) {
  EXPECT_EQ(crc32(view("")), 0u);
  EXPECT_EQ(crc32(view("123456789")), 0xCBF43926u);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(crc32(view("The quick brown fox jumps over the lazy dog")), 0x414FA339u);
}

TEST(Crc32, EqualsTheBitwiseDefinitionAtEveryLengthAndStart) {
  std::vector<std::uint8_t> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + 11);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t end = begin; end <= bytes.size(); ++end) {
      const Bytes part = Bytes(bytes).subspan(begin, end - begin);
      ASSERT_EQ(crc32(part), bitwise_crc32(part)) << begin << ".." << end;
    }
  }
}

TEST(Crc32, ContinuesOverParts) {
  std::vector<std::uint8_t> bytes(61);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i);
  const Bytes all = bytes;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    ASSERT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), crc32(all)) << cut;
  }
}

}  // namespace
}  // namespace contrail::recording
