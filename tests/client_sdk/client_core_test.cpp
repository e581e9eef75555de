#include <contrail/core/client_core.hpp>
#include <contrail/sim/batch/batch_self_check.hpp>

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <contrail/wire/handshake.hpp>

namespace contrail::client {
namespace {

constexpr Nanoseconds k_start = 5 * wire::k_second;
constexpr Nanoseconds k_frame = wire::k_second / 64;

/// Everything the core wants to send now.
std::vector<wire::Datagram> outgoing(ClientCore& core, Nanoseconds now) {
  std::vector<wire::Datagram> all;
  wire::Datagram datagram;
  while (core.next_datagram(now, datagram)) all.push_back(datagram);
  return all;
}

wire::Hello hello_of(ClientCore& core, Nanoseconds now) {
  wire::Hello hello;
  const auto sent = outgoing(core, now);
  EXPECT_EQ(sent.size(), 1U);
  if (!sent.empty()) {
    EXPECT_EQ(wire::decode_hello(sent[0].view(), hello), wire::PacketError::none);
  }
  return hello;
}

void refuse(ClientCore& core, const wire::Hello& hello, wire::RefuseReason reason) {
  wire::Refuse answer;
  answer.nonce = hello.nonce;
  answer.reason = reason;
  answer.max_clients = 3;
  answer.server = hello.version;
  answer.server.fingerprint.b ^= 0x55U;
  wire::Datagram datagram;
  wire::encode_refuse(answer, datagram);
  core.receive(datagram.view(), k_start);
  core.update(k_start);
}

TEST(ClientCore, answers_every_call_before_connect_with_a_status) {
  ClientCore core;
  core.update(k_start);
  const std::vector<std::uint8_t> bytes(100);
  core.receive(bytes, k_start);
  core.disconnect(k_start);
  EXPECT_EQ(core.state(), State::idle);
  EXPECT_EQ(core.end_reason(), EndReason::none);
  EXPECT_TRUE(outgoing(core, k_start).empty());
  std::vector<MissileView> missiles(1);
  std::vector<EntityView> entities(1);
  std::vector<TrailPoint> trail(1);
  std::vector<MissileId> ids(1);
  EXPECT_EQ(core.missiles(0, {0, 0, 0}, missiles).status, Status::not_live);
  EXPECT_EQ(core.entities(0, {0, 0, 0}, entities).status, Status::not_live);
  EXPECT_EQ(core.trail({}, {}, {0, 0, 0}, trail).status, Status::not_live);
  EXPECT_EQ(core.trail_ids(0, 0, ids).status, Status::not_live);
  sim::Vec3 position{0};
  sim::Pose pose;
  EXPECT_EQ(core.missile_position({}, 0, position), Status::not_live);
  EXPECT_EQ(core.entity_pose(0, 0, pose), Status::not_live);
  std::uint32_t id = 77;
  EXPECT_EQ(core.fire({}, id), Status::not_live);
  EXPECT_EQ(id, 77U);
  Event event;
  CommandResult result;
  EXPECT_FALSE(core.next_event(event));
  EXPECT_FALSE(core.next_command_result(result));
  EXPECT_EQ(core.session(), nullptr);
  EXPECT_EQ(core.world(), nullptr);
  EXPECT_EQ(core.render_time(), 0);
  EXPECT_EQ(core.statistics().packets_out, 0U);
  EXPECT_FALSE(core.describe_state().empty());
}

TEST(ClientCore, says_hello_with_its_version_role_and_token) {
  ClientConfig config;
  config.role = Role::pilot;
  config.entity = 12;
  config.token = {1, 2, 3};
  ClientCore core(config);
  ASSERT_EQ(core.connect(k_start), Status::ok);
  EXPECT_EQ(core.state(), State::connecting);
  EXPECT_EQ(core.connect(k_start), Status::wrong_state);
  const wire::Hello hello = hello_of(core, k_start);
  EXPECT_EQ(hello.role, Role::pilot);
  EXPECT_EQ(hello.entity, 12);
  EXPECT_EQ(hello.token, (wire::Bytes{1, 2, 3}));
  EXPECT_EQ(hello.version.major, wire::k_version_major);
  EXPECT_EQ(hello.version.fingerprint, sim::compute_fingerprint().all);
}

TEST(ClientCore, refuses_a_token_that_no_hello_can_carry) {
  ClientConfig config;
  config.token.resize(wire::k_max_token_bytes + wire::k_key_bytes + 1);
  ClientCore core(config);
  EXPECT_EQ(core.connect(k_start), Status::out_of_range);
  EXPECT_EQ(core.state(), State::idle);
}

TEST(ClientCore, planted_faults_show_in_the_hello) {
  ClientCore honest;
  ClientCore other_arithmetic;
  ClientCore other_protocol;
  other_arithmetic.plant_fault(TestFault::fingerprint);
  other_protocol.plant_fault(TestFault::protocol_version);
  for (ClientCore* core : {&honest, &other_arithmetic, &other_protocol}) {
    ASSERT_EQ(core->connect(k_start), Status::ok);
  }
  const wire::ProtocolVersion right = hello_of(honest, k_start).version;
  EXPECT_EQ(wire::compare(hello_of(other_arithmetic, k_start).version, right),
            wire::VersionMatch::fingerprint);
  EXPECT_EQ(wire::compare(hello_of(other_protocol, k_start).version, right),
            wire::VersionMatch::version);
}

TEST(ClientCore, evaluates_by_the_fastest_lanes_that_compute_what_scalar_code_does) {
  ClientCore core;
  EXPECT_EQ(core.batch_target(), sim::BatchTarget::scalar);
  ASSERT_EQ(core.connect(k_start), Status::ok);
  EXPECT_EQ(core.batch_target(), sim::choose_batch_target().target);
  LogLine line;
  EXPECT_FALSE(core.next_log_line(line)) << line.text;
}

TEST(ClientCore, falls_back_from_lanes_that_compute_something_else_and_says_so) {
  const sim::BatchTarget fastest = sim::choose_batch_target().target;
  if (fastest == sim::BatchTarget::scalar) GTEST_SKIP() << "no lanes on this machine";
  ClientCore core;
  core.plant_fault(TestFault::batch_lanes);
  ASSERT_EQ(core.connect(k_start), Status::ok);
  EXPECT_LT(core.batch_target(), fastest);
  LogLine line;
  ASSERT_TRUE(core.next_log_line(line));
  EXPECT_EQ(line.level, LogLevel::warning);
  EXPECT_THAT(line.text, testing::HasSubstr(std::string("not ") + sim::batch_target_name(fastest) +
                                            ": computes something else"));
}

TEST(ClientCore, tells_why_it_was_refused_and_may_try_again) {
  const std::vector<std::pair<wire::RefuseReason, EndReason>> reasons{
      {wire::RefuseReason::version, EndReason::version},
      {wire::RefuseReason::path_revision, EndReason::path_revision},
      {wire::RefuseReason::fingerprint, EndReason::fingerprint},
      {wire::RefuseReason::full, EndReason::server_full},
      {wire::RefuseReason::token_required, EndReason::token_required},
      {wire::RefuseReason::bad_token, EndReason::bad_token},
      {wire::RefuseReason::bad_resume, EndReason::bad_resume},
      {wire::RefuseReason::closing, EndReason::server_closing}};
  ClientCore core;
  std::uint64_t last_nonce = 0;
  for (const auto& [sent, wanted] : reasons) {
    ASSERT_EQ(core.connect(k_start), Status::ok);
    const wire::Hello hello = hello_of(core, k_start);
    EXPECT_NE(hello.nonce, last_nonce);
    last_nonce = hello.nonce;
    refuse(core, hello, sent);
    EXPECT_EQ(core.state(), State::refused);
    EXPECT_EQ(core.end_reason(), wanted);
    EXPECT_GT(core.describe_state().size(), 10U);
    LogLine line;
    ASSERT_TRUE(core.next_log_line(line));
    EXPECT_EQ(line.text, core.describe_state());
    EXPECT_EQ(line.level, LogLevel::warning);
    EXPECT_TRUE(outgoing(core, k_start + wire::k_second).empty());
  }
}

TEST(ClientCore, an_answer_to_somebody_elses_hello_changes_nothing) {
  ClientCore core;
  ASSERT_EQ(core.connect(k_start), Status::ok);
  wire::Hello other = hello_of(core, k_start);
  ++other.nonce;
  refuse(core, other, wire::RefuseReason::full);
  EXPECT_EQ(core.state(), State::connecting);
}

TEST(ClientCore, gives_up_when_nobody_answers) {
  ClientCore core;
  ASSERT_EQ(core.connect(k_start), Status::ok);
  std::size_t hellos = 0;
  Nanoseconds now = k_start;
  for (; core.state() == State::connecting && now < k_start + wire::k_second * 60; now += k_frame) {
    core.update(now);
    for (const wire::Datagram& datagram : outgoing(core, now)) {
      ++hellos;
      EXPECT_LE(datagram.size, wire::k_max_datagram_bytes);
    }
  }
  EXPECT_EQ(core.state(), State::disconnected);
  EXPECT_EQ(core.end_reason(), EndReason::no_answer);
  EXPECT_GE(now - k_start, wire::k_connect_timeout);
  EXPECT_GT(hellos, 3U);
  EXPECT_LT(hellos, 60U);
  EXPECT_EQ(core.connect(now), Status::ok);
}

TEST(ClientCore, case_37_garbage_of_every_length_is_counted_and_dropped) {
  const std::uint32_t seed = 37;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  ClientCore core;
  ASSERT_EQ(core.connect(k_start), Status::ok);
  hello_of(core, k_start);
  for (std::size_t length = 0; length <= 1300; ++length) {
    std::vector<std::uint8_t> bytes(length);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    core.receive(bytes, k_start);
    if (!bytes.empty()) bytes[0] = static_cast<std::uint8_t>(1 + random() % 16);  // a known type
    core.receive(bytes, k_start);
    core.update(k_start);
    ASSERT_EQ(core.state(), State::connecting) << "length " << length;
  }
  EXPECT_EQ(core.statistics().packets_dropped, 2U * 1301U);
  EXPECT_EQ(core.statistics().packets_in, 0U);
}

TEST(ClientCore, can_leave_before_it_was_let_in) {
  ClientCore core;
  ASSERT_EQ(core.connect(k_start), Status::ok);
  core.disconnect(k_start);
  EXPECT_EQ(core.state(), State::disconnected);
  EXPECT_EQ(core.end_reason(), EndReason::closed);
  EXPECT_EQ(core.connect(k_start), Status::ok);
}

TEST(ClientCore, survives_a_clock_that_goes_back) {
  ClientCore core;
  ASSERT_EQ(core.connect(k_start), Status::ok);
  hello_of(core, k_start);
  core.update(k_start - wire::k_second * 100);
  EXPECT_TRUE(outgoing(core, -1).empty());
  EXPECT_EQ(core.state(), State::connecting);
}

// A broken contract ends the object, never the process it lives in.
TEST(ClientCore, an_internal_error_fails_the_object_and_spares_its_host) {
  ClientCore core;
  core.plant_fault(TestFault::broken_contract);
  ASSERT_EQ(core.connect(k_start), Status::ok);
  core.update(k_start);
  EXPECT_EQ(core.state(), State::failed);
  EXPECT_EQ(core.end_reason(), EndReason::internal_error);
  EXPECT_NE(core.failure().find("client_core.cpp:"), std::string::npos) << core.failure();
  EXPECT_EQ(core.connect(k_start), Status::failed);
  EXPECT_EQ(core.missiles(0, {0, 0, 0}, {}).status, Status::failed);
  std::uint32_t id = 0;
  EXPECT_EQ(core.fire({}, id), Status::failed);
  core.update(k_start);
  core.receive({}, k_start);
  core.disconnect(k_start);
  EXPECT_TRUE(outgoing(core, k_start).empty());
  EXPECT_EQ(core.state(), State::failed);
  Event event;
  EXPECT_FALSE(core.next_event(event));
  EXPECT_EQ(core.world(), nullptr);
}

}  // namespace
}  // namespace contrail::client
