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
