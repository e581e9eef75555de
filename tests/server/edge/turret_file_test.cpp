#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <contrail/edge/scenario_description.hpp>
#include <contrail/edge/scenario_file.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {
namespace {

using testing::HasSubstr;

constexpr std::int32_t k_turn = sim::k_turret_turn;

constexpr const char* k_good = R"([[weapon]]
name = "wasp"
damage = 3
speed = 500
max_range = 3000

[[type]]
name = "ship"
hit_points = 100
max_speed = 150
max_acceleration = 200
hull = [{ radius = 6 }]
mount = [{ name = "bow" }]
  [[type.launcher]]
  mount = "bow"
  weapon = "wasp"
  facing = "dorsal"
  [[type.turret]]
  name = "eye"
  pitch_limits = [-90, 90]
  speed = [90, 45]
  acceleration = [180, 90]
  [[type.turret]]
  name = "dorsal"
  position = [0, 4.5, -2]
  roll = 180
  muzzles = [[-0.5, 0, 3], [0.5, 0, 3]]
  yaw_limits = [-135, 180]
  pitch_limits = [-10, 60]
  rest = [-90, 15]
  speed = [120, 60]
  acceleration = [360, 240]
  controller = "align"
  align = { target_radius = 0.5, slow_radius = 20, time_to_target = 0.2 }
  tolerance = 0.25
    [type.turret.gun]
    speed = 900
    radius = 0.05
    damage = 2
    life = 2.5
    burst = 8
    interval = 0.05
    reload = 1.5
    inherits_velocity = false
    error = 0.5
    range = 1800
    reaction = 0.25
    point_defence = true

[[entity]]
name = "one"
type = "ship"
team = 1
position = [0, 0, 0]
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = k_good;
  const auto found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

TEST(TurretFile, CompilesToIntegers) {
  const LoadedScenario loaded = load_scenario_text(k_good, "t.toml");
  ASSERT_EQ(loaded.problems, "");
  const sim::EntityType& type = loaded.scenario->types.at(0);
  ASSERT_EQ(type.turrets.size(), 2U);
  EXPECT_EQ(type.launchers.at(0).facing, 1);

  const sim::Turret& eye = type.turrets[0];
  EXPECT_TRUE(eye.mount.yaw.full_turn);
  EXPECT_FALSE(eye.mount.pitch.full_turn);
  EXPECT_EQ(eye.mount.pitch.low, -k_turn / 4);
  EXPECT_EQ(eye.mount.yaw.max_speed, k_turn / 4);
  EXPECT_EQ(eye.mount.pitch.max_acceleration, k_turn / 4);
  EXPECT_EQ(eye.mount.controller, sim::TurretController::optimal);
  EXPECT_EQ(eye.mount.muzzles, std::vector<sim::Vec3>{sim::Vec3(0)});
  EXPECT_EQ(eye.gun, sim::Gun{});

  const sim::Turret& dorsal = type.turrets[1];
  const sim::TurretMount& m = dorsal.mount;
  EXPECT_EQ(m.pivot, sim::Vec3(0, 18'432, -8192));
  EXPECT_NEAR(m.orientation.up.y, -sim::k_one, 4);
  ASSERT_EQ(m.muzzles.size(), 2U);
  EXPECT_EQ(m.muzzles[1], sim::Vec3(2048, 0, 12'288));
  EXPECT_FALSE(m.yaw.full_turn);
  EXPECT_EQ(m.yaw.low, -k_turn / 8 * 3);
  EXPECT_EQ(m.yaw.high, k_turn / 2);
  EXPECT_EQ(m.yaw.rest, -k_turn / 4);
  EXPECT_EQ(m.pitch.low, -7'456'540);  // -10 / 360 * 2^28 = -7456540.4
  EXPECT_EQ(m.pitch.high, 44'739'243);
  EXPECT_EQ(m.yaw.max_acceleration, k_turn);
  EXPECT_EQ(m.controller, sim::TurretController::align);
  EXPECT_EQ(m.align, (sim::AlignSettings{372'827, 14'913'081, 13'107}));
  EXPECT_EQ(m.tolerance, 186'414);

  const sim::Gun& gun = dorsal.gun;
  EXPECT_EQ(gun.speed, 900 * 4096);
  EXPECT_EQ(gun.radius, 205);
  EXPECT_EQ(gun.damage, 2);
  EXPECT_EQ(gun.life, 163'840);
  EXPECT_EQ(gun.burst, 8);
  EXPECT_EQ(gun.interval, 3277);
  EXPECT_EQ(gun.reload, 98'304);
  EXPECT_FALSE(gun.inherits);
  EXPECT_NEAR(gun.error, 146'412, 2);  // tan 0.5 degrees * 2^24
  EXPECT_EQ(gun.range, 1800 * 4096);
  EXPECT_EQ(gun.reaction, 16'384);
  EXPECT_TRUE(gun.point_defence);
}

TEST(TurretFile, WhatIsReadPassesTheCheckOfEveryReaderOfALog) {
  const LoadedScenario loaded = load_scenario_text(k_good, "t.toml");
  ASSERT_EQ(loaded.problems, "");
  const wire::CodecResult result = wire::check_scenario(*loaded.scenario);
  EXPECT_TRUE(result) << result.field;
}

TEST(TurretFile, AGunShootsAsFarAsItsRoundsFlyUnlessTold) {
  const LoadedScenario loaded = load_scenario_text(with("    range = 1800\n", ""), "t.toml");
  ASSERT_EQ(loaded.problems, "");
  EXPECT_EQ(loaded.scenario->types[0].turrets[1].gun.range, 2250 * 4096);
}

TEST(TurretFile, DescriptionsShowTurretsAndGuns) {
  const LoadedScenario loaded = load_scenario_text(k_good, "t.toml");
  ASSERT_EQ(loaded.problems, "");
  const std::string text = describe_scenario(*loaded.scenario, loaded.routes);
  EXPECT_THAT(text, HasSubstr("turret 0 eye: yaw all round, pitch -90 to 90 degrees, "
                              "90 and 45 degrees/s, 1 muzzle, no gun\n"));
  EXPECT_THAT(text, HasSubstr("turret 1 dorsal: yaw -135 to 180 degrees, pitch -10 to 60 degrees, "
                              "120 and 60 degrees/s, 2 muzzles, align, bursts of 8 at 900 m/s "
                              "every 1.5 s, damage 2, within 1800 m, point defence\n"));
  EXPECT_THAT(text, HasSubstr(", facing with dorsal\n"));
  const std::string json = scenario_json(*loaded.scenario, loaded.routes);
  EXPECT_THAT(json, HasSubstr(R"("index":1,"name":"dorsal","yaw":{"low_degrees":-135.0)"));
  EXPECT_THAT(json, HasSubstr(R"("burst":8,"reload_s":1.5)"));
}

struct Fault {
  const char* from;
  const char* to;
  const char* place;    // line:column and path
  const char* message;  // part of it
};

class TurretFaultTest : public testing::TestWithParam<Fault> {};

TEST_P(TurretFaultTest, NamesThePlaceAndWhatWouldBeRight) {
  const LoadedScenario loaded = load_scenario_text(with(GetParam().from, GetParam().to), "t.toml");
  EXPECT_EQ(loaded.scenario, nullptr);
  EXPECT_THAT(loaded.problems, HasSubstr(std::string("t.toml:") + GetParam().place));
  EXPECT_THAT(loaded.problems, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Mounts, TurretFaultTest,
    testing::Values(
        Fault{"facing = \"dorsal\"", "facing = \"dorsel\"",
              "17:12: type[ship].launcher[#1].facing: ",
              "names the unknown turret \"dorsel\"; did you mean \"dorsal\"?"},
        Fault{"name = \"eye\"", "name = \"dorsal\"",
              "7:1: type[ship]: ", "has two turrets named \"dorsal\""},
        Fault{"  pitch_limits = [-90, 90]\n", "", "18:3: type[ship].turret[eye].pitch_limits: ",
              "is missing; must be an array of two numbers, [low, high], within -90 and 90"},
        Fault{"[-90, 90]", "[-91, 90]", "20:19: type[ship].turret[eye].pitch_limits[0]: ",
              "is -91 degrees; must be -90 to 90 degrees"},
        Fault{"[-10, 60]", "[60, -10]", "29:18: type[ship].turret[dorsal].pitch_limits: ",
              "is 60 to -10 degrees; the lower stop must come first"},
        Fault{"[-135, 180]", "[-200, 180]", "28:16: type[ship].turret[dorsal].yaw_limits: ",
              "must be at most 360 degrees apart; without yaw_limits it turns freely"},
        Fault{"[-135, 180]", "[-135]", "28:16: type[ship].turret[dorsal].yaw_limits: ",
              "has 1 items; must be an array of two numbers, [low, high] in degrees"},
        Fault{"rest = [-90, 15]", "rest = [-140, 15]", "30:10: type[ship].turret[dorsal].rest: ",
              "is -140 degrees, outside yaw_limits; must be -135 to 180 degrees"},
        Fault{"pitch_limits = [-10, 60]\n  rest = [-90, 15]\n", "pitch_limits = [10, 60]\n",
              "23:3: type[ship].turret[dorsal].rest: ",
              "is absent, so 0 degrees, outside pitch_limits; must be 10 to 60 degrees"},
        Fault{"  speed = [90, 45]\n", "", "18:3: type[ship].turret[eye].speed: ",
              "is missing; must be an array of two numbers, [yaw, pitch] in degrees/s"},
        Fault{"speed = [90, 45]", "speed = [90, 0]",
              "21:16: type[ship].turret[eye].speed[1]: ", "is 0 degrees/s; must be "},
        Fault{"[180, 90]", "[2900, 90]",
              "22:19: type[ship].turret[eye].acceleration[0]: ", "2800 degrees/s^2"},
        Fault{"[[-0.5, 0, 3], [0.5, 0, 3]]", "[]", "27:13: type[ship].turret[dorsal].muzzles: ",
              "has 0 muzzles; a turret needs 1 to 8 muzzles"},
        Fault{"[0.5, 0, 3]]", "[0.5, 0, 513]]",
              "27:37: type[ship].turret[dorsal].muzzles[1][2]: ", "must be -512 to 512 m"},
        Fault{"\"align\"", "\"aline\"",
              "33:16: type[ship].turret[dorsal].controller: ", "must be \"optimal\" or \"align\""},
        Fault{"controller = \"align\"\n", "", "33:13: type[ship].turret[dorsal].align: ",
              "only controller = \"align\" has settings"},
        Fault{"slow_radius = 20", "slow_radius = 91",
              "34:48: type[ship].turret[dorsal].align.slow_radius: ", "to 90 degrees"},
        Fault{"tolerance = 0.25", "tolerance = 180",
              "35:15: type[ship].turret[dorsal].tolerance: ", "is 180 degrees"},
        Fault{"tolerance", "tolerence",
              "35:3: type[ship].turret[dorsal].tolerence: ", "did you mean \"tolerance\"?"}));

INSTANTIATE_TEST_SUITE_P(
    Guns, TurretFaultTest,
    testing::Values(
        Fault{"    speed = 900\n", "",
              "36:5: type[ship].turret[dorsal].gun.speed: ", "is missing; must be 1 to 10000 m/s"},
        Fault{"life = 2.5", "life = 9",
              "40:12: type[ship].turret[dorsal].gun.life: ", "is 9 s; must be 0 to 8 s"},
        Fault{"burst = 8", "burst = 16", "42:16: type[ship].turret[dorsal].gun.interval: ",
              "the last of 16 rounds leaves after 0.75 s; the limit is 0.5 s, which is 10 rounds "
              "here, or a shorter interval"},
        Fault{"burst = 8", "burst = 0",
              "41:13: type[ship].turret[dorsal].gun.burst: ", "is 0; must be 1 to 255"},
        Fault{"error = 0.5", "error = 46", "45:13: type[ship].turret[dorsal].gun.error: ",
              "is 46 degrees; must be 0 to 45 degrees"},
        Fault{"reload = 1.5", "reload = 0",
              "43:14: type[ship].turret[dorsal].gun.reload: ", "is 0 s"},
        Fault{"point_defence = true", "point_defence = 1",
              "48:21: type[ship].turret[dorsal].gun.point_defence: ", "must be true or false"},
        Fault{"inherits_velocity", "inherits",
              "44:5: type[ship].turret[dorsal].gun.inherits: ", "is no known key"}));

TEST(TurretFile, ATypeHasAtMostEightTurrets) {
  std::string more;
  for (int i = 0; i < 7; ++i) {
    more += "  [[type.turret]]\n  name = \"t" + std::to_string(i) +
            "\"\n  pitch_limits = [0, 60]\n  speed = [9, 9]\n  acceleration = [9, 9]\n";
  }
  const auto load = [&](const std::string& text) {
    return load_scenario_text(with("  [[type.turret]]\n", text + "  [[type.turret]]\n"), "t.toml");
  };
  EXPECT_THAT(load(more).problems, HasSubstr("has 9 turrets; a type may have 8"));
  const std::string six = more.substr(0, more.rfind("  [[type.turret]]"));
  EXPECT_EQ(load(six).problems, "");
}

}  // namespace
}  // namespace contrail::server
