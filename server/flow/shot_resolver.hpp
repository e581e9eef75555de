#pragma once

// Finds every first contact of a round with a hostile missile or hull inside one tick, exactly to
// the subtick. Rounds are few and fly straight: what may come near is asked of the hit resolver.

#include <cstdint>
#include <span>
#include <vector>

#include <contrail/flow/hit_resolver.hpp>
#include <contrail/flow/rules.hpp>
#include <contrail/sim/shot.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

/// A round in flight or still to leave its barrel.
struct LiveRound {
  std::uint32_t burst = 0;  // number, as World::first_burst counts
  std::uint8_t number = 0;  // in its burst
  std::uint16_t shooter = sim::k_no_entity;
  std::uint16_t damage = 0;  // hit points
  std::int32_t radius = 0;   // length units
  sim::Round path;
};

/// One thread. Belongs to one world from before its first shot on.
class ShotResolver {
 public:
  /// Contacts of rounds in the world's next tick; appended, not ordered. `shots` are fired in that
  /// tick. Rounds of one's own side are no contacts: who is hostile is for the rules to say. Call
  /// it once a tick, after HitResolver::find.
  void find(const sim::World& world, std::span<const sim::Salvo> staged,
            std::span<const sim::Shot> shots, const Rules& rules, const HitResolver& missiles,
            std::vector<Contact>& out);
  /// By number of burst, and number in it.
  [[nodiscard]] const LiveRound* find_round(std::uint32_t burst, std::uint8_t number) const;
  /// The rounds of these contacts are gone.
  void spend(std::span<const Contact> contacts);

  [[nodiscard]] std::size_t rounds() const { return rounds_.size(); }
  /// Test seam, as HitResolver::scale_errors.
  void scale_errors(int percent) { error_percent_ = percent; }

 private:
  struct Scan;
  void admit(const sim::World& world, std::span<const sim::Shot> shots);
  void forget(const sim::World& world);
  void meet_missiles(const Scan& scan, std::span<const LiveRound> burst, std::vector<Contact>& out);
  void meet_missile(const Scan& scan, std::span<const LiveRound> burst, const sim::Salvo& salvo,
                    std::uint8_t index, std::vector<Contact>& out) const;
  static void meet_hulls(const Scan& scan, const LiveRound& round, std::vector<Contact>& out);

  std::vector<LiveRound> rounds_;  // by burst, number
  std::vector<HitResolver::Missile> near_;
  int error_percent_ = 100;
};

}  // namespace contrail::server
