#include "textbook.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/base_curve.hpp>
#include <glm/geometric.hpp>
#include <numeric>

namespace contrail::bench {
namespace {

using glm::vec3;

vec3 metres(const sim::Vec3& v) {
  return vec3(v) * (1.0F / static_cast<float>(sim::k_units_per_metre));
}

float seconds(sim::Subtick t) {
  return static_cast<float>(t) / static_cast<float>(sim::k_subticks_per_second);
}

/// Perlin's permutation, any will do.
const std::array<std::uint8_t, 256>& permutation() {
  static const std::array<std::uint8_t, 256> table = [] {
    std::array<std::uint8_t, 256> t{};
    std::iota(t.begin(), t.end(), std::uint8_t{0});
    for (std::size_t i = t.size() - 1; i > 0; --i) {
      std::swap(t[i], t[sim::mix(static_cast<std::uint32_t>(i)) % (i + 1)]);
    }
    return t;
  }();
  return table;
}

/// One-dimensional gradient noise in [-1, 1].
float perlin(float x, std::uint32_t seed) {
  const float whole = std::floor(x);
  const auto cell = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole));
  const float t = x - whole;
  const auto gradient = [&](std::uint32_t c) {
    const auto& p = permutation();
    const std::uint8_t h = p[(c + p[seed & 255U]) & 255U];
    return static_cast<float>(h) * (2.0F / 255.0F) - 1.0F;
  };
  const float fade = t * t * t * (t * (t * 6.0F - 15.0F) + 10.0F);
  const float a = gradient(cell) * t;
  const float b = gradient(cell + 1) * (t - 1.0F);
  return 2.0F * (a + (b - a) * fade);
}

vec3 any_across(const vec3& t) {
  const vec3 axis = std::abs(t.x) < 0.6F ? vec3(1, 0, 0) : vec3(0, 1, 0);
  return glm::normalize(glm::cross(t, axis));
}

/// Positions of the ships at t, metres, by id.
std::vector<vec3> ships(const sim::World& world, sim::Subtick t) {
  std::vector<vec3> at(world.entities().back().id + std::size_t{1});
  for (const sim::Entity& entity : world.entities()) {
    at[entity.id] = metres(entity.track.position(t));
  }
  return at;
}

template <typename Add>
void each_missile(const sim::World& world, sim::Subtick t, Add add) {
  for (const sim::Salvo& salvo : world.salvos()) {
    for (std::uint8_t i = 0; i < salvo.launch.count; ++i) {
      if (world.missile_flies(salvo, i, t)) {
        add(salvo, i);
      }
    }
  }
}

}  // namespace

TextbookCurves::TextbookCurves(const sim::World& world, sim::Subtick t) {
  const std::vector<vec3> at = ships(world, t);
  each_missile(world, t, [&](const sim::Salvo& salvo, std::uint8_t index) {
    const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
    const sim::BaseCurve base =
        sim::base_curve({salvo.launch, salvo.anchor, weapon,
                         world.scenario().types[salvo.anchor.target_type], index});
    Missile m{};
    std::transform(base.p.begin(), base.p.end(), m.p, metres);
    m.age = seconds(t - world.missile_launch_time(salvo, index));
    m.duration = seconds(sim::Subtick{salvo.launch.pieces} << salvo.launch.log2_piece);
    m.amplitude = static_cast<float>(base.amplitude) / static_cast<float>(sim::k_units_per_metre);
    m.frequency = static_cast<float>(weapon.frequency) / 65536.0F;
    m.seed = salvo.launch.seed + index * 977U;
    m.target = salvo.launch.target;
    m.aim = at[m.target];
    m.last = m.p[0];
    m.tangent = glm::normalize(m.p[1] - m.p[0]);
    m.r = any_across(m.tangent);
    m.s = glm::cross(m.tangent, m.r);
    missiles_.push_back(m);
  });
}

void TextbookCurves::step(const sim::World& world, sim::Subtick t, float dt, vec3* positions) {
  const std::vector<vec3> at = ships(world, t);
  for (Missile& m : missiles_) {
    m.age += dt;
    const float u = std::min(m.age / m.duration, 1.0F);
    const float v = 1.0F - u;
    const vec3 point = v * v * v * m.p[0] + 3.0F * v * v * u * m.p[1] + 3.0F * v * u * u * m.p[2] +
                       u * u * u * m.p[3];
    const vec3 slope =
        v * v * (m.p[1] - m.p[0]) + 2.0F * v * u * (m.p[2] - m.p[1]) + u * u * (m.p[3] - m.p[2]);
    // Double reflection (Wang, Juttler, Zheng, Liu 2008) from the frame of the last display frame.
    const vec3 tangent = glm::normalize(slope);
    const vec3 chord = point - m.last;
    const float c1 = glm::dot(chord, chord);
    if (c1 > 1e-12F) {
      const vec3 r = m.r - (2.0F / c1) * glm::dot(chord, m.r) * chord;
      const vec3 t1 = m.tangent - (2.0F / c1) * glm::dot(chord, m.tangent) * chord;
      const vec3 difference = tangent - t1;
      const float c2 = glm::dot(difference, difference);
      m.r = c2 > 1e-12F ? r - (2.0F / c2) * glm::dot(difference, r) * difference : r;
      m.s = glm::cross(tangent, m.r);
    }
    m.tangent = tangent;
    m.last = point;
    const float envelope = 16.0F * u * u * v * v * m.amplitude;
    const float x = perlin(m.age * m.frequency, m.seed);
    const float y = perlin(m.age * m.frequency, m.seed + 57U);
    const float w = u * u * u * (u * (u * 6.0F - 15.0F) + 10.0F);
    *positions++ = point + envelope * (x * m.r + y * m.s) + w * (at[m.target] - m.aim);
  }
}

TextbookPursuit::TextbookPursuit(const sim::World& world, sim::Subtick t) {
  each_missile(world, t, [&](const sim::Salvo& salvo, std::uint8_t index) {
    const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
    Missile m{};
    m.position = metres(world.missile_position(salvo, index, t));
    m.velocity = metres(world.missile_velocity(salvo, index, t));
    m.frequency = static_cast<float>(weapon.frequency) / 65536.0F;
    m.wobble = 40.0F;
    m.seed = salvo.launch.seed + index * 977U;
    m.target = salvo.launch.target;
    missiles_.push_back(m);
  });
}

void TextbookPursuit::step(const sim::World& world, sim::Subtick t, float dt, vec3* positions) {
  const std::vector<vec3> at = ships(world, t);
  constexpr float k_turn = 2.0F;  // rad/s
  for (Missile& m : missiles_) {
    m.age += dt;
    const float speed = glm::length(m.velocity) + 1e-6F;
    const vec3 heading = m.velocity / speed;
    const vec3 wanted = glm::normalize(at[m.target] - m.position + vec3(1e-6F));
    const vec3 across = glm::cross(heading, wanted);
    const float sine = glm::length(across);
    const float turn = std::min(std::asin(std::min(sine, 1.0F)), k_turn * dt);
    vec3 turned = heading;
    if (sine > 1e-6F) {
      const vec3 axis = across / sine;
      turned = heading * std::cos(turn) + glm::cross(axis, heading) * std::sin(turn);
    }
    const vec3 side = any_across(turned);
    const vec3 up = glm::cross(turned, side);
    const float x = perlin(m.age * m.frequency, m.seed);
    const float y = perlin(m.age * m.frequency, m.seed + 57U);
    m.velocity = turned * speed + (x * side + y * up) * (m.wobble * dt);
    m.position += m.velocity * dt;
    *positions++ = m.position;
  }
}

}  // namespace contrail::bench
