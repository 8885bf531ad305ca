// Formulas for whole rows of points, against their evaluation point by point.
#include "fem/problem/formula_rows.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "precision/larger.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/problem/expression.hpp"
#include "fem/problem/problems.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

constexpr double width = 1.5, height = 0.75;

/// So many points of a line, more than are evaluated at once.
std::vector<double> points(double length, std::size_t n) {
  std::vector<double> result;
  for (std::size_t k = 0; k < n; ++k) {
    result.push_back(length * (static_cast<double>(k) + 0.3) / static_cast<double>(n));
  }
  return result;
}

TEST_CASE("formulas have the same values on rows as point by point", "[fem][formula]") {
  const std::string formula = GENERATE(
      as<std::string>(),  //
      "sqrt(1 + x^2 + y^2)", "sin(pi*x*y)", "1/(1 + x*y)", "exp(-20*((x-0.4)^2 + (y-0.3)^2)*x*y)",
      "(x - y)^4", "-(x + y)^3 + atan2(x + y, 1 + y)", "max(x*y, x - y, 0.2)",
      "2^(x*y) - log(1 + x*y)*ln(2 + x + y)", "min(x, y)", "(x > 0.3 ? 1 : x)/(1 + y + x)",
      "-x^2*y - cosh(x - y)", "abs(x - y)*tanh(10*(x + y - 1))", "x*y/width/height",
      "log2(1 + x*y) + log10(2 + x - y)", "asinh(x*y) + acosh(1.5 + x*y) - atanh(x*y/2)",
      "cos(x*y) - tan(x - y)", "(x + y)^7 - (x*y)^9", "(x + y)^1.5 + (1 + x*y)^(x - y)",
      "sinh(x + y) - sqrt(x + y)", "asin(x*y/2) + acos(x - y/2 - 0.5) - atan(x*y)");
  CAPTURE(formula);
  const std::vector<double> x = points(width, 1300), y = points(height, 7);
  const RowFunction rows = formula_rows(formula, width, height);
  REQUIRE(rows);
  const RowValues<double> on_row = rows(x, y);
  const Expression whole(formula, width, height);
  std::vector<double> values(x.size());
  double largest = 0, difference = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    on_row(j, values.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = whole(x[i], y[j]);
      largest = larger(largest, std::abs(value));
      difference = larger(difference, std::abs(values[i] - value));
    }
  }
  REQUIRE(largest > 0);
  REQUIRE(difference <= 8 * 0x1p-53 * largest);
}

TEST_CASE("formulas that rows do not suit are left as they are", "[fem][formula]") {
  const std::string formula = GENERATE(as<std::string>(),  //
                                       "x > y ? 1 : 0",    // a condition of both
                                       "sum(x, y, x*y)",   // a function that is not known here
                                       "1/(x*y)",          // infinite at a sample
                                       "sqrt(x - y)",      // not a number there
                                       "rint(10*x*y)");
  CAPTURE(formula);
  REQUIRE_FALSE(formula_rows(formula, width, height));
}

TEST_CASE("loads and errors by rows are those by points", "[fem][formula]") {
  const GridGrading grading{0.3, {Side::right}};
  const TensorGrid grid = make_hierarchy(width, height, 4, grading).back();
  const std::string formula = "exp(-x*y)/(1 + x + y^2)";
  const Expression whole(formula, width, height);
  const Function by_points([whole](const Point& p) { return whole(p.x(), p.y()); });
  REQUIRE(formula_rows(formula, width, height));
  const Function by_rows([whole](const Point& p) { return whole(p.x(), p.y()); },
                         formula_rows(formula, width, height));
  Problem problem;
  problem.width = width;
  problem.height = height;
  const auto load_of = [&](const Function& f) {
    problem.source = problem.solution = f;
    return assemble_load<double>(problem, grid);
  };
  const std::vector<double> expected = load_of(by_points), found = load_of(by_rows);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    REQUIRE(std::abs(found[k] - expected[k]) <= 1e-15 * std::abs(expected[k]));
  }
  const std::vector<double> u_h(expected.size(), 0.25);
  const auto errors = [&](const Function& f) {
    problem.solution = f;
    return measure_errors(problem, grid, u_h);
  };
  const Errors a = errors(by_points), b = errors(by_rows);
  REQUIRE(b.l2 == Approx(a.l2).epsilon(1e-14));
  REQUIRE(b.rms == Approx(a.rms).epsilon(1e-14));
  REQUIRE(b.max == Approx(a.max).epsilon(1e-14));
}

TEST_CASE("who asks for many values asks for rows", "[fem][formula]") {
  const TensorGrid grid = make_hierarchy(width, height, 2).back();
  // Rows that can be told from points.
  const Function three([](const Point&) { return 1.0; },
                       [](const std::vector<double>& x, const std::vector<double>&) {
                         return [n = x.size()](std::size_t, double* values) {
                           for (std::size_t i = 0; i < n; ++i) values[i] = 3;
                         };
                       });
  Problem problem;
  problem.width = width;
  problem.height = height;
  problem.source = problem.solution = three;
  const std::vector<double> load = assemble_load<double>(problem, grid);
  REQUIRE(load[6] == Approx(3 * width * height / 16));
  REQUIRE(nodal_solution(problem, grid)[6] == 3);
  REQUIRE(measure_errors(problem, grid, std::vector<double>(25, 3.0)).l2 < 1e-14);
}

}  // namespace
}  // namespace ninefold
