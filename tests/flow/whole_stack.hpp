#pragma once

// A whole session in virtual time: the real match, broadcaster, connection, client core and world,
// with a misbehaving network between them instead of sockets.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/broadcaster.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/support/sim_network.hpp>

namespace contrail::flow_test {

using wire::Nanoseconds;

/// One event in the words both ends share.
struct SeenEvent {
  sim::Subtick time = 0;
  client::EventKind kind = client::EventKind::launch;
  std::uint32_t launch = 0;
  std::uint8_t index = 0;
  sim::EndKind end = sim::EndKind::alive;
  std::uint16_t entity = sim::k_no_entity;
  bool operator==(const SeenEvent&) const = default;
};

/// What a client showed.
struct Watcher {
  Watcher(client::ClientConfig config, std::uint64_t number);

  wire::Address address;
  client::ClientCore core;
  Nanoseconds clock_offset = 0;  // its clock has nothing to do with the server's
  Nanoseconds frame = wire::k_second / 60;
  Nanoseconds next_frame = 0;
  bool asleep = false;  // its host does not run frames
  bool was_live = false;
  sim::Subtick last_render_time = 0;
  std::uint64_t resets = 0;
  sim::Subtick reset_time = 0;  // of the last snapshot taken over
  std::uint64_t render_time_steps_back = 0;
  std::uint64_t ports = 1;        // that it sent from
  std::vector<SeenEvent> events;  // launches, missile ends, destructions; since the last reset
  std::vector<sim::Subtick>
      lateness;  // of these events: how far behind the last frame's time, or 0
  std::vector<client::CommandResult> results;
  std::uint64_t provisional_frames = 0;
  std::uint64_t live_frames = 0;
};

/// The header of a session over a scenario, as WholeStack sends it.
wire::Bytes session_header(const sim::Scenario& scenario);

class WholeStack final : public server::DatagramSink {
 public:
  /// `admission`: who may join; none: anybody.
  WholeStack(std::shared_ptr<const sim::Scenario> scenario, std::uint64_t seed,
             const std::optional<server::AdmissionConfig>& admission = std::nullopt);

  Watcher& join(client::ClientConfig config = {}, client::TestFault fault = {});
  /// Runs everything for a time.
  void run(Nanoseconds duration);

  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override;
  /// What the server's log says happened in (from, to], by time.
  [[nodiscard]] std::vector<SeenEvent> happened(sim::Subtick from, sim::Subtick to) const;

  std::shared_ptr<const sim::Scenario> scenario;
  support::SimNetwork network;
  server::Match match;
  server::Broadcaster broadcaster;
  std::vector<std::unique_ptr<Watcher>> watchers;
  std::map<std::uint32_t, wire::Bytes> log;  // canonical records by tick
  std::vector<wire::Input> inputs;           // accepted ones
  std::vector<sim::WorldEvent> folded;       // what the server's folds did
  Nanoseconds now = 0;

 private:
  void tick();
  void frame(Watcher& watcher);
  void take_events(Watcher& watcher, sim::Subtick shown_before);

  std::vector<SeenEvent> happened_;
  Nanoseconds next_tick_;
};

}  // namespace contrail::flow_test
