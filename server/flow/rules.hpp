#pragma once

// The rules of the game that are not physics: who may fire, who is an enemy, what a hit costs, and
// what happens to whoever has no hit points left. A host game may bring its own.

#include <cstdint>
#include <memory>
#include <string_view>

#include <contrail/sim/world.hpp>
#include <contrail/wire/commands.hpp>

namespace contrail::server {

/// A launch that is asked for. The launcher exists and the target lives.
struct FireRequest {
  const sim::World& world;
  const sim::Entity& from;
  std::uint8_t launcher = 0;  // index into the launchers of its type
  const sim::Entity& target;
  sim::Subtick at = 0;           // of the launch, inside the world's next tick
  std::uint32_t ammunition = 0;  // missiles left in the launcher; 0xFFFFFFFF: unlimited
  sim::Subtick ready = 0;        // when it has reloaded
};

/// The end of a missile near a living entity.
struct DamageRequest {
  const sim::World& world;
  const sim::Launch& launch;
  const sim::Weapon& weapon;
  const sim::Entity& victim;
  sim::EndKind end = sim::EndKind::impact;
  std::int64_t distance = 0;  // length units from the missile to the hull; 0: touched
  sim::Subtick at = 0;
};

/// A round of a turret's gun that touched a living entity.
struct RoundRequest {
  const sim::World& world;
  std::uint16_t shooter = sim::k_no_entity;  // may be gone
  std::uint16_t damage = 0;                  // of the gun, hit points
  const sim::Entity& victim;
  sim::Subtick at = 0;
};

/// Answers depend on the arguments alone, so that a match can be run again. Called from one thread
/// at a time for each match; one object may serve many matches.
class Rules {
 public:
  Rules() = default;
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  virtual ~Rules() = default;

  /// The scenario's `rules` must be this name: recordings then say whose decisions they hold.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// `launched`: yes; anything else is the refusal (what is none counts as refused_rules). A
  /// refused request changes nothing.
  [[nodiscard]] virtual wire::CommandStatus may_fire(const FireRequest& request) const = 0;
  /// May a missile, trigger or turret of `a` choose `b` by itself; rounds of `a` meet `b` and its
  /// missiles.
  [[nodiscard]] virtual bool is_enemy(const sim::Entity& a, const sim::Entity& b) const = 0;
  /// Hit points taken. Asked for whoever was touched, and within the weapon's blast radius.
  [[nodiscard]] virtual std::uint16_t damage(const DamageRequest& request) const = 0;
  /// Hit points a round takes; what its gun says unless the rules differ.
  [[nodiscard]] virtual std::uint16_t round_damage(const RoundRequest& request) const {
    return request.damage;
  }
  /// Is an entity destroyed when its last hit point is taken; otherwise it stays, with 0.
  [[nodiscard]] virtual bool is_destroyed(const sim::World& world,
                                          const sim::Entity& victim) const = 0;
};

/// What the scenario says: ammunition, reload, range, fire arc and lock time; a launcher may fire
/// at whoever is not of its own team. Damage falls off in a straight line over the blast radius,
/// for friend and foe.
class StandardRules final : public Rules {
 public:
  static constexpr std::string_view k_name = "standard";
  [[nodiscard]] std::string_view name() const override { return k_name; }
  [[nodiscard]] wire::CommandStatus may_fire(const FireRequest& request) const override;
  [[nodiscard]] bool is_enemy(const sim::Entity& a, const sim::Entity& b) const override;
  [[nodiscard]] std::uint16_t damage(const DamageRequest& request) const override;
  [[nodiscard]] bool is_destroyed(const sim::World& world,
                                  const sim::Entity& victim) const override;
};
std::shared_ptr<const Rules> standard_rules();

}  // namespace contrail::server
