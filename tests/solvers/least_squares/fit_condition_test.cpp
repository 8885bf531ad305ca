#include "solvers/least_squares/fit_condition.hpp"

#include <cmath>
#include <vector>

#include "solvers/least_squares/least_squares.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;

namespace {

/// Coefficients whose Lanczos matrix is diagonal but for next to nothing.
CgCoefficients of_eigenvalues(const std::vector<double>& values) {
  CgCoefficients found;
  for (const double value : values) {
    found.steps.push_back(1 / value);
    found.ratios.push_back(1e-200);
  }
  return found;
}

Report history(const std::vector<double>& values) {
  Report report;
  report.history = values;
  return report;
}

}  // namespace

TEST_CASE("the residual counts by the square of the condition", "[solvers][least_squares]") {
  const CgCoefficients found = of_eigenvalues({4, 100});  // of K'K
  const Report report = history({1, 1e-3, 1e-11});
  const FitCondition exact = fit_condition(found, report, Precision::double_, 0, 2);
  CHECK(exact.of_matrix.value() == Approx(5));
  CHECK(exact.of_fit.value() == Approx(5));
  // 25 * 8 / (10 * 2)
  const FitCondition far = fit_condition(found, report, Precision::double_, 8, 2);
  CHECK(far.of_matrix.value() == Approx(5));
  CHECK(far.of_fit.value() == Approx(5 + 10));
  CHECK(!fit_condition(found, report, Precision::double_, 8, 0).of_fit);
}

TEST_CASE("a condition that a format does not see is left out", "[solvers][least_squares]") {
  const double seen = largest_seen_condition(Precision::single_);
  CHECK(seen == Approx(std::sqrt(0.1 * 0x1p24)));
  const Report report = history({1, 1e-3, 1e-11});
  for (const double part : {0.9, 1.1}) {
    const CgCoefficients found = of_eigenvalues({1, part * part * seen * seen});
    CHECK(fit_condition(found, report, Precision::single_, 1, 1).of_matrix.has_value()
          == (part < 1));
    CHECK(fit_condition(found, report, Precision::double_, 1, 1).of_matrix.has_value());
  }
  CHECK(!fit_condition({}, history({0}), Precision::double_, 1, 1).of_matrix);
}

TEST_CASE("what comes when the gradient no longer falls is left out", "[solvers][least_squares]") {
  const CgCoefficients found = of_eigenvalues({4, 100, 1});
  CHECK(fit_condition(found, history({1, 1e-2, 1e-4, 1e-5}), Precision::double_, 0, 1)
            .of_matrix.value()
        == Approx(10));
  CHECK(fit_condition(found, history({1, 1e-2, 1e-4, 0.9e-4}), Precision::double_, 0, 1)
            .of_matrix.value()
        == Approx(5));
  // By chance it has come below what rounding leaves.
  Report lucky = history({1, 1e-2, 1e-4, 1e-6});
  lucky.attainable_reduction = 1e-4;
  CHECK(fit_condition(found, lucky, Precision::double_, 0, 1).of_matrix.value() == Approx(5));
}

TEST_CASE("of a search that begins anew the last part counts", "[solvers][least_squares]") {
  CgCoefficients found = of_eigenvalues({1, 4, 100, 9});
  found.ratios[0] = 0;
  CHECK(fit_condition(found, history({1, 0.5, 1e-2, 1e-3, 1e-5}), Precision::double_, 0, 1)
            .of_matrix.value()
        == Approx(5));
  // It has not fallen by two digits since then.
  CHECK(!fit_condition(found, history({1, 1e-3, 9e-4, 5e-4, 1e-4}), Precision::double_, 0, 1)
             .of_matrix);
}

TEST_CASE("rounding moves a fit by what its condition says", "[solvers][least_squares]") {
  // Columns of sizes 1 to 1/30, and data that are far from any fit.
  constexpr int n = 30;
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) {
    const double value = std::pow(30.0, -static_cast<double>(i) / (n - 1));
    entries.push_back({2 * i, i, value});
    entries.push_back({2 * i + 1, i, -value});
    entries.push_back({2 * i + 1, (i + 1) % n, 0.25 * value});
  }
  for (const double far : {0.0, 1.0}) {
    LeastSquaresProblem problem{assemble_sparse(2 * n, n, entries)};
    problem.b = sparse_product(problem.A, std::vector<double>(n, 1.0));
    for (std::size_t i = 0; i < problem.b.high.size(); ++i) {
      problem.b.high[i] += far * (i % 3 == 0 ? 1 : -0.5);
    }
    problem.solution = reference_least_squares(problem, {}, BackendKind::host);
    LeastSquaresOptions options;
    options.solver.precision = Precision::single_;
    const LeastSquaresSolved solved = solve_least_squares(problem, options, BackendKind::host);
    CAPTURE(far, solved.condition.value(), solved.errors.l2.value());
    const double bound = solved.fit_condition.value() * 0x1p-24;
    CHECK(solved.errors.l2.value() < bound);
    CHECK(solved.errors.l2.value() > 1e-3 * bound);
  }
}
