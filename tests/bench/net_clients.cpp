#include "net_clients.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

#include <contrail/sim/fingerprint.hpp>

namespace contrail::bench {
namespace {

using asio::ip::udp;

constexpr wire::Nanoseconds k_poll_interval = wire::k_second / 128;
constexpr wire::Nanoseconds k_turn_interval = wire::k_second / 4;
constexpr wire::Nanoseconds k_fire_interval = wire::k_second;

}  // namespace

struct NetClients::Client {
  Client(asio::io_context& context, const udp::endpoint& server, const wire::ClientConfig& config,
         wire::Nanoseconds now)
      : socket(context, udp::v4()), connection(config, now), entity(config.entity) {
    socket.connect(server);
    socket.non_blocking(true);
  }
  udp::socket socket;
  wire::ClientConnection connection;
  std::uint16_t entity;  // a pilot's
  wire::Nanoseconds next_turn = 0;
  wire::Nanoseconds next_shot = 0;
  std::uint32_t turns = 0;
};

NetClients::NetClients(const NetServer& server, std::size_t count, std::size_t pilots,
                       std::vector<std::uint16_t> ships)
    : server_(server), count_(count), pilots_(pilots), ships_(std::move(ships)) {}

NetClients::~NetClients() {
  stop();
}

void NetClients::start() {
  thread_ = std::thread([this] { run(); });
}

void NetClients::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

Arrivals NetClients::arrivals() {
  std::sort(delays_.begin(), delays_.end());
  return {std::move(delays_)};
}

void NetClients::run() {
  asio::io_context context;
  const udp::endpoint server(asio::ip::address_v4::loopback(), server_.port());
  wire::ClientConfig config;
  config.version.fingerprint = sim::compute_fingerprint().all;
  for (std::size_t i = 0; i < count_; ++i) {
    config.seed = i;
    config.entropy = wire::entropy_from_system();
    const bool pilot = i < pilots_;
    config.role = pilot ? wire::Role::pilot : wire::Role::spectator;
    config.entity = pilot ? ships_[i % ships_.size()] : sim::k_no_entity;
    clients_.push_back(std::make_unique<Client>(context, server, config, steady_now()));
    hear(*clients_.back());
  }
  while (!stopping_) {
    std::size_t live = 0;
    std::size_t lost = 0;
    for (const auto& client : clients_) {
      serve(*client);
      command(*client, steady_now());
      live += client->connection.state() == wire::ConnectionState::live ? 1U : 0U;
      lost += client->connection.state() > wire::ConnectionState::live ? 1U : 0U;
    }
    live_ = live;
    lost_ = lost;
    context.run_for(std::chrono::nanoseconds(k_poll_interval));
  }
  for (const auto& client : clients_) {
    client->connection.close(steady_now());
    serve(*client);
  }
  clients_.clear();  // their sockets belong to this context
}

/// Takes datagrams whenever there are some.
void NetClients::hear(Client& client) {
  client.socket.async_wait(udp::socket::wait_read, [this, &client](const asio::error_code& error) {
    if (error) return;
    std::array<std::uint8_t, wire::k_max_datagram_bytes + 1> buffer{};
    asio::error_code nothing_left;
    while (true) {
      const std::size_t size = client.socket.receive(asio::buffer(buffer), 0, nothing_left);
      if (nothing_left) break;
      client.connection.receive({buffer.data(), size}, steady_now());
    }
    serve(client);
    hear(client);
  });
}

void NetClients::serve(Client& client) {
  wire::ClientConnection& connection = client.connection;
  const wire::Nanoseconds now = steady_now();
  wire::Datagram datagram;
  while (connection.poll_outgoing(now, datagram)) {
    asio::error_code ignored;
    client.socket.send(asio::buffer(datagram.view().data(), datagram.size), 0, ignored);
  }
  connection.take_session_header();
  connection.take_snapshot();
  for (const sim::TickRecord& record : connection.take_records()) {
    const wire::Nanoseconds due = server_.due(record.tick);
    if (!watching_ || due == 0) continue;
    delays_.insert(delays_.end(), record.launches.size(), now - due);
  }
  while (connection.take_command_result()) {
  }
}

void NetClients::command(Client& client, wire::Nanoseconds now) {
  wire::ClientConnection& connection = client.connection;
  if (client.entity == sim::k_no_entity || connection.state() != wire::ConnectionState::live)
    return;
  const sim::Subtick at = wire::to_subticks(connection.session_time(now));
  if (now >= client.next_turn) {
    client.next_turn = now + k_turn_interval;
    const std::int32_t g = 40 * sim::k_units_per_metre;
    const int turn = static_cast<int>(client.turns++ % 4U);
    wire::Command steer;
    steer.kind = wire::CommandKind::steer;
    steer.steer.entity = client.entity;
    steer.steer.at = at;
    steer.steer.steer = {sim::SteerKind::accelerate,
                         {turn == 0   ? g
                          : turn == 2 ? -g
                                      : 0,
                          0,
                          turn == 1   ? g
                          : turn == 3 ? -g
                                      : 0}};
    if (connection.send_command(steer)) ++commands_;
  }
  if (now >= client.next_shot) {
    client.next_shot = now + k_fire_interval;
    // At whoever comes next among the ships; many wishes are refused, which costs as much.
    const auto own = std::find(ships_.begin(), ships_.end(), client.entity);
    const auto next = static_cast<std::size_t>(own - ships_.begin()) + 1;
    if (connection.send_fire({client.entity, ships_[next % ships_.size()], 0, at})) ++commands_;
  }
}

}  // namespace contrail::bench
