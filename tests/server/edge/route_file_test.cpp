#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <contrail/edge/scenario_description.hpp>
#include <contrail/edge/scenario_file.hpp>

namespace contrail::server {
namespace {

using testing::HasSubstr;

/// A folder with a scenario whose route stands in a file beside it.
class RouteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "route_file_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_ + "/ways");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write_way(const std::string& text) const {
    std::ofstream(folder_ + "/ways/loop.csv", std::ios::binary) << text;
  }
  /// `keys` of the route beside its name, starting in line 9.
  LoadedScenario load(const std::string& keys, const std::string& of_entity = "") const {
    std::ofstream(folder_ + "/s.toml")
        << "[[type]]\nname = \"ship\"\nhit_points = 1\nmax_speed = 100\nmax_acceleration = 50\n"
           "hull = [{ radius = 2 }]\n[[route]]\nname = \"loop\"\n"
        << keys << "\n[[entity]]\nname = \"one\"\ntype = \"ship\"\nroute = \"loop\"\n"
        << of_entity;
    return load_scenario(folder_ + "/s.toml");
  }
  static std::string square() {
    std::string text = "# x_m,y_m,width\n";
    for (int i = 0; i < 400; ++i) {
      const int side = i / 100;
      const int way = 4 * (i % 100);
      const int x = side == 0 ? way : side == 1 ? 400 : side == 2 ? 400 - way : 0;
      const int y = side == 0 ? 0 : side == 1 ? way : side == 2 ? 400 : 400 - way;
      text += std::to_string(x) + "," + std::to_string(y) + ",7\r\n";
    }
    return text + "0,0,7\r\n";
  }

  std::string folder_;
};

TEST_F(RouteFileTest, a_route_is_read_from_a_file_beside_the_scenario) {
  write_way(square());
  const LoadedScenario loaded =
      load("csv = \"ways/loop.csv\"\nclosed = true\nspeed = 30\nheight = 10\ntolerance = 1");
  ASSERT_EQ(loaded.problems, "");
  ASSERT_EQ(loaded.routes.size(), 1U);
  const RouteReport& report = loaded.routes[0];
  EXPECT_EQ(report.points, 400U) << "the repeated first point is the way back";
  EXPECT_LT(report.kept, 120U);
  EXPECT_LE(report.max_deviation, 4096);
  EXPECT_EQ(report.tolerance, 4096);
  EXPECT_EQ(loaded.scenario->routes[0].start_position.y, 40'960);
  EXPECT_TRUE(loaded.scenario->routes[0].closed);
  EXPECT_THAT(describe_scenario(*loaded.scenario, loaded.routes),
              HasSubstr("loop for ship: 400 waypoints of ways/loop.csv, "));
  EXPECT_THAT(scenario_json(*loaded.scenario, loaded.routes), HasSubstr("\"tolerance_m\":1.0"));
}

TEST_F(RouteFileTest, start_waypoint_counts_the_points_of_the_file) {
  write_way(square());
  const std::string keys = "csv = \"ways/loop.csv\"\nclosed = true\nspeed = 30";
  const LoadedScenario loaded = load(keys, "start_waypoint = 101");
  ASSERT_EQ(loaded.problems, "");
  // At the kept point at or before it, on the first side.
  const sim::Vec3 start = loaded.scenario->routes[0].start_position;
  EXPECT_GT(start.x, 200 * 4096);
  EXPECT_EQ(start.z, 0);
  EXPECT_THAT(load(keys, "start_waypoint = 401").problems, HasSubstr("at waypoint 1 to 400"));
}

TEST_F(RouteFileTest, times_of_a_closed_file_give_its_lap) {
  write_way("t,x,y,z\n10,0,0,0\n20,300,0,0\n30,300,0,300\n40,0,0,300\n50,0,0,0\n");
  const LoadedScenario loaded = load("csv = \"ways/loop.csv\"\nclosed = true");
  ASSERT_EQ(loaded.problems, "");
  EXPECT_EQ(loaded.routes[0].duration, 40 * sim::k_subticks_per_second);
}

TEST_F(RouteFileTest, faults_of_the_file_name_file_line_column_and_reason) {
  write_way("x,y\n0,0\n10,ten\n20,0\n,\n");
  const std::string text = load("csv = \"ways/loop.csv\"\nspeed = 30").problems;
  EXPECT_THAT(text, HasSubstr("s.toml:9:7: route[loop].csv: " + folder_ +
                              "/ways/loop.csv:3:4: y is \"ten\"; must be a finite number"));
  EXPECT_THAT(text, HasSubstr("/ways/loop.csv:5:1: x is \"\""));
}

TEST_F(RouteFileTest, faults_of_its_keys_are_explained) {
  const std::string csv = "csv = \"ways/loop.csv\"\n";
  EXPECT_THAT(load(csv).problems, HasSubstr("loop.csv does not exist; give a readable file"));
  EXPECT_THAT(load("csv = \"ways\"").problems, HasSubstr("ways is a directory"));
  write_way(square());
  EXPECT_THAT(load(csv).problems, HasSubstr("has neither speed nor time"));
  EXPECT_THAT(load(csv + "speed = 3\naxes = \"xx\"").problems, HasSubstr("axes: is \"xx\""));
  EXPECT_THAT(load(csv + "speed = 3\ntolerance = 0").problems, HasSubstr("tolerance: is 0 m"));
  EXPECT_THAT(load(csv + "waypoint = [{ position = [0, 0, 0] }]").problems,
              HasSubstr("csv: is given beside waypoints"));
  EXPECT_THAT(load("speed = 3").problems, HasSubstr("waypoint: is missing, and so is csv"));
  write_way("t,x,y\n0,0,0\n1,9,9\n");
  EXPECT_THAT(load(csv + "speed = 3").problems, HasSubstr("has times, and the route a speed"));
  write_way("1,2\n");
  EXPECT_THAT(load(csv + "speed = 3").problems, HasSubstr("the route has 1 waypoints"));
}

TEST_F(RouteFileTest, control_a_tolerance_no_time_can_keep_is_a_fault) {
  // A zigzag of 5 m every 1/50 s, of which no two points fall on ticks.
  std::string text = "t,x,y,z\n";
  for (int i = 0; i < 50; ++i) {
    text +=
        std::to_string(i) + "e-2," + std::to_string(i) + ",0," + std::to_string(5 * (i % 2)) + "\n";
  }
  write_way(text);
  const std::string problems = load("csv = \"ways/loop.csv\"\ntolerance = 0.1").problems;
  EXPECT_THAT(problems, HasSubstr("can't be followed closer than "));
  EXPECT_THAT(problems, HasSubstr("its tolerance is 0.1 m"));
}

}  // namespace
}  // namespace contrail::server
