#include <contrail/wire/packet_header.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/wire/control_messages.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

const std::vector<std::uint8_t> k_ack_packet{
    8,    0,    0x78, 0x56, 0x34, 0x12, 0xCD, 0xAB,  // ack, connection 0x12345678, counter 0xABCD
    0x02, 0x01, 0x04, 0x03, 0x08, 0x07, 0x06, 0x05,  // ack 0x0102, delay 0x0304, bits 0x05060708
    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0};  // tag

TEST(PacketHeader, an_ack_packet_has_exactly_these_32_bytes) {
  PlainText plain;
  write_ack_block({0x0102, 0x0304, 0x05060708}, plain);
  Datagram out;
  seal({}, {PacketType::ack, 0, 0x12345678, 0xABCD}, 0x1'ABCD, plain, out);
  const auto view = out.view();
  EXPECT_EQ(std::vector<std::uint8_t>(view.begin(), view.end()), k_ack_packet);
}

TEST(PacketHeader, a_tick_packet_without_a_body_costs_40_bytes) {
  PlainText plain;
  write_ack_block({}, plain);
  append(TickBlock{7, 0x7F}, plain);
  Datagram out;
  seal({}, {PacketType::tick, 0, 1, 1}, 1, plain, out);
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
    seal({}, {PacketType::slice, 0, 9, 5}, 65'541, plain, sealed);
    ASSERT_LE(sealed.size, k_max_datagram_bytes);
    ClearHeader header;
    ASSERT_EQ(read_clear_header(sealed.view(), header), PacketError::none);
    EXPECT_EQ(header, (ClearHeader{PacketType::slice, 0, 9, 5}));
    PlainText opened;
    ASSERT_EQ(open({}, 65'541, sealed.view(), opened), PacketError::none);
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
      EXPECT_EQ(open({}, 1, cut, plain), PacketError::too_short) << size;
    }
  }
  for (const std::size_t size : {std::size_t{1201}, std::size_t{65'507}}) {
    const std::vector<std::uint8_t> longer(size, 0);
    ClearHeader header;
    PlainText plain;
    EXPECT_EQ(read_clear_header(longer, header), PacketError::too_long);
    EXPECT_EQ(open({}, 1, longer, plain), PacketError::too_long);
  }
}

TEST(PacketHeader, every_bit_of_the_tag_counts) {
  for (std::size_t bit = 0; bit < 8 * k_tag_bytes; ++bit) {
    std::vector<std::uint8_t> bytes = k_ack_packet;
    bytes[16 + bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
    PlainText plain;
    EXPECT_EQ(open({}, 1, bytes, plain), PacketError::bad_tag) << bit;
  }
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
    const PacketError expected = type == 0 || type > 13 ? PacketError::unknown_type
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
