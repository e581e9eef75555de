#include <contrail/relay/relay.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <asio/buffer.hpp>
#include <asio/socket_base.hpp>
#include <asio/steady_timer.hpp>

#include <contrail/support/random_log.hpp>

namespace contrail::support {
namespace {

using asio::ip::udp;
using Clock = std::chrono::steady_clock;

constexpr int k_socket_buffer = 4 << 20;  // bytes asked for

}  // namespace

struct Relay::Impl {
  /// One client's way to the server.
  struct Way {
    udp::endpoint client;
    std::vector<std::unique_ptr<udp::socket>> sockets;  // the last one is in use
    Clock::time_point change_at = Clock::time_point::max();
  };
  struct Waiting {
    Way* way = nullptr;
    bool up = false;
    std::vector<std::uint8_t> bytes;
  };

  Impl(asio::io_context& given, const RelayOptions& wanted)
      : context(given),
        options(wanted),
        dice(wanted.seed),
        timer(given),
        front(given, wanted.listen) {
    prepare(front);
    read_front();
  }

  static void prepare(udp::socket& socket) {
    asio::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.set_option(asio::socket_base::receive_buffer_size(k_socket_buffer), ignored);
  }

  void read_front() {
    front.async_wait(udp::socket::wait_read, [this](const asio::error_code& error) {
      if (error || stopped) return;
      drain_front();
      read_front();
    });
  }
  void drain_front() {
    for (;;) {
      udp::endpoint from;
      asio::error_code error;
      const std::size_t size = front.receive_from(asio::buffer(block), from, 0, error);
      if (error == asio::error::would_block || error == asio::error::try_again) return;
      if (error) continue;  // an ICMP error of an earlier datagram
      Way& way = way_of(from);
      count(up, size);
      if (stopped) continue;
      if (Clock::now() >= way.change_at) {
        way.change_at = Clock::time_point::max();
        open_socket(way);
        ++port_changes;
      }
      impair(way, true, size);
    }
  }

  Way& way_of(const udp::endpoint& client) {
    auto& way = ways[client];
    if (way == nullptr) {
      way = std::make_unique<Way>();
      way->client = client;
      if (options.change_port_after.count() > 0) {
        way->change_at = Clock::now() + options.change_port_after;
      }
      open_socket(*way);
    }
    return *way;
  }
  void open_socket(Way& way) {
    way.sockets.push_back(
        std::make_unique<udp::socket>(context, udp::endpoint(options.server.protocol(), 0)));
    udp::socket& socket = *way.sockets.back();
    prepare(socket);
    read_back(way, socket);
  }
  void read_back(Way& way, udp::socket& socket) {
    socket.async_wait(udp::socket::wait_read, [this, &way, &socket](const asio::error_code& error) {
      if (error || stopped) return;
      drain_back(way, socket);
      read_back(way, socket);
    });
  }
  void drain_back(Way& way, udp::socket& socket) {
    for (;;) {
      udp::endpoint from;
      asio::error_code error;
      const std::size_t size = socket.receive_from(asio::buffer(block), from, 0, error);
      if (error == asio::error::would_block || error == asio::error::try_again) return;
      if (error || from != options.server) continue;
      count(down, size);
      if (stopped) continue;
      if (&socket != way.sockets.back().get()) {
        ++down.unroutable;  // the mapping is gone
        continue;
      }
      impair(way, false, size);
    }
  }

  static void count(RelayCounts& counts, std::size_t size) {
    ++counts.datagrams;
    counts.bytes += size;
  }

  void impair(Way& way, bool upward, std::size_t size) {
    RelayCounts& counts = upward ? up : down;
    if (dice.chance(options.loss)) {
      ++counts.lost;
      return;
    }
    hold(way, upward, size);
    if (dice.chance(options.duplicates)) {
      ++counts.duplicated;
      hold(way, upward, size);
    }
    arm();
  }
  void hold(Way& way, bool upward, std::size_t size) {
    const auto jitter = std::chrono::microseconds(options.jitter).count();
    std::chrono::microseconds wait = options.delay;
    wait += std::chrono::microseconds(dice.between(0, jitter));
    if (dice.chance(options.reorders)) {
      ++(upward ? up : down).reordered;
      wait += std::chrono::microseconds(dice.between(1, 3) * std::max<std::int64_t>(jitter, 5000));
    }
    const auto end = block.begin() + static_cast<std::ptrdiff_t>(size);
    under_way.emplace(Clock::now() + wait, Waiting{&way, upward, {block.begin(), end}});
  }

  void arm() {
    if (under_way.empty() || under_way.begin()->first == armed_for) return;
    armed_for = under_way.begin()->first;
    timer.expires_at(armed_for);
    timer.async_wait([this](const asio::error_code& error) {
      if (error || stopped) return;
      armed_for = {};
      forward_due();
      arm();
    });
  }
  void forward_due() {
    while (!under_way.empty() && under_way.begin()->first <= Clock::now()) {
      const Waiting next = std::move(under_way.begin()->second);
      under_way.erase(under_way.begin());
      RelayCounts& counts = next.up ? up : down;
      udp::socket& socket = next.up ? *next.way->sockets.back() : front;
      asio::error_code error;
      socket.send_to(asio::buffer(next.bytes), next.up ? options.server : next.way->client, 0,
                     error);
      ++counts.forwarded;
      if (error) ++counts.send_errors;
    }
  }

  void stop() {
    if (stopped) return;
    stopped = true;
    timer.cancel();
    drain_front();
    for (auto& [client, way] : ways) {
      for (auto& socket : way->sockets) drain_back(*way, *socket);
    }
    asio::error_code ignored;
    front.close(ignored);
    for (auto& [client, way] : ways) {
      for (auto& socket : way->sockets) socket->close(ignored);
    }
  }

  asio::io_context& context;
  RelayOptions options;
  Dice dice;
  asio::steady_timer timer;
  udp::socket front;
  std::map<udp::endpoint, std::unique_ptr<Way>> ways;
  std::multimap<Clock::time_point, Waiting> under_way;
  Clock::time_point armed_for{};
  std::array<std::uint8_t, 2048> block{};
  RelayCounts up;
  RelayCounts down;
  std::uint64_t port_changes = 0;
  bool stopped = false;
};

Relay::Relay(asio::io_context& context, const RelayOptions& options)
    : impl_(std::make_unique<Impl>(context, options)) {}
Relay::~Relay() = default;

std::uint16_t Relay::port() const {
  return impl_->front.local_endpoint().port();
}
void Relay::stop() {
  impl_->stop();
}
const RelayCounts& Relay::to_server() const {
  return impl_->up;
}
const RelayCounts& Relay::to_clients() const {
  return impl_->down;
}
std::uint64_t Relay::clients() const {
  return impl_->ways.size();
}
std::uint64_t Relay::port_changes() const {
  return impl_->port_changes;
}

}  // namespace contrail::support
