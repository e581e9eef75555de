#include <contrail/client/client.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utility>

#include <contrail/wire/transport_limits.hpp>

namespace contrail::client {
namespace {

constexpr int k_datagrams_per_update = 2048;
constexpr Nanoseconds k_address_patience = wire::k_second;
constexpr Nanoseconds k_goodbye_spacing = wire::k_second / 10;
constexpr Nanoseconds k_refused_patience = wire::k_second / 10;

Nanoseconds monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ClientConfig with_seed(ClientConfig config) {
  if (config.seed == 0) {
    // Not for anything that is flown: it tells this connection from others.
    std::random_device device;
    config.seed = std::uint64_t{device()} << 32 | device();
  }
  return config;
}

}  // namespace

Client::Client(ClientConfig config)
    : ClientCore(with_seed(std::move(config))), link_(std::make_unique<UdpLink>()) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() {
  if (link_) disconnect();
}

Status Client::connect(const std::string& host, std::uint16_t port) {
  if (state() == State::failed) return Status::failed;
  if (state() == State::connecting || state() == State::joining || state() == State::live) {
    return Status::wrong_state;
  }
  if (!link_->open(host, port)) {
    set_unreachable(link_->error_text());
    return Status::unreachable;
  }
  const Nanoseconds now = monotonic_now();
  const Status status = ClientCore::connect(now);
  if (status != Status::ok) {
    link_->close();
    return status;
  }
  heard_ = false;
  next_address_at_ = now + k_address_patience;
  send_all(now);
  return Status::ok;
}

void Client::update() {
  if (!link_->is_open()) return;
  const Nanoseconds now = monotonic_now();
  // One byte more than the longest datagram: what fills it was cut.
  std::array<std::uint8_t, wire::k_max_datagram_bytes + 1> buffer{};
  for (int i = 0; i < k_datagrams_per_update; ++i) {
    const std::optional<std::size_t> size = link_->receive(buffer);
    if (!size) break;
    heard_ = true;
    receive(std::span<const std::uint8_t>(buffer.data(), *size), now);
  }
  ClientCore::update(now);
  if (take_new_port()) {
    link_->renew();
    heard_ = false;
    next_address_at_ = now + k_address_patience;
  }
  look_elsewhere(now);
  send_all(now);
  // Over: what was left to say has been sent.
  if (state() == State::disconnected || state() == State::refused || state() == State::failed) {
    link_->close();
  }
}

void Client::look_elsewhere(Nanoseconds now) {
  if (heard_ || state() != State::connecting) return;
  const std::uint64_t errors = link_->counts().receive_errors;
  if (errors != errors_seen_) {  // most likely "connection refused": nobody listens there
    errors_seen_ = errors;
    next_address_at_ = std::min(next_address_at_, now + k_refused_patience);
  }
  if (now < next_address_at_) return;
  next_address_at_ = now + k_address_patience;
  link_->try_next_address();
}

void Client::disconnect() {
  const Nanoseconds now = monotonic_now();
  ClientCore::disconnect(now);
  // There is no later to spread the good-byes over: all of them at once, as if time had passed.
  for (int i = 0; i < wire::k_disconnect_repeats; ++i) send_all(now + i * k_goodbye_spacing);
  link_->close();
}

void Client::send_all(Nanoseconds now) {
  wire::Datagram datagram;
  while (next_datagram(now, datagram)) link_->send(datagram.view());
}

std::string Client::remote_text() const {
  return link_->remote_text();
}
LinkCounts Client::link_counts() const {
  return link_->counts();
}

}  // namespace contrail::client
