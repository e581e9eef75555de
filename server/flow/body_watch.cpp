#include <contrail/flow/body_watch.hpp>

#include <algorithm>

#include <contrail/flow/missile_course.hpp>

namespace contrail::server {

using sim::Subtick;
using sim::WideVec3;

/// What never changes in a session.
void BodyWatch::measure(const sim::Scenario& scenario) {
  if (measured_) {
    return;
  }
  measured_ = true;
  number_of_.assign(65536, k_no_body);
  for (const sim::EntityType& type : scenario.types) {
    std::int64_t thickest = 0;
    for (const sim::HullPart& part : type.hull) {
      thickest = std::max<std::int64_t>(thickest, part.radius);
    }
    radius_of_type_.push_back(hull_reach(type) + thickest + 16);
  }
  obstacles_.clear(scenario.obstacles.size(), {});
  for (const sim::HullPart& part : scenario.obstacles) {
    const WideVec3 a(part.a);
    obstacles_.add(box_around(a, a + WideVec3(part.d), part.radius));
  }
  obstacles_.build();
}

void BodyWatch::look(const sim::World& world, Subtick ahead, int error_percent) {
  measure(world.scenario());
  for (const Body& body : bodies_) {
    number_of_[body.id] = k_no_body;
  }
  bodies_.clear();
  sudden_.clear();
  ticks_.clear();
  const std::vector<sim::Entity>& entities = world.entities();
  ticks_.reserve(entities.size());  // what was handed out stays where it is
  Box extent;
  for (const sim::Entity& entity : entities) {
    const WideVec3 at(entity.track.pieces().back().p0);
    const Box one{at, at};
    extent = &entity == &entities.front() ? one : joined(extent, one);
  }
  grid_.clear(entities.size(), extent);
  const int log2_tick = world.scenario().log2_tick;
  const Subtick now = world.time();
  for (const sim::Entity& entity : entities) {
    if (entity.gone) {
      continue;
    }
    Body body{entity.id, &entity, &world.scenario().types[entity.type], horizon_of(world, entity),
              radius_of_type_[entity.type]};
    const auto number = static_cast<std::uint32_t>(bodies_.size());
    if (body.horizon.sudden || entity.spawn_time == now) {
      body.horizon.sudden = true;
      sudden_.push_back(number);
    }
    number_of_[entity.id] = number;
    const Course course = course_of(body.horizon, log2_tick, now, now, now + ahead);
    grid_.add(
        box_around(course.from, course.to, course.radius * error_percent / 100 + body.radius));
    bodies_.push_back(body);
  }
  grid_.build();
  tick_of_.assign(bodies_.size(), k_no_body);
}

const BodyTick& BodyWatch::in_tick(const sim::World& world, std::uint32_t number) {
  std::uint32_t& at = tick_of_[number];
  if (at == k_no_body) {
    at = static_cast<std::uint32_t>(ticks_.size());
    ticks_.push_back(body_tick(world, *bodies_[number].entity));
  }
  return ticks_[at];
}

std::span<const std::uint32_t> BodyWatch::find(const Box& box) {
  near_.clear();
  grid_.find(box, near_);
  return near_;
}

std::span<const std::uint32_t> BodyWatch::find_obstacles(const Box& box) {
  near_.clear();
  if (obstacles_.size() != 0) {
    obstacles_.find(box, near_);
  }
  return near_;
}

}  // namespace contrail::server
