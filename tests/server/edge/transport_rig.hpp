#pragma once

// A broadcaster and its clients over a simulated network, in virtual time.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <contrail/edge/broadcaster.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/support/sim_network.hpp>
#include <contrail/wire/client_connection.hpp>
#include <contrail/wire/codec.hpp>

#include "../../protocol/wire/codec_samples.hpp"

namespace contrail::server::rig {

using support::LinkConditions;
using wire::k_millisecond;
using wire::k_second;
using wire::Nanoseconds;

inline const wire::Address k_server = wire::ipv4_address(10, 0, 0, 1, 7777);
inline wire::Address client_address(int index) {
  return wire::ipv4_address(10, 0, 1, static_cast<std::uint8_t>(1 + index / 250),
                            static_cast<std::uint16_t>(20'000 + index));
}

/// A snapshot and the records that a client was given after it.
struct Segment {
  wire::SnapshotBytes snapshot;
  std::vector<std::uint32_t> ticks;              // of the records, as they came
  std::map<std::uint32_t, wire::Bytes> records;  // rebuilt canonical bytes
  std::uint32_t complete = 0;                    // up to here
};

struct ClientView {
  explicit ClientView(const wire::ClientConfig& config, Nanoseconds now)
      : connection(config, now) {}
  wire::ClientConnection connection;
  wire::Address address;
  Nanoseconds clock_offset = 0;  // its clock - the rig's
  bool stopped = false;          // neither sends nor receives
  wire::Bytes header;
  std::vector<Segment> segments;
  std::vector<wire::CommandResult> results;
  Nanoseconds live_at = -1;
  std::vector<Nanoseconds> delays;  // of records while live: complete - its tick
};

struct RigOptions {
  std::uint64_t seed = 1;
  int log2_tick = 11;
  std::uint32_t first_tick = 0;
  Nanoseconds start = 1000 * k_second;  // of the rig's clock
  std::size_t max_clients = 256;
  bool insecure = true;
  AdmissionConfig admission;  // with insecure set as above
  std::size_t header_bytes = 3000;
  std::size_t snapshot_bytes = 9000;
};

/// Gives the record of a tick; may be empty. Its tick is set by the rig.
using RecordSource = std::function<sim::TickRecord(std::uint32_t tick)>;
/// May change or drop (false) a datagram on its way to a client.
using Tamper = std::function<bool(const wire::Address& to, wire::Bytes& datagram)>;

class Rig final : public DatagramSink {
 public:
  explicit Rig(const RigOptions& options);

  /// `clock_offset`: its clock - the rig's.
  ClientView& add_client(const wire::ClientConfig& config = {}, Nanoseconds clock_offset = 0);
  /// Runs virtual time on; a tick every tick length, clients polled every 1/128 s.
  void run(Nanoseconds duration);
  /// The server stops ticking (and nothing else) until resumed.
  void stall(bool stalled) { stalled_ = stalled; }

  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override;

  [[nodiscard]] wire::ClientConfig config(wire::Role role = wire::Role::spectator);
  [[nodiscard]] wire::Bytes snapshot_at(std::uint32_t tick) const;

  RigOptions options;
  Nanoseconds now;
  support::SimNetwork network;
  std::unique_ptr<Broadcaster> broadcaster;
  std::vector<std::unique_ptr<ClientView>> clients;
  std::map<std::uint32_t, wire::Bytes> log;  // canonical bytes, all that are not empty
  wire::Bytes header;
  RecordSource source;
  Tamper tamper;
  /// Hears what clients send.
  std::function<void(const wire::Address& from, wire::ByteView datagram)> sniff;
  std::function<void(ClientCommand)> on_command;  // default: answers launched, ids ascending
  std::vector<ClientCommand> commands;
  std::uint32_t tick;
  int most_log_datagrams = 0;  // to one client in one tick

 private:
  void step_server();
  void step_client(std::size_t index);
  void take(ClientView& view);

  std::map<wire::Address, int> sent_in_tick_;
  Nanoseconds next_tick_;
  bool stalled_ = false;
  std::uint64_t client_seed_ = 100;
  std::uint32_t launches_ = 0;
};

using wire::samples::test_seed;

/// Records of every kind in half of the ticks; now and then one that is too large for a packet.
RecordSource busy_world(std::uint64_t seed, int log2_tick);
/// One launch in the ticks that the period divides.
RecordSource launches_every(std::uint32_t period);

/// How a client's log differs from the server's: nothing, or the first difference in words.
std::string difference(const Rig& rig, const Segment& segment);

}  // namespace contrail::server::rig
