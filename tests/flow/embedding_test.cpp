// A match inside a host: without a network, and with clients of every role on a session of its own.

#include <algorithm>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/live_session.hpp>
#include <contrail/flow/hosted_match.hpp>
#include <contrail/replay/verify.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/support/small_scenario.hpp>
#include <contrail/support/temporary_directory.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {
namespace {

using support::metres;
using wire::CommandStatus;

sim::Scenario two_ships() {
  sim::Scenario s = support::small_scenario();
  support::add_ball(s, 1, {0, metres(2000), 0});
  support::add_ball(s, 2, {metres(300), metres(2000), 0});
  return s;
}

TEST(HostedMatch, a_host_spawns_drives_fires_and_is_answered) {
  HostedMatch match(support::share(support::small_scenario()));
  sim::Spawn spawn;
  spawn.position = {0, metres(500), 0};
  const std::uint32_t first = match.spawn(spawn);
  spawn.type = 9;
  const std::uint32_t wrong = match.spawn(spawn);
  std::map<std::uint32_t, wire::CommandResult> answers;
  const auto step = [&] {
    const HostedStep played = match.step();
    for (const wire::CommandResult& answer : played.answers) answers[answer.id] = answer;
    return played.events.size();
  };
  EXPECT_GE(step(), 1U);
  ASSERT_EQ(answers[first].status, CommandStatus::taken);
  EXPECT_EQ(answers[wrong].status, CommandStatus::refused_type);
  const auto own = static_cast<std::uint16_t>(answers[first].launch);
  ASSERT_NE(match.world().find_entity(own), nullptr);
  spawn.type = 0;
  spawn.position.x = metres(400);
  const std::uint32_t second = match.spawn(spawn);
  step();
  const auto other = static_cast<std::uint16_t>(answers[second].launch);
  EXPECT_NE(own, other);
  const std::uint32_t shot = match.fire(own, 1, other);
  const std::uint32_t into_the_blue = match.fire(own, 1, 77);
  const std::vector<std::uint8_t> note{1, 2, 3};
  const std::uint32_t custom = match.custom(42, note);
  const std::uint32_t decoys = match.release(own);
  const std::uint32_t moved = match.drive(own, {metres(1), metres(500), 0}, {metres(2), 0, 0});
  const HostedStep played = match.step();
  for (const wire::CommandResult& answer : played.answers) answers[answer.id] = answer;
  EXPECT_EQ(answers[shot].status, CommandStatus::launched);
  EXPECT_EQ(answers[into_the_blue].status, CommandStatus::refused_target);
  EXPECT_EQ(answers[custom].status, CommandStatus::taken);
  EXPECT_EQ(answers[decoys].status, CommandStatus::refused_decoys);
  EXPECT_EQ(answers[moved].status, CommandStatus::refused_speed);
  ASSERT_EQ(played.record.customs.size(), 1U);
  EXPECT_EQ(played.record.customs[0].bytes, note);
  const std::uint32_t gone = match.despawn(other);
  step();
  EXPECT_EQ(answers[gone].status, CommandStatus::taken);
  EXPECT_TRUE(match.world().find_entity(other)->gone);
}

TEST(HostedMatch, whoever_joins_late_goes_on_from_a_snapshot_to_the_same_state) {
  const auto scenario = support::share(two_ships());
  HostedMatch match(scenario);
  std::optional<sim::World> late;
  for (int tick = 1; tick <= 320; ++tick) {
    if (tick % 40 == 5) {
      match.steer(0, {sim::SteerKind::accelerate, {metres(tick % 80 == 5 ? 20 : -20), 0, 0}});
      match.fire(0, 1, 1);
    }
    const HostedStep step = match.step();
    if (late && !step.bytes.empty()) {
      sim::TickRecord record;
      ASSERT_TRUE(wire::decode_record(step.bytes, scenario->log2_tick, record));
      const sim::FoldResult folded = late->fold(record);
      ASSERT_EQ(folded.error, sim::FoldError::none);
      ASSERT_EQ(folded.hash.differing, 0);
    }
    if (tick == 100) {
      sim::Snapshot snapshot;
      ASSERT_TRUE(wire::decode_snapshot(match.snapshot(), scenario->log2_tick, snapshot));
      ASSERT_EQ(sim::World::restore(scenario, snapshot, late), sim::FoldError::none);
    }
  }
  wire::SessionHeader header;
  ASSERT_TRUE(wire::decode_session_header(match.session_header(5), header));
  EXPECT_EQ(header.session_id, 5U);
  late->advance(320);
  EXPECT_EQ(late->state_hash().lanes, match.world().state_hash().lanes);
}

TEST(HostedMatch, callers_are_held_to_the_ranges_of_the_format) {
  HostedMatch match(support::share(two_ships()));
  match.step();
  std::map<std::uint32_t, CommandStatus> expected;
  expected[match.drive(0, {0, (1 << 30) + 1, 0}, {0, 0, 0})] = CommandStatus::refused_value;
  expected[match.drive(0, {0, 0, 0}, {sim::k_max_speed + 1, 0, 0})] = CommandStatus::refused_value;
  expected[match.custom(1, std::vector<std::uint8_t>(201))] = CommandStatus::refused_value;
  expected[match.fire(0, 0, sim::k_no_entity)] = CommandStatus::refused_target;
  expected[match.fire(sim::k_no_entity, 0, 1)] = CommandStatus::refused_entity;
  expected[match.despawn(sim::k_no_entity)] = CommandStatus::refused_entity;
  expected[match.release(sim::k_no_entity)] = CommandStatus::refused_entity;
  expected[match.steer(0, {static_cast<sim::SteerKind>(9), {0, 0, 0}})] =
      CommandStatus::refused_value;
  expected[match.steer(0, {sim::SteerKind::coast, {1, 0, 0}})] = CommandStatus::refused_value;
  sim::Spawn spawn;
  spawn.velocity = {metres(501), 0, 0};
  expected[match.spawn(spawn)] = CommandStatus::refused_speed;
  spawn.velocity = {metres(500), 0, 0};
  expected[match.spawn(spawn)] = CommandStatus::taken;
  const HostedStep step = match.step();
  ASSERT_EQ(step.answers.size(), expected.size());
  for (const wire::CommandResult& answer : step.answers) {
    EXPECT_EQ(answer.status, expected[answer.id])
        << answer.id << ": " << wire::describe(answer.status);
  }
}

TEST(HostedMatch, commands_of_players_are_held_to_the_same_ranges) {
  HostedMatch match(support::share(two_ships()));
  match.step();
  const sim::Subtick soon = match.world().time() + 1;
  std::map<std::uint32_t, CommandStatus> expected;
  const auto submit = [&](wire::Command command, CommandStatus status) {
    command.id = static_cast<std::uint32_t>(expected.size() + 1);
    expected[command.id] = status;
    match.submit(1, command);
  };
  wire::Command command;
  command.kind = wire::CommandKind::spawn;
  submit(command, CommandStatus::refused_role);
  command.kind = static_cast<wire::CommandKind>(99);
  submit(command, CommandStatus::refused_value);
  command = {};
  command.kind = wire::CommandKind::steer;
  command.steer = {0, {static_cast<sim::SteerKind>(7), {0, 0, 0}}, soon};
  submit(command, CommandStatus::refused_value);
  command.steer = {0, {sim::SteerKind::waypoint, {(1 << 30) + 1, 0, 0}}, soon};
  submit(command, CommandStatus::refused_value);
  command.steer = {0, {sim::SteerKind::waypoint, {1 << 30, 0, 0}}, soon};
  command.fire.entity = 1;
  submit(command, CommandStatus::refused_value);
  command.fire = {};
  submit(command, CommandStatus::taken);
  const HostedStep step = match.step();
  ASSERT_EQ(step.answers.size(), expected.size());
  for (const wire::CommandResult& answer : step.answers) {
    EXPECT_EQ(answer.status, expected[answer.id]) << answer.id;
  }
  ASSERT_EQ(step.inputs.size(), 1U);
  EXPECT_NO_THROW((void)wire::encode_input(step.inputs[0]));
  EXPECT_THROW(match.submit(wire::k_host_client, command), sim::AssertionFailure);
}

TEST(HostedMatch, a_player_is_heard_sixteen_times_a_tick_and_the_host_always) {
  HostedMatch match(support::share(two_ships()));
  match.step();
  for (std::uint32_t id = 1; id <= 20; ++id) {
    for (const std::uint32_t client : {1U, 2U}) {
      wire::Command command;
      command.id = id;
      command.fire = {static_cast<std::uint16_t>(client - 1),
                      static_cast<std::uint16_t>(2 - client), 0, match.world().time() + 1};
      match.submit(client, command);
    }
    match.custom(1, std::vector<std::uint8_t>(1));
  }
  const HostedStep step = match.step();
  std::map<CommandStatus, int> counted;
  for (const wire::CommandResult& answer : step.answers) ++counted[answer.status];
  EXPECT_EQ(counted[CommandStatus::refused_busy], 8);
  EXPECT_EQ(counted[CommandStatus::taken], 20);
  EXPECT_EQ(counted[CommandStatus::launched] + counted[CommandStatus::refused_reloading], 32);
  EXPECT_EQ(step.record.launches.size(),
            static_cast<std::size_t>(counted[CommandStatus::launched]));
}

/// A live session and its clients, joined by memory.
class Party final : public DatagramSink {
 public:
  explicit Party(const std::string& recording) : log_(LogFormat::text, LogLevel::off) {
    SessionConfig config;
    config.scenario = support::share(two_ships());
    config.fingerprint = sim::compute_fingerprint().all;
    config.session_id = 77;
    config.secret = {3, 4};
    config.admission.insecure = true;
    config.record = recording;
    session.emplace(config, log_);
    EXPECT_EQ(session->open_recording(), "");
    run(4);
  }
  client::ClientCore& join(client::Role role, std::uint16_t entity) {
    client::ClientConfig config;
    config.role = role;
    config.entity = entity;
    config.seed = clients.size() + 1;
    clients.push_back(std::make_unique<client::ClientCore>(config));
    clients.back()->connect(now_);
    return *clients.back();
  }
  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (address(i) == to) clients[i]->receive(datagram, now_);
    }
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      now_ += wire::k_second / 32;
      session->tick(now_);
      session->poll_outgoing(now_, *this);
      for (std::size_t c = 0; c < clients.size(); ++c) {
        clients[c]->update(now_);
        wire::Datagram datagram;
        while (clients[c]->next_datagram(now_, datagram)) {
          session->receive(address(c), datagram.view(), now_);
        }
      }
      session->poll_outgoing(now_, *this);
    }
  }
  CommandStatus answer(client::ClientCore& core) {
    run(8);
    client::CommandResult result;
    EXPECT_TRUE(core.next_command_result(result));
    return result.status;
  }

  std::optional<LiveSession> session;
  std::vector<std::unique_ptr<client::ClientCore>> clients;

 private:
  static wire::Address address(std::size_t i) {
    return wire::ipv4_address(10, 0, 1, static_cast<std::uint8_t>(i + 1), 5000);
  }
  Log log_;
  wire::Nanoseconds now_ = 0;
};

TEST(LiveSession, roles_decide_who_commands_what_and_the_recording_runs_again) {
  const support::TemporaryDirectory directory;
  Party party(directory.file("party.mcap"));
  client::ClientCore& pilot = party.join(client::Role::pilot, 0);
  client::ClientCore& director = party.join(client::Role::director, sim::k_no_entity);
  client::ClientCore& dreamer = party.join(client::Role::pilot, 99);
  party.run(40);
  ASSERT_EQ(pilot.state(), client::State::live) << pilot.describe_state();
  ASSERT_EQ(director.state(), client::State::live) << director.describe_state();
  EXPECT_EQ(dreamer.state(), client::State::refused);
  EXPECT_EQ(dreamer.end_reason(), client::EndReason::no_such_entity);

  std::uint32_t id = 0;
  const sim::Vec3 turn{metres(30), 0, 0};
  ASSERT_EQ(pilot.steer({sim::SteerKind::accelerate, turn}, id), client::Status::ok);
  EXPECT_EQ(party.answer(pilot), CommandStatus::taken);
  ASSERT_EQ(pilot.steer({sim::SteerKind::accelerate, turn, 1}, id), client::Status::ok);
  EXPECT_EQ(party.answer(pilot), CommandStatus::refused_entity);
  EXPECT_EQ(pilot.drive({0, {0, 0, 0}, {0, 0, 0}}, id), client::Status::not_allowed);
  ASSERT_EQ(director.fire({1, 0, 1, {}}, id), client::Status::ok);
  EXPECT_EQ(party.answer(director), CommandStatus::launched);
  ASSERT_EQ(pilot.self_destruct(0, id), client::Status::ok);
  EXPECT_EQ(party.answer(pilot), CommandStatus::refused_salvo) << "of another ship";
  ASSERT_EQ(director.self_destruct(0, id), client::Status::ok);
  EXPECT_EQ(party.answer(director), CommandStatus::taken);
  EXPECT_EQ(party.session->match().counters().self_destructs, 8U);
  ASSERT_EQ(director.drive({1, {metres(300) + 40, metres(2000), 0}, {metres(1), 0, 0}}, id),
            client::Status::ok);
  EXPECT_EQ(party.answer(director), CommandStatus::taken);
  ASSERT_EQ(director.drive({1, {metres(900), metres(2000), 0}, {0, 0, 0}}, id), client::Status::ok);
  EXPECT_EQ(party.answer(director), CommandStatus::refused_speed);

  wire::Command spawn;
  spawn.kind = wire::CommandKind::spawn;
  spawn.spawn.position = {0, metres(3000), 0};
  const std::uint32_t asked = party.session->submit(spawn);
  party.run(1);
  const auto results = party.session->take_results();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].id, asked);
  EXPECT_EQ(results[0].launch, 2U);

  pilot.disconnect(0);
  party.run(40);
  const auto velocity = [&] {
    const sim::World& world = party.session->match().world();
    return world.find_entity(0)->track.velocity(world.time());
  };
  const sim::Vec3 left = velocity();
  EXPECT_GT(left.x, 0);
  party.run(40);
  EXPECT_EQ(velocity(), left) << "a ship without its pilot coasts";

  party.session->close_recording();
  RecordedSession recorded;
  ASSERT_TRUE(recorded.open(party.session->recording_path())) << recorded.error();
  const VerifyResult verified = verify(recorded);
  EXPECT_EQ(verified.exit_code, ExitCode::ok) << verified.message;
  EXPECT_GE(verified.inputs, 6U);
  EXPECT_TRUE(verified.decisions_rerun);
  EXPECT_EQ(verified.log_hash, party.session->match().log().hash());
}

}  // namespace
}  // namespace contrail::server
