#pragma once

// The definition of a hit, by brute force: every subtick of every pair.

#include <contrail/flow/hit_resolver.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace contrail::server {

class HitOracle {
 public:
  /// Like HitResolver::find: contacts of the world's next tick, ordered. `step` > 1 looks only at
  /// every step-th subtick, ends of ticks among them: the sampler that must miss.
  void find(const sim::World& world, std::span<const sim::Salvo> staged, std::vector<Contact>& out,
            sim::Subtick step = 1);

  /// Skips pairs whose balls are far apart. The balls rest on samples and prove nothing: a share of
  /// all flights is walked without them.
  bool skip_far = true;
  std::uint64_t subticks = 0;          // of missiles, walked over
  std::uint64_t evaluated = 0;         // pairs and subticks that no speed bound ruled out
  std::set<HitResolver::Looked> near;  // pairs of the last tick that no ball ruled out

 private:
  void fly(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index, sim::Subtick step,
           std::vector<Contact>& out);
  const sim::Pose& pose(const sim::World& world, const sim::Entity& entity, sim::Subtick t);

  std::map<std::uint16_t, std::vector<std::optional<sim::Pose>>> poses_;  // of the tick, by entity
  std::map<std::uint32_t, std::set<std::uint8_t>> free_;  // off their launcher, by salvo
};

}  // namespace contrail::server
