#include "solvers/sparse/judged.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/sparse_matrix.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/ring.hpp"
#include "tests/support/sparse_solves.hpp"

using namespace ninefold;
using namespace ninefold::testing;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE("a right-hand side that the matrix takes to zero is told", "[solvers][sparse]") {
  constexpr int n = 100;
  const SparseProblem problem{ring(n), WideVector{std::vector<double>(n, 1.0), {}}, {}};
  SparseOptions options;
  options.solver.max_iterations = 20;
  const SparseSolved solved = solve_on_host(problem, options);
  CHECK(solved.report.outcome != Outcome::converged);
  CHECK_THAT(solved.report.remark, StartsWith("(p, A p) is zero from iteration 1 on"));
}

TEST_CASE("what the residual does not see of a solution is told", "[solvers][sparse]") {
  constexpr int n = 200;
  // D L D, L the second difference, and its solution of ones.
  const auto solved_with = [&](const auto& exponent) {
    std::vector<SparseEntry> entries;
    for (int i = 0; i < n; ++i) {
      for (int j = std::max(0, i - 1); j < std::min(n, i + 2); ++j) {
        entries.push_back({i, j, (i == j ? 2 : -1) * std::pow(10.0, exponent(i) + exponent(j))});
      }
    }
    return solve_on_host(with_ones(assemble_sparse(n, n, entries)));
  };
  CHECK(solved_with([](int) { return 0.0; }).report.remark.empty());
  const SparseSolved by_rows = solved_with([](int i) { return 8.0 - 16.0 * i / (n - 1); });
  CAPTURE(by_rows.report.remark, by_rows.backward_error, by_rows.errors.l2.value());
  REQUIRE(by_rows.report.outcome == Outcome::converged);
  REQUIRE(by_rows.backward_error > 1e-3);
  CHECK_THAT(by_rows.report.remark, ContainsSubstring("that row's own sizes"));
  CHECK_THAT(by_rows.report.remark, ContainsSubstring("use a smaller solver.tolerance"));
  // A residual at rounding already.
  SparseProblem on_ring{ring(n), WideVector{std::vector<double>(n, 0.0), {}},
                        WideVector{std::vector<double>(n, 1.0), {}}};
  on_ring.b.high[0] = 1;
  on_ring.b.high[n / 2] = -1;
  const SparseSolved exact = solve_on_host(on_ring);
  CAPTURE(exact.report.remark, exact.report.true_residual_reduction);
  REQUIRE(exact.report.outcome == Outcome::converged);
  REQUIRE(exact.report.true_residual_reduction < 1e-14);
  CHECK_THAT(exact.report.remark, ContainsSubstring("the matrix is singular"));
  CHECK_THAT(exact.report.remark, !ContainsSubstring("a smaller"));
  const SparseSolved by_condition = solved_with([](int i) { return i % 2 == 0 ? 8.0 : -8.0; });
  CAPTURE(by_condition.report.remark, by_condition.backward_error);
  REQUIRE(by_condition.report.outcome == Outcome::converged);
  REQUIRE(by_condition.backward_error < 1e-3);
  REQUIRE(by_condition.errors.l2.value() > 0.1);
  CHECK_THAT(by_condition.report.remark, ContainsSubstring("ill-conditioned"));
}

TEST_CASE("neither does a large tolerance hide what is wrong", "[solvers][sparse]") {
  constexpr int n = 100;
  std::vector<SparseEntry> entries;
  // Rows of sizes 1e8 and 1e-8, coupled.
  const auto d = [](int i) { return i % 2 == 0 ? 1e4 : 1e-4; };
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j < std::min(n, i + 2); ++j) {
      entries.push_back({i, j, (i == j ? 2 : -1) * d(i) * d(j)});
    }
  }
  SparseOptions options;
  for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
    options.solver.tolerance = tolerance;
    const SparseSolved solved = solve_on_host(with_ones(assemble_sparse(n, n, entries)), options);
    CAPTURE(tolerance, solved.backward_error, solved.errors.l2.value(), solved.report.remark);
    REQUIRE(solved.report.outcome == Outcome::converged);
    REQUIRE((solved.errors.l2.value() > 100 * tolerance || solved.backward_error > 0.5));
    CHECK_THAT(solved.report.remark, ContainsSubstring("the residual is small"));
  }
  // And no remark where nothing is.
  options.solver.tolerance = 1e-1;
  const SparseProblem good = with_ones(generate_sparse({.name = "laplace-3d-7", .size = 6}));
  CHECK(solve_on_host(good, options).report.remark.empty());
}

TEST_CASE("a right-hand side that a singular matrix makes zero says so", "[solvers][sparse]") {
  const std::vector<SparseEntry> entries{{0, 0, 1}, {0, 1, -1}, {1, 0, -1}, {1, 1, 1}};
  const Report report = solve_on_host(with_ones(assemble_sparse(2, 2, entries))).report;
  CHECK_THAT(report.remark, ContainsSubstring("the matrix is singular"));
}

TEST_CASE("what a limit of iterations has ended says so", "[solvers][sparse]") {
  const SparseProblem problem = with_ones(generate_sparse({.name = "triangles", .size = 20}));
  SparseOptions options;
  options.solver.max_iterations = 3;
  const Report few = solve_on_host(problem, options).report;
  CHECK(few.outcome == Outcome::step_limit);
  CHECK(few.remark
        == "solver.max_iterations = 3 reached before solver.tolerance; use a larger "
           "solver.max_iterations");
  options = refined(Precision::double_, {Precision::single_}, RefinementVariant::refinement);
  options.solver.max_iterations = 2;
  options.solver.refinement.stop = {{11, {}}};
  const Report inner = solve_on_host(problem, options).report;
  CHECK(inner.outcome != Outcome::converged);
  CHECK(inner.inner_iterations >= 20);
  CHECK_THAT(inner.remark, ContainsSubstring("20 inner iterations, 10 times solver.max_iterations, "
                                             "reached before solver.tolerance"));
}

TEST_CASE("a residual as large as the right-hand side is no solution, however large the tolerance",
          "[solvers][sparse]") {
  const SparseProblem problem = with_ones(generate_sparse({.name = "triangles", .size = 40}));
  for (const Precision precision : {Precision::bfloat16, Precision::half}) {
    for (const double tolerance : {0.2, 0.1, 0.05, 0.02}) {
      SparseOptions options = in(precision);
      options.solver.tolerance = tolerance;
      const Report report = solve_on_host(problem, options).report;
      CAPTURE(to_string(precision), tolerance, report.true_residual_reduction);
      if (report.outcome == Outcome::converged) {
        CHECK(report.true_residual_reduction <= std::max(tolerance, 0.1));
      }
    }
  }
}

TEST_CASE("a solve that fails says by what", "[solvers][sparse]") {
  // Neumann's matrix in one dimension, for right-hand sides that it does not reach.
  constexpr int n = 200;
  std::vector<SparseEntry> entries;
  for (int i = 0; i + 1 < n; ++i) {
    entries.push_back({i, i, 1.0});
    entries.push_back({i + 1, i + 1, 1.0});
    entries.push_back({i, i + 1, -1.0});
    entries.push_back({i + 1, i, -1.0});
  }
  SparseProblem singular{assemble_sparse(n, n, entries)};
  for (int i = 0; i < n; ++i) singular.b.high.push_back(std::sin(i) + 0.5);
  const Report grown = solve_on_host(singular).report;
  CAPTURE(grown.remark);
  REQUIRE(grown.outcome == Outcome::diverged);
  CHECK_THAT(grown.remark, ContainsSubstring("takes some v to zero"));

  // Hilbert's matrix: in half it is another one.
  entries.clear();
  constexpr int m = 12;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) entries.push_back({i, j, 1.0 / (i + j + 1)});
  }
  const SparseProblem hilbert = with_ones(assemble_sparse(m, m, entries));
  const Report rounded = solve_on_host(hilbert, in(Precision::half)).report;
  CAPTURE(rounded.remark);
  REQUIRE(rounded.outcome == Outcome::not_finite);
  CHECK_THAT(rounded.remark,
             ContainsSubstring("range of half, or the matrix, rounded to that, is not positive "
                               "definite; use solver.precision = \"single\""));
  // Corrections that no longer help are named, not the format outside.
  const Report coarse =
      solve_on_host(hilbert, refined(Precision::double_double, {Precision::single_},
                                     RefinementVariant::refinement, 1e-20))
          .report;
  CAPTURE(coarse.remark);
  REQUIRE(coarse.outcome != Outcome::converged);
  CHECK_THAT(coarse.remark, ContainsSubstring("a more precise refinement.inner_precision"));
}

TEST_CASE("errors of any size are measured", "[solvers][sparse]") {
  const WideVector exact{{3, 4}, {}};
  CHECK(errors_of({{3e200, 4}, {}}, exact).l2.value() == Approx(3e200 / 5));
  CHECK(errors_of({{3e200, 4}, {}}, exact).largest.value() == Approx(3e200 / 4));
  CHECK(errors_of({{3 + 3e-9, 4}, {}}, exact).l2.value() == Approx(3e-9 / 5));
  CHECK(errors_of({{3e-200, 4e-200}, {}}, {{0, 0}, {}}).l2.value() == Approx(5e-200));
  CHECK(errors_of({{1e-300, 1e-300}, {}}, {{2e-300, 2e-300}, {}}).l2.value() == Approx(0.5));
}
