#pragma once

// One salvo of eight darts after one ball: the scene of the guidance tests.

#include <map>
#include <vector>

#include <contrail/support/small_scenario.hpp>

#include "staged_match.hpp"

namespace contrail::server::hunting {

using sim::EndKind;
using sim::Subtick;
using sim::WideVec3;
using support::add_ball;
using support::metres;
using support::share;
using support::small_scenario;
using Kind = sim::WorldEvent::Kind;

inline constexpr Subtick k_second = sim::k_subticks_per_second;

/// A hunter at the origin that fires eight darts at a ball 600 m ahead: 6 s of flight.
inline sim::Scenario hunt() {
  sim::Scenario s = small_scenario();
  s.types[0].hit_points = 1000;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(600)}, {metres(30), 0, 0});
  return s;
}

/// Fires at once and plays until every missile has ended. `at` adds to the record of a tick.
inline void play_out(StagedMatch& match, const std::map<std::uint32_t, sim::TrackKey>& keys = {},
                     int ticks = 300) {
  match.step();
  match.fire(0, 1, 1);
  for (int i = 0; i < ticks; ++i) {
    match.step([&](sim::TickRecord& record) {
      if (const auto key = keys.find(record.tick); key != keys.end()) {
        record.track_keys.push_back(key->second);
      }
    });
  }
}

inline std::vector<sim::WorldEvent> ends_of(const StagedMatch& match) {
  return match.of(Kind::missile_end);
}

inline sim::TrackKey key_for_target(std::uint8_t log2_ticks, sim::Vec3 position, sim::Vec3 velocity,
                                    bool jump = false) {
  return {1, log2_ticks, jump, position, velocity};
}

}  // namespace contrail::server::hunting
