#include "fem/discrete/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <omp.h>

#include "fem/discrete/gauss_rule.hpp"
#include "fem/problem/analytic_solutions.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

ProblemOptions options_of(const std::string& solution, double gx, double gy, double reaction) {
  ProblemOptions options;
  options.solution = solution;
  options.gx = gx;
  options.gy = gy;
  options.reaction = reaction;
  return options;
}

GridGrading geometric() {
  return {.sides = {Side::left, Side::top}, .kind = Grading::geometric, .expansion_ratio = 50};
}

template <class F>
std::vector<double> nodal_values(const TensorGrid& grid, const F& f) {
  std::vector<double> values;
  for (const double y : grid.y.from_start) {
    for (const double x : grid.x.from_start) values.push_back(f(x, y));
  }
  return values;
}

/// Five Gauss points in each direction of each cell.
template <class F>
double integral(const TensorGrid& grid, const F& f) {
  const GaussRule<double> rule = gauss_rule<double>(5);
  double sum = 0;
  for (std::size_t j = 0; j < grid.y.width.size(); ++j) {
    for (std::size_t i = 0; i < grid.x.width.size(); ++i) {
      const double hx = grid.x.width[i], hy = grid.y.width[j];
      for (std::size_t q = 0; q < 5; ++q) {
        for (std::size_t p = 0; p < 5; ++p) {
          const double s = rule.point[p], t = rule.point[q];
          const Point point{grid.x.from_start[i] + s * hx, grid.x.from_end[i + 1] + (1 - s) * hx,
                            grid.y.from_start[j] + t * hy, grid.y.from_end[j + 1] + (1 - t) * hy};
          sum += hx * hy * rule.weight[p] * rule.weight[q] * f(point);
        }
      }
    }
  }
  return sum;
}

std::vector<double> solved(const Problem& problem, const std::vector<TensorGrid>& grids) {
  SolverOptions options;
  options.tolerance = 1e-12;
  Solved result = solve(problem, grids, options, BackendKind::host);
  REQUIRE(result.report.outcome == Outcome::converged);
  return std::move(result.solution);
}

std::vector<TensorGrid> up_to(const std::vector<TensorGrid>& grids, int level) {
  return {grids.begin(), grids.begin() + level + 1};
}

TEST_CASE("integrals of a bilinear function are exact on any grid", "[discrete][quantities]") {
  Problem problem;
  problem.gx = 2;
  problem.gy = 0.5;
  problem.reaction = 3;
  const auto u = [](double x, double y) { return 1 + 2 * x - 3 * y + 5 * x * y; };
  for (const GridGrading& grading : {GridGrading{}, GridGrading{.nu = 0.1}, geometric()}) {
    const TensorGrid grid = make_hierarchy(2, 3, 4, grading).back();
    const Quantities q = measure_quantities(problem, grid, nodal_values(grid, u));
    // By hand, over [0, 2] x [0, 3].
    CHECK(q.integral == Approx(6 + 12 - 27 + 45).epsilon(1e-13));
    const TensorGrid one = make_hierarchy(2, 3, 1).back();
    const double square =
        integral(one, [&](const Point& p) { return u(p.x(), p.y()) * u(p.x(), p.y()); });
    const double in_x = 2 * (((2 + 15) * (2 + 15) * (2 + 15) - 8) / 15.0);  // of (2 + 5 y)^2
    const double in_y = 3 * ((7 * 7 * 7 + 27) / 15.0);                      // of (5 x - 3)^2
    CHECK(q.l2_norm == Approx(std::sqrt(square)).epsilon(1e-13));
    CHECK(q.energy == Approx(2 * in_x + 0.5 * in_y + 3 * square).epsilon(1e-13));
  }
}

TEST_CASE(
    "quantities of a Galerkin solution are those of the solution in the limit, and energies "
    "those of Pythagoras",
    "[discrete][quantities]") {
  const auto grids = make_hierarchy(1, 1, 6);
  const Problem problem = make_problem({}, 1, 1);
  std::vector<double> coarser;
  double error_before = 0, quantity_before = 0;
  for (int level = 3; level <= 6; ++level) {
    CAPTURE(level);
    const TensorGrid& grid = grids[static_cast<std::size_t>(level)];
    const std::vector<double> u_h = solved(problem, up_to(grids, level));
    const Quantities q = measure_quantities(problem, grid, u_h);
    const double error = measure_energy_error(problem, grid, u_h);
    CHECK(q.integral == Approx(1.0 / 36).epsilon(std::ldexp(4, -2 * level)));
    CHECK(q.l2_norm == Approx(1.0 / 30).epsilon(std::ldexp(4, -2 * level)));
    // The load is integrated exactly, so that the error is orthogonal to the solution.
    CHECK(q.energy + error * error == Approx(1.0 / 45).epsilon(1e-10));
    CHECK(q.energy < 1.0 / 45);
    if (level > 3) {
      CHECK(error_before / error == Approx(2).epsilon(0.01));
      CHECK((1.0 / 36 - quantity_before) / (1.0 / 36 - q.integral) == Approx(4).epsilon(0.02));
      const double estimate = estimate_energy_error(problem, grid, u_h, coarser);
      CHECK(estimate / error == Approx(1).epsilon(0.02));
      CHECK(error_before * error_before
            == Approx(error * error + 3 * estimate * estimate).epsilon(1e-8));
    }
    error_before = error;
    quantity_before = q.integral;
    coarser = u_h;
  }
}

TEST_CASE("energies are those of all coefficients, on graded grids and beside Neumann sides",
          "[discrete][quantities]") {
  ProblemOptions options = options_of("polynomial", 4, 0.25, 7);
  options.boundary[Side::right] = options.boundary[Side::top] = BoundaryKind::neumann;
  const Problem problem = make_problem(options, 1, 1);
  const double energy = (4 + 0.25) / 90 + 7.0 / 900;
  const GridGrading layer{.kind = Grading::shishkin, .layer_width = 0.2};
  for (const GridGrading& grading : {GridGrading{.nu = 0.2}, geometric(), layer}) {
    const auto grids = make_hierarchy(1, 1, 6, grading);
    const std::vector<double> before = solved(problem, up_to(grids, 5)),
                              u_h = solved(problem, grids);
    const double coarse = measure_energy_error(problem, grids[5], before),
                 error = measure_energy_error(problem, grids[6], u_h),
                 estimate = estimate_energy_error(problem, grids[6], u_h, before);
    CHECK(measure_quantities(problem, grids[6], u_h).energy + error * error
          == Approx(energy).epsilon(1e-9));
    CHECK(coarse * coarse == Approx(error * error + 3 * estimate * estimate).epsilon(1e-7));
    CHECK(estimate / error == Approx(1).epsilon(0.05));
  }
}

TEST_CASE("derivatives by values at Gauss points are those of the named solutions",
          "[discrete][quantities]") {
  const auto grids = make_hierarchy(2, 3, 7);
  const TensorGrid& grid = grids.back();
  const std::vector<double> zero(129 * 129, 0.0);
  for (const std::string& name : problem_names()) {
    CAPTURE(name);
    const Problem problem = make_problem(options_of(name, 2, 3, 5), 2, 3);
    const AnalyticSolution exact = analytic_solution(name, 2, 3).value();
    const double energy = integral(grid, [&](const Point& p) {
      const double u = exact.u(p), ux = exact.ux(p), uy = exact.uy(p);
      return 2 * ux * ux + 3 * uy * uy + 5 * u * u;
    });
    // Layers and peaks are 2.5 and 6 cells thin: (h/thickness)^4/2000 of their derivative.
    const bool is_thin = name == "boundary_layer" || name == "peak";
    CHECK(measure_energy_error(problem, grid, zero)
          == Approx(std::sqrt(energy)).epsilon(is_thin ? 2e-5 : 1e-9));
  }
}

TEST_CASE("derivatives of a formula are as good as the header says, on a graded grid, too",
          "[discrete][quantities]") {
  ProblemOptions options = options_of("sin(3*x + y)", 1, 1, 0);
  options.source = "10*sin(3*x + y)";
  const Problem problem = make_problem(options, 1, 1);
  for (const GridGrading& grading : {GridGrading{}, geometric()}) {
    for (const int level : {1, 3, 5}) {
      const TensorGrid grid = make_hierarchy(1, 1, level, grading).back();
      const std::vector<double> zero(static_cast<std::size_t>(grid.nx()) * grid.ny(), 0.0);
      const double energy = integral(
          grid, [](const Point& p) { return 10 * std::pow(std::cos(3 * p.x() + p.y()), 2); });
      const double h = *std::max_element(grid.x.width.begin(), grid.x.width.end());
      const double left = std::pow(h, 4) * std::sqrt(std::pow(3, 10) + 1) / 2000;
      CAPTURE(level, left);
      CHECK(std::abs(measure_energy_error(problem, grid, zero) - std::sqrt(energy))
            <= left + 1e-13);
    }
  }
}

TEST_CASE("cells that are thinner than rounding add nothing", "[discrete][quantities]") {
  const Problem problem = make_problem(options_of("exponential", 1, 1, 1), 1, 1);
  const Line y = make_hierarchy(1, 1, 4).back().y;
  const std::vector<double> wide(16, 1.0 / 16);
  std::vector<double> thin = wide;
  thin.insert(thin.begin() + 8, {1e-30, 1e-30});
  thin.insert(thin.begin() + 4, {1e-25, 1e-30});
  const TensorGrid plain{make_line(wide), y}, grid{make_line(thin), y};
  const auto u = [](double at_x, double at_y) { return std::exp(at_x) * std::cos(at_y); };
  const std::vector<double> u_h = nodal_values(plain, u);
  std::vector<double> rounded = nodal_values(grid, u);
  for (std::size_t k = 0; k < rounded.size(); ++k) rounded[k] *= k % 3 == 0 ? 1 + 0x1p-51 : 1;
  const Quantities q = measure_quantities(problem, grid, rounded),
                   expected = measure_quantities(problem, plain, u_h);
  CHECK(q.integral == Approx(expected.integral).epsilon(1e-13));
  CHECK(q.energy == Approx(expected.energy).epsilon(1e-13));
  CHECK(measure_energy_error(problem, grid, rounded)
        == Approx(measure_energy_error(problem, plain, u_h)).epsilon(1e-11));
  // The next coarser level has the places of every other node.
  const auto coarser = [&](const TensorGrid& of) {
    std::vector<double> values;
    for (std::size_t j = 0; j < of.y.from_start.size(); j += 2) {
      for (std::size_t i = 0; i < of.x.from_start.size(); i += 2) {
        values.push_back(u(of.x.from_start[i], of.y.from_start[j]));
      }
    }
    return values;
  };
  CHECK(estimate_energy_error(problem, grid, rounded, coarser(grid))
        == Approx(estimate_energy_error(problem, plain, u_h, coarser(plain))).epsilon(1e-11));
}

TEST_CASE("quantities have the same bits on any number of threads", "[discrete][quantities]") {
  const Problem problem = make_problem(options_of("exponential", 1, 1, 1), 1, 1);
  const auto grids = make_hierarchy(1, 1, 6, geometric());
  const TensorGrid& grid = grids.back();
  const auto u = [](double x, double y) { return std::exp(x) * std::sin(9 * y); };
  const std::vector<double> u_h = nodal_values(grid, u), coarser = nodal_values(grids[5], u);
  const auto all = [&](int threads) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    const Quantities q = measure_quantities(problem, grid, u_h);
    const std::vector<double> values{q.integral, q.l2_norm, q.energy,
                                     measure_energy_error(problem, grid, u_h),
                                     estimate_energy_error(problem, grid, u_h, coarser)};
    omp_set_num_threads(before);
    return values;
  };
  CHECK(all(1) == all(7));
}

TEST_CASE("quantities of solutions whose squares leave the range of double are numbers",
          "[discrete][quantities]") {
  const Problem problem = make_problem(options_of("polynomial", 1, 1, 2), 1, 1);
  const auto grids = make_hierarchy(1, 1, 4);
  const TensorGrid& grid = grids.back();
  const std::vector<double> u_h = solved(problem, grids), before = solved(problem, up_to(grids, 3));
  const Quantities plain = measure_quantities(problem, grid, u_h);
  for (const int exponent : {600, -600}) {
    CAPTURE(exponent);
    Problem large = problem;
    large.solution =
        Function([&, u = problem.solution](const Point& p) { return std::ldexp(u(p), exponent); });
    std::vector<double> values, coarser;
    for (const double u : u_h) values.push_back(std::ldexp(u, exponent));
    for (const double u : before) coarser.push_back(std::ldexp(u, exponent));
    const Quantities q = measure_quantities(large, grid, values);
    CHECK(std::ldexp(q.integral, -exponent) == Approx(plain.integral).epsilon(1e-14));
    CHECK(std::ldexp(q.l2_norm, -exponent) == Approx(plain.l2_norm).epsilon(1e-14));
    CHECK((exponent > 0 ? std::isinf(q.energy) : q.energy == 0));
    CHECK(std::ldexp(measure_energy_error(large, grid, values), -exponent)
          == Approx(measure_energy_error(problem, grid, u_h)).epsilon(1e-12));
    CHECK(std::ldexp(estimate_energy_error(large, grid, values, coarser), -exponent)
          == Approx(estimate_energy_error(problem, grid, u_h, before)).epsilon(1e-12));
  }
}

TEST_CASE("quantities are those of the grid, and errors those of a known solution",
          "[discrete][quantities]") {
  const auto grids = make_hierarchy(1, 1, 3);
  const std::vector<double> u_h(81, 1.0), other(80, 1.0), coarser(25, 1.0);
  Problem problem = make_problem({}, 1, 1);
  CHECK_THROWS_AS(measure_quantities(problem, grids[3], other), std::invalid_argument);
  CHECK_THROWS_AS(measure_energy_error(problem, grids[3], other), std::invalid_argument);
  CHECK_THROWS_AS(estimate_energy_error(problem, grids[3], other, coarser), std::invalid_argument);
  CHECK_THROWS_AS(estimate_energy_error(problem, grids[3], u_h, other), std::invalid_argument);
  CHECK(estimate_energy_error(problem, grids[3], u_h, coarser) == 0);
  problem.solution = {};
  CHECK_THROWS_AS(measure_energy_error(problem, grids[3], u_h), std::invalid_argument);
  problem.solution = Function([](const Point& p) { return p.x() < 0.5 ? 0 : 1 / (p.x() - p.x()); });
  CHECK_FALSE(std::isfinite(measure_energy_error(problem, grids[3], u_h)));
}

TEST_CASE("an energy beyond the range of double has a root inside it", "[discrete][quantities]") {
  const double factor = GENERATE(1e170, 1e-170);
  const Problem problem = make_problem({}, 1, 1);
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 3).back();
  std::vector<double> u;
  for (int j = 0; j < grid.ny(); ++j) {
    for (int i = 0; i < grid.nx(); ++i) u.push_back(factor * i / (grid.nx() - 1));
  }
  CHECK(measure_energy_norm(problem, grid, u) == Approx(factor));
  const double energy = measure_quantities(problem, grid, u).energy;
  CHECK((energy == 0 || std::isinf(energy)));
}

}  // namespace
}  // namespace ninefold
