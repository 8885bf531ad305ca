// A problem's data where a solve runs: errors measured there, and solutions that are not kept.
#include "solvers/system/data_on_backend.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fem/discrete/error_sums.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/discrete/load.hpp"

#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

SolverOptions short_solve(Precision precision) {
  SolverOptions options;
  options.precision = precision;
  options.norm = StoppingNorm::residual;
  options.tolerance = 1e-2;
  options.max_iterations = 3;
  return options;
}

Errors on_host(const Problem& problem, const TensorGrid& grid, const Solved& solved) {
  return solved.solution_low.empty() ? measure_errors(problem, grid, solved.solution)
                                     : measure_errors(problem, grid, wide_solution(solved));
}

}  // namespace

// Both are the same formula.  The exact solution is off by some 8 roundoffs of itself in either,
// the solution by 4; a sum has at most 65 + 65 additions of positive numbers, and few roundings in
// each.
TEST_CASE("errors measured where a solve runs are those of its solution", "[solve][errors]") {
  const auto name = GENERATE(from_range(problem_names()));
  const auto precision = GENERATE(Precision::half, Precision::single_, Precision::double_,
                                  Precision::double_single, Precision::double_double);
  ProblemOptions options;
  options.solution = name;
  options.gy = 0.7;
  options.reaction = GENERATE(0.0, 3.0);
  options.boundary[Side::top] = options.boundary[Side::left] = BoundaryKind::neumann;
  const bool all_neumann = GENERATE(false, true);
  if (all_neumann) {
    options.boundary[Side::bottom] = options.boundary[Side::right] = BoundaryKind::neumann;
  }
  const auto grids = make_hierarchy(1.5, 1.0, 6, {0.7, {Side::right}});
  CAPTURE(name, to_string(precision), options.reaction, all_neumann);
  const Problem problem = make_problem(options, 1.5, 1.0);
  REQUIRE(has_free_constant(problem) == (all_neumann && options.reaction == 0));
  const Solved solved = solve(problem, grids, short_solve(precision), BackendKind::host);
  REQUIRE(solved.report.outcome != Outcome::not_finite);
  REQUIRE(solved.errors);
  const Errors expected = on_host(problem, grids.back(), solved);
  const double u = precision == Precision::double_double ? 0x1p-100 : 0x1p-53;
  const double size = largest(nodal_solution(problem, grids.back())) + largest(solved.solution);
  const auto close = [&](double a, double b, double measure) {
    return std::abs(a - b) <= 16 * u * size * measure + 200 * 0x1p-53 * b;
  };
  CHECK(close(solved.errors->l2, expected.l2, std::sqrt(1.5)));
  CHECK(close(solved.errors->rms, expected.rms, 1));
  CHECK(close(solved.errors->max, expected.max, 1));
}

/// The same values, of no known products.
Function whole(const Function& f) {
  return [f](const Point& p) { return f(p); };
}

// Their values differ by at most 64 roundoffs of the largest one (fem/problem/separation.hpp), and
// these norms of the inverse are less than 1.
TEST_CASE("formulas that are sums of products are loaded and compared where a solve runs",
          "[solve][errors]") {
  const auto precision = GENERATE(Precision::double_, Precision::double_double);
  const auto [solution, source] = GENERATE(table<std::string, std::string>(
      {{"sin(pi*x)*exp(y)", "(pi^2 + 2)*sin(pi*x)*exp(y)"},
       {"(x - y)^2 + 3", "3*((x - y)^2 + 3) - 4"},
       {"exp(-x^2 - y^2)*x", "(3*x + 8*x - 4*x^3 - 4*x*y^2)*exp(-x^2 - y^2)"}}));
  CAPTURE(to_string(precision), solution);
  ProblemOptions options;
  options.solution = solution;
  options.source = source;
  options.reaction = 3;
  const Problem products = make_problem(options, 1.5, 1.0);
  REQUIRE(products.remarks.empty());
  REQUIRE(has_load_products(products));
  REQUIRE(compares_on_backend(products));
  Problem by_nodes = products;
  for (Function* f : {&by_nodes.source, &by_nodes.solution, &by_nodes.dirichlet}) *f = whole(*f);

  const auto grids = make_hierarchy(1.5, 1.0, 6, {0.7, {Side::right}});
  SolverOptions solver = short_solve(precision);
  solver.tolerance = 1e-8;
  solver.max_iterations = 30;
  const auto solved = [&](const Problem& problem) {
    return solve(prepare(problem, grids, solver, BackendKind::host, false));
  };
  const Solved there = solved(products), here = solved(by_nodes);
  REQUIRE(there.errors);
  REQUIRE(there.solution.empty());
  REQUIRE_FALSE(here.errors);
  const Errors expected = on_host(by_nodes, grids.back(), here);
  const double allowed = 1e-13 * largest(nodal_solution(products, grids.back()));
  CHECK(std::abs(there.errors->l2 - expected.l2) <= allowed);
  CHECK(std::abs(there.errors->rms - expected.rms) <= allowed);
  CHECK(std::abs(there.errors->max - expected.max) <= allowed);
  CHECK(expected.max > 1e3 * allowed);
}

// A power of two changes no bit of a solve, and its squares leave the range of double.
TEST_CASE("errors whose squares leave the range of double are measured", "[solve][errors]") {
  const int exponent = GENERATE(660, -660);
  const auto grids = make_hierarchy(1.5, 1.0, 4);
  ProblemOptions stated;
  stated.solution = "exponential";
  const Problem problem = make_problem(stated, 1.5, 1.0);
  Problem scaled = problem;
  const double factor = std::ldexp(1.0, exponent);
  for (Function* f : {&scaled.source, &scaled.solution, &scaled.dirichlet}) {
    *f = sum_of({{factor, *f}});
  }
  const auto errors = [&](const Problem& p) {
    const Solved solved = solve(p, grids, short_solve(Precision::double_), BackendKind::host);
    REQUIRE(solved.errors);
    return *solved.errors;
  };
  const Errors plain = errors(problem), large = errors(scaled);
  CHECK(large.l2 == std::ldexp(plain.l2, exponent));
  CHECK(large.rms == std::ldexp(plain.rms, exponent));
  CHECK(large.max == std::ldexp(plain.max, exponent));
}

TEST_CASE("a source of many products is known by its nodes", "[solve][errors]") {
  Problem problem = make_problem({}, 1.0, 1.0);
  const Problem few = problem;
  problem.source = sum_of(std::vector<std::pair<double, Function>>(10, {0.1, problem.source}));
  REQUIRE(has_load_products(few));
  REQUIRE_FALSE(has_load_products(problem));
  const auto grids = make_hierarchy(1.0, 1.0, 4);
  SolverOptions options;
  const Solved a = solve(few, grids, options, BackendKind::host);
  const Solved b = solve(problem, grids, options, BackendKind::host);
  REQUIRE(a.errors);
  REQUIRE(b.errors);
  CHECK(std::abs(a.errors->l2 - b.errors->l2) <= 1e-9 * a.errors->l2);
}

TEST_CASE("functions that are no sums of products are refused as such", "[solve][errors]") {
  CHECK_THROWS_AS(Function(std::vector<ProductFunction>{}), std::invalid_argument);
  CHECK_THROWS_AS(Function({{1.0, LineFunction(), LineFunction()}}), std::invalid_argument);
  const Function formula = [](const Point& p) { return p.left; };
  CHECK_THROWS_AS(sum_of({{1.0, formula}}), std::invalid_argument);
  CHECK(constant(2.5)(Point{1, 2, 3, 4}) == 2.5);
}

TEST_CASE("of a solution that is not kept its errors are left", "[solve][errors]") {
  const auto grids = make_hierarchy(1.0, 1.0, 5);
  const Problem problem = make_problem({}, 1.0, 1.0);
  const SolverOptions options = short_solve(Precision::double_);
  const auto prepared = [&](bool keeps) {
    return prepare(problem, grids, options, BackendKind::host, keeps);
  };
  const Solved kept = solve(prepared(true)), left = solve(prepared(false));
  REQUIRE(kept.solution.size() == 33 * 33);
  REQUIRE(left.solution.empty());
  REQUIRE(kept.errors);
  REQUIRE(left.errors);
  REQUIRE(left.errors->l2 == kept.errors->l2);
  REQUIRE(left.errors->rms == kept.errors->rms);
  REQUIRE(left.errors->max == kept.errors->max);
  REQUIRE(prepared(true).memory.host == 5 * 33 * 33 * sizeof(double));
  REQUIRE(prepared(false).memory.host == 0);
}

TEST_CASE("a solution whose errors are not measured where the solve runs is kept",
          "[solve][errors]") {
  ProblemOptions stated;
  stated.solution = "sin(x*y)";
  stated.source = "(x^2 + y^2)*sin(x*y)";
  const auto grids = make_hierarchy(1.0, 1.0, 4);
  const Problem problem = make_problem(stated, 1.0, 1.0);
  const Solved solved =
      solve(prepare(problem, grids, short_solve(Precision::double_), BackendKind::host, false));
  REQUIRE_FALSE(solved.errors);
  REQUIRE(solved.solution.size() == 17 * 17);
}

TEST_CASE("where a constant is free the solution has no mean", "[solve][errors]") {
  ProblemOptions stated;
  const std::string kind = GENERATE("a named one", "a formula of products", "another formula");
  CAPTURE(kind);
  stated.solution = kind == "a named one"             ? "cosine"
                    : kind == "a formula of products" ? "cos(pi*x)*cos(pi*y) + 2"
                                                      : "cos(pi*x)*cos(pi*y) + 2 + 0*sin(x*y)";
  if (kind != "a named one") stated.source = "2*pi^2*cos(pi*x)*cos(pi*y)";
  for (const Side side : all_sides) stated.boundary[side] = BoundaryKind::neumann;
  const auto grids = make_hierarchy(1.0, 1.0, 5, {0.6, {Side::left}});
  const Problem problem = make_problem(stated, 1.0, 1.0);
  REQUIRE(has_free_constant(problem));
  const auto precision = GENERATE(Precision::single_, Precision::double_, Precision::double_double);
  SolverOptions options;
  options.precision = precision;
  options.tolerance = precision == Precision::single_ ? 1e-5 : 1e-10;
  const Solved solved = solve(problem, grids, options, BackendKind::host);
  REQUIRE(solved.report.outcome == Outcome::converged);
  REQUIRE(solved.errors.has_value() == (kind != "another formula"));
  const std::vector<double> x = shares_of<double>(grids.back().x),
                            y = shares_of<double>(grids.back().y);
  double mean = 0;
  for (std::size_t k = 0; k < solved.solution.size(); ++k) {
    mean += x[k % x.size()] * y[k / x.size()] * solved.solution[k];
  }
  CHECK(std::abs(mean) <= 1e-15 * largest(solved.solution));
  const Errors errors = on_host(problem, grids.back(), solved);
  CHECK(errors.l2 < 5e-3);  // the discretisation's; a mean of 2 that is left would show
  if (solved.errors) CHECK(std::abs(solved.errors->l2 - errors.l2) <= 1e-14);
}

}  // namespace ninefold
