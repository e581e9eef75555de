#include <contrail/wire/handshake.hpp>

#include <gtest/gtest.h>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using ::contrail::wire::samples::Dice;

Hello full_hello() {
  Hello hello;
  hello.version.fingerprint = {0x11223344, 0x55667788};
  hello.role = Role::pilot;
  hello.entity = 12;
  hello.nonce = 0xFEDC'BA98'7654'3210;
  hello.has_cookie = true;
  hello.cookie.issued = 99;
  hello.cookie.code.fill(0xC0);
  hello.public_key.fill(7);
  hello.token.assign(k_max_token_bytes, 0xAA);
  hello.resume.assign(k_max_resume_bytes, 0xBB);
  return hello;
}

const Key k_key{{1, 2, 3, 4}};

ClearHeader header_of(const Datagram& datagram) {
  ClearHeader header;
  EXPECT_EQ(read_clear_header(datagram.view(), header), PacketError::none);
  return header;
}

TEST(Handshake, a_hello_is_always_1200_bytes_and_comes_back_as_it_was) {
  for (const Hello& hello : {Hello{}, full_hello()}) {
    Datagram datagram;
    encode_hello(hello, datagram);
    EXPECT_EQ(datagram.size, 1200U);
    EXPECT_EQ(header_of(datagram).type, PacketType::hello);
    Hello out;
    ASSERT_EQ(decode_hello(datagram.view(), out), PacketError::none);
    EXPECT_EQ(out, hello);
  }
}

TEST(Handshake, the_answers_come_back_as_they_were_and_are_small) {
  Datagram datagram;
  Challenge challenge{1, {}};
  challenge.cookie.code.fill(3);
  encode_challenge(challenge, datagram);
  EXPECT_EQ(datagram.size, 36U);
  Challenge challenge_out;
  ASSERT_EQ(decode_challenge(datagram.view(), challenge_out), PacketError::none);
  EXPECT_EQ(challenge_out, challenge);

  Welcome welcome{2, {9, 8, 7}, 3, 4, 5, 9, Role::director, 6, 7, 8, 9, -10};
  encode_welcome(welcome, k_key, datagram);
  EXPECT_EQ(datagram.size, 104U);
  Welcome welcome_out;
  ASSERT_EQ(decode_welcome(datagram.view(), k_key, welcome_out), PacketError::none);
  EXPECT_EQ(welcome_out, welcome);
  WelcomeFace face;
  ASSERT_EQ(read_welcome_face(datagram.view(), face), PacketError::none);
  EXPECT_EQ(face.nonce, 2U);
  EXPECT_EQ(face.public_key, welcome.public_key);
  EXPECT_EQ(decode_welcome(datagram.view(), Key(), welcome_out), PacketError::bad_tag);

  Refuse refuse{11, RefuseReason::full, {1, 2, 3, {4, 5}}, 256};
  encode_refuse(refuse, datagram);
  EXPECT_EQ(datagram.size, 34U);
  Refuse refuse_out;
  ASSERT_EQ(decode_refuse(datagram.view(), refuse_out), PacketError::none);
  EXPECT_EQ(refuse_out, refuse);
}

TEST(Handshake, case_37_every_other_length_is_refused) {
  Datagram datagram;
  encode_hello(full_hello(), datagram);
  std::vector<std::uint8_t> bytes(datagram.bytes.begin(), datagram.bytes.end());
  bytes.resize(1300);
  Hello hello;
  for (std::size_t size = 8; size <= bytes.size(); ++size) {
    const PacketError expected = size < 1200   ? PacketError::too_short
                                 : size > 1200 ? PacketError::too_long
                                               : PacketError::none;
    EXPECT_EQ(decode_hello(std::span(bytes).first(size), hello), expected) << size;
  }
  Challenge challenge;
  Welcome welcome;
  Refuse refuse;
  Datagram made;
  encode_challenge({}, made);
  for (std::size_t size = 0; size < made.size; ++size) {
    EXPECT_EQ(decode_challenge(made.view().first(size), challenge), PacketError::too_short);
  }
  encode_welcome({1, {}, 2, 3, 4, 11, Role::pilot, 5, 6, 7, 8, 9}, k_key, made);
  for (std::size_t size = 0; size < made.size; ++size) {
    EXPECT_EQ(decode_welcome(made.view().first(size), k_key, welcome), PacketError::too_short);
  }
  encode_refuse({}, made);
  for (std::size_t size = 0; size < made.size; ++size) {
    EXPECT_EQ(decode_refuse(made.view().first(size), refuse), PacketError::too_short);
  }
}

TEST(Handshake, fields_without_a_meaning_are_refused) {
  Datagram datagram;
  Hello hello;
  const auto with = [&](std::size_t at, std::uint8_t value) {
    encode_hello(full_hello(), datagram);
    datagram.bytes[at] = value;
    return decode_hello(datagram.view(), hello);
  };
  EXPECT_EQ(with(8, 'X'), PacketError::bad_magic);
  EXPECT_EQ(with(26, 3), PacketError::bad_value);    // role
  EXPECT_EQ(with(27, 2), PacketError::bad_value);    // flags
  EXPECT_EQ(with(27, 0), PacketError::bad_value);    // the flag says that there is no cookie
  EXPECT_EQ(with(91, 3), PacketError::bad_value);    // token of 768 bytes
  EXPECT_EQ(with(93, 3), PacketError::bad_value);    // resume ticket of 768 bytes
  EXPECT_EQ(with(1199, 1), PacketError::bad_value);  // padding
  EXPECT_EQ(with(12, 99), PacketError::none);        // another major version: for a refusal
  EXPECT_EQ(hello.version.major, 99);

  const auto welcome_with = [&](auto change) {
    Welcome welcome{1, {}, 2, 3, 4, 11, Role::pilot, 5, 6, 7, 8, 9};
    change(welcome);
    encode_welcome(welcome, k_key, datagram);
    return decode_welcome(datagram.view(), k_key, welcome);
  };
  EXPECT_EQ(welcome_with([](Welcome&) {}), PacketError::none);
  EXPECT_EQ(welcome_with([](Welcome& w) { w.log2_tick = 8; }), PacketError::bad_value);
  EXPECT_EQ(welcome_with([](Welcome& w) { w.log2_tick = 14; }), PacketError::bad_value);
  EXPECT_EQ(welcome_with([](Welcome& w) { w.role = static_cast<Role>(3); }),
            PacketError::bad_value);
  EXPECT_EQ(welcome_with([](Welcome& w) { w.connection = 0; }), PacketError::bad_value);
  EXPECT_EQ(welcome_with([](Welcome& w) { w.header_bytes = 1U << 31; }), PacketError::bad_value);
}

TEST(Handshake, every_bit_of_a_welcome_counts) {
  Datagram datagram;
  encode_welcome({1, {}, 2, 3, 4, 11, Role::pilot, 5, 6, 7, 8, 9}, k_key, datagram);
  Welcome welcome;
  for (std::size_t bit = 0; bit < 8 * datagram.size; ++bit) {
    Datagram changed = datagram;
    changed.bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_EQ(decode_welcome(changed.view(), k_key, welcome), PacketError::bad_tag) << bit;
  }
}

TEST(Handshake, a_refusal_names_both_ends) {
  ProtocolVersion server{2, 3, 4, {0xAABBCCDD, 0x00112233}};
  ProtocolVersion client{1, 0, 5, {1, 2}};
  EXPECT_EQ(describe({0, RefuseReason::version, server, 0}, client),
            "the server speaks protocol version 2.3, this client 1.0");
  EXPECT_EQ(describe({0, RefuseReason::path_revision, server, 0}, client),
            "the server computes path revision 4, this client 5");
  EXPECT_EQ(describe({0, RefuseReason::fingerprint, server, 0}, client),
            "the server's arithmetic has fingerprint aabbccdd00112233, this client's "
            "0000000100000002");
  EXPECT_EQ(describe({0, RefuseReason::full, server, 256}, client),
            "the server is full: it takes 256 clients");
}

TEST(Handshake, the_first_difference_is_the_reason) {
  const ProtocolVersion ours{1, 4, 1, {1, 2}};
  ProtocolVersion theirs = ours;
  EXPECT_EQ(compare(theirs, ours), VersionMatch::match);
  theirs.minor = 5;
  EXPECT_EQ(compare(theirs, ours), VersionMatch::match);
  theirs.fingerprint.b = 3;
  EXPECT_EQ(compare(theirs, ours), VersionMatch::fingerprint);
  theirs.path_revision = 2;
  EXPECT_EQ(compare(theirs, ours), VersionMatch::path_revision);
  theirs.major = 2;
  EXPECT_EQ(compare(theirs, ours), VersionMatch::version);
  // Before 1.0 minor versions don't understand each other.
  EXPECT_EQ(compare({0, 1, 1, {}}, {0, 2, 1, {}}), VersionMatch::version);
}

class CookieTest : public ::testing::Test {
 protected:
  const CookieJar jar{Key({123})};
  const Address address = ipv4_address(192, 0, 2, 7, 4000);
  static constexpr Nanoseconds k_now = 5000 * k_second;
  const Cookie cookie = jar.bake(address, 42, k_now);
};

TEST_F(CookieTest, holds_for_its_address_nonce_and_lifetime_only) {
  EXPECT_TRUE(jar.valid(cookie, address, 42, k_now));
  EXPECT_TRUE(jar.valid(cookie, address, 42, k_now + k_cookie_lifetime));
  EXPECT_FALSE(jar.valid(cookie, address, 42, k_now + k_cookie_lifetime + k_second));
  EXPECT_FALSE(jar.valid(cookie, address, 42, k_now - 2 * k_second));  // from the future
  EXPECT_FALSE(jar.valid(cookie, address, 43, k_now));
  Address other = address;
  other.port = 4001;
  EXPECT_FALSE(jar.valid(cookie, other, 42, k_now));
  for (std::size_t i = 0; i < 16; ++i) {
    other = address;
    other.ip[i] ^= 1;
    EXPECT_FALSE(jar.valid(cookie, other, 42, k_now)) << i;
  }
  EXPECT_FALSE(CookieJar(Key({123, 0, 1})).valid(cookie, address, 42, k_now));
  EXPECT_FALSE(CookieJar(Key({124})).valid(cookie, address, 42, k_now));
  EXPECT_FALSE(jar.valid(Cookie{}, address, 42, k_now));
}

TEST_F(CookieTest, every_bit_counts) {
  for (std::size_t bit = 0; bit < 128; ++bit) {
    Cookie changed = cookie;
    changed.code[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_FALSE(jar.valid(changed, address, 42, k_now));
  }
  for (int bit = 0; bit < 32; ++bit) {
    Cookie changed = cookie;
    changed.issued ^= 1U << bit;
    EXPECT_FALSE(jar.valid(changed, address, 42, k_now));
  }
}

TEST_F(CookieTest, case_32_lives_across_the_turn_of_32_bit_seconds) {
  const Nanoseconds turn = (Nanoseconds{1} << 32) * k_second;
  const Cookie before = jar.bake(address, 1, turn - k_second);
  EXPECT_TRUE(jar.valid(before, address, 1, turn + 3 * k_second));
}

}  // namespace
}  // namespace contrail::wire
