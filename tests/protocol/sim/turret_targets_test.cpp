#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include <contrail/sim/turret_targets.hpp>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;
using test::seed_or;

TurretOption option(std::size_t threat, std::int64_t range = 1'000) {
  return {threat, true, range, 100, 1'000};
}

TEST(TurretTargets, the_threat_that_hits_first_is_taken) {
  const std::vector<Threat> threats{{1, 90'000, 1, 0}, {2, 50'000, 1, 0}, {3, 70'000, 1, 0}};
  const std::vector<TurretOption> options{option(0), option(1), option(2)};
  EXPECT_EQ(choose_target(threats, options, std::nullopt), 1U);
}

TEST(TurretTargets, equal_threats_are_ranked_by_range_and_then_by_id) {
  const std::vector<Threat> threats{{9, 50'000, 1, 0}, {4, 50'000, 1, 0}, {5, 50'000, 1, 0}};
  EXPECT_EQ(choose_target(threats, std::vector{option(0, 10), option(1, 20)}, std::nullopt), 0U);
  EXPECT_EQ(choose_target(threats, std::vector{option(0), option(2), option(1)}, std::nullopt), 2U);
}

TEST(TurretTargets, out_of_the_arc_too_late_or_served_is_no_option) {
  std::vector<Threat> threats{{1, 50'000, 2, 0}};
  std::vector<TurretOption> options{option(0)};
  EXPECT_TRUE(choose_target(threats, options, std::nullopt));
  options[0].in_arc = false;
  EXPECT_FALSE(choose_target(threats, options, std::nullopt));
  options[0] = option(0);
  options[0].ready = 49'000;  // + 1,000 of flight
  EXPECT_FALSE(choose_target(threats, options, std::nullopt));
  options[0].ready = 48'999;
  EXPECT_TRUE(choose_target(threats, options, std::nullopt));
  threats[0].shots_assigned = 2;
  EXPECT_FALSE(choose_target(threats, options, std::nullopt));
}

TEST(TurretTargets, a_turret_keeps_its_target_until_another_is_clearly_more_urgent) {
  std::vector<Threat> threats{{1, 60'000, 1, 0}, {2, 60'000 - k_switch_margin + 1, 1, 0}};
  const std::vector<TurretOption> options{option(0), option(1)};
  EXPECT_EQ(choose_target(threats, options, 0), 0U);
  EXPECT_EQ(choose_target(threats, options, std::nullopt), 1U);
  threats[1].impact -= 1;
  EXPECT_EQ(choose_target(threats, options, 0), 1U);
}

TEST(TurretTargets, a_salvo_is_shared_out_and_not_shot_at_twice) {
  std::vector<Threat> threats;
  for (std::uint64_t i = 0; i < 3; ++i) {
    threats.push_back({i, 60'000 + static_cast<Subtick>(i), 2, 0});
  }
  std::vector<TurretRequest> turrets(8);
  for (TurretRequest& t : turrets) {
    t.options = {option(0), option(1), option(2)};
    t.shots = 1;
  }
  const auto targets = share_out(threats, turrets);
  const std::vector<std::optional<std::size_t>> want{0, 0, 1, 1, 2, 2, std::nullopt, std::nullopt};
  EXPECT_EQ(targets, want);
}

TEST(TurretTargets, a_turret_that_comes_first_does_not_take_away_what_another_aims_at) {
  const std::vector<Threat> threats{{1, 60'000, 1, 0}, {2, 61'000, 1, 0}};
  std::vector<TurretRequest> turrets(2);
  turrets[0].options = {option(0), option(1)};
  turrets[1].options = {option(0), option(1)};
  turrets[1].current = 0;
  const auto targets = share_out(threats, turrets);
  EXPECT_EQ(targets[0], 1U);
  EXPECT_EQ(targets[1], 0U);
}

TEST(TurretTargets, the_order_of_threats_and_options_does_not_matter_and_nothing_is_overkilled) {
  const std::uint64_t seed = seed_or(54);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  int chosen = 0;
  for (int run = 0; run < 1'000; ++run) {
    const auto count = static_cast<std::size_t>(numbers.between(1, 12));
    std::vector<Threat> threats;
    for (std::size_t i = 0; i < count; ++i) {
      threats.push_back({100 + i, numbers.between(1, 6) * 10'000,
                         static_cast<std::int32_t>(numbers.between(1, 3)), 0});
    }
    std::vector<TurretRequest> turrets(static_cast<std::size_t>(numbers.between(1, 10)));
    for (TurretRequest& t : turrets) {
      for (std::size_t i = 0; i < count; ++i) {
        t.options.push_back(
            {i, numbers.chance(70), numbers.between(1, 3), numbers.between(0, 30'000), 1'000});
      }
    }
    std::vector<std::size_t> place(count);
    for (std::size_t i = 0; i < count; ++i) place[i] = i;
    for (std::size_t i = count; i > 1; --i) std::swap(place[i - 1], place[numbers.next() % i]);
    std::vector<Threat> shuffled(count);
    for (std::size_t i = 0; i < count; ++i) shuffled[place[i]] = threats[i];
    std::vector<TurretRequest> same = turrets;
    for (TurretRequest& t : same) {
      for (TurretOption& o : t.options) o.threat = place[o.threat];
      std::reverse(t.options.begin(), t.options.end());
    }
    const auto a = share_out(threats, turrets);
    const auto b = share_out(shuffled, same);
    std::map<std::size_t, int> shots;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].has_value(), b[i].has_value());
      if (!a[i]) continue;
      ASSERT_EQ(threats[*a[i]].id, shuffled[*b[i]].id);
      ASSERT_LE(++shots[*a[i]], threats[*a[i]].shots_wanted);
      ++chosen;
    }
  }
  EXPECT_GT(chosen, 1'000);
}

}  // namespace
}  // namespace contrail::sim
