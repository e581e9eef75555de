#include <contrail/edge/broadcaster.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include <contrail/wire/slices.hpp>
#include <contrail/wire/transport_limits.hpp>

#include "raw_client.hpp"

namespace contrail::server {
namespace {

using wire::RefuseReason;

TEST(Broadcaster, admits_a_client_that_shows_its_cookie) {
  Stage stage;
  RawClient client(stage, address(1));
  EXPECT_EQ(client.say_hello(), PacketError::none);
  client.listen(stage.poll());
  EXPECT_TRUE(client.hello.has_cookie);
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
  EXPECT_EQ(client.say_hello(), PacketError::none);
  client.listen(stage.poll());
  ASSERT_TRUE(client.welcome.has_value());
  EXPECT_EQ(client.welcome->nonce, client.hello.nonce);
  EXPECT_EQ(client.welcome->session_id, 99U);
  EXPECT_EQ(client.welcome->client, 1U);
  EXPECT_EQ(client.welcome->header_bytes, 100U);
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  const auto events = stage.broadcaster->take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, ClientEvent::Kind::joined);
  EXPECT_EQ(events[0].address, address(1));
}

TEST(Broadcaster, a_repeated_hello_gets_the_same_welcome) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  ASSERT_TRUE(client.welcome.has_value());
  const wire::Welcome first = *client.welcome;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(client.say_hello(), PacketError::none);
    client.listen(stage.poll());
    EXPECT_EQ(*client.welcome, first);
  }
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  EXPECT_EQ(stage.broadcaster->statistics().joined, 1U);
}

TEST(Broadcaster, a_new_hello_from_the_same_address_replaces_the_client) {
  Stage stage(true, 1);
  RawClient client(stage, address(1));
  client.join();
  const wire::Welcome first = *client.welcome;
  RawClient again(stage, address(1));
  again.hello.nonce = 5;
  client.send(PacketType::ack);
  again.join();
  ASSERT_TRUE(again.welcome.has_value());
  EXPECT_NE(again.welcome->connection, first.connection);
  EXPECT_EQ(again.welcome->client, 2U);
  // Not before it has shown that it holds the keys of its connection.
  EXPECT_EQ(client.send(PacketType::ack), PacketError::none);
  EXPECT_EQ(again.send(PacketType::ack), PacketError::none);
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  EXPECT_EQ(client.send(PacketType::ack), PacketError::unknown_connection);
}

TEST(Broadcaster, a_cookie_of_another_address_is_worth_nothing) {
  Stage stage;
  RawClient client(stage, address(1));
  client.say_hello();
  client.listen(stage.poll());
  RawClient thief(stage, address(2));
  thief.hello = client.hello;
  EXPECT_EQ(thief.say_hello(), PacketError::bad_cookie);
  thief.listen(stage.poll());
  EXPECT_FALSE(thief.welcome.has_value());
  EXPECT_EQ(thief.count(PacketType::challenge), 1);
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
  // An expired one brings a fresh challenge.
  stage.now += 30 * k_second;
  EXPECT_EQ(client.say_hello(), PacketError::bad_cookie);
  client.listen(stage.poll());
  client.say_hello();
  client.listen(stage.poll());
  EXPECT_TRUE(client.welcome.has_value());
}

TEST(Broadcaster, another_version_is_refused_at_once_with_the_servers_own) {
  Stage stage;
  const auto refusal = [&](const wire::ProtocolVersion& version) {
    RawClient client(stage, address(1));
    client.hello.version = version;
    client.say_hello();
    client.listen(stage.poll());
    EXPECT_EQ(client.received.size(), 1U);
    EXPECT_TRUE(client.refuse.has_value());
    return client.refuse.value_or(wire::Refuse{});
  };
  wire::ProtocolVersion version;
  version.fingerprint = {1, 2};
  version.major = 9;
  EXPECT_EQ(refusal(version).reason, RefuseReason::version);
  version = {};
  version.fingerprint = {1, 2};
  version.path_revision = 9;
  EXPECT_EQ(refusal(version).reason, RefuseReason::path_revision);
  version = {};
  version.fingerprint = {1, 3};
  const wire::Refuse refuse = refusal(version);
  EXPECT_EQ(refuse.reason, RefuseReason::fingerprint);
  EXPECT_EQ(wire::describe(refuse, version),
            "the server's arithmetic has fingerprint 0000000100000002, this client's "
            "0000000100000003");
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
}

TEST(Broadcaster, a_server_not_started_insecure_wants_a_token) {
  Stage stage(false);
  RawClient client(stage, address(1));
  client.join();
  ASSERT_TRUE(client.refuse.has_value());
  EXPECT_EQ(client.refuse->reason, RefuseReason::token_required);
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
  EXPECT_EQ(stage.broadcaster->statistics().challenges, 0U);
}

TEST(Broadcaster, an_unknown_resume_ticket_is_refused) {
  Stage stage;
  for (const std::size_t size : {std::size_t{10}, std::size_t{116}, wire::k_max_resume_bytes}) {
    RawClient client(stage, address(1));
    client.hello.resume.assign(size, 7);
    client.join();
    ASSERT_TRUE(client.refuse.has_value());
    EXPECT_EQ(client.refuse->reason, RefuseReason::bad_resume);
  }
}

TEST(Broadcaster, case_41_a_full_server_says_so) {
  Stage stage(true, 2);
  RawClient one(stage, address(1));
  RawClient two(stage, address(2));
  RawClient three(stage, address(3));
  one.join();
  two.join();
  three.join();
  EXPECT_TRUE(one.welcome && two.welcome && !three.welcome);
  ASSERT_TRUE(three.refuse.has_value());
  EXPECT_EQ(three.refuse->reason, RefuseReason::full);
  EXPECT_EQ(three.refuse->max_clients, 2U);
  // Not told to one whose welcome got lost.
  one.welcome.reset();
  one.say_hello();
  one.listen(stage.poll());
  EXPECT_TRUE(one.welcome.has_value());
  // And there is room again when one leaves.
  const std::uint8_t left[] = {1};
  EXPECT_EQ(two.send(PacketType::disconnect, left), PacketError::none);
  three.join();
  EXPECT_TRUE(three.welcome.has_value());
}

TEST(Broadcaster, sends_no_log_before_the_client_uses_its_connection) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  for (int i = 0; i < 20; ++i, stage.now += k_second / 32) {
    stage.tick();
    EXPECT_TRUE(stage.poll().empty());
  }
  EXPECT_EQ(client.send(PacketType::ack), PacketError::none);
  stage.tick();
  client.listen(stage.poll());
  EXPECT_GE(client.count(PacketType::slice), 1);
}

TEST(Broadcaster, packets_of_unknown_connections_and_of_wrong_content_are_dropped) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  const wire::Bytes packet = client.seal(PacketType::ack, {});
  EXPECT_EQ(stage.give(address(1), packet), PacketError::none);
  wire::Bytes other = client.seal(PacketType::ack, {});
  other[3] ^= 1;
  EXPECT_EQ(stage.give(address(1), other), PacketError::unknown_connection);
  EXPECT_EQ(client.send(PacketType::tick), PacketError::unexpected);
  EXPECT_EQ(client.send(PacketType::ack, wire::Bytes(1)), PacketError::too_long);
  EXPECT_EQ(client.send(PacketType::ack, {}, {500, 0, 0}), PacketError::bad_ack);
}

TEST(Broadcaster, case_31_an_old_datagram_replayed_a_minute_later_is_ignored) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  const std::vector<wire::Command> commands{{1, {}, {1, 2, 0, 3}}};
  const wire::Bytes packet = client.seal(PacketType::command, wire::encode_commands(commands));
  EXPECT_EQ(stage.give(address(1), packet), PacketError::none);
  for (int i = 0; i < 60 * 32; ++i, stage.now += k_second / 32) {
    stage.tick();
    ASSERT_EQ(client.send(PacketType::ack), PacketError::none);
    if (i % 100 == 0) {
      EXPECT_EQ(stage.give(address(1), packet), PacketError::replayed);
    }
  }
  EXPECT_EQ(stage.broadcaster->take_commands().size(), 1U);
  EXPECT_EQ(stage.broadcaster->statistics().commands, 1U);
}

TEST(Broadcaster, case_31_a_repeated_command_is_answered_with_the_old_result) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  EXPECT_EQ(client.send_commands({1}), PacketError::none);
  EXPECT_EQ(client.send_commands({1}), PacketError::none);  // still waiting
  ASSERT_EQ(stage.broadcaster->take_commands().size(), 1U);
  client.listen(stage.poll());
  EXPECT_TRUE(client.results().empty());
  const wire::CommandResult result{1, wire::CommandStatus::launched, 42};
  stage.broadcaster->answer(1, result);
  client.listen(stage.poll());
  EXPECT_EQ(client.results(), (std::vector<wire::CommandResult>{result}));
  EXPECT_EQ(client.send_commands({1}), PacketError::none);
  client.listen(stage.poll());
  EXPECT_EQ(client.results(), (std::vector<wire::CommandResult>{result, result}));
  EXPECT_TRUE(stage.broadcaster->take_commands().empty());
  EXPECT_EQ(stage.broadcaster->statistics().repeated_commands, 2U);
  // Past the memory nothing is known and nothing is done.
  for (std::uint32_t id = 2; id < 70; ++id) {
    stage.tick();
    EXPECT_EQ(client.send_commands({id}), PacketError::none);
    stage.broadcaster->take_commands();
  }
  EXPECT_EQ(client.send_commands({1}), PacketError::none);
  EXPECT_TRUE(stage.broadcaster->take_commands().empty());
  stage.broadcaster->answer(1, result);
  stage.broadcaster->answer(77, result);  // nobody
}

TEST(Broadcaster, commands_come_in_the_order_of_client_and_id) {
  Stage stage;
  RawClient one(stage, address(1));
  RawClient two(stage, address(2), wire::Role::director);
  one.hello.entity = 5;
  one.join();
  two.join();
  two.send_commands({2, 3});
  one.send_commands({7});
  two.send_commands({1});
  one.send_commands({4, 5});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  const auto commands = stage.broadcaster->take_commands();
  for (const ClientCommand& command : commands)
    order.emplace_back(command.client, command.command.id);
  EXPECT_EQ(order, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                       {1, 4}, {1, 5}, {1, 7}, {2, 1}, {2, 2}, {2, 3}}));
  EXPECT_EQ(commands[0].role, wire::Role::pilot);
  EXPECT_EQ(commands[0].entity, 5U);
  EXPECT_EQ(commands[3].role, wire::Role::director);
}

TEST(Broadcaster, a_spectators_commands_are_refused_by_role) {
  Stage stage;
  RawClient client(stage, address(1), wire::Role::spectator);
  client.join();
  EXPECT_EQ(client.send_commands({1}), PacketError::none);
  client.listen(stage.poll());
  ASSERT_EQ(client.results().size(), 1U);
  EXPECT_EQ(client.results()[0].status, wire::CommandStatus::refused_role);
  EXPECT_TRUE(stage.broadcaster->take_commands().empty());
}

TEST(Broadcaster, a_client_that_floods_commands_keeps_16_a_tick) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 1; id <= 20; ++id) ids.push_back(id);
  EXPECT_EQ(client.send_commands(ids), PacketError::over_limit);
  EXPECT_EQ(stage.broadcaster->take_commands().size(), 16U);
  EXPECT_EQ(client.send_commands(ids), PacketError::over_limit);
  EXPECT_TRUE(stage.broadcaster->take_commands().empty());
  stage.tick();
  EXPECT_EQ(client.send_commands(ids), PacketError::none);
  EXPECT_EQ(stage.broadcaster->take_commands().size(), 4U);
}

TEST(Broadcaster, a_ping_is_answered_with_session_time) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  stage.tick();
  stage.now += 10 * k_millisecond;
  const wire::Bytes ping{8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(client.send(PacketType::ping, ping), PacketError::none);
  stage.now += 3 * k_millisecond;
  client.listen(stage.poll());
  ASSERT_EQ(client.count(PacketType::pong), 1);
  const auto packet =
      std::find_if(client.received.begin(), client.received.end(),
                   [](const auto& b) { return static_cast<PacketType>(b[0]) == PacketType::pong; });
  wire::PlainText plain;
  wire::Pong pong;
  ASSERT_EQ(client.open(*packet, plain), PacketError::none);
  ASSERT_EQ(wire::read(plain.content(), pong), PacketError::none);
  EXPECT_EQ(pong.client_sent, 0x0102'0304'0506'0708);
  EXPECT_EQ(pong.server_received, wire::tick_nanoseconds(11) + 10 * k_millisecond);
  EXPECT_EQ(pong.server_sent, pong.server_received + 3 * k_millisecond);
  // A stalled match promises no more than 4 ticks.
  stage.now += k_second;
  client.received.clear();
  client.send(PacketType::ping, ping);
  client.listen(stage.poll());
  ASSERT_EQ(client.open(client.received.at(0), plain), PacketError::none);
  ASSERT_EQ(wire::read(plain.content(), pong), PacketError::none);
  EXPECT_EQ(pong.server_received, 5 * wire::tick_nanoseconds(11));
}

TEST(Broadcaster, a_kicked_client_is_told_three_times_and_forgotten) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  stage.broadcaster->kick(1, wire::DisconnectReason::kicked);
  stage.broadcaster->kick(1, wire::DisconnectReason::kicked);
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
  EXPECT_EQ(client.send(PacketType::ack), PacketError::unknown_connection);
  for (int i = 0; i < 100; ++i, stage.now += k_millisecond) client.listen(stage.poll());
  EXPECT_EQ(client.count(PacketType::disconnect), 3);
  EXPECT_FALSE(stage.broadcaster->says_goodbye());
  const auto events = stage.broadcaster->take_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].reason, wire::DisconnectReason::kicked);
}

TEST(Broadcaster, a_snapshot_beyond_the_transport_ends_the_connection_with_a_reason) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  client.send(PacketType::ack);
  stage.tick();
  sim::TickRecord record;
  RawClient other(stage, address(2));
  other.join();
  other.send(PacketType::ack);
  stage.now += k_second;
  for (std::uint32_t i = 0; i < 20; ++i) {  // the shared snapshot grows too old
    record.tick = ++stage.ticks;
    stage.broadcaster->on_record(record, {}, stage.now);
    if (i == 19) {
      ASSERT_TRUE(stage.broadcaster->wants_snapshot());
      stage.broadcaster->give_snapshot(wire::Bytes(wire::k_max_slices * wire::k_slice_bytes + 1));
    }
  }
  const auto left = stage.broadcaster->statistics().left;
  EXPECT_GE(left[static_cast<std::size_t>(wire::DisconnectReason::too_large)], 1U);
}

}  // namespace
}  // namespace contrail::server
