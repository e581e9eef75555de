#pragma once

// What turrets do: which target each follows, and when it fires. A salvo is shared out among the
// turrets in range of it; nobody fires before the bore is on the lead solution.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <contrail/flow/rules.hpp>
#include <contrail/sim/turret_targets.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

class TurretControl {
 public:
  TurretControl(const sim::Scenario& scenario, const Rules& rules);

  /// Adds the shots of the world's next tick to its record.
  void fire(const sim::World& world, sim::TickRecord& record);
  /// Adds the orders that turrets get in it, every eighth of a second; after everything that makes
  /// entities leave. A turret that goes on with what it does gets none.
  void order(const sim::World& world, sim::TickRecord& record);

 private:
  using Key = std::pair<std::uint16_t, std::uint8_t>;      // entity, turret
  using Missile = std::pair<std::uint32_t, std::uint8_t>;  // launch id, number in the salvo
  struct Work {
    sim::Subtick ready = 0;  // loaded
    sim::Subtick since = 0;  // when it got the order it has
  };
  /// A burst on its way to a missile.
  struct Sent {
    Missile missile;
    sim::Subtick until = 0;
  };
  /// A missile that is going to hit something.
  struct Incoming {
    Missile missile;
    std::uint8_t team = 0;  // of whom it is going to hit
    sim::Subtick impact = 0;
    std::optional<sim::Vec3> position;  // now, length units; once a turret has asked
  };
  using Orders = std::map<Key, sim::TurretMode>;

  [[nodiscard]] std::vector<Incoming> find_incoming(const sim::World& world) const;
  void share_out(const sim::World& world, std::uint8_t team, const std::vector<Incoming>& incoming,
                 Orders& orders) const;
  [[nodiscard]] std::vector<sim::TurretOption> options(const sim::World& world,
                                                       const sim::Entity& entity,
                                                       std::uint8_t turret,
                                                       std::vector<Incoming>& near) const;
  [[nodiscard]] std::optional<sim::TurretMode> at_hull(const sim::World& world,
                                                       const sim::Entity& entity,
                                                       std::uint8_t turret,
                                                       std::int64_t range) const;
  [[nodiscard]] std::int64_t facing_range(const sim::World& world, const sim::Entity& entity,
                                          std::uint8_t turret) const;
  void fire_turret(const sim::World& world, const sim::Entity& entity, std::uint8_t turret,
                   sim::TickRecord& record);
  [[nodiscard]] int bursts_at(const Missile& missile) const;
  [[nodiscard]] Work work(const Key& key) const;

  const Rules& rules_;
  std::uint64_t seed_;
  bool any_;                 // a type has turrets
  std::uint32_t shots_ = 0;  // so far; gives each its seed
  std::map<Key, Work> work_;
  std::vector<Sent> sent_;
};

/// Whether an axis can point there: between its stops, whole turns aside.
bool in_reach(const sim::TurretAxis& axis, std::int32_t angle);

}  // namespace contrail::server
