#include <contrail/flow/whereabouts.hpp>

#include <contrail/flow/missile_course.hpp>
#include <contrail/sim/assert.hpp>

namespace contrail::server {

bool Whereabouts::beyond(std::int64_t distance, const sim::Vec3& point) const {
  const sim::WideVec3 way = centre - sim::WideVec3(point);
  const std::int64_t reach = distance + radius + 2;  // lengths are floored
  return sim::max_abs(way) > reach || sim::length(way) > reach;
}

std::optional<Whereabouts> whereabouts(const sim::World& world, const sim::Salvo& salvo,
                                       std::uint8_t index, const sim::WideVec3& homing,
                                       sim::Subtick at) {
  sim::require(salvo.missiles[index].events == 0, "a missile without guidance events");
  const SalvoHeader header = salvo_header(salvo);
  const HotMissile missile = hot_missile(world, salvo, index);
  CourseQuery query = course_query(world, header, missile);
  query.horizon_begin = query.begin = query.end = at;
  const Course course = course_of(query);
  // A course near the border stands clamped, and then lies outside this as well.
  const std::int64_t inner = sim::k_world_limit - course.radius;
  const Whereabouts out{course.from + homing, course.radius};
  if (sim::max_abs(course.from) > inner || sim::max_abs(out.centre) > inner) return std::nullopt;
  return out;
}

}  // namespace contrail::server
