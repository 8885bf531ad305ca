#include "output/plots/curve_plot.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/gnuplot.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

CurvePlot small_plot() {
  CurvePlot plot{.title = "it's a title", .x_label = "level", .y_label = "error"};
  plot.curves = {{"exact", {"#909090", 9}, {{2, 1e-2}, {3, 2.5e-3}, {4, 6e-4}}},
                 {"first", {"#0072B2", 3, true}, {{2, 1e-2}, {3, 3e-3}, {4, 7e-4}}},
                 {"", {"#D55E00"}, {{2, 1e-2}, {3, 3e-3}}}};
  plot.marks = {{3, 3e-3, {.colour = "#D55E00", .point = 7}}};
  plot.key = {{"plain form", {.dashed = true}}, {"a mark", {.point = 7}, false}};
  return plot;
}

}  // namespace

TEST_CASE("a plot of curves is drawn, with names, marks and key", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  const Picture picture = write_curve_plot(directory.path() / "curves.png", small_plot());
  CAPTURE(picture.remark);
  REQUIRE(picture.drawn);
  REQUIRE(content_of(picture.image).starts_with("\x89PNG\r\n"));
  const std::string script = content_of(picture.script);
  REQUIRE_THAT(script, ContainsSubstring("$curve2 << END\n2 0.01\n3 0.003\nEND\n")
                           && ContainsSubstring("$mark0 << END\n3 0.003\nEND\n")
                           && ContainsSubstring("set label 'exact' at first 4, graph")
                           && ContainsSubstring("set label 'first' at first 4, graph")
                           && ContainsSubstring("title 'plain form' with lines ")
                           && ContainsSubstring("title 'a mark' with points ")
                           && ContainsSubstring("'it''s a title'"));
  REQUIRE_THAT(script, !ContainsSubstring("set label ''"));
}

TEST_CASE("what has no logarithm is left out of a plot of curves", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  CurvePlot plot = small_plot();
  plot.curves[2].points = {{2, 0.0}, {3, std::nan("")}, {4, 5e-4}, {5, -1.0}};
  plot.curves[1].points = {{2, std::numeric_limits<double>::infinity()}};
  const Picture picture = write_curve_plot(directory.path() / "curves.png", plot);
  REQUIRE(picture.drawn);
  const std::string script = content_of(picture.script);
  REQUIRE_THAT(script, ContainsSubstring("$curve1 << END\n4 0.0005\nEND\n")
                           && !ContainsSubstring("$curve2"));
}

TEST_CASE("zero and negative values are drawn where y is linear", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  CurvePlot plot{.curves = {{"a", {}, {{2, 0.0}, {3, -4.0}}}}, .logarithmic = false};
  const Picture picture = write_curve_plot(directory.path() / "curves.png", plot);
  CAPTURE(picture.remark);
  REQUIRE(picture.drawn);
  const std::string script = content_of(picture.script);
  REQUIRE_THAT(script, ContainsSubstring("2 0\n3 -4\n") && !ContainsSubstring("logscale"));
}

TEST_CASE("x may have a logarithm too", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  CurvePlot plot{.curves = {{"a", {}, {{0.0, 1e-3}, {1e-2, 1e-4}, {13, 1e-5}}}},
                 .logarithmic_x = true};
  const Picture picture = write_curve_plot(directory.path() / "curves.png", plot);
  CAPTURE(picture.remark);
  REQUIRE(picture.drawn);
  const std::string script = content_of(picture.script);
  REQUIRE_THAT(script, ContainsSubstring("set logscale x\n")
                           && ContainsSubstring("<< END\n0.01 0.0001\n13 1e-05\n")
                           && !ContainsSubstring("set xtics"));
  REQUIRE_THAT(script, ContainsSubstring("set xrange [0.00769"));  // around the least positive x
}

TEST_CASE("without a point no file is left and the remark says so", "[output][plot]") {
  const TemporaryDirectory directory;
  CurvePlot plot{.curves = {{"a", {}, {{2, 0.0}}}}};
  const Picture picture = write_curve_plot(directory.path() / "curves.png", plot);
  REQUIRE_FALSE(picture.drawn);
  REQUIRE_THAT(picture.remark, ContainsSubstring("no curve has a point"));
  REQUIRE(directory.entries().empty());
}

TEST_CASE("names are moved apart by little and keep their order", "[output][plot]") {
  REQUIRE(moved_apart({}, 0.1).empty());
  REQUIRE(moved_apart({0.5}, 0.1) == std::vector{0.5});
  REQUIRE(moved_apart({0.9, 0.1, 0.5}, 0.1) == std::vector{0.9, 0.1, 0.5});
  const std::vector<double> heights{0.50, 0.10, 0.52, 0.51, 0.12, 0.90, 0.90};
  const std::vector<double> moved = moved_apart(heights, 0.1);
  double sum = 0;
  for (std::size_t a = 0; a < heights.size(); ++a) {
    sum += moved[a] - heights[a];
    for (std::size_t b = 0; b < heights.size(); ++b) {
      if (heights[a] < heights[b]) REQUIRE(moved[a] < moved[b]);
      if (a != b) REQUIRE(std::abs(moved[a] - moved[b]) >= 0.1 - 1e-12);
    }
  }
  REQUIRE(std::abs(sum) < 1e-12);  // no cluster wanders off
  REQUIRE(moved[0] == Approx(0.41));
  REQUIRE(moved[2] == Approx(0.61));
}

TEST_CASE("a name inside the frame hides no curve", "[output][plot]") {
  const TemporaryDirectory directory;
  CurvePlot plot{.title = "names"};
  plot.curves = {{"long", {}, {{1, 1e-2}, {8, 1e-2}}}, {"short", {}, {{1, 1e-4}, {3, 1e-4}}}};
  const auto script = [&] {
    return content_of(write_curve_plot(directory.path() / "names.png", plot).script);
  };
  REQUIRE_THAT(script(), ContainsSubstring("set label 'short' at first 3,")
                             && !ContainsSubstring("set arrow"));
  // Curves above and below its end leave no room.
  for (const double y : {0.5e-4, 1e-4, 2e-4}) plot.curves.push_back({"", {}, {{1, y}, {8, y}}});
  plot.least_y = 1e-6;
  plot.greatest_y = 1e-1;
  REQUIRE_THAT(script(), ContainsSubstring("set label 'short' at first 8,")
                             && ContainsSubstring("set arrow from first 3,"));
}

TEST_CASE("the key of a plot of curves hides none of them", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  const auto range_with = [&](std::size_t entries, KeyCorner corner) {
    CurvePlot plot{.title = "t", .x_label = "x", .y_label = "y"};
    plot.curves = {{"falls", {}, {{2, 1e-1}, {12, 1e-6}}}};
    plot.key.assign(entries, {"what is drawn so", {}});
    plot.key_corner = corner;
    const std::string script =
        content_of(write_curve_plot(directory.path() / "curves.png", plot).script);
    double first = 0, last = 0;
    const std::size_t at = script.find("set yrange [");
    REQUIRE(std::sscanf(script.c_str() + at, "set yrange [%lf:%lf]", &first, &last) == 2);
    return std::pair(first, last);
  };
  const auto [first, last] = range_with(1, KeyCorner::bottom_left);
  CHECK(first == Approx(1e-6 / 3));
  CHECK(last == Approx(0.3));
  const auto [lower, same] = range_with(12, KeyCorner::bottom_left);
  CHECK(same == last);
  // At a third of the width the curve is above 60 % of the height.
  const double there = std::pow(10.0, -1 - 5.0 / 3);
  CHECK(std::log(there / lower) >= 0.6 * std::log(last / lower));
  const auto [unchanged, higher] = range_with(12, KeyCorner::top_left);
  CHECK(unchanged == first);
  CHECK(std::log(last / 3 / first) <= 0.4 * std::log(higher / first));
}
