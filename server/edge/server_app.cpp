#include <algorithm>
#include <chrono>
#include <utility>

#include <asio/io_context.hpp>

#include <nlohmann/json.hpp>

#include <contrail/edge/hex.hpp>
#include <contrail/edge/own_addresses.hpp>
#include <contrail/edge/server_app.hpp>
#include <contrail/edge/tick_clock.hpp>
#include <contrail/edge/udp_endpoint.hpp>

namespace contrail::server {

namespace {

constexpr std::size_t k_receive_buffer = 4U << 20U;  // bytes, asked for
constexpr wire::Nanoseconds k_status_interval = 5 * wire::k_second;
constexpr wire::Nanoseconds k_longest_goodbye = wire::k_second / 2;
constexpr wire::Nanoseconds k_longest_sleep = wire::k_second / 64;

std::uint32_t duration_ticks(const ServerAppConfig& config) {
  const sim::Subtick tick = config.session.scenario->tick_length();
  return static_cast<std::uint32_t>(
      std::min<sim::Subtick>((config.duration + tick - 1) / tick, 0xFFFF'FFFF));
}

}  // namespace

/// The paced run: one thread, one io_context, the tick clock between rounds of input.
class ServerApp::Paced {
 public:
  Paced(ServerApp& app, UdpEndpoint& udp, asio::io_context& context)
      : app_(app),
        udp_(udp),
        context_(context),
        clock_(wire::tick_nanoseconds(app.config_.session.scenario->log2_tick), app.host_.now()),
        next_status_(app.host_.now() + k_status_interval) {}

  void play() {
    tell_time();
    udp_.start(
        [this](const wire::Address& from, std::span<const std::uint8_t> datagram) {
          app_.session_.receive(from, datagram, app_.host_.now());
        },
        [this] { app_.session_.poll_outgoing(app_.host_.now(), udp_); });
    while (!app_.host_.stop_requested() && !app_.over()) {
      run_due_ticks();
      show_status();
      if (app_.host_.now() >= next_time_) tell_time();
      serve_until(clock_.next_due());
    }
    app_.dropped_ticks_ = clock_.dropped_ticks();
    say_goodbye();
  }

 private:
  void run_due_ticks() {
    const int due = clock_.ticks_due(app_.host_.now());
    for (int i = 0; i < due && !app_.over(); ++i) {
      app_.session_.tick(clock_.next_due());
      clock_.advance();
    }
    app_.session_.poll_outgoing(app_.host_.now(), udp_);
    if (clock_.stalls() != stalls_) {
      stalls_ = clock_.stalls();
      app_.log_.warning("the server could not keep up: " + std::to_string(clock_.dropped_ticks()) +
                        " ticks of session time dropped so far");
    }
  }

  /// Handles datagrams until `until`, or for one sleep: a stop is asked for between.
  void serve_until(wire::Nanoseconds until) {
    const wire::Nanoseconds left = until - app_.host_.now();
    if (left <= 0) {
      context_.poll();
      return;
    }
    context_.run_for(std::chrono::nanoseconds(std::min(left, k_longest_sleep)));
  }

  /// The time of day may be set while the server runs.
  void tell_time() {
    next_time_ = app_.host_.now() + wire::k_second;
    if (app_.host_.unix_now) app_.session_.set_wall_clock(app_.host_.unix_now(), app_.host_.now());
  }

  void show_status() {
    const wire::Nanoseconds now = app_.host_.now();
    if (now < next_status_) return;
    next_status_ = now + k_status_interval;
    const Match& match = app_.session_.match();
    app_.log_.info("tick " + std::to_string(match.tick()) + ": " +
                   std::to_string(app_.session_.clients()) + " clients, " +
                   std::to_string(match.world().live_missiles()) + " missiles in flight, " +
                   std::to_string(match.counters().salvos) + " salvos, " +
                   std::to_string(match.counters().impacts) + " impacts");
  }

  void say_goodbye() {
    app_.session_.say_goodbye();
    const wire::Nanoseconds give_up = app_.host_.now() + k_longest_goodbye;
    do {
      app_.session_.poll_outgoing(app_.host_.now(), udp_);
      serve_until(app_.host_.now() + 5 * wire::k_millisecond);
    } while (app_.session_.says_goodbye() && app_.host_.now() < give_up);
    udp_.close();
  }

  ServerApp& app_;
  UdpEndpoint& udp_;
  asio::io_context& context_;
  TickClock clock_;
  wire::Nanoseconds next_status_;
  wire::Nanoseconds next_time_ = 0;
  std::uint64_t stalls_ = 0;
};

ServerApp::ServerApp(ServerAppConfig config, ServerAppHost host, Log& log)
    : config_(std::move(config)),
      host_(std::move(host)),
      log_(log),
      session_(config_.session, log) {
  wire::secure_wipe(config_.session.secret);
}

bool ServerApp::over() const {
  return session_.ended() ||
         (config_.duration != 0 && session_.match().tick() >= duration_ticks(config_));
}

ServerEnd ServerApp::run() {
  started_ = host_.now();
  if (config_.batch.refused.empty()) {
    log_.info(sim::describe(config_.batch));
  } else {
    log_.warning(sim::describe(config_.batch));
  }
  const ServerEnd end = config_.unpaced ? run_unpaced() : run_paced();
  session_.close_recording();
  stopped_ = host_.now();
  end_ = session_.ended() ? "scenario" : over() ? "duration" : "stopped";
  return end;
}

bool ServerApp::open_recording() {
  const std::string error = session_.open_recording();
  if (!error.empty()) {
    log_.error(error);
  } else if (!session_.recording_path().empty()) {
    log_.info("recording to " + session_.recording_path());
  }
  return error.empty();
}

ServerEnd ServerApp::run_unpaced() {
  if (!open_recording()) return ServerEnd::not_recorded;
  const wire::Nanoseconds tick = wire::tick_nanoseconds(config_.session.scenario->log2_tick);
  wire::Nanoseconds due = 0;
  while (!host_.stop_requested() && !over()) session_.tick(due += tick);
  return ServerEnd::done;
}

ServerEnd ServerApp::run_paced() {
  asio::io_context context;
  UdpEndpoint udp(context);
  // The port first: a second server on it must not touch the first one's recording.
  const auto bound = udp.open(config_.listen.host, config_.listen.port, k_receive_buffer);
  if (!bound.ok) {
    log_.error(bound.error);
    return ServerEnd::not_bound;
  }
  if (!open_recording()) return ServerEnd::not_recorded;
  log_.info("UDP receive buffer: " + std::to_string(bound.receive_buffer) + " bytes granted of " +
            std::to_string(k_receive_buffer) + " asked for" +
            (bound.dual_stack ? ", IPv4 and IPv6" : ""));
  session_.set_addresses(own_addresses({config_.listen.host, bound.port}));
  announce(to_string(ListenAddress{config_.listen.host, bound.port}), bound.port);
  Paced(*this, udp, context).play();
  udp_ = udp.statistics();
  return ServerEnd::done;
}

void ServerApp::announce(const std::string& address, std::uint16_t port) {
  log_.info("listening on UDP " + address + " for up to " +
            std::to_string(config_.session.max_clients) + " clients; Ctrl-C or SIGTERM stops");
  nlohmann::ordered_json line;
  line["event"] = "listening";
  line["udp"] = {address};
  line["port"] = port;
  line["session"] = hex64(config_.session.session_id);
  line["fingerprint"] = config_.session.fingerprint.hex();
  line["scenario"] = config_.session.scenario->name;
  host_.print(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

RunSummary ServerApp::summary() const {
  RunSummary out = session_.summary();
  out.end = end_;
  out.wall_seconds = static_cast<double>(stopped_ - started_) / static_cast<double>(wire::k_second);
  out.dropped_ticks = dropped_ticks_;
  out.udp = udp_;
  return out;
}

}  // namespace contrail::server
