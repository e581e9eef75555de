#include "net_server.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

#include <contrail/edge/log.hpp>
#include <contrail/edge/tick_clock.hpp>
#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/sim/fingerprint.hpp>

#include "report.hpp"

namespace contrail::bench {
namespace {

constexpr std::size_t k_ticks_kept = 1U << 14;
constexpr std::size_t k_receive_buffer = 4U << 20;

server::SessionConfig session_config(std::shared_ptr<const sim::Scenario> scenario,
                                     std::size_t max_clients) {
  server::SessionConfig config;
  config.scenario = std::move(scenario);
  config.session_id = 1;
  config.fingerprint = sim::compute_fingerprint().all;
  config.secret = wire::entropy_from_system();
  config.max_clients = max_clients;
  config.admission.insecure = true;
  return config;
}

/// Adds the CPU time of a scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(thread_seconds()) {}
  ~Stopwatch() { sum_ += thread_seconds() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  double start_;
};

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

asio::ip::udp::endpoint endpoint_of(const wire::Address& to) {
  return {asio::ip::address_v4({to.ip[12], to.ip[13], to.ip[14], to.ip[15]}), to.port};
}

}  // namespace

wire::Nanoseconds steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What belongs to the server's thread; others read it while that waits for them, or has stopped.
struct NetServer::Playing final : server::DatagramSink {
  Playing(const std::shared_ptr<const sim::Scenario>& scenario, std::size_t max_clients,
          const std::atomic<bool>& recording_now)
      : recording(recording_now),
        log(server::LogFormat::text, server::LogLevel::error),
        session(session_config(scenario, max_clients), log),
        udp(context) {}

  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override {
    udp.send(to, datagram);
    if (recording) {
      recorded.back().datagrams.emplace_back(to, wire::Bytes(datagram.begin(), datagram.end()));
    }
  }

  void flush() override { udp.flush(); }

  const std::atomic<bool>& recording;
  server::Log log;
  server::LiveSession session;
  asio::io_context context;
  server::UdpEndpoint udp;
  ServerCost cost;  // so far, as it was last asked for
  std::vector<TickDatagrams> recorded{1};
};

NetServer::NetServer(std::shared_ptr<const sim::Scenario> scenario, std::size_t max_clients)
    : scenario_(std::move(scenario)), max_clients_(max_clients), due_(k_ticks_kept) {}

NetServer::~NetServer() {
  stop();
}

bool NetServer::start() {
  playing_ = std::make_unique<Playing>(scenario_, max_clients_, recording_);
  const auto bound = playing_->udp.open("127.0.0.1", 0, k_receive_buffer);
  if (!bound.ok) {
    std::fprintf(stderr, "bench: %s\n", bound.error.c_str());
    return false;
  }
  if (std::getenv("CONTRAIL_BENCH_SINGLE_SENDS") != nullptr) playing_->udp.send_singly();
  port_ = bound.port;
  thread_ = std::thread([this] { play(); });
  return true;
}

void NetServer::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

wire::Nanoseconds NetServer::due(std::uint32_t tick) const {
  return due_[tick % k_ticks_kept];
}

void NetServer::play() {
  Playing& p = *playing_;
  const wire::Nanoseconds tick_length = wire::tick_nanoseconds(scenario_->log2_tick);
  server::TickClock clock(tick_length, steady_now());
  ServerCost cost;
  p.session.set_addresses({wire::ipv4_address(127, 0, 0, 1, port_)});
  p.udp.start(
      [&](const wire::Address& from, std::span<const std::uint8_t> datagram) {
        p.session.receive(from, datagram, steady_now());
      },
      [&] {
        const Stopwatch watch(cost.send);
        p.session.poll_outgoing(steady_now(), p);
      });
  while (!stopping_) {
    const int due = clock.ticks_due(steady_now());
    for (int i = 0; i < due; ++i) {
      const Stopwatch watch(cost.play);
      due_[(p.session.match().tick() + 1) % k_ticks_kept] = clock.next_due();
      p.session.tick(clock.next_due());
      clock.advance();
      cost.missile_ticks += p.session.match().world().live_missiles();
      ++cost.ticks;
    }
    if (recording_ && due > 0) p.recorded.emplace_back();
    {
      const Stopwatch watch(cost.send);
      p.session.poll_outgoing(steady_now(), p);
    }
    if (asked_) {
      p.cost = cost;
      p.cost.wall = static_cast<double>(steady_now()) / 1e9;
      p.cost.cpu = thread_seconds();
      p.cost.salvos = p.session.match().counters().salvos;
      p.cost.network = p.session.summary().network;
      asked_ = false;
    }
    const double sent_before = cost.send;
    const double start = thread_seconds();
    const wire::Nanoseconds left = clock.next_due() - steady_now();
    if (left > 0) p.context.run_for(std::chrono::nanoseconds(left));
    cost.receive += thread_seconds() - start - (cost.send - sent_before);
  }
  p.session.say_goodbye();
  for (int i = 0; i < 20 && p.session.says_goodbye(); ++i) {
    p.session.poll_outgoing(steady_now(), p);
    p.context.run_for(std::chrono::milliseconds(5));
  }
  p.udp.close();
}

ServerCost NetServer::total() {
  asked_ = true;
  while (asked_) sleep_for(0.001);
  return playing_->cost;
}

ServerCost NetServer::measure(double seconds) {
  const ServerCost before = total();
  sleep_for(seconds);
  ServerCost out = total();
  out.wall -= before.wall;
  out.cpu -= before.cpu;
  out.play -= before.play;
  out.send -= before.send;
  out.receive -= before.receive;
  out.salvos -= before.salvos;
  out.ticks -= before.ticks;
  out.missile_ticks -= before.missile_ticks;
  out.network.datagrams_sent -= before.network.datagrams_sent;
  out.network.bytes_sent -= before.network.bytes_sent;
  out.network.packets_received -= before.network.packets_received;
  return out;
}

std::vector<TickDatagrams> NetServer::record(double seconds) {
  recording_ = true;
  sleep_for(seconds);
  recording_ = false;
  total();  // the server's thread has been through its loop since
  return std::exchange(playing_->recorded, std::vector<TickDatagrams>(1));
}

double bare_sends(const std::vector<TickDatagrams>& ticks, wire::Nanoseconds tick_length) {
  asio::io_context context;
  asio::ip::udp::socket socket(context, asio::ip::udp::endpoint(asio::ip::udp::v4(), 0));
  socket.non_blocking(true);
  double cpu = 0;
  wire::Nanoseconds next = steady_now();
  for (const TickDatagrams& tick : ticks) {
    const wire::Nanoseconds left = (next += tick_length) - steady_now();
    if (left > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(left));
    const Stopwatch watch(cpu);
    for (const auto& [to, bytes] : tick.datagrams) {
      asio::error_code ignored;
      socket.send_to(asio::buffer(bytes), endpoint_of(to), 0, ignored);
    }
  }
  return cpu;
}

}  // namespace contrail::bench
