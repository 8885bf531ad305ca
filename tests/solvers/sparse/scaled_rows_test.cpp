// Rows of sparse matrices whose sizes differ by many orders of magnitude.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/sparse_solves.hpp"

using namespace ninefold;
using namespace ninefold::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("entries beyond a format's range are scaled into it by powers of two",
          "[solvers][sparse]") {
  SparseProblem plain = with_ones(generate_sparse({.name = "laplace-3d-7", .size = 12}));
  SparseProblem scaled = plain;
  std::vector<int> exponents;
  for (int i = 0; i < plain.A.pattern.n_rows; ++i) exponents.push_back((i * 7919) % 61 - 30);
  for (int i = 0; i < plain.A.pattern.n_rows; ++i) {
    for (std::int64_t k = plain.A.pattern.start(i); k < plain.A.pattern.start(i + 1); ++k) {
      const int j = plain.A.pattern.columns[std::size_t(k)];
      double& value = scaled.A.values[std::size_t(k)];
      value = std::ldexp(value, exponents[std::size_t(i)] + exponents[std::size_t(j)]);
    }
    scaled.b.high[std::size_t(i)] =
        std::ldexp(plain.b.high[std::size_t(i)], exponents[std::size_t(i)]);
    scaled.b.low[std::size_t(i)] =
        std::ldexp(plain.b.low[std::size_t(i)], exponents[std::size_t(i)]);
    (*scaled.solution)[std::size_t(i)] = std::ldexp(1.0, -exponents[std::size_t(i)]);
  }
  SparseOptions options = in(Precision::half, 1e-2);
  const SparseSolved with_range = solve_on_host(scaled, options);
  CHECK(with_range.report.residual_reduction <= 1e-2);
  if (with_range.report.outcome != Outcome::converged) {
    CHECK_THAT(with_range.report.remark, ContainsSubstring("scaled to fit a format"));
  }
  for (int i = 0; i < plain.A.pattern.n_rows; ++i) {
    const double x =
        std::ldexp(with_range.solution.high[std::size_t(i)], exponents[std::size_t(i)]);
    REQUIRE(std::abs(x - 1) < 0.2);
  }
}

TEST_CASE("in mixed precision scaled rows meet the tolerance as they were given",
          "[solvers][sparse][refinement]") {
  SparseProblem problem{generate_sparse({.name = "laplace-3d-7", .size = 12})};
  SparseMatrix& A = problem.A;
  const auto exponent = [](int i) { return (i * 7919) % 13 - 6; };
  std::vector<double> d;
  for (int i = 0; i < A.pattern.n_rows; ++i) d.push_back(std::ldexp(1.0, exponent(i)));
  scale_by(d, A);
  // It lies in a row of small entries: beside it what others are left with weighs more than D says.
  problem.b.high.assign(std::size_t(A.pattern.n_rows), 0.0);
  int row = A.pattern.n_rows / 2;
  while (exponent(row) != -6) ++row;
  problem.b.high[std::size_t(row)] = 1;
  for (const double tolerance : {1e-4, 1e-8, 1e-10}) {
    const Report report =
        solve_on_host(problem, refined(Precision::double_, {Precision::half},
                                       RefinementVariant::residual_guided_cg, tolerance))
            .report;
    CAPTURE(tolerance, report.residual_reduction, report.true_residual_reduction, report.remark);
    CHECK(report.outcome == Outcome::converged);
    CHECK(report.true_residual_reduction <= tolerance);
    CHECK(report.history.size() == std::size_t(report.iterations) + 1);
  }
}

TEST_CASE("a residual that rises as far as the diagonal spans has not diverged",
          "[solvers][sparse]") {
  SparseProblem problem{generate_sparse({.name = "triangles", .size = 20})};
  SparseMatrix& A = problem.A;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-6, 6);
  std::vector<double> d;
  for (int i = 0; i < A.pattern.n_rows; ++i) d.push_back(std::pow(10.0, exponent(random)));
  scale_by(d, A);
  problem.b.high.assign(d.size(), 0.0);
  problem.b.high[std::size_t(std::min_element(d.begin(), d.end()) - d.begin())] = 1;
  const Report report = solve_on_host(problem).report;
  CAPTURE(report.remark, report.residual_reduction);
  CHECK(*std::max_element(report.history.begin(), report.history.end()) > divergence_factor);
  CHECK(report.outcome != Outcome::diverged);
  CHECK(report.residual_reduction <= 1e-6);
}

TEST_CASE("inner rows that are badly scaled are in plain form", "[solvers][sparse][refinement]") {
  const SparseProblem laplacian = with_ones(generate_sparse({.name = "triangles", .size = 20}));
  SparseOptions options =
      refined(Precision::double_, {Precision::single_}, RefinementVariant::residual_guided_cg);
  CHECK(settled(options, laplacian.A).solver.refinement.inner_form == OperatorForm::difference);
  CHECK(settled(options, laplacian.A).solver.form == OperatorForm::plain);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-4, 4);
  SparseMatrix A = laplacian.A;
  std::vector<double> d;
  for (int i = 0; i < A.pattern.n_rows; ++i) d.push_back(std::pow(10.0, exponent(random)));
  scale_by(d, A);
  CHECK(settled(options, A).solver.refinement.inner_form == OperatorForm::plain);
  const SparseSolved solved = solve_on_host(with_ones(A), options);
  CAPTURE(solved.report.remark, solved.report.true_residual_reduction);
  CHECK(solved.report.outcome == Outcome::converged);
  CHECK(solved.inner_form == OperatorForm::plain);
  CHECK(solve_on_host(laplacian, options).inner_form == OperatorForm::difference);
  CHECK_FALSE(solve_on_host(laplacian, in(Precision::double_)).inner_form.has_value());
  options.solver.refinement.inner_form = OperatorForm::difference;  // what is said is kept
  CHECK(settled(options, A).solver.refinement.inner_form == OperatorForm::difference);
}
