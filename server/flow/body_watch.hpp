#pragma once

// The entities and obstacles of the world as the resolver sees them in one tick: where entities can
// be in the next second, in a grid, and how those that are asked for move in the tick itself.

#include <cstdint>
#include <span>
#include <vector>

#include <contrail/flow/body_grid.hpp>
#include <contrail/flow/body_tick.hpp>
#include <contrail/flow/horizon.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

inline constexpr std::uint32_t k_no_body = 0xFFFF'FFFF;

/// An entity as it stands now.
struct Body {
  std::uint16_t id;           // of the entity
  const sim::Entity* entity;  // until the world folds its next record
  const sim::EntityType* type;
  Horizon horizon;
  std::int64_t radius;  // ball around its position that holds its hull
};

class BodyWatch {
 public:
  /// Looks at all entities that are there, as of the world's time. `ahead`: subticks for which
  /// their boxes in the grid hold. `error_percent`: see HitResolver::scale_errors.
  void look(const sim::World& world, sim::Subtick ahead, int error_percent);

  [[nodiscard]] const Body& operator[](std::uint32_t number) const { return bodies_[number]; }
  /// k_no_body: not there.
  [[nodiscard]] std::uint32_t number_of(std::uint16_t entity) const { return number_of_[entity]; }
  /// Bodies for which what was promised before does not hold, or that are new.
  [[nodiscard]] std::span<const std::uint32_t> sudden() const { return sudden_; }
  /// How it moves in the tick. Valid until the next look().
  [[nodiscard]] const BodyTick& in_tick(const sim::World& world, std::uint32_t number);

  /// Numbers of bodies that may be in the box. Valid until the next call of a find function.
  [[nodiscard]] std::span<const std::uint32_t> find(const Box& box);
  [[nodiscard]] std::span<const std::uint32_t> find_obstacles(const Box& box);

 private:
  void measure(const sim::Scenario& scenario);

  std::vector<std::int64_t> radius_of_type_;
  std::vector<Body> bodies_;
  std::vector<std::uint32_t> number_of_;  // by entity id
  std::vector<std::uint32_t> sudden_;
  std::vector<BodyTick> ticks_;
  std::vector<std::uint32_t> tick_of_;  // by body, into ticks_
  BodyGrid grid_;
  BodyGrid obstacles_;
  std::vector<std::uint32_t> near_;
  bool measured_ = false;
};

}  // namespace contrail::server
