#include <contrail/wire/packet_header.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/packet_seal.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

constexpr std::uint64_t k_counter = 0x1'ABCD;

Cipher test_cipher() {
  Cipher cipher;
  for (std::size_t i = 0; i < k_key_bytes; ++i) {
    cipher.key.bytes()[i] = static_cast<std::uint8_t>(i);
  }
  return cipher;
}

// From the specification's worked packet: ack, connection 0x12345678, counter 0x1ABCD under the key
// 00 01 .. 1F; computed with another implementation of RFC 8439.
const std::vector<std::uint8_t> k_ack_packet = {
    0x08, 0x00, 0x78, 0x56, 0x34, 0x12, 0xCD, 0xAB, 0x9F, 0xED, 0x4F, 0x2D, 0x91, 0x67, 0x93, 0xBB,
    0x96, 0x8A, 0x92, 0x63, 0x33, 0x26, 0x66, 0xEE, 0x75, 0xE4, 0xB1, 0x33, 0x55, 0x24, 0x32, 0x33};

TEST(PacketHeader, an_ack_packet_has_exactly_these_32_bytes) {
  PlainText plain;
  write_ack_block({0x0102, 0x0304, 0x05060708}, plain);
  Datagram out;
  seal(test_cipher(), {PacketType::ack, 0, 0x12345678, 0xABCD}, k_counter, plain, out);
  const auto view = out.view();
  EXPECT_EQ(std::vector<std::uint8_t>(view.begin(), view.end()), k_ack_packet);
}

TEST(PacketHeader, a_tick_packet_without_a_body_costs_40_bytes) {
  PlainText plain;
  write_ack_block({}, plain);
  append(TickBlock{7, 0x7F}, plain);
  Datagram out;
  seal(test_cipher(), {PacketType::tick, 0, 1, 1}, 1, plain, out);
  EXPECT_EQ(out.size, 40U);
  EXPECT_EQ(out.size + k_udp_ip_bytes, 68U);
  static_assert(k_max_packet_body == 1160);
}

TEST(PacketHeader, opening_gives_back_what_was_sealed_at_every_length) {
  samples::Dice dice(samples::test_seed(11));
  for (std::size_t size = k_ack_block_bytes; size <= k_max_plain_bytes; ++size) {
    PlainText plain;
    plain.size = size;
    for (std::size_t i = 0; i < size; ++i) plain.bytes[i] = static_cast<std::uint8_t>(dice.next());
    Datagram sealed;
    seal(test_cipher(), {PacketType::slice, 0, 9, 5}, 65'541, plain, sealed);
    ASSERT_LE(sealed.size, k_max_datagram_bytes);
    ClearHeader header;
    ASSERT_EQ(read_clear_header(sealed.view(), header), PacketError::none);
    EXPECT_EQ(header, (ClearHeader{PacketType::slice, 0, 9, 5}));
    PlainText opened;
    ASSERT_EQ(open(test_cipher(), 65'541, sealed.view(), opened), PacketError::none);
    ASSERT_EQ(opened.size, size);
    ASSERT_TRUE(std::equal(plain.bytes.begin(),
                           plain.bytes.begin() + static_cast<std::ptrdiff_t>(size),
                           opened.bytes.begin()));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(opened.bytes.data()) % 16, 0U);
  }
}

TEST(PacketHeader, case_37_every_length_but_the_right_ones_is_refused) {
  std::vector<std::uint8_t> bytes = k_ack_packet;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::span<const std::uint8_t> cut(bytes.data(), size);
    ClearHeader header;
    PlainText plain;
    const PacketError error = read_clear_header(cut, header);
    if (size < k_clear_header_bytes) {
      EXPECT_EQ(error, PacketError::too_short) << size;
    } else {
      EXPECT_EQ(error, PacketError::none) << size;
      EXPECT_EQ(open(test_cipher(), k_counter, cut, plain), PacketError::too_short) << size;
    }
  }
  for (const std::size_t size : {std::size_t{1201}, std::size_t{65'507}}) {
    const std::vector<std::uint8_t> longer(size, 0);
    ClearHeader header;
    PlainText plain;
    EXPECT_EQ(read_clear_header(longer, header), PacketError::too_long);
    EXPECT_EQ(open(test_cipher(), k_counter, longer, plain), PacketError::too_long);
  }
}

TEST(PacketHeader, every_bit_of_a_sealed_packet_counts) {
  PlainText plain;
  ASSERT_EQ(open(test_cipher(), k_counter, k_ack_packet, plain), PacketError::none);
  for (std::size_t bit = 0; bit < 8 * k_ack_packet.size(); ++bit) {
    std::vector<std::uint8_t> bytes = k_ack_packet;
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << bit % 8));
    EXPECT_EQ(open(test_cipher(), k_counter, bytes, plain), PacketError::bad_tag) << bit;
  }
  // So does the part of the counter that does not travel, and the key.
  EXPECT_EQ(open(test_cipher(), 0xABCD, k_ack_packet, plain), PacketError::bad_tag);
  Cipher other = test_cipher();
  other.key.bytes()[31] ^= 1;
  EXPECT_EQ(open(other, k_counter, k_ack_packet, plain), PacketError::bad_tag);
}

TEST(PacketHeader, unknown_types_flags_and_numbers_out_of_place_are_refused) {
  const auto with = [](std::size_t at, std::uint8_t value) {
    std::vector<std::uint8_t> bytes = k_ack_packet;
    bytes[at] = value;
    ClearHeader header;
    return read_clear_header(bytes, header);
  };
  for (int type = 0; type < 256; ++type) {
    const auto value = static_cast<std::uint8_t>(type);
    const PacketError expected = type == 0 || type > 16 ? PacketError::unknown_type
                                 : type <= 4            ? PacketError::bad_header  // has numbers
                                                        : PacketError::none;
    EXPECT_EQ(with(0, value), expected) << type;
  }
  for (int flags = 1; flags < 256; ++flags) {
    EXPECT_EQ(with(1, static_cast<std::uint8_t>(flags)), PacketError::bad_header);
  }
  std::vector<std::uint8_t> bytes = k_ack_packet;
  std::fill(bytes.begin() + 2, bytes.begin() + 6, std::uint8_t{0});
  ClearHeader header;
  EXPECT_EQ(read_clear_header(bytes, header), PacketError::bad_header);  // no connection
}

TEST(PacketHeader, every_error_has_words_of_its_own) {
  std::set<std::string> words;
  for (std::size_t i = 0; i < k_packet_errors; ++i) {
    words.insert(describe(static_cast<PacketError>(i)));
  }
  EXPECT_EQ(words.size(), k_packet_errors);
}

}  // namespace
}  // namespace contrail::wire
