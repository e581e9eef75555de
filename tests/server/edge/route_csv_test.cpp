#include <string>

#include <gtest/gtest.h>

#include <contrail/edge/route_csv.hpp>

namespace contrail::server {
namespace {

using sim::Vec3;

constexpr std::int32_t k_m = 4096;

CsvTrack good(const std::string& text, const CsvForm& form = {}) {
  CsvTrack track = read_csv_track(text, form);
  for (const CsvFault& fault : track.faults) ADD_FAILURE() << fault.at.line << ": " << fault.what;
  return track;
}

std::vector<Vec3> positions(const CsvTrack& track) {
  std::vector<Vec3> result;
  for (const CsvPoint& point : track.points) result.push_back(point.position);
  return result;
}

const std::vector<Vec3> k_two{{1 * k_m, 2 * k_m, 3 * k_m}, {4 * k_m, 5 * k_m, -6 * k_m}};

TEST(RouteCsv, reads_three_columns_as_x_y_z) {
  EXPECT_EQ(positions(good("1,2,3\n4,5,-6\n")), k_two);
  EXPECT_FALSE(good("1,2,3\n4,5,-6\n").points[0].time);
}

TEST(RouteCsv, reads_four_columns_as_times_and_positions_since_the_first) {
  const CsvTrack track = good("1000.5,1,2,3\n1002.25,4,5,-6");
  EXPECT_EQ(positions(track), k_two);
  EXPECT_EQ(track.points[0].time, 0);
  EXPECT_EQ(track.points[1].time, 65'536 * 7 / 4);
}

TEST(RouteCsv, reads_two_columns_into_the_plane_at_a_height) {
  CsvForm form;
  form.height = 7 * k_m;
  EXPECT_EQ(positions(good("1,2\n", form)), std::vector{Vec3(1, 7, 2) * k_m});
  form.axes = "x-z";
  EXPECT_EQ(positions(good("1,2\n", form)), std::vector{Vec3(1, 7, -2) * k_m});
  form.axes = "-zy";
  EXPECT_EQ(positions(good("1,2\n", form)), std::vector{Vec3(7, 2, -1) * k_m});
  form.axes = "xzy";
  EXPECT_EQ(positions(good("1,2\n", form)), std::vector{Vec3(1, 7, 2) * k_m});
  EXPECT_EQ(positions(good("1,2,3\n", form)), std::vector{Vec3(1, 3, 2) * k_m});
}

TEST(RouteCsv, a_header_reorders_columns_and_others_are_ignored) {
  EXPECT_EQ(positions(good("w,z,Y [m],x_m,note\n9,3,2,1,a\n9,-6,5,4,b\n")), k_two);
  const CsvTrack timed = good("x,y,z,time_s\n1,2,3,0\n4,5,-6,0.5\n");
  EXPECT_EQ(positions(timed), k_two);
  EXPECT_EQ(timed.points[1].time, 32'768);
}

TEST(RouteCsv, a_header_behind_a_comment_sign_counts_where_no_other_does) {
  EXPECT_EQ(positions(good("# made by hand\n# z_m,x_m,y_m,w_left\n3,1,2,8\n-6,4,5,8\n")), k_two);
  EXPECT_EQ(positions(good("# x and y of a walk\n1,2,3\n4,5,-6\n")), k_two);
}

TEST(RouteCsv, takes_marks_line_ends_blank_lines_comments_and_other_separators) {
  EXPECT_EQ(positions(good("\xEF\xBB\xBFx,y,z\r\n\r\n# way\r\n 1 , 2 ,3\r\n\t\r\n4,5,-6\r\n")),
            k_two);
  EXPECT_EQ(positions(good("1;2;3\n4;5;-6")), k_two);
  EXPECT_EQ(positions(good("\"x\"\t\"y\"\tz\n\"1\"\t2\t3\n4\t5\t-6")), k_two);
}

TEST(RouteCsv, numbers_become_units_exactly) {
  // Half a unit is rounded away from zero, the decimal just below it is not.
  EXPECT_EQ(positions(good("0.0001220703125,-0.0001220703125,0.000122070312499\n")),
            std::vector{Vec3(1, -1, 0)});
  CsvForm form;
  form.scale = 304'800;  // feet
  EXPECT_EQ(positions(good("10000,-1,0\n", form)), std::vector{Vec3(12'484'608, -1'248, 0)});
}

TEST(RouteCsv, leaves_out_points_that_repeat_the_one_before) {
  const CsvTrack track = good("1,2,3\n1,2,3\n4,5,-6\n4,5,-6\n");
  EXPECT_EQ(positions(track), k_two);
  EXPECT_EQ(track.repeated, 2U);
}

struct BadCase {
  const char* text;
  std::uint32_t line;
  std::uint32_t column;
  const char* what;
};

TEST(RouteCsv, names_line_column_and_reason_of_what_is_wrong) {
  const BadCase cases[] = {
      {"x,y\n1,2\n3,four\n", 3, 3, "y is \"four\""},
      {"1,2,3\n1,nan,3\n", 2, 3, "y is \"nan\""},
      {"1,2,3\n1,,3\n", 2, 3, "y is \"\""},
      {"1,2,3\n# c\n\n1,2\n", 4, 3, "has 2 columns"},
      {"1,2,3\n1, 300000,3\n", 2, 4, "y is 300000"},
      {"a,b,c\n1,2,3\n", 1, 1, "is a header without a column for x and one for y, each once"},
      {"x,y,x\n1,2,3\n", 1, 1, "is a header without a column for x and one for y, each once"},
      {"1,2,3,4,5\n", 1, 1, "has 5 columns without names"},
      {"7\n", 1, 1, "has 1 columns without names"},
      {"0,1,2,3\n0,4,5,6\n", 2, 1, "t is not later than that of the point before"},
      {"0,1,2,3\n90000,4,5,6\n", 2, 1, "t is 90000 s after the first point's"},
      {"", 0, 1, "has no points"},
      {"# nothing\n", 1, 1, "has no points"},
  };
  for (const BadCase& bad : cases) {
    const CsvTrack track = read_csv_track(bad.text, {});
    ASSERT_EQ(track.faults.size(), 1U) << bad.text;
    EXPECT_EQ(track.faults[0].at, (SourcePosition{bad.line, bad.column})) << bad.text;
    EXPECT_EQ(track.faults[0].what, bad.what);
    EXPECT_FALSE(track.faults[0].remedy.empty());
  }
}

TEST(RouteCsv, reports_ten_faults_and_then_stops) {
  std::string text = "x,y\n";
  for (int i = 0; i < 100; ++i) text += "?,1\n";
  EXPECT_EQ(read_csv_track(text, {}).faults.size(), 10U);
}

TEST(RouteCsv, ten_faults_are_the_most_where_a_line_has_several) {
  std::string text = "x,y,z\n";
  for (int i = 0; i < 9; ++i) text += "?,1,1\n";
  EXPECT_EQ(read_csv_track(text + "?,?,?\n", {}).faults.size(), 10U);
}

TEST(RouteCsv, damaged_texts_give_points_or_faults) {
  const std::string text = "# x,y\nt,x,y,z\n0,1.5,-2,3e1\n0.25,4,5,6\n\"1\",7,8,9\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    for (const char c : {'\0', '\n', ',', '"', '-', '#', '\xFF', '9'}) {
      std::string damaged = text.substr(0, cut) + c + text.substr(std::min(cut + 1, text.size()));
      const CsvTrack track = read_csv_track(damaged, {});
      EXPECT_TRUE(!track.points.empty() || !track.faults.empty());
    }
  }
}

TEST(RouteCsv, axes_are_two_or_three_letters_each_once) {
  for (const char* text : {"xz", "x-z", "-xy", "zyx", "+x-y+z"}) EXPECT_TRUE(is_axes(text)) << text;
  for (const char* text : {"", "x", "xx", "xyzx", "x-", "--xz", "xw", "x z", "X-Z"}) {
    EXPECT_FALSE(is_axes(text)) << text;
  }
}

}  // namespace
}  // namespace contrail::server
