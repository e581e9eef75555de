#include <utility>

#include <contrail/edge/live_session.hpp>
#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {

namespace {

wire::Bytes session_header(const SessionConfig& config) {
  wire::SessionHeader header;
  header.fingerprint = config.fingerprint;
  header.session_id = config.session_id;
  header.scenario = *config.scenario;
  return wire::encode_session_header(header);
}

BroadcasterConfig broadcaster_config(const SessionConfig& config) {
  BroadcasterConfig out;
  out.max_clients = config.max_clients;
  out.admission = config.admission;
  out.version.fingerprint = config.fingerprint;
  out.session_id = config.session_id;
  out.log2_tick = config.scenario->log2_tick;
  out.secret = config.secret;
  return out;
}

/// A pilot commands the entity it was given and what that fired, and no other; a director all.
wire::CommandStatus permission(const ClientCommand& from, const sim::World& world) {
  using wire::CommandStatus;
  const wire::Command& command = from.command;
  if (from.role == wire::Role::director) return CommandStatus::taken;
  const auto own = [&](std::uint16_t entity) {
    return entity == from.entity ? CommandStatus::taken : CommandStatus::refused_entity;
  };
  switch (command.kind) {
    case wire::CommandKind::fire:
      return own(command.fire.entity);
    case wire::CommandKind::steer:
      return own(command.steer.entity);
    case wire::CommandKind::release:
      return own(command.release.entity);
    case wire::CommandKind::self_destruct: {
      const sim::Salvo* salvo = world.find_salvo(command.self_destruct.salvo);
      const bool fired = salvo != nullptr && salvo->launch.launcher == from.entity;
      return fired ? CommandStatus::taken : CommandStatus::refused_salvo;
    }
    default:
      return CommandStatus::refused_role;
  }
}

}  // namespace

LiveSession::LiveSession(const SessionConfig& config, Log& log)
    : config_(config), log_(log), header_(session_header(config)), match_(config.scenario) {
  if (config.clients) {
    BroadcasterConfig broadcasting = broadcaster_config(config);
    broadcasting.has_entity = [this](std::uint16_t id) {
      const sim::Entity* entity = match_.world().find_entity(id);
      // Before the first tick nobody is there yet.
      return match_.tick() == 0 || (entity != nullptr && !entity->gone);
    };
    broadcaster_ = std::make_unique<Broadcaster>(broadcasting, header_);
  }
  wire::secure_wipe(config_.secret);
}

LiveSession::~LiveSession() = default;

std::string LiveSession::open_recording() {
  if (config_.record.empty()) return "";
  RecorderConfig config;
  config.path = config_.record;
  config.session_id = config_.session_id;
  config.log2_tick = config_.scenario->log2_tick;
  recorder_ = std::make_unique<Recorder>(config);
  if (!recorder_->open(header_)) {
    std::string error = recorder_->error();
    recorder_.reset();
    return error;
  }
  if (!recorder_->moved_to().empty()) {
    log_.warning(recorder_->path() + " was there already; it is now " + recorder_->moved_to());
  }
  return "";
}

void LiveSession::set_wall_clock(wire::UnixMilliseconds unix_now, wire::Nanoseconds now) {
  if (broadcaster_) broadcaster_->set_wall_clock(unix_now, now);
}

void LiveSession::set_addresses(std::vector<wire::Address> addresses) {
  if (broadcaster_) broadcaster_->set_addresses(std::move(addresses));
}

void LiveSession::receive(const wire::Address& from, std::span<const std::uint8_t> datagram,
                          wire::Nanoseconds now) {
  if (broadcaster_) broadcaster_->receive(from, datagram, now);
}

void LiveSession::take_commands() {
  for (const ClientCommand& command : broadcaster_->take_commands()) {
    const wire::CommandStatus status = permission(command, match_.world());
    if (status == wire::CommandStatus::taken) {
      match_.submit(command.client, command.command);
    } else {
      broadcaster_->answer(command.client, {command.command.id, status, 0});
    }
  }
}

void LiveSession::record(const StepResult& step) {
  const std::uint32_t tick = step.entry.record.tick;
  bool written = recorder_->tick(tick, step.accepted, step.entry.bytes);
  if (written && recorder_->wants_snapshot(tick)) written = recorder_->snapshot(tick, snapshot());
  if (!written) {
    log_.error("tick " + std::to_string(tick) + ": " + recorder_->error());
  }
}

void LiveSession::tick(wire::Nanoseconds due) {
  if (broadcaster_) take_commands();
  const StepResult step = match_.step();
  // What was broadcast can't be lost: it is in the file before it is sent.
  if (recorder_) record(step);
  for (const InputResult& result : step.results) {
    if (result.input.client == wire::k_host_client) results_.push_back(result.result);
  }
  if (!broadcaster_) return;
  broadcaster_->on_record(step.entry.record, step.entry.bytes, due);
  for (const InputResult& result : step.results) {
    broadcaster_->answer(result.input.client, result.result);
  }
  if (broadcaster_->wants_snapshot()) broadcaster_->give_snapshot(snapshot());
  client_missile_subticks_ += static_cast<std::int64_t>(broadcaster_->live_clients()) *
                              match_.world().live_missiles() * config_.scenario->tick_length();
}

void LiveSession::poll_outgoing(wire::Nanoseconds now, DatagramSink& sink) {
  if (!broadcaster_) return;
  broadcaster_->poll_outgoing(now, sink);
  log_clients();
}

void LiveSession::log_clients() {
  for (const ClientEvent& event : broadcaster_->take_events()) {
    const std::string account =
        event.account != 0 ? ", account " + std::to_string(event.account) : "";
    const std::string who = "client " + std::to_string(event.client) + " (" +
                            wire::describe(event.role) + account + ", " + to_string(event.address) +
                            ")";
    switch (event.kind) {
      case ClientEvent::Kind::joined:
        log_.info(who + " joined");
        break;
      case ClientEvent::Kind::live:
        log_.debug(who + " is up to date");
        break;
      case ClientEvent::Kind::moved:
        log_.info(who + " is at this address now");
        break;
      case ClientEvent::Kind::left:
        log_.info(who + " left: " + wire::describe(event.reason));
        let_go(event);
        break;
    }
  }
}

/// A ship whose pilot has gone coasts.
void LiveSession::let_go(const ClientEvent& pilot) {
  const sim::Entity* entity = match_.world().find_entity(pilot.entity);
  if (pilot.role != wire::Role::pilot || entity == nullptr || entity->gone ||
      !match_.is_steered(pilot.entity)) {
    return;
  }
  wire::Command command;
  command.kind = wire::CommandKind::steer;
  command.steer.entity = pilot.entity;
  command.steer.at = match_.world().time() + 1;
  submit(command);
}

std::uint32_t LiveSession::submit(wire::Command command) {
  command.id = ++last_command_;
  match_.submit(wire::k_host_client, command);
  return command.id;
}

std::vector<wire::CommandResult> LiveSession::take_results() {
  return std::exchange(results_, {});
}

void LiveSession::say_goodbye() {
  if (!broadcaster_) return;
  broadcaster_->close(match_.ended() ? wire::DisconnectReason::session_ended
                                     : wire::DisconnectReason::closing);
}

bool LiveSession::says_goodbye() const {
  return broadcaster_ && broadcaster_->says_goodbye();
}

void LiveSession::close_recording() {
  const bool open = recorder_ && recorder_->statistics().recording;
  if (open && !recorder_->close()) log_.error(recorder_->error() + "; its records are readable");
}

std::size_t LiveSession::clients() const {
  return broadcaster_ ? broadcaster_->clients() : 0;
}

const std::string& LiveSession::recording_path() const {
  static const std::string k_none;
  return recorder_ ? recorder_->path() : k_none;
}

wire::Bytes LiveSession::snapshot() const {
  return wire::encode_snapshot(match_.world().snapshot(), config_.scenario->log2_tick);
}

RunSummary LiveSession::summary() const {
  constexpr auto k_second = static_cast<double>(sim::k_subticks_per_second);
  RunSummary out;
  out.scenario = config_.scenario->name;
  out.seed = config_.scenario->seed;
  out.session_id = config_.session_id;
  out.fingerprint = config_.fingerprint.hex();
  out.ticks = match_.tick();
  out.seconds = static_cast<double>(match_.world().time()) / k_second;
  out.match = match_.counters();
  out.log = match_.log().counters();
  out.log_hash = match_.log().hash().hex();
  out.missile_seconds = static_cast<double>(match_.missile_subticks()) / k_second;
  out.client_missile_seconds = static_cast<double>(client_missile_subticks_) / k_second;
  if (broadcaster_) out.network = broadcaster_->statistics();
  if (recorder_) {
    out.recording = recorder_->path();
    out.recorder = recorder_->statistics();
  }
  return out;
}

}  // namespace contrail::server
