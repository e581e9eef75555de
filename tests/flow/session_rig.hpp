#pragma once

// A whole session in one process and in virtual time: the real match, broadcaster and client cores
// over a simulated network.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/broadcaster.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/support/sim_network.hpp>

namespace contrail::flow_test {

using support::LinkConditions;
using wire::k_millisecond;
using wire::k_second;
using wire::Nanoseconds;

/// One client with its address and everything it told its host.
struct Seat {
  explicit Seat(const client::ClientConfig& config) : core(config) {}
  client::ClientCore core;
  wire::Address address;
  std::vector<client::Event> events;
  std::vector<client::CommandResult> results;
};

class SessionRig final : public server::DatagramSink {
 public:
  SessionRig(std::shared_ptr<const sim::Scenario> scenario, std::uint64_t network_seed,
             const LinkConditions& conditions = {});

  /// Joins a client now. The reference stays valid.
  Seat& join(client::Role role = client::Role::spectator, std::uint16_t entity = sim::k_no_entity,
             client::TestFault fault = client::TestFault::none);
  /// Plays `ticks` ticks; clients are polled four times a tick.
  void play(int ticks);
  /// Lets datagrams arrive and clients catch up, without new ticks.
  void settle(Nanoseconds duration);

  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override;

  server::Match match;
  support::SimNetwork network;
  std::unique_ptr<server::Broadcaster> broadcaster;
  std::vector<std::unique_ptr<Seat>> seats;
  std::map<std::uint32_t, wire::Bytes> log;  // canonical bytes by tick
  std::vector<wire::Input> inputs;           // accepted ones
  std::vector<sim::WorldEvent> events;       // of all folds of the server
  wire::Bytes header;
  Nanoseconds now = 1000 * k_second;

 private:
  void step_server();
  void exchange();

  Nanoseconds tick_length_;
  std::uint64_t seed_;
};

}  // namespace contrail::flow_test
