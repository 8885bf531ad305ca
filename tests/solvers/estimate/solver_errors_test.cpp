#include "solvers/estimate/solver_errors.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "fem/discrete/q1_element.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

struct Equations {
  Problem problem;
  std::vector<TensorGrid> grids;
};

Equations equations(const std::string& solution, int level, double nu, bool neumann) {
  ProblemOptions options;
  options.solution = solution;
  options.gy = 0.5;
  if (neumann) {
    for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  }
  GridGrading grading;
  grading.nu = nu;
  return {make_problem(options, 1.5, 1.0), make_hierarchy(1.5, 1.0, level, grading)};
}

SolverOptions in(Precision precision, double tolerance) {
  SolverOptions options;
  options.precision = precision;
  options.tolerance = tolerance;
  options.norm = StoppingNorm::residual;
  return options;
}

Solved estimated(const Equations& given, const SolverOptions& options) {
  Neighbours neighbours;
  neighbours.estimates_solver_errors = true;
  Solved solved =
      solve(prepare(given.problem, given.grids, options, BackendKind::host), neighbours);
  REQUIRE(solved.solver_errors);
  return solved;
}

/// l2 by lumped masses, of which a part that is the same everywhere is nothing if `free`.
double distance(const TensorGrid& grid, const std::vector<DoubleDouble>& a,
                const std::vector<DoubleDouble>& b, bool free) {
  const auto mx = lumped_masses<double>(grid.x), my = lumped_masses<double>(grid.y);
  double square = 0, mean = 0, area = 0;
  for (int j = 0; j < grid.ny(); ++j) {
    for (int i = 0; i < grid.nx(); ++i) {
      const auto k = static_cast<std::size_t>(j * grid.nx() + i);
      const auto m = static_cast<std::size_t>(i), n = static_cast<std::size_t>(j);
      const auto e = static_cast<double>(a[k] - b[k]);
      square += mx[m] * my[n] * e * e;
      mean += mx[m] * my[n] * e;
      area += mx[m] * my[n];
    }
  }
  return std::sqrt(free ? square - mean * mean / area : square);
}

std::vector<DoubleDouble> widened(const Solved& solved) {
  if (!solved.solution_low.empty()) return wide_solution(solved);
  return {solved.solution.begin(), solved.solution.end()};
}

/// The discrete solution to all digits of double and more.
std::vector<DoubleDouble> exact(const Equations& given) {
  SolverOptions options = in(Precision::double_double, 1e-24);
  options.refinement.inner = {Precision::double_};
  return wide_solution(solve(prepare(given.problem, given.grids, options, BackendKind::host)));
}

/// What a solve has left, against what it says.
void check_errors(const Equations& given, const SolverOptions& options, double least, double most) {
  const Solved solved = estimated(given, options);
  const bool free = !given.problem.boundary.any_dirichlet();
  const double error = distance(given.grids.back(), widened(solved), exact(given), free);
  const SolverErrors& told = *solved.solver_errors;
  CAPTURE(error, told.remark);
  REQUIRE(told.algebraic);
  REQUIRE(told.rounding);
  CAPTURE(*told.algebraic, *told.rounding);
  const double both = std::max(*told.algebraic, *told.rounding);
  CHECK(both > least * error);
  CHECK(both < most * error);
  CHECK(*told.left == Approx(error).epsilon(0.15));
}

TEST_CASE("what an iteration has left is told within a tenth, whatever the method",
          "[solvers][estimate]") {
  const bool neumann = GENERATE(false, true);
  const double nu = GENERATE(1.0, 0.1);
  const Equations given = equations(neumann ? "cosine" : "polynomial", 6, nu, neumann);
  SolverOptions options = in(Precision::double_, 1e-4);
  const auto path = GENERATE(as<std::string>(), "multigrid", "cg", "preconditioned cg",
                             "full multigrid", "mixed", "double-single", "double-double");
  if (path == "cg") options.method = Method::cg;
  if (path == "preconditioned cg") {
    options.method = Method::cg;
    options.preconditioner = Preconditioning::multigrid;
  }
  if (path == "full multigrid") options.method = Method::full_multigrid;
  if (path == "full multigrid" || path == "mixed") options.refinement.inner = {Precision::single_};
  if (path == "double-single") options.precision = Precision::double_single;
  if (path == "double-double") options.precision = Precision::double_double;
  CAPTURE(path, nu, neumann);
  const Solved solved = estimated(given, options);
  const double error = distance(given.grids.back(), widened(solved), exact(given), neumann);
  const SolverErrors& told = *solved.solver_errors;
  CAPTURE(told.remark);
  REQUIRE(told.algebraic);
  CHECK(*told.algebraic == Approx(error).epsilon(0.1));
  CHECK(*told.left == Approx(error).epsilon(0.1));
  CHECK(told.rounding.has_value() == (path != "double-double"));
  if (told.rounding) CHECK(*told.rounding < 1e-3 * *told.algebraic);
}

TEST_CASE("what rounding has cost is told within a factor of two", "[solvers][estimate]") {
  const auto precision = GENERATE(Precision::half, Precision::bfloat16, Precision::single_,
                                  Precision::double_single, Precision::double_);
  const bool plain = GENERATE(false, true);
  const bool neumann = GENERATE(false, true);
  const Equations given = equations(neumann ? "cosine" : "polynomial", 6, 0.5, neumann);
  if (neumann && precision == Precision::bfloat16) return;  // the free constant runs away
  SolverOptions options = in(precision, 1e-16);
  if (plain) options.form = OperatorForm::plain;
  CAPTURE(to_string(precision), plain, neumann);
  check_errors(given, options, 0.5, 2);
}

TEST_CASE("what is left is told where iteration and rounding take from each other",
          "[solvers][estimate]") {
  // In plain form the free constant grows, and the residual, as single has it, with it.
  const Equations given = equations("cosine", 5, 1.0 / 64, true);
  SolverOptions options = in(Precision::single_, 1e-6);
  options.form = OperatorForm::plain;
  const Solved solved = estimated(given, options);
  const double error = distance(given.grids.back(), widened(solved), exact(given), true);
  const SolverErrors& told = *solved.solver_errors;
  REQUIRE((told.algebraic && told.rounding && told.left));
  CAPTURE(error, *told.algebraic, *told.rounding, *told.left);
  CHECK(*told.algebraic > 2 * error);
  CHECK(*told.rounding > 2 * error);
  CHECK(*told.left == Approx(error).epsilon(0.1));
}

/// What a solve over single has left where its iteration leaves less than rounding, over what it
/// is.
struct Effectivities {
  double algebraic, rounding, left;
};
Effectivities of_rounding(const Equations& given) {
  SolverOptions options = in(Precision::double_, 1e-17);
  options.method = Method::full_multigrid;
  options.refinement.inner = {Precision::single_};
  const Solved solved = estimated(given, options);
  const bool free = !given.problem.boundary.any_dirichlet();
  const double error = distance(given.grids.back(), widened(solved), exact(given), free);
  const SolverErrors& told = *solved.solver_errors;
  REQUIRE((told.algebraic && told.rounding && told.left));
  REQUIRE(error > 0);
  return {*told.algebraic / error, *told.rounding / error, *told.left / error};
}

TEST_CASE("the rounding of boundary values that are carried inside is told",
          "[solvers][estimate]") {
  const double nu = GENERATE(1.0, 0.5);
  ProblemOptions options;
  options.solution = "exponential";
  options.reaction = GENERATE(0.0, 50.0);
  GridGrading grading;
  grading.nu = nu;
  CAPTURE(nu, options.reaction);
  const Effectivities told =
      of_rounding({make_problem(options, 1.0, 1.0), make_hierarchy(1.0, 1.0, 5, grading)});
  CHECK(told.algebraic < 0.5);
  CHECK(told.rounding == Approx(1).epsilon(0.5));
  CHECK(told.left == Approx(1).epsilon(0.05));
}

TEST_CASE("the rounding of a solution that is boundary values alone is told",
          "[solvers][estimate]") {
  ProblemOptions options;
  options.solution = "0.1+x/3+y/7";
  options.source = "0";
  const int level = GENERATE(1, 4);  // of the nodes of the first, one is not at a side
  options.boundary[Side::top] = GENERATE(BoundaryKind::dirichlet, BoundaryKind::neumann);
  CAPTURE(level);
  const Effectivities told =
      of_rounding({make_problem(options, 1.0, 1.0), make_hierarchy(1.0, 1.0, level)});
  CHECK(told.algebraic < 0.1);
  CHECK(told.rounding == Approx(1).epsilon(0.1));
  CHECK(told.left == Approx(1).epsilon(0.05));
}

TEST_CASE("the rounding of a solution whose mean is taken away is told", "[solvers][estimate]") {
  CHECK(of_rounding(equations("cosine", 3, 1.0 / 64, true)).left == Approx(1).epsilon(0.05));
}

TEST_CASE("a software format's rounding is told", "[solvers][estimate]") {
  const Equations given = equations("sine", 5, 1.0, false);
  check_errors(given, in(Precision::soft(17, 8), 1e-12), 0.5, 2);
}

TEST_CASE("a direct solver's rounding is told", "[solvers][estimate]") {
  const Equations given = equations("sine", 6, 0.5, false);
  SolverOptions options = in(Precision::single_, 1e-12);
  options.method = Method::fast_diagonalisation;
  check_errors(given, options, 0.5, 2);
}

TEST_CASE("what is left is told beside cells of 1e-17 and sides that hold nothing",
          "[solvers][estimate]") {
  ProblemOptions options;
  options.solution = "cosine";
  options.boundary[Side::right] = options.boundary[Side::bottom] = BoundaryKind::neumann;
  GridGrading grading;
  grading.nu = 1.0 / 64;
  const Equations given{make_problem(options, 1.0, 1.0), make_hierarchy(1.0, 1.0, 8, grading)};
  const auto precision = GENERATE(Precision::double_, Precision::double_double);
  CAPTURE(to_string(precision));
  const Solved solved = estimated(given, in(precision, 1e-8));
  const double error = distance(given.grids.back(), widened(solved), exact(given), false);
  const SolverErrors& told = *solved.solver_errors;
  CAPTURE(told.remark, error);
  REQUIRE(error > 0);
  REQUIRE(told.left);
  CAPTURE(*told.left);
  CHECK(*told.left == Approx(error).epsilon(0.5));
}

TEST_CASE("what is estimated leaves the solution as it was", "[solvers][estimate]") {
  const Equations given = equations("polynomial", 5, 0.5, false);
  const SolverOptions options = in(Precision::single_, 1e-3);
  const PreparedSolve prepared = prepare(given.problem, given.grids, options, BackendKind::host);
  CHECK(estimated(given, options).solution == solve(prepared).solution);
}

TEST_CASE("a problem without load has no errors", "[solvers][estimate]") {
  ProblemOptions options;
  options.solution = "";
  options.source = "0";
  const Equations given{make_problem(options, 1.0, 1.0), make_hierarchy(1.0, 1.0, 4)};
  const SolverErrors told = *estimated(given, in(Precision::single_, 1e-6)).solver_errors;
  CHECK(told.algebraic == 0.0);
  CHECK(told.rounding == 0.0);
  CHECK(told.left == 0.0);
}

}  // namespace
}  // namespace ninefold
