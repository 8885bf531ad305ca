// Fast diagonalisation against the banded solver in 113 bits, and against multigrid.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "precision/bad_value.hpp"
#include "precision/larger.hpp"

#include "fem/discrete/line_spectrum.hpp"

#include "gpu/direct/eigenvectors.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"
#include "tests/support/stated.hpp"

namespace ninefold {
namespace {

using testing::Judged;
using testing::Stated;

/// Data that no combination of sides makes trivial; without a Dirichlet side and a reaction they
/// balance.
Stated on_sides(int neumann, const GridGrading& grading, double reaction, int level) {
  ProblemOptions options;
  options.gx = 0.6;
  options.gy = 2.5;
  options.reaction = reaction;
  options.quadrature = 3;
  for (const Side side : all_sides) {
    if ((neumann >> static_cast<int>(side)) % 2 != 0) {
      options.boundary[side] = BoundaryKind::neumann;
    }
  }
  const bool is_free = neumann == 15 && reaction == 0;
  options.solution = is_free ? "cosine" : "exponential";
  return {make_problem(options, 1.3, 0.7), make_hierarchy(1.3, 0.7, level, grading)};
}

std::vector<GridGrading> gradings() {
  std::vector<GridGrading> all(5);
  all[1] = {0.5, {Side::left, Side::top}};
  all[2].kind = Grading::geometric;
  all[2].expansion_ratio = 40;
  all[3].kind = Grading::shishkin;
  all[3].layer_width = 0.02;
  all[4] = {0.3, {Side::right}};  // waves in y alone
  return all;
}

SolverOptions direct(Precision precision = Precision::double_, double tolerance = 1e-10) {
  SolverOptions options = testing::solved_by(Method::fast_diagonalisation, {}, tolerance);
  options.precision = precision;
  return options;
}

TEST_CASE("fast diagonalisation solves with every combination of sides on all kinds of cells",
          "[direct]") {
  const std::vector<GridGrading> grids = gradings();
  for (std::size_t which = 0; which < (has_lapack() ? grids.size() : 1); ++which) {
    for (int neumann = 0; neumann < 16; ++neumann) {
      for (const double reaction : {0.0, 1.7}) {
        const Stated s = on_sides(neumann, grids[which], reaction, 4);
        CAPTURE(which, neumann, reaction);
        const Judged in_double = testing::judge(s, direct());
        CHECK(in_double.report.outcome == Outcome::converged);
        CHECK(in_double.report.iterations <= 3);
        CHECK(in_double.report.history.size()
              == static_cast<std::size_t>(in_double.report.iterations) + 1);
        // Computed eigenvectors leave u times the span at most.  Most on the thinnest cells with
        // hardly a Dirichlet side (which = 4, neumann = 15), where it was 1/59 of that; OpenBLAS.
        const double left = 0x1p-53 * computed_span(s.problem, s.grids.back()) / 16;
        CHECK(in_double.error <= left + 1e-12);
        const Judged in_single = testing::judge(s, direct(Precision::single_, 1e-4));
        CHECK(in_single.report.outcome == Outcome::converged);
        CHECK(in_single.error <= 1e-4);
      }
    }
  }
}

TEST_CASE("cells of own widths are solved on, thin ones among them", "[direct]") {
  if (!has_lapack()) return;
  ProblemOptions options;
  options.solution = "exponential";
  std::vector<double> x(16, 1.0 / 16), y(16, 0.05);
  x[3] = 1e-5;
  y[0] = y[15] = 1e-4;
  y[7] = 0.5;
  const Stated s = testing::with_widths(options, 4, x, y);
  const Judged judged = testing::judge(s, direct());
  CHECK(judged.report.outcome == Outcome::converged);
  CHECK(judged.error <= 1e-9);
}

TEST_CASE("fast diagonalisation and multigrid find the same solution", "[direct]") {
  for (const int neumann : {0, 6, 15}) {
    for (const GridGrading& grading : {gradings()[0], gradings()[1]}) {
      if (!has_lapack() && grading.nu != 1) continue;
      const Stated s = on_sides(neumann, grading, 0, 6);
      SolverOptions options = direct(Precision::double_, 1e-11);
      const Solved found = solve(s.problem, s.grids, options, BackendKind::host);
      options.method = Method::multigrid;
      options.tolerance = 1e-12;
      const Solved other = solve(s.problem, s.grids, options, BackendKind::host);
      CAPTURE(neumann, grading.nu, other.report.remark);
      REQUIRE(found.solution.size() == other.solution.size());
      double most = 0, difference = 0;
      for (std::size_t k = 0; k < found.solution.size(); ++k) {
        most = larger(most, std::abs(other.solution[k]));
        difference = larger(difference, std::abs(found.solution[k] - other.solution[k]));
      }
      CHECK(difference <= 1e-10 * most);
      REQUIRE(found.errors.has_value() == other.errors.has_value());
    }
  }
}

TEST_CASE("a tolerance out of reach ends a direct solve at once, and says so", "[direct]") {
  const Stated s = on_sides(0, {}, 0, 5);
  const Judged judged = testing::judge(s, direct(Precision::double_, 1e-19));
  CHECK(judged.report.outcome != Outcome::step_limit);
  CHECK(judged.report.iterations <= 5);
  CHECK(judged.error <= 1e-12);
}

TEST_CASE("the time of preparation and that of the solve are told apart", "[direct]") {
  const Judged judged = testing::judge(on_sides(0, {}, 0, 5), direct());
  CHECK(judged.report.setup_seconds > 0);
  CHECK(judged.report.solve_seconds > 0);
}

TEST_CASE("the memory of a direct solve is forecast to the byte", "[direct]") {
  for (const GridGrading& grading : {gradings()[0], gradings()[1]}) {
    if (!has_lapack() && grading.nu != 1) continue;
    const Stated s = on_sides(3, grading, 0, 5);
    for (const auto precision : {Precision::double_, Precision::single_}) {
      SolverOptions options = direct(precision, 1e-3);
      options.norm = StoppingNorm::residual;
      const Solved solved = solve(s.problem, s.grids, options, BackendKind::host);
      CHECK(solved.report.memory_bytes
            == forecast_memory(s.problem, s.grids, options, BackendKind::host).backend);
    }
  }
}

TEST_CASE("a device's direct solve by waves is forecast without matrices", "[direct]") {
  const auto bytes = [](const GridGrading& grading, int level) {
    const Stated s = on_sides(0, grading, 0, level);
    return static_cast<double>(
        forecast_memory(s.problem, s.grids, direct(), BackendKind::cuda).backend);
  };
  const double value = 8.0 * 1025 * 1025;
  // Load, solution, residual, and two planes; little else.
  CHECK(bytes({}, 10) <= 5.3 * value);
  CHECK(bytes({}, 10) >= 5 * value);
  CHECK(bytes({0.5, {Side::right, Side::top}}, 10) >= 7 * value);
}

/// The parameter that a refusal is about, and what it says.
void refused(Parameter parameter, const std::string& word, const SolverOptions& options) {
  try {
    validate(options);
    FAIL("no refusal: " + word);
  } catch (const BadValue& bad) {
    const std::string said = bad.what();
    CAPTURE(said);
    CHECK(bad.parameter() == parameter);
    CHECK(said.find(word) != std::string::npos);
  }
}

TEST_CASE("what a direct solver has no use for is refused", "[direct]") {
  for (const auto precision :
       {Precision::half, Precision::bfloat16, Precision::double_single, Precision::double_double}) {
    refused(Parameter::precision, "single", direct(precision));
  }
  SolverOptions options = direct();
  options.preconditioner = Preconditioning::jacobi;
  refused(Parameter::preconditioner, "fast-diagonalisation", options);
  options = direct();
  options.start = Start::full_multigrid;
  refused(Parameter::start, "multigrid", options);
  options = direct();
  options.refinement.inner = {Precision::half};
  refused(Parameter::inner_precision, "single", options);
  options.refinement.inner = {Precision::single_};
  options.refinement.stop = {{2, {}}};
  refused(Parameter::inner_iterations, "1", options);
  options.refinement.stop = {{{}, 3.0}};
  refused(Parameter::inner_digits, "at once", options);
  options.refinement.stop = {{1, {}}};
  CHECK_NOTHROW(validate(options));
}

TEST_CASE("grids whose eigenvalues span more than eigenvectors hold are refused by the number",
          "[direct]") {
  const Problem problem = make_problem({}, 1, 1);
  const auto prepared = [&](double nu) {
    return prepare(problem, make_hierarchy(1, 1, 5, {nu, {Side::right}}), direct(),
                   BackendKind::host);
  };
  try {
    (void)prepared(1e-3);
    FAIL("no refusal");
  } catch (const BadValue& bad) {
    const std::string said = bad.what();
    CAPTURE(said);
    CHECK(bad.parameter() == Parameter::method);
    CHECK(said.find("span") != std::string::npos);
    CHECK(said.find("e+") != std::string::npos);
  }
  if (has_lapack()) CHECK_NOTHROW(prepared(0.5));
  // Equal cells have no limit.
  CHECK_NOTHROW(
      prepare(make_problem({}, 1e-9, 1), make_hierarchy(1e-9, 1, 3), direct(), BackendKind::host));
}

// The matrix of more unknowns takes more values than the libraries count in int.
TEST_CASE("a direction of different widths and 2^15 cells is refused before anything is computed",
          "[direct]") {
  const Problem problem = make_problem({}, 1, 1);
  const auto prepared = [&](Side side, double nu, int level, BackendKind where) {
    return prepare(problem, make_hierarchy(1, 1, level, {nu, {side}}), direct(), where);
  };
  if (!has_lapack()) return;
  for (const Side side : {Side::right, Side::top}) {
    try {
      (void)prepared(side, 0.9, 15, BackendKind::host);
      FAIL("no refusal");
    } catch (const BadValue& bad) {
      const std::string said = bad.what();
      CAPTURE(said);
      CHECK(bad.parameter() == Parameter::method);
      CHECK(said.find("32767") != std::string::npos);
      CHECK(said.find("multigrid") != std::string::npos);
      CHECK(said.find("equal cells") != std::string::npos);
    }
  }
  CHECK_NOTHROW(prepared(Side::right, 0.9, 14, BackendKind::host));
  CHECK_NOTHROW(prepared(Side::right, 1, 15, BackendKind::host));
  CHECK(is_diagonalisable(16385, true));
  CHECK_FALSE(is_diagonalisable(32767, true));
}

// The last stage holds eigenvectors, whatever inner_storage says of it.
TEST_CASE("a direct inner stage is not asked for the indices of a matrix that it does not hold",
          "[direct]") {
  SolverOptions options = direct();
  options.refinement.inner = {Precision::single_};
  options.storage = OperatorStorage::computed;
  options.refinement.inner_storage = {OperatorStorage::stored};
  const Problem problem = make_problem({}, 1, 1);
  CHECK_NOTHROW(prepare(problem, make_hierarchy(1, 1, 16), options, BackendKind::host));
}

TEST_CASE("what a direct solver calls converged is right up to the widest span", "[direct]") {
  if (!has_lapack()) return;
  for (const int neumann : {0, 9, 15}) {
    for (const double thin : {1e-4, 1e-6, 4e-7}) {
      ProblemOptions options;
      options.solution = neumann == 15 ? "cosine" : "exponential";
      for (const Side side : all_sides) {
        if ((neumann >> static_cast<int>(side)) % 2 != 0) {
          options.boundary[side] = BoundaryKind::neumann;
        }
      }
      std::vector<double> x(8, 0.125), y(8, 0.125);
      x[7] = y[2] = thin;
      const Stated s = testing::with_widths(options, 3, x, y);
      CAPTURE(neumann, thin, computed_span(s.problem, s.grids.back()));
      const Judged judged = testing::judge(s, direct(Precision::double_, 1e-8));
      CAPTURE(to_string(judged.report.outcome), judged.report.remark);
      if (judged.report.outcome == Outcome::converged) CHECK(judged.error <= promise(1e-8));
      CHECK(judged.error <= 1e-5);
    }
  }
}

}  // namespace
}  // namespace ninefold
