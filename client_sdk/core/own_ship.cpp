#include <contrail/core/own_ship.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/helm.hpp>

namespace contrail::client {
namespace {

constexpr sim::Subtick k_lookahead = sim::k_subticks_per_second / 4;
constexpr sim::Subtick k_longest = 2 * sim::k_subticks_per_second;
constexpr sim::Subtick k_decay = sim::k_subticks_per_second / 20;  // 5 % are left after 150 ms
constexpr std::int64_t k_jump = 50 * sim::k_units_per_metre;       // more is shown as it is

}  // namespace

void OwnShip::sent(std::uint32_t id, const sim::Steer& steer, std::uint32_t expected) {
  const std::uint32_t last = wishes_.empty() ? 0 : wishes_.back().tick;
  wishes_.push_back({id, steer, std::max(expected, last), false});
}

void OwnShip::answered(const wire::CommandResult& result) {
  const auto at = std::find_if(wishes_.begin(), wishes_.end(),
                               [&](const Wish& wish) { return wish.id == result.id; });
  if (at == wishes_.end()) return;
  if (result.status != wire::CommandStatus::taken) {
    wishes_.erase(at);
    return;
  }
  at->tick = result.launch;
  at->answered = true;
}

void OwnShip::clear() {
  wishes_.clear();
  track_.reset();
  offset_ = sim::WideVec3(0);
  shown_ = 0;
}

void OwnShip::predict(const sim::World& world, std::uint16_t entity, sim::Subtick now) {
  const std::optional<sim::Track> before = std::move(track_);
  continue_track(world, entity, now + k_lookahead);
  blend(before, now);
}

void OwnShip::continue_track(const sim::World& world, std::uint16_t entity, sim::Subtick until) {
  track_.reset();
  const sim::Entity* ship = world.find_entity(entity);
  if (ship == nullptr || ship->gone) return;
  track_ = ship->track;
  const std::uint32_t tick = world.tick();
  // What was not answered by the tick it was thought to be taken in comes later.
  for (Wish& wish : wishes_) {
    if (!wish.answered) wish.tick = std::max(wish.tick, tick + 1);
  }
  // Of those that have been taken, the newest stands.
  while (wishes_.size() > 1 && wishes_[1].answered && wishes_[1].tick <= tick) {
    wishes_.erase(wishes_.begin());
  }
  const sim::EntityType& type = world.scenario().types[ship->type];
  const int log2_tick = world.scenario().log2_tick;
  const sim::Subtick last = std::min(until, world.time() + k_longest);
  for (std::uint32_t t = tick + 1; (sim::Subtick{t} << log2_tick) <= last; ++t) {
    const Wish* standing = nullptr;
    for (const Wish& wish : wishes_) {
      if (wish.tick <= t) standing = &wish;
    }
    if (standing == nullptr) continue;
    const sim::Helm helm{
        entity, standing->steer, standing->tick, {type.max_speed, type.max_acceleration}};
    if (const auto key = sim::helm_key(helm, *track_, t, log2_tick)) {
      track_->start_relative_piece(sim::Subtick{t} << log2_tick, key->log2_ticks + log2_tick, *key);
    }
  }
}

void OwnShip::blend(const std::optional<sim::Track>& before, sim::Subtick now) {
  const sim::Subtick passed = std::max<sim::Subtick>(0, now - shown_);
  shown_ = now;
  if (!track_ || !before) {
    offset_ = sim::WideVec3(0);
    return;
  }
  const std::int64_t left = std::max<sim::Subtick>(0, k_decay - passed);
  offset_ = {offset_.x * left / k_decay, offset_.y * left / k_decay, offset_.z * left / k_decay};
  const sim::WideVec3 change =
      sim::WideVec3(before->position(now)) - sim::WideVec3(track_->position(now));
  if (sim::length(change) > k_jump) {
    offset_ = sim::WideVec3(0);
    return;
  }
  largest_correction_ = std::max(largest_correction_, sim::length(change));
  offset_ = offset_ + change;
}

}  // namespace contrail::client
