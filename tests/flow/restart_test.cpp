// A server that restarts under hundreds of clients.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/broadcaster.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/support/sim_network.hpp>
#include <contrail/support/small_scenario.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::flow_test {
namespace {

using client::State;
using wire::k_millisecond;
using wire::k_second;
using wire::Nanoseconds;

constexpr wire::Address k_server = wire::ipv4_address(10, 0, 0, 1, 7777);

/// One life of a server's process: match, keys and session are new in each.
struct Life {
  Life(std::shared_ptr<const sim::Scenario> scenario, std::uint64_t number, Nanoseconds start)
      : match(scenario), next_tick(start) {
    wire::SessionHeader header;
    header.fingerprint = sim::compute_fingerprint().all;
    header.session_id = 1000 + number;
    header.scenario = *scenario;
    server::BroadcasterConfig config;
    config.admission.insecure = true;
    config.max_clients = 1000;
    config.version.fingerprint = header.fingerprint;
    config.session_id = header.session_id;
    config.log2_tick = scenario->log2_tick;
    config.secret[0] = static_cast<std::uint8_t>(number);
    broadcaster =
        std::make_unique<server::Broadcaster>(config, wire::encode_session_header(header));
  }
  server::Match match;
  std::unique_ptr<server::Broadcaster> broadcaster;
  Nanoseconds next_tick;
};

struct Crowd final : server::DatagramSink {
  struct Member {
    std::unique_ptr<client::ClientCore> core;
    wire::Address address;
    Nanoseconds next_frame = 0;
    Nanoseconds back_at = -1;
  };

  explicit Crowd(std::size_t count) : network(41) {
    sim::Scenario small = support::small_scenario();
    support::add_ball(small, 0, {0, 0, 0});
    support::add_ball(small, 1, {support::metres(500), 0, 0});
    scenario = support::share(std::move(small));
    network.set_conditions({10, 0, 0, 20 * k_millisecond, 10 * k_millisecond});
    for (std::size_t i = 0; i < count; ++i) {
      client::ClientConfig config;
      config.seed = i + 1;
      config.entropy.emplace();
      (*config.entropy)[0] = static_cast<std::uint8_t>(i);
      (*config.entropy)[1] = static_cast<std::uint8_t>(i >> 8);
      config.reconnect = true;
      Member member;
      member.core = std::make_unique<client::ClientCore>(std::move(config));
      member.address = wire::ipv4_address(10, 1, static_cast<std::uint8_t>(i >> 8),
                                          static_cast<std::uint8_t>(i), 5000);
      members.push_back(std::move(member));
    }
  }

  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override {
    network.send(k_server, to, datagram, now);
  }
  void start_server() { life = std::make_unique<Life>(scenario, ++lives, now); }

  void serve() {
    if (life == nullptr) return;
    if (now >= life->next_tick) {
      const server::StepResult step = life->match.step();
      life->broadcaster->on_record(step.entry.record, step.entry.bytes, life->next_tick);
      if (life->broadcaster->wants_snapshot()) {
        life->broadcaster->give_snapshot(
            wire::encode_snapshot(life->match.world().snapshot(), scenario->log2_tick));
      }
      life->next_tick += wire::tick_nanoseconds(scenario->log2_tick);
    }
    life->broadcaster->poll_outgoing(now, *this);
  }
  void deliver() {
    while (const auto delivery = network.next(now)) {
      if (delivery->to == k_server) {
        if (life) life->broadcaster->receive(delivery->from, delivery->bytes, now);
        continue;
      }
      const auto index = static_cast<std::size_t>(delivery->to.ip[14]) << 8 | delivery->to.ip[15];
      Member& member = members.at(index);
      if (member.address == delivery->to) member.core->receive(delivery->bytes, now);
    }
  }
  void frame(Member& member) {
    member.next_frame = now + k_second / 32;
    member.core->update(now);
    if (member.core->take_new_port()) ++member.address.port;
    wire::Datagram datagram;
    while (member.core->next_datagram(now, datagram)) {
      network.send(member.address, k_server, datagram.view(), now);
    }
    if (member.back_at < 0 && member.core->state() == State::live) member.back_at = now;
  }
  void run(Nanoseconds duration) {
    const Nanoseconds end = now + duration;
    for (; now < end; now += 5 * k_millisecond) {
      deliver();
      serve();
      for (Member& member : members) {
        if (now >= member.next_frame) frame(member);
      }
    }
  }
  [[nodiscard]] std::size_t live() const {
    return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), [](auto& member) {
      return member.core->state() == State::live;
    }));
  }

  std::shared_ptr<const sim::Scenario> scenario;
  support::SimNetwork network;
  std::unique_ptr<Life> life;
  std::uint64_t lives = 0;
  std::vector<Member> members;
  Nanoseconds now = k_second;
};

TEST(Restart, case_41_500_clients_are_back_15_s_after_a_restart_and_not_in_spikes) {
  Crowd crowd(500);
  crowd.start_server();
  for (auto& member : crowd.members) ASSERT_EQ(member.core->connect(crowd.now), client::Status::ok);
  crowd.run(3 * k_second);
  ASSERT_EQ(crowd.live(), 500U);

  // An orderly stop: good-byes, 2 s without a server, and another process at its address.
  crowd.life->broadcaster->close(wire::DisconnectReason::closing);
  crowd.run(100 * k_millisecond);
  crowd.life.reset();
  crowd.run(2 * k_second);
  EXPECT_EQ(crowd.live(), 0U);
  for (auto& member : crowd.members) member.back_at = -1;
  const Nanoseconds since = crowd.now;
  crowd.start_server();
  while (crowd.live() < 500 && crowd.now < since + 15 * k_second) crowd.run(k_second / 4);

  std::vector<int> by_100_ms(150);
  Nanoseconds last = 0;
  for (const auto& member : crowd.members) {
    ASSERT_GE(member.back_at, 0) << member.core->describe_state();
    last = std::max(last, member.back_at - since);
    ++by_100_ms.at(static_cast<std::size_t>((member.back_at - since) / (100 * k_millisecond)));
  }
  std::printf("the last is back after %.2f s; by 100 ms:", static_cast<double>(last) / 1e9);
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last / (100 * k_millisecond)); ++i) {
    std::printf(" %d", by_100_ms[i]);
  }
  std::printf("\n");
  EXPECT_EQ(crowd.live(), 500U);
  EXPECT_LT(last, 15 * k_second);
  EXPECT_LT(*std::max_element(by_100_ms.begin(), by_100_ms.end()), 100);  // a fifth of them
}

}  // namespace
}  // namespace contrail::flow_test
