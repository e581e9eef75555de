#include <contrail/flow/horizon.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>

namespace contrail::server {
namespace {

constexpr std::int64_t k_least_promise = 32 * sim::k_units_per_metre;
constexpr std::int64_t k_most = std::int64_t{1} << 28;

}  // namespace

std::int64_t Horizon::wander(sim::Subtick span, std::int64_t ticks) const {
  if (acceleration > k_most) {
    return k_anywhere;
  }
  // a h^2 / 2, and what rounded velocities add where pieces meet: 8 units for every pair of ticks.
  return ((acceleration * span * span) >> 33) + 8 * ticks * ticks + 16;
}

std::int64_t promised_acceleration(const sim::EntityType& type) {
  const std::int64_t limit = type.max_acceleration;
  return std::max(k_least_promise, limit + (limit >> 3));
}

Horizon horizon_of(const sim::World& world, const sim::Entity& entity) {
  const sim::Subtick now = world.time();
  const std::int64_t promised = promised_acceleration(world.scenario().types[entity.type]);
  const sim::TrackPiece& piece = entity.track.pieces().back();
  const std::int64_t own = acceleration_of(piece, promised);
  const bool over = piece.jump || now >= piece.start + (sim::Subtick{1} << piece.log2_duration);
  Horizon h;
  h.position = entity.track.position(now);
  // A piece that starts now rules from the next subtick on: its own start velocity counts.
  h.velocity = piece.jump && piece.start == now ? piece.v1 : entity.track.velocity(now);
  if (piece.jump && piece.start == now) {
    h.position = piece.p1;
  }
  h.acceleration = over ? promised : std::max(promised, own);
  h.sudden = piece.start == now && (piece.jump || own > promised);
  return h;
}

}  // namespace contrail::server
