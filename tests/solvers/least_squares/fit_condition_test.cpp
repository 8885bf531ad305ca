#include "solvers/least_squares/fit_condition.hpp"

#include <cmath>
#include <limits>
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
  const FitCondition exact = fit_condition(found, report, Precision::double_, {.solution = 2});
  CHECK(exact.of_matrix.value() == Approx(5));
  CHECK(exact.of_fit.value() == Approx(5));
  // 25 * 8 / (10 * 2)
  const FitCondition far =
      fit_condition(found, report, Precision::double_, {.data = 8, .solution = 2});
  CHECK(far.of_matrix.value() == Approx(5));
  CHECK(far.of_fit.value() == Approx(5 + 10));
  CHECK(!fit_condition(found, report, Precision::double_, {.data = 8}).of_fit);
}

TEST_CASE("what regularises has a residual of its own, and A a size of its own",
          "[solvers][least_squares]") {
  const CgCoefficients found = of_eigenvalues({4, 100});  // kappa 5, |K| 10
  const Report report = history({1, 1e-3, 1e-11});
  const auto of_fit = [&](const LeftOfFit& left) {
    return fit_condition(found, report, Precision::double_, left).of_fit.value();
  };
  CHECK(of_fit({.rest = 8, .solution = 2}) == Approx(5 + 10));
  CHECK(of_fit({.data = 8, .solution = 2, .largest_of_A = 1}) == Approx(5 + 1));
  CHECK(of_fit({.data = 8, .rest = 8, .solution = 2, .largest_of_A = 1}) == Approx(5 + 11));
  CHECK(of_fit({.data = 8, .solution = 2, .largest_of_A = 20}) == Approx(5 + 10));

  // However large lambda is, |x| falls with it, and nothing of the fit gets worse.
  LeastSquaresProblem problem{
      assemble_sparse(3, 2, std::vector<SparseEntry>{{0, 0, 3}, {1, 1, 2}, {2, 0, 1}, {2, 1, 1}})};
  problem.b = {{1, -2, 5}, {}};
  double before = std::numeric_limits<double>::infinity();
  for (const double lambda : {1.0, 1e4, 1e8, 1e12}) {
    LeastSquaresOptions options;
    options.regularisation = lambda;
    const LeastSquaresSolved solved = solve_least_squares(problem, options, BackendKind::host);
    CAPTURE(lambda);
    CHECK(solved.fit_condition.value() < 1.01 * before);
    CHECK(solved.fit_condition.value() < 20);
    before = solved.fit_condition.value();
  }
}

TEST_CASE("what a gradient has left is bounded by the condition", "[solvers][least_squares]") {
  const CgCoefficients found = of_eigenvalues({4, 100});
  const Report report = history({1, 1e-3, 1e-11});
  CHECK(fit_condition(found, report, Precision::double_, {.gradient = 8, .solution = 2})
            .unfinished.value()
        == Approx(1));
  CHECK(two_norm_bound(
            assemble_sparse(2, 2, std::vector<SparseEntry>{{0, 0, 3}, {0, 1, -4}, {1, 0, 100}}), 1)
        == Approx(std::sqrt(7 * 4)));

  // Of fits that end early, whose solution is known.
  constexpr int n = 12;
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) {
    entries.push_back({i, i, std::pow(10.0, -3.0 * i / (n - 1))});
    entries.push_back({n + i, i, 0.1 * entries.back().value});
  }
  LeastSquaresProblem problem{assemble_sparse(2 * n, n, entries)};
  problem.b = sparse_product(problem.A, std::vector<double>(n, 1.0));
  problem.solution = WideVector{std::vector<double>(n, 1.0), {}};
  int seen = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    LeastSquaresOptions options;
    options.solver.tolerance = tolerance;
    const LeastSquaresSolved solved = solve_least_squares(problem, options, BackendKind::host);
    CAPTURE(tolerance, solved.condition.value_or(0));
    // The lower bound of the condition is near it only at the end.
    if (solved.condition.value_or(0) < 900) continue;
    ++seen;
    CHECK(solved.errors.l2.value() <= 1.1 * solved.unfinished.value());
  }
  CHECK(seen >= 1);
}

TEST_CASE("a condition that a format does not see is left out", "[solvers][least_squares]") {
  const double seen = largest_seen_condition(Precision::single_);
  CHECK(seen == Approx(std::sqrt(0.1 * 0x1p24)));
  const Report report = history({1, 1e-3, 1e-11});
  for (const double part : {0.9, 1.1}) {
    const CgCoefficients found = of_eigenvalues({1, part * part * seen * seen});
    CHECK(fit_condition(found, report, Precision::single_, {.data = 1, .solution = 1})
              .of_matrix.has_value()
          == (part < 1));
    CHECK(fit_condition(found, report, Precision::double_, {.data = 1, .solution = 1})
              .of_matrix.has_value());
  }
  CHECK(fit_condition(of_eigenvalues({1, 2}), history({1, 1e-3, 1e-11}), Precision::double_,
                      {.solution = 1})
            .has_fallen);
  // What the last iterations have come to is near their best, which is not far below the first.
  CHECK_FALSE(fit_condition(of_eigenvalues({1, 2, 3}), history({1, 0.5, 0.02, 0.006}),
                            Precision::double_, {.solution = 1})
                  .has_fallen);
  CHECK(!fit_condition({}, history({0}), Precision::double_, {.data = 1, .solution = 1}).of_matrix);
}

TEST_CASE("what comes when the gradient no longer falls is left out", "[solvers][least_squares]") {
  const CgCoefficients found = of_eigenvalues({4, 100, 1});
  CHECK(fit_condition(found, history({1, 1e-2, 1e-4, 1e-5}), Precision::double_, {.solution = 1})
            .of_matrix.value()
        == Approx(10));
  CHECK(fit_condition(found, history({1, 1e-2, 1e-4, 0.9e-4}), Precision::double_, {.solution = 1})
            .of_matrix.value()
        == Approx(5));
  // By chance it has come below what rounding leaves.
  Report lucky = history({1, 1e-2, 1e-4, 1e-6});
  lucky.attainable_reduction = 1e-4;
  CHECK(fit_condition(found, lucky, Precision::double_, {.solution = 1}).of_matrix.value()
        == Approx(5));
}

TEST_CASE("of a search that begins anew the last part counts", "[solvers][least_squares]") {
  CgCoefficients found = of_eigenvalues({1, 4, 100, 9});
  found.ratios[0] = 0;
  CHECK(
      fit_condition(found, history({1, 0.5, 1e-2, 1e-3, 1e-5}), Precision::double_, {.solution = 1})
          .of_matrix.value()
      == Approx(5));
  // It has not fallen by two digits since then.
  CHECK(!fit_condition(found, history({1, 1e-3, 9e-4, 5e-4, 1e-4}), Precision::double_,
                       {.solution = 1})
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
