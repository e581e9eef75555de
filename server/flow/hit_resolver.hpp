#pragma once

// Finds every first contact of a missile with a hull or the ground inside one tick, exactly to the
// subtick: the same answer as testing every subtick, found by bisection with proven bounds.

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <contrail/sim/world.hpp>

namespace contrail::server {

/// The order in which things that happen at the same subtick are taken.
enum class ContactClass : std::uint8_t { shot = 0, obstacle = 1, hull = 2, end = 3 };

struct Contact {
  sim::Subtick time = 0;
  ContactClass kind = ContactClass::hull;
  std::uint32_t salvo = 0;  // launch id
  std::uint8_t index = 0;   // missile
  std::uint16_t victim = sim::k_no_entity;
  auto operator<=>(const Contact&) const = default;
};

class HitResolver {
 public:
  /// Contacts in the world's next tick, unordered; the first one of each pair of missile and
  /// entity. `staged` are the salvos launched in that tick, not yet in the world. A missile's
  /// locked target is not tested, nor its launcher until they were apart once.
  void find(const sim::World& world, std::span<const sim::Salvo> staged, std::vector<Contact>& out);

  /// The same by testing every subtick: the definition, for tests.
  void find_by_every_subtick(const sim::World& world, std::span<const sim::Salvo> staged,
                             std::vector<Contact>& out);

 private:
  /// Missiles of a salvo that have left their launcher.
  using Separated = std::bitset<256>;
  std::map<std::uint32_t, Separated> separated_;

  void forget_ended(const sim::World& world);
  template <class Search>
  void find_with(const sim::World& world, std::span<const sim::Salvo> staged,
                 std::vector<Contact>& out);
};

}  // namespace contrail::server
