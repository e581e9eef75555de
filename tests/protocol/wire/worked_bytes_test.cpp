// The bytes that SPEC.md and TOKENS.md show are those the code makes. They were first computed by
// another implementation (Python's hashlib and cryptography, and HChaCha20 by hand).

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <contrail/wire/connect_token.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/cookie.hpp>
#include <contrail/wire/handshake.hpp>
#include <contrail/wire/key_schedule.hpp>
#include <contrail/wire/packet_seal.hpp>

namespace contrail::wire {
namespace {

/// The fence "bytes NAME" of a document: hex by name; lines that begin with a space go on.
std::map<std::string, Bytes> bytes_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::map<std::string, Bytes> out;
  std::string line;
  std::string current;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line == "```bytes " + name) {
      inside = true;
    } else if (inside && line == "```") {
      break;
    } else if (inside) {
      const std::size_t last = line.find_last_of(' ');
      const std::size_t end = line.find_last_not_of(' ', last);
      if (end != std::string::npos) current = line.substr(0, end + 1);
      for (std::size_t at = last + 1; at + 1 < line.size(); at += 2) {
        out[current].push_back(
            static_cast<std::uint8_t>(std::stoul(line.substr(at, 2), nullptr, 16)));
      }
    }
  }
  EXPECT_FALSE(out.empty()) << path << " has no bytes " << name;
  return out;
}

template <class Range>
Bytes bytes_of(const Range& range) {
  return Bytes(range.begin(), range.end());
}

Key key_of(const Bytes& bytes) {
  Key key;
  EXPECT_EQ(bytes.size(), k_key_bytes);
  std::copy_n(bytes.begin(), std::min(bytes.size(), k_key_bytes), key.bytes().begin());
  return key;
}

/// The token of the example.
Bytes worked_token(const std::map<std::string, Bytes>& stated) {
  TokenFace face;
  face.key_id = 0x2A;
  face.created = 1'800'000'000'000;
  face.expires = 1'800'000'060'000;
  face.timeout = 10;
  face.addresses = {ipv4_address(127, 0, 0, 1, 7777)};
  TokenGrant grant{77, Role::pilot, {1}, {'h', 'i'}, key_of(stated.at("secret"))};
  LongNonce nonce{};
  std::copy_n(stated.at("nonce").begin(), nonce.size(), nonce.begin());
  return issue_token(face, grant, {0x2A, key_of(stated.at("key"))}, nonce);
}

TEST(WorkedBytes, the_token_of_TOKENS_md_is_the_one_the_code_issues) {
  const auto stated = bytes_in(CONTRAIL_TOKENS_DOCUMENT, "token");
  const Bytes token = worked_token(stated);
  EXPECT_EQ(token, stated.at("token"));
  EXPECT_EQ(bytes_of(token_id(split_token(token).value().pass)), stated.at("token id"));
  TokenGrant grant;
  ASSERT_TRUE(open_pass(split_token(stated.at("token")).value().pass,
                        {0x2A, key_of(stated.at("key"))}, grant));
  EXPECT_EQ(grant.account, 77U);
  EXPECT_EQ(grant.role, Role::pilot);
  EXPECT_EQ(grant.entities, (std::vector<std::uint16_t>{1}));
  EXPECT_EQ(grant.user_data, (Bytes{'h', 'i'}));
  EXPECT_EQ(grant.secret, split_token(stated.at("token"))->secret);
}

TEST(WorkedBytes, the_handshake_of_SPEC_md_is_the_one_the_code_speaks) {
  const auto stated = bytes_in(CONTRAIL_SPECIFICATION, "handshake");
  const auto token = split_token(worked_token(bytes_in(CONTRAIL_TOKENS_DOCUMENT, "token"))).value();
  const Key client = key_of(stated.at("client private"));
  const Key server = key_of(stated.at("server private"));
  EXPECT_EQ(bytes_of(public_key_of(client)), stated.at("client public"));
  EXPECT_EQ(bytes_of(public_key_of(server)), stated.at("server public"));

  Hello hello;
  hello.version = {0, 1, 1, {0x11223344, 0x55667788}};
  hello.role = Role::pilot;
  hello.entity = 12;
  hello.nonce = 0x0102'0304'0506'0708;
  hello.public_key = public_key_of(client);
  hello.token = token.pass;
  Datagram said;
  encode_hello(hello, said);
  EXPECT_EQ(bytes_of(said.view().first(94)), stated.at("hello"));
  // The hello with its cookie has the same transcript.
  hello.has_cookie = true;
  hello.cookie = CookieJar(key_of(stated.at("cookie key")))
                     .bake(ipv4_address(127, 0, 0, 1, 40000), hello.nonce, 1000 * k_second);
  EXPECT_EQ(bytes_of(hello.cookie.code), stated.at("cookie code"));
  encode_hello(hello, said);
  const Digest transcript = transcript_hash(said.view(), public_key_of(server));
  EXPECT_EQ(bytes_of(transcript), stated.at("transcript"));

  Key shared;
  ASSERT_TRUE(shared_secret(client, public_key_of(server), shared));
  EXPECT_EQ(bytes_of(shared.bytes()), stated.at("shared"));
  Key same;
  ASSERT_TRUE(shared_secret(server, public_key_of(client), same));
  EXPECT_EQ(shared, same);
  const ConnectionKeys keys = derive_connection_keys(shared, token.secret, transcript);
  EXPECT_EQ(bytes_of(keys.client_to_server.bytes()), stated.at("client to server"));
  EXPECT_EQ(bytes_of(keys.server_to_client.bytes()), stated.at("server to client"));
  EXPECT_EQ(bytes_of(keys.welcome.bytes()), stated.at("welcome key"));
  EXPECT_EQ(bytes_of(keys.resume.bytes()), stated.at("resume"));

  Datagram datagram;
  encode_welcome({hello.nonce, public_key_of(server), 0xC0FF'EE01, 0x1122'3344'5566'7788, 7, 11,
                  Role::pilot, 12, 1, 32, 5000, k_second},
                 keys.welcome, datagram);
  EXPECT_EQ(bytes_of(datagram.view()), stated.at("welcome"));
  PlainText plain;
  write_ack_block({}, plain);
  append(Ping{0x0123'4567'89}, plain);
  seal({keys.client_to_server}, {PacketType::ping, 0, 0xC0FF'EE01, 1}, 1, plain, datagram);
  EXPECT_EQ(bytes_of(datagram.view()), stated.at("ping"));
}

TEST(WorkedBytes, every_part_of_what_was_said_changes_every_key) {
  Hello hello;
  hello.token.assign(100, 1);
  Datagram said;
  encode_hello(hello, said);
  const PublicKey server = public_key_of(Key({8}));
  const Digest transcript = transcript_hash(said.view(), server);
  const auto is_cookie = [](std::size_t at) {
    return at >= k_hello_cookie_at && at < k_hello_cookie_at + k_hello_cookie_bytes;
  };
  for (std::size_t at = 0; at < said.size; ++at) {
    Datagram other = said;
    other.bytes[at] ^= 1;
    const bool left_out = at == k_hello_flags_at || is_cookie(at);
    EXPECT_EQ(transcript_hash(other.view(), server) == transcript, left_out) << at;
  }
  EXPECT_NE(transcript_hash(said.view(), public_key_of(Key({16}))), transcript);
  const ConnectionKeys keys = derive_connection_keys(Key({1}), Key({2}), transcript);
  EXPECT_FALSE(keys.client_to_server == keys.server_to_client);
  EXPECT_FALSE(keys.welcome == keys.server_to_client);
  EXPECT_FALSE(keys.resume == keys.server_to_client);
  EXPECT_FALSE(derive_connection_keys(Key({3}), Key({2}), transcript).welcome == keys.welcome);
  EXPECT_FALSE(derive_connection_keys(Key({1}), Key({3}), transcript).welcome == keys.welcome);
  EXPECT_FALSE(derive_connection_keys(Key({1}), Key({2}), {}).welcome == keys.welcome);
}

}  // namespace
}  // namespace contrail::wire
