#include "experiments/program/l_curve.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

/// An L whose arms meet at lambda = 1.
std::vector<LCurvePoint> letter() {
  std::vector<LCurvePoint> points;
  for (int k = -3; k <= 3; ++k) {
    const double lambda = std::pow(10.0, k);
    points.push_back({lambda, k <= 0 ? 1 + 0.001 * (k + 3) : 1 + 0.003 + 2.0 * k,
                      k >= 0 ? 1 - 0.001 * k : std::pow(2.0, -k), "run-" + std::to_string(k + 4)});
  }
  return points;
}

}  // namespace

TEST_CASE("the corner of an L is where its arms meet", "[program]") {
  std::vector<LCurvePoint> points = letter();
  std::swap(points.front(), points.back());
  points.push_back({0, 1, 1, "without lambda"});
  points.push_back({5, 1, NAN, "not a number"});
  const std::vector<LCurvePoint> sorted = sorted_l_curve(points);
  REQUIRE(sorted.size() == 7);
  const auto corner = l_curve_corner(sorted);
  REQUIRE(corner);
  CHECK(sorted[*corner].lambda == 1);
  CHECK_THAT(l_curve_csv(sorted, corner), ContainsSubstring("run-4,1,"));
  CHECK_THAT(l_curve_csv(sorted, corner), ContainsSubstring(",1\nrun-5"));
  CHECK_THAT(l_curve_figure(sorted, corner).series.back().name,
             ContainsSubstring("corner: lambda = 1"));
}

TEST_CASE("lambda stands at the ends, the corner and powers of ten", "[program]") {
  std::vector<LCurvePoint> points;
  for (int k = 0; k < 12; ++k) {
    points.push_back({0.2 * std::pow(10.0, k / 5.0), std::pow(1.3, k), std::pow(1.3, -k), "run"});
  }
  points[3].lambda = 1;
  const auto labels = [&](std::optional<std::size_t> corner) {
    std::vector<std::string> all;
    const Figure figure = l_curve_figure(points, corner);
    for (const FigurePoint& point : figure.series[0].points) {
      if (!point.label.empty()) all.push_back(point.label);
    }
    return all;
  };
  CHECK(labels(5) == std::vector<std::string>{"0.2", "1", "2", "31.7"});
  points.resize(8);
  CHECK(labels({}).size() == 8);  // few: all
}

TEST_CASE("it is told why there is no L-curve", "[program]") {
  std::vector<Plan> plans(3);
  CHECK(without_l_curve(plans).empty());
  for (Plan& plan : plans) plan.varied = {{"least_squares.regularisation", "1"}};
  CHECK(without_l_curve(plans).empty());
  CHECK_THAT(without_l_curve({plans[0], plans[1]}), ContainsSubstring("of 2 lambda: it takes 3"));
  for (Plan& plan : plans) plan.varied.emplace_back("solver.precision", "half");
  CHECK_THAT(without_l_curve(plans), ContainsSubstring("there is no L-curve: solver.precision "
                                                       "varies, too"));
}

TEST_CASE("a line, or two points, have no corner", "[program]") {
  std::vector<LCurvePoint> line;
  for (int k = 0; k < 5; ++k) {
    line.push_back({std::pow(10.0, k), std::pow(2.0, k), std::pow(2.0, -k), "run"});
  }
  CHECK(!l_curve_corner(line));
  CHECK(!l_curve_corner({line[0], line[1]}));
  CHECK(l_curve_figure(line, {}).series.size() == 1);
  // One that bends the other way.
  CHECK(!l_curve_corner({{1, 1, 4, ""}, {2, 3.9, 3.9, ""}, {3, 4, 1, ""}}));
}
