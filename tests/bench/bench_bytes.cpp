// The same match for one client twice at once, over loopback and with the same losses: as
// contrail's log, and as a delta-compressed snapshot stream of its missiles over ENet.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/live_session.hpp>
#include <contrail/edge/scenario_file.hpp>
#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/support/random_log.hpp>

#include "report.hpp"
#include "snapshot_stream.hpp"

namespace {

using namespace contrail;
using wire::k_second;
using wire::Nanoseconds;

constexpr Nanoseconds k_snapshot_interval = k_second / 60;
constexpr Nanoseconds k_frame = k_second / 60;
constexpr Nanoseconds k_poll = k_second / 1000;
constexpr Nanoseconds k_warm = 12 * k_second;  // of the match, until there is a crowd
constexpr sim::Subtick k_interpolation = sim::k_subticks_per_second / 10;  // of the snapshot client
constexpr std::uint64_t k_udp_ip_bytes = 28;

Nanoseconds steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(bench::thread_seconds()) {}
  ~Stopwatch() { sum_ += bench::thread_seconds() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  double start_;
};

/// What one way to tell the client came to.
struct Account {
  double server_cpu = 0;  // seconds, the match itself left out
  double client_cpu = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;            // with UDP and IP headers
  std::vector<double> launch_delays;  // ms from when the server knew a missile to the client
  std::vector<double> errors;         // m, of shown missiles
  std::uint64_t shown = 0;
  std::uint64_t missing = 0;  // in flight at the shown instant, and not in the picture
  Nanoseconds join = 0;       // until the first whole picture
};

double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// The server's end of contrail, with losses on the way out.
class LossySink final : public server::DatagramSink {
 public:
  LossySink(server::UdpEndpoint& udp, int loss) : udp_(udp), loss_(loss) {}
  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override {
    ++datagrams;
    bytes += datagram.size() + k_udp_ip_bytes;
    if (dice_.between(0, 999) >= loss_) udp_.send(to, datagram);
  }
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;

 private:
  server::UdpEndpoint& udp_;
  int loss_;
  support::Dice dice_{2};
};

class Comparison {
 public:
  Comparison(std::shared_ptr<const sim::Scenario> scenario, int loss)
      : loss_(loss),
        log_(server::LogFormat::text, server::LogLevel::error),
        session_(config(scenario), log_),
        udp_(context_),
        sink_(udp_, loss),
        socket_(client_context_, asio::ip::udp::v4()),
        snapshots_(loss) {
    const auto bound = udp_.open("127.0.0.1", 0, 1U << 20);
    if (!bound.ok) std::fprintf(stderr, "bench: %s\n", bound.error.c_str());
    session_.set_addresses({wire::ipv4_address(127, 0, 0, 1, bound.port)});
    socket_.connect({asio::ip::address_v4::loopback(), bound.port});
    socket_.non_blocking(true);
    udp_.start([this](const wire::Address& from, std::span<const std::uint8_t> datagram) {
      session_.receive(from, datagram, steady_now());
    });
    client::ClientConfig joining;
    joining.seed = 1;
    core_ = std::make_unique<client::ClientCore>(joining);
    tick_ = wire::tick_nanoseconds(scenario->log2_tick);
  }

  void play(Nanoseconds duration) {
    // Played up to here at once: the match is in full swing when the clients come.
    Nanoseconds due = steady_now() - k_warm;
    while ((due += tick_) < steady_now()) session_.tick(due);
    started_ = steady_now();
    core_->connect(started_);
    rival_ = std::make_unique<bench::SnapshotClient>(snapshots_.port(), loss_);
    Nanoseconds next_snapshot = started_;
    Nanoseconds next_frame = started_;
    while (steady_now() < started_ + duration) {
      const Nanoseconds now = steady_now();
      for (; due <= now; due += tick_) {
        session_.tick(due);
        last_due_ = due;
      }
      serve_contrail(now);
      const bool sends = now >= next_snapshot;
      if (sends) next_snapshot += k_snapshot_interval;
      serve_snapshots(now, sends);
      if (now >= next_frame) {
        next_frame += k_frame;
        look(now);
      }
      std::this_thread::sleep_for(std::chrono::nanoseconds(k_poll));
    }
    log_account_.datagrams = sink_.datagrams;
    log_account_.bytes = sink_.bytes;
    snapshot_account_.datagrams = snapshots_.sent().datagrams;
    snapshot_account_.bytes = snapshots_.sent().bytes;
  }

  [[nodiscard]] const Account& log() const { return log_account_; }
  [[nodiscard]] const Account& snapshots() const { return snapshot_account_; }
  [[nodiscard]] std::uint64_t missile_payload() const {
    return session_.summary().network.sent.payload.missiles();
  }
  [[nodiscard]] double missile_seconds() const { return missile_seconds_; }
  [[nodiscard]] bool exact() const { return inexact_ == 0; }

 private:
  static server::SessionConfig config(const std::shared_ptr<const sim::Scenario>& scenario) {
    server::SessionConfig out;
    out.scenario = scenario;
    out.session_id = 1;
    out.fingerprint = sim::compute_fingerprint().all;
    out.secret = wire::entropy_from_system();
    out.admission.insecure = true;
    return out;
  }
  [[nodiscard]] const sim::World& world() const { return session_.match().world(); }

  void serve_contrail(Nanoseconds now) {
    {
      const Stopwatch watch(log_account_.server_cpu);
      context_.poll();
      session_.poll_outgoing(now, sink_);
    }
    const Stopwatch watch(log_account_.client_cpu);
    std::array<std::uint8_t, wire::k_max_datagram_bytes + 1> buffer{};
    asio::error_code nothing_left;
    while (true) {
      const std::size_t size = socket_.receive(asio::buffer(buffer), 0, nothing_left);
      if (nothing_left) break;
      core_->receive({buffer.data(), size}, now);
    }
    core_->update(now);
    wire::Datagram datagram;
    while (core_->next_datagram(now, datagram)) {
      if (dice_.between(0, 999) < loss_) continue;
      asio::error_code ignored;
      socket_.send(asio::buffer(datagram.view().data(), datagram.size), 0, ignored);
    }
  }

  void serve_snapshots(Nanoseconds now, bool sends) {
    {
      const Stopwatch watch(snapshot_account_.server_cpu);
      snapshots_.serve();
      if (sends) snapshots_.send(world(), shown_by_server(now));
    }
    const Stopwatch watch(snapshot_account_.client_cpu);
    rival_->serve();
  }

  /// The newest instant the server knows all about, without steps.
  [[nodiscard]] sim::Subtick shown_by_server(Nanoseconds now) const {
    return std::min(world().time(),
                    world().time() - wire::to_subticks(tick_) + wire::to_subticks(now - last_due_));
  }

  /// Compares both clients' pictures with the server's world.
  void look(Nanoseconds now) {
    note_arrivals(now);
    if (core_->state() == client::State::live) {
      if (log_account_.join == 0) log_account_.join = now - started_;
      const sim::Subtick at = core_->render_time();
      compare(log_account_, at, [&](const client::MissileId& id) -> std::optional<sim::Vec3> {
        sim::Vec3 p{0};
        if (core_->missile_position(id, at, p) != client::Status::ok) return std::nullopt;
        return p;
      });
    }
    if (!rival_->snapshots().empty()) {
      if (snapshot_account_.join == 0) snapshot_account_.join = now - started_;
      const sim::Subtick at = shown_by_server(now) - k_interpolation;
      compare(snapshot_account_, at,
              [&](const client::MissileId& id) { return rival_->position(id.key(), at); });
    }
    missile_seconds_ += static_cast<double>(world().live_missiles()) / 60;
  }

  template <class Shown>
  void compare(Account& account, sim::Subtick at, const Shown& shown) {
    const bool settled = steady_now() - started_ > 2 * k_second;
    if (!settled || at > world().time()) return;
    for (const sim::Salvo& salvo : world().salvos()) {
      for (int i = 0; i < salvo.launch.count; ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        if (!world().missile_flies(salvo, index, at)) continue;
        const auto position = shown({salvo.id, index});
        if (!position) {
          ++account.missing;
          continue;
        }
        ++account.shown;
        const sim::WideVec3 off =
            sim::WideVec3(*position) - sim::WideVec3(world().missile_position(salvo, index, at));
        const double metres = static_cast<double>(sim::length(off)) / sim::k_units_per_metre;
        account.errors.push_back(metres);
        // What is drawn ahead of the log is marked provisional, and may be wrong.
        const bool final = &account == &log_account_ && at <= core_->world()->time();
        if (final && off != sim::WideVec3(0)) ++inexact_;
      }
    }
  }

  /// When each missile launched since the start came to be known to either client.
  void note_arrivals(Nanoseconds now) {
    const auto age = [&](sim::Subtick known) {
      const sim::Subtick subticks = world().time() + wire::to_subticks(now - last_due_) - known;
      return 1000.0 * static_cast<double>(subticks) /
             static_cast<double>(sim::k_subticks_per_second);
    };
    const sim::Subtick tick = wire::to_subticks(tick_);
    const sim::World* seen = core_->world();
    for (const sim::Salvo& salvo : world().salvos()) {
      const sim::Subtick known = (salvo.launch.t0 + tick - 1) / tick * tick;  // its record's
      if (known < wire::to_subticks(started_ + 2 * k_second - last_due_) + world().time()) continue;
      if (seen != nullptr && log_known_.count(salvo.id) == 0 && seen->find_salvo(salvo.id)) {
        log_known_.insert(salvo.id);
        log_account_.launch_delays.push_back(age(known));
      }
      if (snapshot_known_.count(salvo.id) == 0 && !rival_->snapshots().empty()) {
        const auto& newest = rival_->snapshots().back().missiles;
        const std::uint64_t first = std::uint64_t{salvo.id} << 8;
        if (std::any_of(newest.begin(), newest.end(),
                        [first](const auto& missile) { return missile.id == first; })) {
          snapshot_known_.insert(salvo.id);
          snapshot_account_.launch_delays.push_back(age(known));
        }
      }
    }
  }

  int loss_;
  server::Log log_;
  server::LiveSession session_;
  asio::io_context context_;
  server::UdpEndpoint udp_;
  LossySink sink_;
  asio::io_context client_context_;
  asio::ip::udp::socket socket_;
  bench::SnapshotServer snapshots_;
  std::unique_ptr<client::ClientCore> core_;
  std::unique_ptr<bench::SnapshotClient> rival_;
  support::Dice dice_{3};
  Nanoseconds tick_ = 0;
  Nanoseconds started_ = 0;
  Nanoseconds last_due_ = 0;
  Account log_account_;
  Account snapshot_account_;
  std::set<std::uint32_t> log_known_;
  std::set<std::uint32_t> snapshot_known_;
  double missile_seconds_ = 0;
  std::uint64_t inexact_ = 0;
};

void print(const char* name, int loss, const Account& account, double missile_seconds,
           double seconds) {
  const double all = static_cast<double>(account.shown + account.missing);
  std::printf(
      "%5.0f %-10s %8.1f %9.2f %9.0f %8.2f %8.2f %7.0f %7.0f %6.0f %9.2f %9.3f %9.3f %8.2f\n",
      loss / 10.0, name, static_cast<double>(account.bytes) / seconds / 1000,
      static_cast<double>(account.bytes) / missile_seconds,
      static_cast<double>(account.datagrams) / seconds, 100 * account.server_cpu / seconds,
      100 * account.client_cpu / seconds, percentile(account.launch_delays, 0.5),
      percentile(account.launch_delays, 0.99), static_cast<double>(account.join) / 1e6,
      all > 0 ? 100 * static_cast<double>(account.missing) / all : 0,
      percentile(account.errors, 0.5), percentile(account.errors, 0.99),
      percentile(account.errors, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const double seconds = quick ? 8 : 24;
  const server::LoadedScenario loaded = server::load_scenario("circus");
  if (!loaded.scenario) {
    std::fprintf(stderr, "bench: %s\n", loaded.problems.c_str());
    return 1;
  }
  std::printf(
      "The circus for one client, %.0f s a row, over loopback. contrail: the whole log (missiles,\n"
      "ships, decoys, health, state hashes), encrypted. snapshots: missiles only, 60 a second,\n"
      "quantised to 1/64 m, as differences to the newest acknowledged one, over ENet, shown 100 "
      "ms\n"
      "late. kB/s, B a missile and second and packets with UDP and IP headers. launch: ms from\n"
      "the record's tick to the client, looked at 60 times a second, p50 and p99. join: ms to the\n"
      "first whole picture. missing:\n"
      "missiles in flight that the picture lacks. error: of the others, m, p50, p99, largest.\n\n",
      seconds);
  std::printf("%5s %-10s %8s %9s %9s %8s %8s %7s %7s %6s %9s %9s %9s %8s\n", "loss%", "", "kB/s",
              "B/mis.s", "packets/s", "server%", "client%", "launch", "p99", "join", "missing%",
              "error", "p99", "most");
  bool exact = true;
  for (const int loss : {0, 50, 200}) {
    Comparison comparison(loaded.scenario, loss);
    comparison.play(static_cast<Nanoseconds>(seconds * 1e9));
    print("contrail", loss, comparison.log(), comparison.missile_seconds(), seconds);
    print("snapshots", loss, comparison.snapshots(), comparison.missile_seconds(), seconds);
    std::printf("      launches and ends alone: %.3f B a missile and second\n",
                static_cast<double>(comparison.missile_payload()) / comparison.missile_seconds());
    std::fflush(stdout);
    exact = exact && comparison.exact();
  }
  return exact ? 0 : 1;
}
