// A player hosts: server and client in one process, joined by a pipe in memory. The client is a
// whole one, with handshake, clock and log of its own; remote players could join the same session
// over a socket. Runs 20 s of session time at once and prints one line of JSON.

#include <cstdio>
#include <deque>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/live_session.hpp>
#include <contrail/edge/scenario_file.hpp>

namespace {

using namespace contrail;

constexpr wire::Address k_player = wire::ipv4_address(127, 0, 0, 1, 5000);
constexpr wire::Nanoseconds k_step = wire::k_second / 128;

/// What the server sends to the only client.
class Pipe final : public server::DatagramSink {
 public:
  void send(const wire::Address&, std::span<const std::uint8_t> datagram) override {
    waiting_.emplace_back(datagram.begin(), datagram.end());
  }
  bool next(wire::Bytes& out) {
    if (waiting_.empty()) return false;
    out = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }

 private:
  std::deque<wire::Bytes> waiting_;
};

}  // namespace

int main() {
  const server::LoadedScenario loaded = server::load_scenario("circus");
  if (!loaded.scenario) return 1;
  server::Log log(server::LogFormat::text, server::LogLevel::warning);
  server::SessionConfig config;
  config.scenario = loaded.scenario;
  config.fingerprint = sim::compute_fingerprint().all;
  config.session_id = 1;
  config.secret = wire::entropy_from_system();
  config.admission.insecure = true;  // the pipe has one end only
  server::LiveSession session(config, log);

  client::ClientConfig player;
  player.role = client::Role::pilot;
  player.entity = 0;
  player.seed = 7;
  client::ClientCore client(player);

  Pipe pipe;
  wire::Bytes arrived;
  wire::Datagram leaving;
  std::size_t most_missiles = 0;
  std::uint32_t id = 0;
  std::size_t frame = 0;
  wire::Nanoseconds next_tick = wire::tick_nanoseconds(loaded.scenario->log2_tick);
  client.connect(0);
  for (wire::Nanoseconds now = 0; now < 20 * wire::k_second; now += k_step, ++frame) {
    if (now >= next_tick) {
      session.tick(next_tick);
      next_tick += wire::tick_nanoseconds(loaded.scenario->log2_tick);
    }
    session.poll_outgoing(now, pipe);
    while (pipe.next(arrived)) client.receive(arrived, now);
    client.update(now);
    if (client.state() == client::State::live && frame % 128 == 0) {
      const std::int32_t turn = frame % 256 == 0 ? 40'000 : -40'000;
      client.steer({sim::SteerKind::accelerate, {turn, 0, turn}}, id);
    }
    most_missiles =
        std::max(most_missiles, client.missiles(client.render_time(), {0, 0, 0}, {}).needed);
    while (client.next_datagram(now, leaving)) session.receive(k_player, leaving.view(), now);
  }
  const client::Statistics seen = client.statistics();
  const auto taken = seen.command_results[static_cast<std::size_t>(wire::CommandStatus::taken)];
  std::printf(
      "{\"state\":\"%s\",\"ticks\":%u,\"most_missiles\":%zu,\"impacts\":%llu,\"steers_taken\":%llu,"
      "\"hash_checks\":%llu,\"hash_mismatches\":%llu}\n",
      client::describe(client.state()), session.match().tick(), most_missiles,
      static_cast<unsigned long long>(seen.log.impacts), static_cast<unsigned long long>(taken),
      static_cast<unsigned long long>(seen.log.hash_checks),
      static_cast<unsigned long long>(seen.log.hash_mismatches));
  const bool well = client.state() == client::State::live && seen.log.hash_checks > 20 &&
                    seen.log.hash_mismatches == 0 && taken > 0;
  return well ? 0 : 1;
}
