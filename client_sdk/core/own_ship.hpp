#pragma once

// Where a pilot's own ship will be when the commands on their way to the server have arrived: the
// newest track of the log, continued with the flight model the server steers with. Provisional:
// nothing of it goes into the world or a hash. Not thread-safe.

#include <cstdint>
#include <optional>
#include <vector>

#include <contrail/sim/flight_model.hpp>
#include <contrail/sim/track.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/wire/commands.hpp>

namespace contrail::client {

class OwnShip {
 public:
  /// A steer command was sent, and is thought to be taken in tick `expected`.
  void sent(std::uint32_t id, const sim::Steer& steer, std::uint32_t expected);
  /// The server answered one; answers to other commands are ignored.
  void answered(const wire::CommandResult& result);
  /// Continues the world's track of `entity` up to `until` and a quarter of a second, at most 2 s
  /// beyond the world. No track where there is no such entity. `now` only grows; what the track at
  /// `now` changed by is made up for over 150 ms, see offset().
  void predict(const sim::World& world, std::uint16_t entity, sim::Subtick now);
  void clear();

  /// Null when there is nothing to predict.
  [[nodiscard]] const sim::Track* track() const { return track_ ? &*track_ : nullptr; }
  /// What to add to the track's position now, so that the ship shown does not jump. Length units.
  [[nodiscard]] const sim::WideVec3& offset() const { return offset_; }
  /// The largest change of an already shown position so far, length units.
  [[nodiscard]] std::int64_t largest_correction() const { return largest_correction_; }

 private:
  struct Wish {
    std::uint32_t id = 0;
    sim::Steer steer;
    std::uint32_t tick = 0;  // taken, or thought to be
    bool answered = false;
  };
  void continue_track(const sim::World& world, std::uint16_t entity, sim::Subtick until);
  void blend(const std::optional<sim::Track>& before, sim::Subtick now);

  std::vector<Wish> wishes_;  // ascending ids
  std::optional<sim::Track> track_;
  sim::WideVec3 offset_{0};
  sim::Subtick shown_ = 0;  // `now` of the last prediction
  std::int64_t largest_correction_ = 0;
};

}  // namespace contrail::client
