#pragma once

// How the same missiles are usually written, in float: a Bezier curve with Perlin wobble in a frame
// that is carried along from frame to frame, and a missile that is steered step by step. Both keep
// state and neither gives the same numbers on two machines; they are here to be compared with.

#include <contrail/sim/world.hpp>
#include <cstddef>
#include <glm/vec3.hpp>
#include <vector>

namespace contrail::bench {

/// Bezier + Perlin + double reflection from one display frame to the next.
class TextbookCurves {
 public:
  TextbookCurves(const sim::World& world, sim::Subtick t);
  /// Moves all missiles on by dt seconds and writes their positions, metres.
  void step(const sim::World& world, sim::Subtick t, float dt, glm::vec3* positions);
  [[nodiscard]] std::size_t size() const { return missiles_.size(); }

 private:
  struct Missile {
    glm::vec3 p[4];  // metres
    glm::vec3 r;     // frame
    glm::vec3 s;
    glm::vec3 tangent;
    glm::vec3 last;   // point of the base curve one frame before
    glm::vec3 aim;    // where the target was expected, metres
    float age;        // s
    float duration;   // s
    float amplitude;  // metres
    float frequency;  // Hz
    std::uint32_t seed;
    std::uint16_t target;
  };
  std::vector<Missile> missiles_;
};

/// Steering towards the target with a limited turn rate, explicit Euler.
class TextbookPursuit {
 public:
  TextbookPursuit(const sim::World& world, sim::Subtick t);
  void step(const sim::World& world, sim::Subtick t, float dt, glm::vec3* positions);
  [[nodiscard]] std::size_t size() const { return missiles_.size(); }

 private:
  struct Missile {
    glm::vec3 position;  // metres
    glm::vec3 velocity;  // m/s
    float age;
    float frequency;
    float wobble;  // m/s^2
    std::uint32_t seed;
    std::uint16_t target;
  };
  std::vector<Missile> missiles_;
};

}  // namespace contrail::bench
