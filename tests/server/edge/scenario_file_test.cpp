#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <contrail/edge/scenario_description.hpp>
#include <contrail/edge/scenario_file.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {
namespace {

using testing::HasSubstr;

constexpr const char* k_good = R"([world]
name = "test"
tick_rate = 64
seed = 42
ground = -12.5

[[weapon]]
name = "wasp"
damage = 3
speed = 500.5
max_range = 3000
amplitude = 40
frequency = 1.25
muzzle_cone = 30
approach_cone = 120
ripple = 0.02

[[type]]
name = "ship"
hit_points = 100
max_speed = 150
max_acceleration = 200
hull = [{ from = [0, 0, -10], to = [0, 2.5, 10], radius = 4 }, { radius = 6 }]
  [[type.mount]]
  name = "bow"
  position = [0, 1, 12]
  [[type.mount]]
  name = "port"
  yaw = -90
  [[type.launcher]]
  mount = "port"
  weapon = "wasp"
  salvo = 16
  ammunition = 64
  trigger = "nearest_enemy"
  first = 1.5
  reload = 4

[[route]]
name = "loop"
closed = true
speed = 100
waypoint = [
  { position = [0, 100, 0] },
  { position = [500, 100, 0] },
  { position = [250, 100, 500] },
]

[[entity]]
name = "one"
type = "ship"
team = 1
route = "loop"
start_waypoint = 2
respawn = 5

[[entity]]
name = "two"
type = "ship"
team = 2
position = [0, 0, 2000.5]
velocity = [0, 0, -10]
spawn = 2

[end]
after = 30
one_team_left = true
)";

/// The good text with one replacement.
std::string with(const std::string& from, const std::string& to) {
  std::string text = k_good;
  const auto found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

std::string problems(const std::string& text) {
  const LoadedScenario loaded = load_scenario_text(text, "t.toml");
  EXPECT_EQ(loaded.scenario == nullptr, !loaded.problems.empty());
  return loaded.problems;
}

TEST(ScenarioFile, CompilesToIntegers) {
  const LoadedScenario loaded = load_scenario_text(k_good, "t.toml");
  ASSERT_EQ(loaded.problems, "");
  const sim::Scenario& s = *loaded.scenario;
  EXPECT_EQ(s.name, "test");
  EXPECT_EQ(s.log2_tick, 10);
  EXPECT_EQ(s.seed, 42U);
  EXPECT_EQ(s.ground, -51'200);
  EXPECT_EQ(s.end_tick, 30U * 64);
  EXPECT_TRUE(s.end_when_one_team_left);

  const sim::Weapon& w = s.weapons.at(0);
  EXPECT_EQ(w.speed, 2'050'048);  // 500.5 * 4096
  EXPECT_EQ(w.flight_time, 0);
  EXPECT_EQ(w.frequency, 81'920);
  EXPECT_EQ(w.ripple_interval, 1311);  // 0.02 * 65536 = 1310.72
  EXPECT_EQ(w.muzzle_cone.along, 16'384);
  EXPECT_EQ(w.muzzle_cone.across, 8192);  // sin 30 degrees
  EXPECT_EQ(w.approach_cone, (sim::Cone{0, 16'384}));

  const sim::EntityType& type = s.types.at(0);
  ASSERT_EQ(type.hull.size(), 2U);
  EXPECT_EQ(type.hull[0].a, sim::Vec3(0, 0, -40'960));
  EXPECT_EQ(type.hull[0].d, sim::Vec3(0, 10'240, 81'920));
  EXPECT_EQ(type.hull[1].radius, 24'576);
  EXPECT_NEAR(type.mounts[1].orientation.forward.x, -sim::k_one, 4);
  const sim::Launcher& launcher = type.launchers.at(0);
  EXPECT_EQ(launcher.mount, 1);
  EXPECT_EQ(launcher.weapon, 0);
  EXPECT_EQ(launcher.salvo, 16);
  EXPECT_EQ(launcher.ammunition, 64U);
  EXPECT_EQ(launcher.trigger, sim::Trigger::nearest_enemy);
  EXPECT_EQ(launcher.first, 98'304);
  EXPECT_EQ(launcher.reload, 4 * 65'536);

  ASSERT_EQ(s.entities.size(), 2U);
  EXPECT_EQ(s.entities[0].route, 0);
  EXPECT_EQ(s.entities[0].respawn_ticks, 320U);
  EXPECT_EQ(s.routes.at(0).start_position, sim::Vec3(500 * 4096, 100 * 4096, 0));
  EXPECT_EQ(s.entities[1].route, sim::k_no_route);
  EXPECT_EQ(s.entities[1].position.z, 8'194'048);
  EXPECT_EQ(s.entities[1].spawn_tick, 128U);
}

TEST(ScenarioFile, SeekersFusesDecoysObstaclesAndRulesCompileToIntegers) {
  const LoadedScenario loaded = load_scenario_text(R"(
[world]
rules = "house"
[[weapon]]
name = "w"
damage = 5
speed = 100
max_range = 1000
fuse_radius = 2.5
blast_radius = 10
seeker_range = 800
seeker_cone = 60
lock_time = 0.5
self_destruct = 1.5
retarget = true
[[type]]
name = "ship"
hit_points = 1
max_speed = 10
max_acceleration = 10
hull = [{ radius = 1 }]
dispenser = { type = "flare", count = 3, ammunition = 9, reload = 2, velocity = [1, 2, -3], trigger = "threatened", warning = 4 }
[[type.mount]]
name = "m"
[[type.launcher]]
mount = "m"
weapon = "w"
arc = 90
[[type]]
name = "flare"
hit_points = 1
max_speed = 10
max_acceleration = 10
hull = [{ radius = 1 }]
decoy_chance = 0.25
decoy_range = 100
lifetime = 6
[[obstacle]]
name = "rock"
from = [0, 0, 0]
to = [0, 10, 0]
radius = 3
[[entity]]
name = "e"
type = "ship"
position = [0, 0, 0]
)",
                                                   "t.toml");
  ASSERT_EQ(loaded.problems, "");
  const sim::Scenario& s = *loaded.scenario;
  EXPECT_EQ(s.rules, "house");
  const sim::Weapon& w = s.weapons.at(0);
  EXPECT_EQ(w.fuse_radius, 10'240);
  EXPECT_EQ(w.blast_radius, 40'960);
  EXPECT_EQ(w.seeker_range, 800 * 4096);
  EXPECT_NEAR(w.seeker_cone, sim::k_one / 2, 4);
  EXPECT_EQ(w.lock_time, 32'768);
  EXPECT_EQ(w.self_destruct, 98'304);
  EXPECT_TRUE(w.retarget);
  EXPECT_NEAR(s.types.at(0).launchers.at(0).arc, 0, 4);
  EXPECT_EQ(
      s.types[0].dispenser,
      (sim::Dispenser{
          1, 3, 9, 131'072, {4096, 8192, -12'288}, sim::DispenserTrigger::threatened, 262'144}));
  EXPECT_FALSE(s.types[0].is_decoy());
  EXPECT_EQ(s.types.at(1).decoy_chance, 16'384);
  EXPECT_EQ(s.types[1].decoy_range, 409'600);
  EXPECT_EQ(s.types[1].lifetime, 393'216);
  ASSERT_EQ(s.obstacles.size(), 1U);
  EXPECT_EQ(s.obstacles[0], (sim::HullPart{{0, 0, 0}, {0, 40'960, 0}, 12'288}));
  EXPECT_TRUE(wire::check_scenario(s));
}

struct Fault {
  const char* from;
  const char* to;
  const char* where;  // "LINE:COLUMN: KEY: "
  const char* what;
};

class FaultTest : public testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsReportedWithItsPlaceAndWhatWouldBeRight) {
  const Fault& fault = GetParam();
  const std::string text = problems(with(fault.from, fault.to));
  EXPECT_THAT(text, HasSubstr(std::string("t.toml:") + fault.where));
  EXPECT_THAT(text, HasSubstr(fault.what));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, FaultTest,
    testing::Values(
        Fault{"amplitude", "amplitud",
              "12:1: weapon[wasp].amplitud: ", "is no known key; did you mean \"amplitude\"?"},
        Fault{"[[route]]\n", "[[rout]]\n", "39:3: rout: ", "did you mean \"route\"?"},
        Fault{"name = \"two\"", "name = \"two\"\ncolour = 3",
              "59:1: entity[two].colour: ", "is no known key"},
        Fault{"damage = 3\n", "", "7:1: weapon[wasp].damage: ", "is missing; must be 0 to 65535"},
        Fault{"damage = 3", "damage = \"3\"",
              "9:10: weapon[wasp].damage: ", "is a text; must be a whole number"},
        Fault{"damage = 3", "damage = 2.5",
              "9:10: weapon[wasp].damage: ", "is 2.5; must be a whole number"},
        Fault{"damage = 3", "damage = 70000",
              "9:10: weapon[wasp].damage: ", "is 70000; must be 0 to 65535"},
        Fault{"amplitude = 40", "amplitude = inf",
              "12:13: weapon[wasp].amplitude: ", "is \"inf\"; must be a finite number"},
        Fault{"amplitude = 40", "amplitude = -1",
              "12:13: weapon[wasp].amplitude: ", "is -1 m; must be 0 to 10000 m"},
        Fault{"tick_rate = 64", "tick_rate = 60",
              "3:13: world.tick_rate: ", "is 60 Hz; must be 8, 16, 32, 64 or 128 Hz"},
        Fault{"seed = 42", "seed = -1", "4:8: world.seed: ", "must be a whole number from 0"},
        Fault{"ground = -12.5", "ground = true",
              "5:10: world.ground: ", "is a boolean; must be a number in m"},
        Fault{"position = [0, 1, 12]", "position = [0, 1]",
              "26:14: type[ship].mount[bow].position: ",
              "has 2 items; must be an array of three numbers, [x, y, z] in m"},
        Fault{"position = [0, 1, 12]", "position = [0, \"a\", 12]",
              "26:18: type[ship].mount[bow].position[1]: ", "is a text; must be a number in m"},
        Fault{"[end]", "[[end]]", "65:1: end: ", "is an array; must be a table; write [end]"},
        Fault{"[[route]]", "[route]",
              "39:1: route: ", "must be an array of tables; write [[route]]"},
        Fault{"closed = true", "closed = \"yes\"",
              "41:10: route[loop].closed: ", "is a text; must be true or false"},
        Fault{"\"nearest_enemy\"", "\"nearest\"", "35:13: type[ship].launcher[#1].trigger: ",
              "must be \"command\", \"schedule\" or \"nearest_enemy\""},
        Fault{"name = \"wasp\"", "name = \"\"", "8:8: weapon[#1].name: ", "is empty"}));

INSTANTIATE_TEST_SUITE_P(
    Meaning, FaultTest,
    testing::Values(
        Fault{"speed = 500.5", "speed = 500.5\nflight_time = 4",
              "11:15: weapon[wasp].flight_time: ", "is given beside speed"},
        Fault{"speed = 500.5\n", "", "7:1: weapon[wasp].speed: ", "and so is flight_time"},
        Fault{"max_range = 3000", "max_range = 3000\nmin_range = 3000",
              "12:13: weapon[wasp].min_range: ", "must be less than max_range, 3000 m"},
        Fault{"max_range = 3000", "max_range = 70000",
              "11:13: weapon[wasp].max_range: ", "must be at most 60060 m"},
        Fault{"frequency = 1.25", "frequency = 4.5",
              "13:13: weapon[wasp].frequency: ", "bspline noise allows at most 4 Hz here"},
        Fault{"frequency = 1.25", "noise = \"perlin\"\nfrequency = 2.5",
              "14:13: weapon[wasp].frequency: ", "perlin noise allows at most 2 Hz here"},
        Fault{"salvo = 16", "salvo = 32", "33:11: type[ship].launcher[#1].salvo: ",
              "the limit is 0.5 s, which is 25 missiles here"},
        Fault{"ammunition = 64", "ammunition = 15",
              "34:16: type[ship].launcher[#1].ammunition: ", "must be enough for one salvo of 16"},
        Fault{"reload = 4", "reload = 0",
              "37:12: type[ship].launcher[#1].reload: ", "must be more than 0 s"},
        Fault{"radius = 4", "radius = 0.2",
              "23:59: type[ship].hull[#1].radius: ", "is 0.2 m; must be 0.3 to 512 m"},
        Fault{"to = [0, 2.5, 10]", "to = [0, 2.5, 513]",
              "23:45: type[ship].hull[#1].to[2]: ", "must be -512 to 512 m"},
        Fault{"hull = [{ from = [0, 0, -10], to = [0, 2.5, 10], radius = 4 }, { radius = 6 }]",
              "hull = []", "23:8: type[ship].hull: ", "a type needs 1 to 8 hull parts"},
        Fault{"weapon = \"wasp\"", "weapon = \"wisp\"", "32:12: type[ship].launcher[#1].weapon: ",
              "names the unknown weapon \"wisp\"; did you mean \"wasp\"?"},
        Fault{"mount = \"port\"", "mount = \"keel\"", "31:11: type[ship].launcher[#1].mount: ",
              "names the unknown mount \"keel\"; mount: bow, port"},
        Fault{"name = \"port\"", "name = \"bow\"\n  [[type.mount]]\n  name = \"port\"",
              "18:1: type[ship]: ", "has two mounts named \"bow\""},
        Fault{"route = \"loop\"", "route = \"lop\"", "53:9: entity[one].route: ",
              "names the unknown route \"lop\"; did you mean \"loop\"?"},
        Fault{"name = \"two\"", "name = \"one\"",
              "57:1: entity[one].name: ", "is taken by the entity of line 49"},
        Fault{"start_waypoint = 2", "start_waypoint = 4",
              "54:18: entity[one].start_waypoint: ", "can be begun at waypoint 1 to 3"},
        Fault{"start_waypoint = 2", "offset = [262000, 0, 0]",
              "54:10: entity[one].offset: ", "moves the route out of the world"},
        Fault{"start_waypoint = 2", "position = [1, 2, 3]",
              "54:12: entity[one].position: ", "is given beside a route"},
        Fault{"position = [0, 0, 2000.5]\n", "",
              "57:1: entity[two].position: ", "is missing, and so is route"},
        Fault{"velocity = [0, 0, -10]", "velocity = [0, 200, 0]",
              "62:12: entity[two].velocity: ", "is 200 m/s; type \"ship\" allows 150 m/s"},
        Fault{"speed = 100\n", "speed = 100\nlap = 20\n",
              "45:3: route[loop].waypoint[1]: ", "a lap belongs to a timed route"},
        Fault{"closed = true\nspeed = 100\n", "closed = true\nspeed = 100\nscale = 2\n",
              "43:9: route[loop].scale: ", "is given without csv"}));

TEST(ScenarioFile, ReportsASyntaxErrorWithItsPlace) {
  EXPECT_THAT(problems("[world]\nname = \n"), HasSubstr("t.toml:2:"));
  EXPECT_THAT(problems("[world]\nseed = 1\nseed = 2\n"), HasSubstr("t.toml:3:"));
}

TEST(ScenarioFile, RoutesThatAreTooMuchForATypeAreSlowedDownAndSaySo) {
  for (const auto& [from, to] : {std::pair("max_acceleration = 200", "max_acceleration = 5"),
                                 std::pair("max_speed = 150", "max_speed = 60")}) {
    const LoadedScenario loaded = load_scenario_text(with(from, to), "t.toml");
    ASSERT_EQ(loaded.problems, "");
    ASSERT_EQ(loaded.routes.size(), 1U);
    EXPECT_EQ(loaded.routes[0].changes.slowed, 3U);
    EXPECT_GT(loaded.routes[0].changes.added_time, 0);
    EXPECT_THAT(describe_scenario(*loaded.scenario, loaded.routes),
                HasSubstr("to keep the limits of ship: 3 waypoints passed slower"));
  }
}

TEST(ScenarioFile, LimitsThatNoSlownessKeepsNameTheWaypoint) {
  const std::string text = problems(with("max_acceleration = 200", "max_acceleration = 0"));
  EXPECT_THAT(text, HasSubstr("t.toml:45:3: route[loop].waypoint[2]: the way from waypoint 1 to "
                              "waypoint 2 needs "));
  EXPECT_THAT(text, HasSubstr("slowing down does not help: type \"ship\" of entity \"one\" "
                              "allows 0 m/s^2"));
}

TEST(ScenarioFile, CollectsEveryFaultInTheOrderOfTheText) {
  std::string text = with("damage = 3", "damage = -3");
  text.replace(text.find("frequency = 1.25"), 16, "frequncy = 1.25 ");
  text.replace(text.find("type = \"ship\"\nteam = 2"), 22, "type = \"shop\"\nteam = 777");
  const std::string all = problems(text);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 4) << all;
  const auto damage = all.find("9:10: weapon[wasp].damage");
  const auto frequency = all.find("13:1: weapon[wasp].frequncy");
  const auto type = all.find("59:8: entity[two].type");
  const auto team = all.find("60:8: entity[two].team");
  ASSERT_NE(team, std::string::npos) << all;
  EXPECT_LT(damage, frequency);
  EXPECT_LT(frequency, type);
  EXPECT_LT(type, team);
}

TEST(ScenarioFile, KeepsDecimalsThatAreOnlyEqualAsDoubles) {
  // 0.1 and its nearest double differ; both neighbours of half a unit are told apart.
  const auto position = [](const char* digits) {
    const LoadedScenario s = load_scenario_text(with("2000.5", digits), "t.toml");
    EXPECT_EQ(s.problems, "");
    return s.scenario ? s.scenario->entities[1].position.z : 0;
  };
  EXPECT_EQ(position("2000.0001220703125"), 2000 * 4096 + 1);
  EXPECT_EQ(position("2000.00012207031249"), 2000 * 4096);
  EXPECT_EQ(position("20_00.5e0"), 2000 * 4096 + 2048);
}

TEST(ScenarioFile, SeedsBeyondTomlsIntegersAreWrittenAsTexts) {
  const LoadedScenario s =
      load_scenario_text(with("seed = 42", "seed = \"18446744073709551615\""), "t.toml");
  ASSERT_EQ(s.problems, "");
  EXPECT_EQ(s.scenario->seed, 18'446'744'073'709'551'615U);
}

TEST(ScenarioFile, ColumnsCountCharactersNotBytes) {
  EXPECT_THAT(problems(with("hull = [{ from", "\"h\\u00fcll\" = \"\u00fc\"\nhull = [{ from")),
              HasSubstr("23:1: type[ship].h"));
  EXPECT_THAT(problems(with("position = [0, 1, 12]", "name2 = \"\u00fc\u00fc\"")),
              HasSubstr("26:3: type[ship].mount[bow].name2"));
  // The decimal after non-ASCII text of its own line is still found.
  const std::string text =
      with("{ position = [0, 100, 0] }", "{ \"\u00fc\" = 1, position = [0.5, 100, 0] }");
  EXPECT_THAT(problems(text), HasSubstr("44:5: route[loop].waypoint[1].\u00fc: is no known key"));
}

TEST(ScenarioFile, UnknownNamesAndFilesAreExplained) {
  EXPECT_THAT(load_scenario("circos").problems, HasSubstr("did you mean \"circus\"?"));
  EXPECT_THAT(load_scenario("nowhere").problems,
              HasSubstr("built-in scenarios: circus, dodge, duel"));
  EXPECT_THAT(load_scenario("./no/such.toml").problems, HasSubstr("does not exist"));
  EXPECT_THAT(load_scenario("/").problems, HasSubstr("is a directory"));
}

TEST(ScenarioFile, ReadsAFileAndNamesTheScenarioAfterIt) {
  const std::string path = testing::TempDir() + "night raid.toml";
  std::ofstream(path) << with("name = \"test\"\n", "");
  const LoadedScenario loaded = load_scenario(path);
  EXPECT_EQ(loaded.problems, "");
  EXPECT_EQ(loaded.source, path);
  ASSERT_TRUE(loaded.scenario);
  EXPECT_EQ(loaded.scenario->name, "night raid");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace contrail::server
