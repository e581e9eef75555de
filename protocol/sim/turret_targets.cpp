#include <contrail/sim/turret_targets.hpp>

#include <tuple>

#include <contrail/sim/assert.hpp>

namespace contrail::sim {
namespace {

bool can_meet(const Threat& threat, const TurretOption& option) {
  return option.in_arc && threat.shots_assigned < threat.shots_wanted &&
         option.ready + option.flight < threat.impact;
}

/// Smaller is better.
auto rank(const Threat& threat, const TurretOption& option) {
  return std::tuple(threat.impact, option.range, threat.id);
}

}  // namespace

std::optional<std::size_t> choose_target(std::span<const Threat> threats,
                                         std::span<const TurretOption> options,
                                         std::optional<std::size_t> current) {
  std::optional<std::size_t> best;
  std::optional<std::size_t> kept;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const TurretOption& option = options[i];
    require(option.threat < threats.size(), "an option is about one of the threats");
    const Threat& threat = threats[option.threat];
    if (!can_meet(threat, option)) {
      continue;
    }
    if (!best || rank(threat, option) < rank(threats[options[*best].threat], options[*best])) {
      best = i;
    }
    if (option.threat == current) {
      kept = i;
    }
  }
  if (kept) {
    const Threat& rival = threats[options[*best].threat];
    if (threats[*current].impact - rival.impact < k_switch_margin) {
      return kept;
    }
  }
  return best;
}

std::vector<std::optional<std::size_t>> share_out(std::vector<Threat> threats,
                                                  std::span<const TurretRequest> turrets) {
  std::vector<std::optional<std::size_t>> targets(turrets.size());
  for (const bool keeping : {true, false}) {
    for (std::size_t i = 0; i < turrets.size(); ++i) {
      const TurretRequest& turret = turrets[i];
      if (targets[i]) {
        continue;
      }
      const auto chosen = choose_target(threats, turret.options, turret.current);
      if (!chosen || (keeping && turret.options[*chosen].threat != turret.current)) {
        continue;
      }
      targets[i] = turret.options[*chosen].threat;
      threats[*targets[i]].shots_assigned += turret.shots;
    }
  }
  return targets;
}

}  // namespace contrail::sim
