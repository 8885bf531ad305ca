#include "output/plots/lane_plot.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/gnuplot.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

LanePlot small_plot() {
  LanePlot plot{.title = "it's a title", .x_label = "time"};
  plot.lanes = {{"upper", "a remark", {{3, "first", {.point = 7}}, {3.1, "second", {.point = 5}}}},
                {"empty", "", {}},
                {"lower", "", {{500, "late", {.colour = "#D55E00", .point = 7}}}}};
  plot.key = {{"a square", {.point = 5}, false}, {"a colour", {.colour = "#D55E00"}}};
  return plot;
}

}  // namespace

TEST_CASE("a plot of lanes is drawn, with names, remarks, labels and key", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  const Picture picture = write_lane_plot(directory.path() / "lanes.png", small_plot());
  CAPTURE(picture.remark);
  REQUIRE(picture.drawn);
  REQUIRE(content_of(picture.image).starts_with("\x89PNG\r\n"));
  const std::string script = content_of(picture.script);
  REQUIRE_THAT(
      script,
      ContainsSubstring("set label 'upper' at graph") && ContainsSubstring("set label 'a remark'")
          && ContainsSubstring("set label 'empty'") && ContainsSubstring("set label 'late' at 500,")
          && ContainsSubstring("$point0_1 << END\n3.1 ")
          && ContainsSubstring("$point2_0 << END\n500 ")
          && ContainsSubstring("title 'a square' with points ")
          && ContainsSubstring("title 'a colour' with lines ")
          && ContainsSubstring("'it''s a title'") && ContainsSubstring("'100' 100"));
  REQUIRE_THAT(script, !ContainsSubstring("set label ''"));
}

TEST_CASE("what has no logarithm is left out of a plot of lanes", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  LanePlot plot = small_plot();
  plot.lanes[0].points[0].x = 0;
  plot.lanes[2].points[0].x = std::nan("");
  const Picture picture = write_lane_plot(directory.path() / "lanes.png", plot);
  CAPTURE(picture.remark);
  REQUIRE(picture.drawn);
  const std::string script = content_of(picture.script);
  REQUIRE_THAT(script, ContainsSubstring("'second'") && !ContainsSubstring("'first'")
                           && !ContainsSubstring("'late'"));

  plot.lanes[0].points[1].x = INFINITY;
  const Picture none = write_lane_plot(directory.path() / "none.png", plot);
  REQUIRE_FALSE(none.drawn);
  REQUIRE_THAT(none.remark, ContainsSubstring("no lane has a point"));
}

TEST_CASE("flags hide neither each other nor the lines to each other", "[output][plot]") {
  REQUIRE(flag_rows({}, {}).empty());
  REQUIRE(flag_rows({0, 20, 40}, {10, 10, 10}) == std::vector{0, 0, 0});
  REQUIRE(flag_rows({0, 5}, {10, 10}) == std::vector{1, 0});
  // The first is long: it stands above all that begin below it, the second is free of the third.
  REQUIRE(flag_rows({0, 10, 30}, {100, 15, 15}) == std::vector{1, 0, 0});
  const std::vector<double> begins{13, 2, 2, 50, 31, 8, 90, 33}, widths{9, 30, 4, 7, 20, 55, 3, 1};
  const std::vector<int> rows = flag_rows(begins, widths);
  for (std::size_t a = 0; a < begins.size(); ++a) {
    for (std::size_t b = 0; b < begins.size(); ++b) {
      if (a == b || begins[b] < begins[a] || begins[b] >= begins[a] + widths[a]) continue;
      CAPTURE(a, b);
      REQUIRE(rows[a] != rows[b]);                            // b begins inside a
      if (begins[b] > begins[a]) REQUIRE(rows[a] > rows[b]);  // b's line ends below a
    }
  }
}
