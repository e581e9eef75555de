#include <contrail/core/client_core.hpp>

#include <utility>

#include <contrail/core/client_impl.hpp>
#include <contrail/core/render_edge.hpp>
#include <contrail/sim/assert.hpp>

namespace contrail::client {

namespace {

constexpr std::size_t k_longest_token = wire::k_max_token_bytes + wire::k_key_bytes;

}  // namespace

ClientCore::ClientCore(ClientConfig config) : impl_(std::make_unique<Impl>()) {
  impl_->config = std::move(config);
}
ClientCore::ClientCore(ClientCore&&) noexcept = default;
ClientCore& ClientCore::operator=(ClientCore&&) noexcept = default;
ClientCore::~ClientCore() = default;

Status ClientCore::connect(Nanoseconds now) {
  if (impl_->state == State::failed) return Status::failed;
  if (!impl_->ended()) return Status::wrong_state;
  if (impl_->config.token.size() > k_longest_token) return Status::out_of_range;
  impl_->advance_clock(now);
  return impl_->guarded(Status::failed, [&] {
    impl_->wanted = true;
    impl_->start();
    return Status::ok;
  });
}

void ClientCore::receive(std::span<const std::uint8_t> datagram, Nanoseconds now) {
  if (!impl_->connection || impl_->ended()) return;
  impl_->advance_clock(now);
  impl_->guarded([&] { impl_->connection->receive(datagram, impl_->now); });
}

void ClientCore::update(Nanoseconds now) {
  if (!impl_->connection || impl_->ended()) return;
  impl_->advance_clock(now);
  impl_->guarded([&] {
    impl_->come_back();
    if (impl_->state == State::waiting) return;
    sim::require(impl_->fault != TestFault::broken_contract, "no fault has been planted");
    impl_->follow_connection();
    // What arrived before the end is still part of the session.
    if (impl_->state == State::refused || impl_->refused_for_now) return;
    if (!impl_->playback) impl_->take_header();
    impl_->take_log();
    impl_->take_results();
    impl_->move_time();
  });
}

bool ClientCore::next_datagram(Nanoseconds now, wire::Datagram& out) {
  if (!impl_->connection) return false;
  impl_->advance_clock(now);
  return impl_->guarded(false, [&] { return impl_->connection->poll_outgoing(impl_->now, out); });
}

void ClientCore::disconnect(Nanoseconds now) {
  if (!impl_->connection || impl_->ended()) return;
  impl_->advance_clock(now);
  impl_->guarded([&] {
    impl_->wanted = false;
    impl_->connection->close(impl_->now);
    impl_->end(State::disconnected, EndReason::closed, "left the session");
  });
}

bool ClientCore::take_new_port() {
  return std::exchange(impl_->new_port, false);
}

bool ClientCore::needs_token() const {
  return impl_->needs_token();
}

Status ClientCore::give_token(wire::Bytes token) {
  if (token.size() > k_longest_token) return Status::out_of_range;
  wire::secure_wipe(impl_->config.token);
  impl_->config.token = std::move(token);
  impl_->token_spent = false;
  if (impl_->state == State::waiting) impl_->next_attempt = impl_->now;
  return Status::ok;
}

State ClientCore::state() const {
  return impl_->state;
}
EndReason ClientCore::end_reason() const {
  return impl_->end_reason;
}
const std::string& ClientCore::failure() const {
  return impl_->failure;
}

std::string ClientCore::describe_state() const {
  if (!impl_->end_sentence.empty()) return impl_->end_sentence;
  return impl_->connection ? impl_->connection->describe_state() : "not connected";
}

const SessionInfo* ClientCore::session() const {
  return impl_->session ? &*impl_->session : nullptr;
}

Role ClientCore::role() const {
  const auto& connection = impl_->connection;
  return connection && connection->welcome() ? connection->welcome()->role : impl_->config.role;
}

std::uint16_t ClientCore::own_entity() const {
  return impl_->own_entity();
}

Statistics ClientCore::statistics() const {
  Statistics result;
  result.log = impl_->earlier;
  result.events_dropped = impl_->earlier_events_dropped;
  if (impl_->playback) {
    add(result.log, impl_->playback->counts());
    result.events_dropped += impl_->playback->events_dropped();
  }
  if (impl_->connection) {
    const wire::ConnectionStatistics& from = impl_->connection->statistics();
    result.packets_in = from.packets_received;
    result.bytes_in = from.bytes_received;
    result.packets_out = from.packets_sent;
    result.bytes_out = from.bytes_sent;
    result.packets_lost = from.packets_lost;
    result.packets_missed = from.packets_missed;
    for (const std::uint64_t dropped : from.dropped) result.packets_dropped += dropped;
    result.resyncs = from.resyncs;
    result.missile_bytes = from.launch_bytes;
    result.round_trip = impl_->connection->round_trip();
    result.render_delay = impl_->connection->render_delay();
  }
  result.fire_requests = impl_->fire_requests;
  result.fire_results = impl_->fire_results;
  result.command_requests = impl_->command_requests;
  result.command_results = impl_->command_results;
  result.largest_correction = impl_->own.largest_correction();
  return result;
}

sim::BatchTarget ClientCore::batch_target() const {
  return impl_->batch.target;
}
bool ClientCore::next_log_line(LogLine& out) {
  return impl_->lines.pop(out);
}
void ClientCore::set_unreachable(std::string why) {
  impl_->end(State::disconnected, EndReason::unreachable, std::move(why));
}
sim::Subtick ClientCore::server_time() const {
  return impl_->server_time;
}
sim::Subtick ClientCore::render_time() const {
  return impl_->render_time;
}
double ClientCore::render_seconds() const {
  return seconds_of(impl_->render_time);
}

Nanoseconds ClientCore::render_delay() const {
  return impl_->connection ? impl_->connection->render_delay() : 0;
}

}  // namespace contrail::client
