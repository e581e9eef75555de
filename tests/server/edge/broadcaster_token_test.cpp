// Who gets in: tokens, tickets, and what is left of them.

#include <functional>

#include <gtest/gtest.h>

#include <contrail/wire/connect_token.hpp>
#include <contrail/wire/transport_limits.hpp>

#include "raw_client.hpp"

namespace contrail::server {
namespace {

using wire::RefuseReason;

constexpr wire::UnixMilliseconds k_unix = Stage::k_unix_start;
const wire::Address k_here = wire::ipv4_address(203, 0, 113, 7, 7777);

wire::TokenKey key_numbered(std::uint32_t id) {
  wire::TokenKey key;
  key.id = id;
  key.key.bytes().fill(static_cast<std::uint8_t>(id));
  return key;
}

AdmissionConfig admission() {
  AdmissionConfig config;
  config.token_keys = {key_numbered(1), key_numbered(2)};
  config.addresses = {k_here};
  config.started = k_unix;
  return config;
}

struct TokenMaker {
  wire::TokenFace face{1, k_unix, k_unix + 60'000, 0, {k_here}};
  wire::TokenGrant grant{77, wire::Role::pilot, {5, 6}, {1, 2, 3}, wire::Key({9, 9})};
  wire::TokenKey key = key_numbered(1);
  std::uint8_t nonce = 0;
  wire::Bytes issue() {
    wire::LongNonce bytes{};
    bytes[0] = ++nonce;
    return wire::issue_token(face, grant, key, bytes);
  }
};

void show(RawClient& client, const wire::Bytes& token) {
  const auto split = wire::split_token(token);
  ASSERT_TRUE(split.has_value());
  client.hello.token = split->pass;
  client.secret = split->secret;
}

class TokenTest : public ::testing::Test {
 protected:
  /// What a client that shows this token is told; nothing when it is welcomed.
  std::optional<RefuseReason> answer(const wire::Bytes& token, wire::Role role = wire::Role::pilot,
                                     std::uint16_t entity = sim::k_no_entity) {
    RawClient client(stage, address(++port), role);
    client.hello.entity = entity;
    show(client, token);
    client.join();
    if (!client.refuse) {
      EXPECT_TRUE(client.welcome.has_value());
      return std::nullopt;
    }
    return client.refuse->reason;
  }

  Stage stage{false, 64, admission()};
  TokenMaker maker;
  std::uint16_t port = 100;
};

TEST_F(TokenTest, a_good_token_lets_its_bearer_in_as_what_it_says) {
  RawClient client(stage, address(1));
  show(client, maker.issue());
  client.join();
  ASSERT_TRUE(client.welcome.has_value());
  EXPECT_EQ(client.welcome->role, wire::Role::pilot);
  EXPECT_EQ(client.welcome->entity, 5U);  // the first it grants, for who does not choose
  EXPECT_EQ(client.send(PacketType::ack), PacketError::none);
  EXPECT_EQ(stage.broadcaster->remembered_tokens(), 1U);
  const ClientEvent joined = stage.broadcaster->take_events().at(0);
  EXPECT_EQ(joined.account, 77U);
  EXPECT_EQ(joined.user_data, (wire::Bytes{1, 2, 3}));
}

TEST_F(TokenTest, every_way_to_be_wrong_has_a_reason_of_its_own) {
  const wire::Bytes good = maker.issue();
  for (std::size_t cut = 1; cut < good.size() - wire::k_key_bytes; ++cut) {
    const wire::Bytes part(good.begin(), good.end() - static_cast<std::ptrdiff_t>(cut));
    ASSERT_EQ(answer(part), RefuseReason::bad_token) << cut;
  }
  maker.key = key_numbered(3);
  maker.face.key_id = 3;
  EXPECT_EQ(answer(maker.issue()), RefuseReason::token_unknown_key);
  maker.key.id = maker.face.key_id = 1;  // says 1, is another
  EXPECT_EQ(answer(maker.issue()), RefuseReason::bad_token);
  maker = {};
  maker.face.addresses = {wire::ipv4_address(203, 0, 113, 8, 7777)};
  EXPECT_EQ(answer(maker.issue()), RefuseReason::token_other_server);
  maker.face.addresses = {};  // for every server with the key
  EXPECT_EQ(answer(maker.issue()), std::nullopt);
  maker.face.addresses = {wire::ipv4_address(203, 0, 113, 8, 7777), k_here};
  EXPECT_EQ(answer(maker.issue()), std::nullopt);
  maker = {};
  maker.face.created = k_unix - 1;
  EXPECT_EQ(answer(maker.issue()), RefuseReason::token_before_start);
  maker.face.created = k_unix + wire::k_token_clock_slack + 1;
  EXPECT_EQ(answer(maker.issue()), RefuseReason::token_not_yet);
  maker.face.created = k_unix;
  maker.face.expires = k_unix + wire::k_longest_token_life + 1;
  EXPECT_EQ(answer(maker.issue()), RefuseReason::token_too_long);
  maker = {};
  maker.nonce = 50;
  const wire::Bytes late = maker.issue();
  stage.now += 61 * k_second;
  EXPECT_EQ(answer(late), RefuseReason::token_expired);
}

TEST_F(TokenTest, every_bit_of_a_pass_counts) {
  const wire::Bytes good = maker.issue();
  for (std::size_t bit = 0; bit < 8 * (good.size() - wire::k_key_bytes); ++bit) {
    wire::Bytes changed = good;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const auto reason = answer(changed);
    ASSERT_TRUE(reason == RefuseReason::bad_token || reason == RefuseReason::token_unknown_key)
        << bit;
  }
  EXPECT_EQ(stage.broadcaster->remembered_tokens(), 0U);
  EXPECT_EQ(answer(good), std::nullopt);
}

TEST_F(TokenTest, who_does_not_hold_the_secret_gets_a_welcome_it_cannot_open) {
  const wire::Bytes token = maker.issue();
  RawClient thief(stage, address(1));
  show(thief, token);
  thief.secret = wire::Key();  // the pass was seen on its way; the secret never travels
  thief.join();
  EXPECT_EQ(thief.count(PacketType::welcome), 1);
  EXPECT_FALSE(thief.welcome.has_value());
  // The token is still the bearer's.
  RawClient bearer(stage, address(2));
  show(bearer, token);
  bearer.join();
  ASSERT_TRUE(bearer.welcome.has_value());
  EXPECT_EQ(bearer.send(PacketType::ack), PacketError::none);
  EXPECT_EQ(stage.broadcaster->clients(), 1U);  // the thief's half-open place is gone
  EXPECT_EQ(stage.broadcaster->remembered_tokens(), 1U);
}

TEST_F(TokenTest, a_copied_pass_does_not_fill_the_server) {
  const wire::Bytes token = maker.issue();
  for (std::uint16_t i = 0; i < 40; ++i) EXPECT_EQ(answer(token), std::nullopt);
  EXPECT_EQ(stage.broadcaster->clients(), wire::k_max_pending_per_token);
  stage.now += wire::k_pending_timeout;
  stage.tick();
  stage.poll();
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
}

TEST_F(TokenTest, a_token_lets_in_once) {
  const wire::Bytes token = maker.issue();
  RawClient one(stage, address(1));
  RawClient two(stage, address(2));
  show(one, token);
  show(two, token);
  one.join();
  two.join();  // both hold the secret: the first to use its connection wins
  ASSERT_TRUE(one.welcome && two.welcome);
  EXPECT_EQ(two.send(PacketType::ack), PacketError::none);
  EXPECT_EQ(one.send(PacketType::ack), PacketError::unknown_connection);
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  EXPECT_EQ(answer(token), RefuseReason::token_used);
  const std::uint8_t left[] = {1};
  two.send(PacketType::disconnect, left);
  EXPECT_EQ(answer(token), RefuseReason::token_used);
  // Until it is refused for its age anyway, and forgotten.
  stage.now += 61 * k_second;
  EXPECT_EQ(answer(token), RefuseReason::token_expired);
  EXPECT_EQ(stage.broadcaster->remembered_tokens(), 0U);
}

TEST_F(TokenTest, a_client_asks_within_what_its_token_grants) {
  EXPECT_EQ(answer(maker.issue(), wire::Role::pilot, 6), std::nullopt);
  EXPECT_EQ(answer(maker.issue(), wire::Role::pilot, 7), RefuseReason::not_granted);
  EXPECT_EQ(answer(maker.issue(), wire::Role::director), RefuseReason::not_granted);
  EXPECT_EQ(answer(maker.issue(), wire::Role::spectator), std::nullopt);
  maker.grant.role = wire::Role::spectator;
  EXPECT_EQ(answer(maker.issue(), wire::Role::pilot, 6), RefuseReason::not_granted);
  maker.grant.role = wire::Role::director;
  maker.grant.entities = {};
  EXPECT_EQ(answer(maker.issue(), wire::Role::pilot, 99), std::nullopt);
}

TEST_F(TokenTest, keys_rotate_and_only_those_given_count) {
  EXPECT_EQ(answer(maker.issue()), std::nullopt);
  maker.key = key_numbered(2);
  maker.face.key_id = 2;
  EXPECT_EQ(answer(maker.issue()), std::nullopt);
  AdmissionConfig later = admission();
  later.token_keys = {key_numbered(2)};  // 1 is retired
  Stage other(false, 4, later);
  RawClient client(other, address(1));
  maker.key = key_numbered(1);
  maker.face.key_id = 1;
  show(client, maker.issue());
  client.join();
  ASSERT_TRUE(client.refuse.has_value());
  EXPECT_EQ(client.refuse->reason, RefuseReason::token_unknown_key);
}

TEST_F(TokenTest, a_server_without_keys_takes_no_token_for_a_password) {
  Stage open(true);
  RawClient client(open, address(1));
  show(client, maker.issue());
  client.join();
  ASSERT_TRUE(client.refuse.has_value());
  EXPECT_EQ(client.refuse->reason, RefuseReason::token_unknown_key);
}

TEST_F(TokenTest, a_full_memory_refuses_and_forgets_nothing) {
  AdmissionConfig small = admission();
  small.token_memory = 3;
  Stage tight(false, 64, small);
  std::vector<wire::Bytes> used;
  for (std::uint16_t i = 1; i <= 3; ++i) {
    used.push_back(maker.issue());
    RawClient client(tight, address(i));
    show(client, used.back());
    client.join();
    ASSERT_TRUE(client.welcome.has_value());
    ASSERT_EQ(client.send(PacketType::ack), PacketError::none);
  }
  const auto reason = [&](const wire::Bytes& token, std::uint16_t from) {
    RawClient client(tight, address(from));
    show(client, token);
    client.join();
    return client.refuse ? std::optional(client.refuse->reason) : std::nullopt;
  };
  EXPECT_EQ(reason(maker.issue(), 10), RefuseReason::token_history_full);
  for (const wire::Bytes& token : used) EXPECT_EQ(reason(token, 11), RefuseReason::token_used);
  EXPECT_EQ(tight.broadcaster->remembered_tokens(), 3U);
  tight.now += 61 * k_second;  // they have expired
  maker.face.created += 61'000;
  maker.face.expires += 61'000;
  EXPECT_EQ(reason(maker.issue(), 12), std::nullopt);
}

TEST(Admission, case_41_key_exchanges_of_one_tick_are_bounded_and_the_rest_is_put_off) {
  Stage stage(true, 200);
  std::vector<RawClient> clients;
  clients.reserve(100);
  for (std::uint16_t i = 0; i < 100; ++i) {
    clients.emplace_back(stage, address(static_cast<std::uint16_t>(1000 + i)));
    clients.back().say_hello();
    clients.back().listen(stage.poll());
  }
  int put_off = 0;
  for (RawClient& client : clients) put_off += client.say_hello() == PacketError::over_limit;
  EXPECT_EQ(put_off, 100 - wire::k_max_key_exchanges);
  EXPECT_EQ(stage.broadcaster->clients(), static_cast<std::size_t>(wire::k_max_key_exchanges));
  stage.tick();
  for (RawClient& client : clients) EXPECT_EQ(client.say_hello(), PacketError::none);
  EXPECT_EQ(stage.broadcaster->clients(), 100U);
}

class TicketTest : public TokenTest {
 protected:
  /// A client that is live and has its ticket.
  void bring_in(RawClient& client) {
    show(client, maker.issue());
    client.join();
    ASSERT_TRUE(client.welcome.has_value());
    client.send(PacketType::ack);
    for (int i = 0; i < 4; ++i) {
      stage.tick();
      client.listen(stage.poll());
      // Everything that was sent has arrived.
      std::uint16_t newest = 0;
      for (const wire::Bytes& bytes : client.received) {
        wire::ClearHeader header;
        if (wire::read_clear_header(bytes, header) == PacketError::none) {
          newest = std::max(newest, header.counter);
        }
      }
      client.send(PacketType::ack, {}, {newest, 0, 0xFFFF'FFFF});
      stage.now += k_second / 32;
    }
    for (const wire::Bytes& bytes : client.received) {
      wire::PlainText plain;
      if (static_cast<PacketType>(bytes[0]) != PacketType::ticket) continue;
      ASSERT_EQ(client.open(bytes, plain), PacketError::none);
      ASSERT_EQ(wire::read(plain.content(), ticket), PacketError::none);
    }
    ASSERT_FALSE(ticket.bytes.empty());
    EXPECT_EQ(ticket.lifetime, 120U);
  }
  /// Shows the ticket from elsewhere.
  std::optional<RefuseReason> come_back(RawClient& client, const RawClient& before) {
    client.hello.resume = ticket.bytes;
    client.secret = before.keys.resume;
    client.join();
    return client.refuse ? std::optional(client.refuse->reason) : std::nullopt;
  }
  wire::Ticket ticket;
};

TEST_F(TicketTest, a_ticket_brings_a_client_back_once_in_its_own_place) {
  RawClient before(stage, address(1));
  bring_in(before);
  RawClient after(stage, address(2));
  after.hello.entity = 5;
  EXPECT_EQ(come_back(after, before), std::nullopt);
  ASSERT_TRUE(after.welcome.has_value());
  EXPECT_EQ(after.welcome->role, wire::Role::pilot);
  EXPECT_EQ(after.welcome->entity, 5U);
  EXPECT_EQ(after.send(PacketType::ack), PacketError::none);
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  EXPECT_EQ(stage.broadcaster->statistics().returned, 1U);
  for (const ClientEvent& event : stage.broadcaster->take_events()) {
    if (event.kind != ClientEvent::Kind::joined) continue;
    EXPECT_EQ(event.account, 77U);
    EXPECT_EQ(event.user_data, (wire::Bytes{1, 2, 3}));
  }
  EXPECT_EQ(before.send(PacketType::ack), PacketError::unknown_connection);
  RawClient again(stage, address(3));
  EXPECT_EQ(come_back(again, before), RefuseReason::bad_resume);
}

TEST_F(TicketTest, a_ticket_is_good_for_120_s_and_every_bit_of_it_counts) {
  RawClient before(stage, address(1));
  bring_in(before);
  const wire::Bytes good = ticket.bytes;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    ticket.bytes = good;
    ticket.bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    RawClient thief(stage, address(2));
    ASSERT_EQ(come_back(thief, before), RefuseReason::bad_resume) << bit;
  }
  ticket.bytes = good;
  stage.now += 121 * k_second;
  RawClient late(stage, address(3));
  EXPECT_EQ(come_back(late, before), RefuseReason::bad_resume);
}

TEST_F(TicketTest, a_ticket_does_not_raise_what_the_token_granted) {
  RawClient before(stage, address(1));
  bring_in(before);
  RawClient director(stage, address(2), wire::Role::director);
  EXPECT_EQ(come_back(director, before), RefuseReason::not_granted);
  RawClient other(stage, address(3));
  other.hello.entity = 9;
  EXPECT_EQ(come_back(other, before), RefuseReason::not_granted);
}

TEST_F(TicketTest, a_seen_ticket_is_worth_nothing_without_the_secret) {
  RawClient before(stage, address(1));
  bring_in(before);
  RawClient thief(stage, address(2));
  thief.hello.resume = ticket.bytes;
  thief.join();
  EXPECT_EQ(thief.count(PacketType::welcome), 1);
  EXPECT_FALSE(thief.welcome.has_value());
  EXPECT_EQ(before.send(PacketType::ack), PacketError::none);  // nobody took its place
}

TEST_F(TicketTest, another_process_does_not_know_the_ticket) {
  RawClient before(stage, address(1));
  bring_in(before);
  Stage restarted(false, 4, admission(), 1);
  RawClient client(restarted, address(1));
  client.hello.resume = ticket.bytes;
  client.join();
  ASSERT_TRUE(client.refuse.has_value());
  EXPECT_EQ(client.refuse->reason, RefuseReason::bad_resume);
}

}  // namespace
}  // namespace contrail::server
