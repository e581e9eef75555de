#include "follower.hpp"

#include <algorithm>

namespace contrail::client_tool {
namespace {

constexpr double k_retry_seconds = 0.5;
constexpr sim::Vec3 k_origin{0, 0, 0};

/// Grows the array until everything fits. Arrays keep their size from frame to frame.
template <typename View, typename Query>
std::size_t fill(std::vector<View>& array, Query&& query) {
  client::Filled filled = query(std::span<View>(array));
  if (filled.status == client::Status::array_too_small) {
    array.resize(filled.needed * 2);
    filled = query(std::span<View>(array));
  }
  return filled.written;
}

}  // namespace

Follower::Follower(const Options& options, bool draws)
    : options_(options),
      draws_(draws),
      client_(options.join),
      turns_(options.join.seed),
      missiles_(1024),
      entities_(64) {
  client_.plant_fault(options.fault);
}

bool Follower::connect() {
  return client_.connect(options_.server.host, options_.server.port) == client::Status::ok;
}

bool Follower::running() const {
  switch (client_.state()) {
    case client::State::connecting:
    case client::State::joining:
    case client::State::live:
      return true;
    case client::State::waiting:
      return !client_.needs_token();
    default:
      return waits_;
  }
}

void Follower::frame(double seconds) {
  if (waits_ && seconds >= next_attempt_) {
    next_attempt_ = seconds + k_retry_seconds;
    connect();
  }
  client_.update();
  const bool over =
      client_.state() == client::State::disconnected || client_.state() == client::State::idle;
  waits_ = over && !sightings_.was_live && seconds < options_.wait_first;
  if (live()) sightings_.was_live = true;
  take_events();
  if (!live()) return;
  if (draws_) draw();
  if (options_.fire_every > 0.0 && seconds >= next_fire_) {
    next_fire_ = seconds + options_.fire_every;
    fire(seconds);
  }
  if (options_.steer_every > 0.0 && seconds >= next_steer_) {
    next_steer_ = seconds + options_.steer_every;
    steer();
  }
  client::CommandResult result;
  while (client_.next_command_result(result)) {
  }
}

void Follower::take_events() {
  client::Event event;
  while (client_.next_event(event)) {
    if (event.kind == client::EventKind::fire_pending ||
        event.kind == client::EventKind::fire_refused) {
      continue;  // of our own doing, delivered at once
    }
    ++sightings_.events;
    if (event.kind == client::EventKind::world_reset) {
      last_event_ = 0;
      continue;
    }
    if (event.time < last_event_) ++sightings_.events_out_of_order;
    last_event_ = event.time;
    const bool ended =
        event.kind == client::EventKind::impact || event.kind == client::EventKind::missile_end;
    if (!ended || event.end == sim::EndKind::aborted) continue;
    sim::Vec3 at{0};
    if (client_.missile_position(event.missile, event.time, at) == client::Status::ok &&
        at != event.position) {
      ++sightings_.misplaced_ends;
    }
  }
}

void Follower::draw() {
  const sim::Subtick time = client_.render_time();
  sightings_.missiles = fill(missiles_, [&](std::span<client::MissileView> out) {
    return client_.missiles(time, k_origin, out);
  });
  sightings_.entities = fill(entities_, [&](std::span<client::EntityView> out) {
    return client_.entities(time, k_origin, out);
  });
  sightings_.most_missiles = std::max(sightings_.most_missiles, sightings_.missiles);
}

/// One after the other of those that wait for a command; of all where none does.
std::uint8_t Follower::next_launcher(const std::vector<client::LauncherInfo>& launchers) {
  const bool some = std::any_of(launchers.begin(), launchers.end(),
                                [](const client::LauncherInfo& one) { return one.on_command; });
  do {
    ++shots_;
  } while (some && !launchers[shots_ % launchers.size()].on_command);
  return static_cast<std::uint8_t>(shots_ % launchers.size());
}

/// Somewhere else, with up to 60 m/s^2 on each axis.
void Follower::steer() {
  const auto axis = [this] {
    turns_ = turns_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    constexpr std::int64_t k_most = std::int64_t{60} * sim::k_units_per_metre;
    return static_cast<std::int32_t>(static_cast<std::int64_t>(turns_ >> 33) % (2 * k_most + 1) -
                                     k_most);
  };
  std::uint32_t id = 0;
  client_.steer({sim::SteerKind::accelerate, {axis(), axis(), axis()}}, id);
}

void Follower::give_up() {
  const bool over =
      client_.state() == client::State::refused || client_.state() == client::State::failed;
  if (!sightings_.was_live && !over)
    gave_up_ = "not live in time, last state: " + client_.describe_state();
  client_.disconnect();
}

void Follower::fire(double seconds) {
  const std::size_t count = fill(entities_, [&](std::span<client::EntityView> out) {
    return client_.entities(client_.render_time(), k_origin, out);
  });
  const std::span<const client::EntityView> seen(entities_.data(), count);
  const std::uint16_t own = client_.own_entity();
  const auto self = std::find_if(seen.begin(), seen.end(),
                                 [own](const client::EntityView& view) { return view.id == own; });
  if (self == seen.end()) {  // not there at the moment: ask again soon
    next_fire_ = std::min(next_fire_, seconds + k_retry_seconds);
    return;
  }
  const auto& launchers = client_.session()->entity_types[self->type].launchers;
  if (launchers.empty()) return;
  const client::EntityView* nearest = nullptr;
  float shortest = 0.0F;
  for (const client::EntityView& view : seen) {
    const float distance = glm::length(view.position - self->position);
    if (view.team == self->team || (nearest != nullptr && distance >= shortest)) continue;
    nearest = &view;
    shortest = distance;
  }
  if (nearest == nullptr) return;
  client::FireRequest request;
  request.entity = own;
  request.target = nearest->id;
  request.launcher = next_launcher(launchers);
  std::uint32_t id = 0;
  client_.fire(request, id);
}

}  // namespace contrail::client_tool
