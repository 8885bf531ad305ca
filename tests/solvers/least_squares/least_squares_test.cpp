#include "solvers/least_squares/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <omp.h>

#include "fem/sparse/random_rows.hpp"
#include "fem/sparse/rectangular.hpp"
#include "fem/sparse/tomography.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"

using namespace ninefold;
using namespace ninefold::testing;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

LeastSquaresSolved fit(const LeastSquaresProblem& problem,
                       const LeastSquaresOptions& options = {}) {
  return solve_least_squares(problem, options, BackendKind::host);
}

LeastSquaresProblem measured(const MeasuredRows& data) {
  return {data.A, {data.b, {}}, {}, WideVector{data.truth, {}}};
}

LeastSquaresProblem image(int size = 16, double noise = 0.01) {
  return measured(
      tomography({.image_size = size, .angles = 14, .detectors = 2 * size, .noise = noise}));
}

LeastSquaresOptions in(Precision precision, double tolerance = 1e-10) {
  LeastSquaresOptions options;
  options.solver.precision = precision;
  options.solver.tolerance = tolerance;
  return options;
}

/// A line through points: columns 1 and k.
LeastSquaresProblem line(const std::vector<double>& b) {
  const int m = static_cast<int>(b.size());
  std::vector<SparseEntry> entries;
  for (int i = 0; i < m; ++i) {
    entries.push_back({i, 0, 1.0});
    entries.push_back({i, 1, 1.0 + i});
  }
  return {assemble_sparse(m, 2, entries), {b, {}}};
}

/// Columns of sizes 1 and `small`, nearly parallel as that is small.
LeastSquaresProblem ill_posed(int n, double ratio) {
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) {
    const double value = std::pow(ratio, -static_cast<double>(i) / (n - 1));
    entries.push_back({2 * i, i, value});
    entries.push_back({2 * i + 1, i, -value});
    entries.push_back({2 * i + 1, (i + 1) % n, 0.25 * value});
  }
  LeastSquaresProblem problem{assemble_sparse(2 * n, n, entries)};
  problem.b = sparse_product(problem.A, std::vector<double>(static_cast<std::size_t>(n), 1.0));
  for (std::size_t i = 0; i < problem.b.high.size(); ++i)
    problem.b.high[i] += i % 3 == 0 ? 1 : -0.5;
  return problem;
}

}  // namespace

TEST_CASE("a line is fitted as by hand", "[solvers][least_squares]") {
  const LeastSquaresSolved solved = fit(line({1, 2, 2}));
  CHECK(solved.report.outcome == Outcome::converged);
  CHECK(solved.report.iterations == 2);
  CHECK(solved.solution.high[0] == Approx(2.0 / 3));
  CHECK(solved.solution.high[1] == Approx(0.5));
  CHECK(solved.residual_norm == Approx(std::sqrt(1.0 / 6)));
  CHECK(solved.right_norm == Approx(3.0));
  // Eigenvalues of [3 6; 6 14].
  const double root = std::sqrt(17.0 * 17 - 24);
  CHECK(solved.condition.value() == Approx(std::sqrt((17 + root) / (17 - root))));
}

TEST_CASE("regularisation shrinks as its formula says", "[solvers][least_squares]") {
  // A is the identity: x = b / (1 + lambda).
  const LeastSquaresProblem problem{identity_matrix(3), {{1, -2, 4}, {}}};
  LeastSquaresOptions options;
  options.regularisation = 0.25;
  const LeastSquaresSolved solved = fit(problem, options);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(solved.solution.high[k] == Approx(problem.b.high[k] / 1.25));
  }
  CHECK(solved.solution_norm == Approx(std::sqrt(21.0) / 1.25));
}

TEST_CASE("differences leave a constant alone", "[solvers][least_squares]") {
  LeastSquaresProblem problem{identity_matrix(4), {{3, 3, 3, 3}, {}}, difference_matrix(4, 1)};
  LeastSquaresOptions options;
  options.regularisation = 1e4;
  const LeastSquaresSolved solved = fit(problem, options);
  for (const double x : solved.solution.high) CHECK(x == Approx(3));
  problem.b.high = {0, 0, 0, 4};
  for (const double x : fit(problem, options).solution.high) CHECK(x == Approx(1).epsilon(1e-3));
}

TEST_CASE("bounds are met as far as the penalty goes", "[solvers][least_squares]") {
  // x_i = (b_i + rho u) / (1 + rho) above u = 1, likewise below -1.
  const LeastSquaresProblem problem{identity_matrix(4), {{0.5, 3, -3, -0.25}, {}}};
  LeastSquaresOptions options;
  options.lower = -1;
  options.upper = 1;
  options.penalty = 99;
  const LeastSquaresSolved solved = fit(problem, options);
  CHECK(solved.report.outcome == Outcome::converged);
  const std::vector<double> expected{0.5, 1.02, -1.02, -0.25};
  for (std::size_t k = 0; k < 4; ++k) CHECK(solved.solution.high[k] == Approx(expected[k]));
  CHECK(solved.out_of_bounds == 2);
  CHECK(solved.largest_violation == Approx(0.02));
  // Where zero is out of bounds.
  options.lower = 0.25;
  options.upper.reset();
  CHECK(fit(problem, options).solution.high[3] == Approx((-0.25 + 99 * 0.25) / 100));
}

TEST_CASE("bounds are met at any scale of the matrix", "[solvers][least_squares]") {
  LeastSquaresOptions options;
  options.upper = 1;
  const auto largest = [&](double scale) {
    LeastSquaresProblem problem{identity_matrix(2), {{0.5 * scale, 3 * scale}, {}}};
    for (double& value : problem.A.values) value *= scale;
    return fit(problem, options).solution.high[1];
  };
  CHECK(largest(1) == Approx(13.0 / 11));
  for (const double scale : {0x1p-600, 0x1p600}) CHECK(largest(scale) == largest(1));
}

TEST_CASE("an image within bounds is nearer to what was measured", "[solvers][least_squares]") {
  const LeastSquaresProblem problem = image(16, 0.05);
  LeastSquaresOptions options;
  options.solver.tolerance = 1e-8;
  const double free = fit(problem, options).errors.l2.value();
  options.lower = 0;
  options.upper = 1;
  const LeastSquaresSolved bounded = fit(problem, options);
  CHECK(bounded.report.outcome == Outcome::converged);
  CHECK(bounded.errors.l2.value() < 0.8 * free);
}

TEST_CASE("no bit of a fit depends on storage or threads", "[solvers][least_squares]") {
  for (const bool has_bounds : {false, true}) {
    const LeastSquaresProblem problem =
        measured(random_rows({.rows = 4000, .columns = 150, .entries = 41001}));
    LeastSquaresOptions options;
    options.regularisation = 0.1;
    if (has_bounds) options.upper = 0.9;
    const LeastSquaresSolved first = fit(problem, options);
    CHECK(first.report.iterations > 10);
    for (const SparseStorage storage : {SparseStorage::compressed, SparseStorage::jagged}) {
      LeastSquaresOptions other = options;
      other.storage = storage;
      const LeastSquaresSolved solved = fit(problem, other);
      CHECK(same_bits(solved.report.history, first.report.history));
      CHECK(same_bits(solved.solution.high, first.solution.high));
    }
    const int before = omp_get_max_threads();
    omp_set_num_threads(3);
    const LeastSquaresSolved solved = fit(problem, options);
    omp_set_num_threads(before);
    CHECK(same_bits(solved.report.history, first.report.history));
    CHECK(same_bits(solved.solution.high, first.solution.high));
  }
}

TEST_CASE("every format fits as well as it has digits", "[solvers][least_squares]") {
  const LeastSquaresProblem problem = image();
  LeastSquaresOptions options;
  options.regularisation = 1;
  const WideVector exact = reference_least_squares(problem, options, BackendKind::host);
  LeastSquaresProblem known = problem;
  known.solution = exact;
  const std::vector<Precision> formats{
      Precision::half,    Precision::bfloat16,      Precision::single_,    Precision::double_single,
      Precision::double_, Precision::double_double, Precision::soft(30, 8)};
  for (const Precision precision : formats) {
    const double u = facts(precision).unit_roundoff;
    CAPTURE(to_string(precision));
    options.solver.precision = precision;
    options.solver.tolerance = 50 * u;
    options.solver.max_iterations = 300;
    const LeastSquaresSolved solved = fit(known, options);
    const double condition = fit(known, in(Precision::double_)).condition.value_or(1e3);
    CHECK(solved.errors.l2.value() < std::max(30 * condition * u, 1e-19));  // the reference's own
    CHECK(std::isfinite(solved.report.true_residual_reduction));
  }
}

TEST_CASE("where a format holds the gradient it is told, and what the condition is",
          "[solvers][least_squares]") {
  const LeastSquaresProblem problem = ill_posed(40, 30);
  LeastSquaresOptions options = in(Precision::single_, 1e-12);
  options.solver.max_iterations = 20000;
  const LeastSquaresSolved single = fit(problem, options);
  CHECK(single.report.outcome == Outcome::stagnated);
  CHECK_THAT(single.report.remark, ContainsSubstring("above the tolerance of 1e-12, where rounding "
                                                     "to single leaves about"));
  const LeastSquaresSolved wider = fit(problem, in(Precision::double_, 1e-12));
  CHECK(wider.report.outcome == Outcome::converged);
  CHECK(single.condition.value() == Approx(wider.condition.value()).epsilon(0.1));
}

TEST_CASE("refinement gives a narrow format the digits of a wider one",
          "[solvers][least_squares]") {
  const LeastSquaresProblem problem = ill_posed(40, 30);
  for (const Precision inner : {Precision::single_, Precision::half}) {
    LeastSquaresOptions options = in(Precision::double_, 1e-12);
    options.solver.refinement.inner = {inner};
    const LeastSquaresSolved solved = fit(problem, options);
    CAPTURE(to_string(inner));
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(solved.report.true_residual_reduction <= 1e-12);
    CHECK(solved.report.inner_iterations > solved.report.iterations);
  }
  LeastSquaresOptions options = in(Precision::double_double, 1e-24);
  options.solver.refinement.inner = {Precision::double_};
  CHECK(fit(problem, options).report.true_residual_reduction <= 1e-24);
}

TEST_CASE("of fewer rows than unknowns the smallest solution is found and told",
          "[solvers][least_squares]") {
  // x + y = 2
  const LeastSquaresSolved solved =
      fit({{{.n_rows = 1, .n_columns = 2, .row_starts = {0, 2}, .columns = {0, 1}}, {1, 1}},
           {{2}, {}}});
  CHECK(solved.is_deficient);
  CHECK(solved.solution.high == std::vector<double>{1, 1});
  CHECK(!fit(line({1, 2, 2})).is_deficient);
}

TEST_CASE("a matrix without full rank is found out", "[solvers][least_squares]") {
  const auto deficiency = [](const SparseMatrix& A) {
    return rank_deficiency(A, 1000, BackendKind::host);
  };
  const MeasuredRows data = random_rows({.rows = 300, .columns = 40, .entries = 2000});
  CHECK(!deficiency(data.A));
  CHECK(!deficiency(ill_posed(40, 30).A));
  // Column 0 has what column 1 has: x and y with x = -y.
  std::vector<SparseEntry> entries;
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 40; ++j) {
      const double value = data.A(i, j == 0 ? 1 : j);
      if (value != 0) entries.push_back({i, j, value});
    }
  }
  CHECK(deficiency(assemble_sparse(300, 40, entries)).value() < 1e-14);
  // And nearly so: what is left is the size of the difference.
  for (SparseEntry& entry : entries) {
    if (entry.column == 0 && entry.row % 2 == 0) entry.value *= 1 + 1e-9;
  }
  const double nearly = deficiency(assemble_sparse(300, 40, entries)).value();
  CHECK(nearly > 1e-12);
  CHECK(nearly < 1e-9);
}

TEST_CASE("nothing is fitted by zero", "[solvers][least_squares]") {
  const LeastSquaresSolved solved = fit(line({1, -2, 1}));  // orthogonal to both columns
  CHECK(solved.report.outcome == Outcome::converged);
  CHECK(solved.report.iterations == 0);
  CHECK(solved.solution.high == std::vector<double>{0, 0});
  CHECK(solved.residual_norm == Approx(std::sqrt(6.0)));
}

TEST_CASE("scales by powers of two change nothing but exponents", "[solvers][least_squares]") {
  const LeastSquaresProblem problem = ill_posed(20, 10);
  LeastSquaresProblem scaled = problem;
  for (double& value : scaled.A.values) value *= 0x1p300;
  for (double& value : scaled.b.high) value *= 0x1p-200;
  for (double& value : scaled.b.low) value *= 0x1p-200;
  const LeastSquaresSolved one = fit(problem), other = fit(scaled);
  CHECK(same_bits(one.report.history, other.report.history));
  for (std::size_t k = 0; k < one.solution.high.size(); ++k) {
    CHECK(other.solution.high[k] == one.solution.high[k] * 0x1p-500);
  }
}

TEST_CASE("a fit that cannot be is refused with what is wrong", "[solvers][least_squares]") {
  const LeastSquaresProblem good = line({1, 2, 2});
  const auto refused = [](const LeastSquaresProblem& problem, const LeastSquaresOptions& options,
                          const std::string& words) {
    CHECK_THROWS_WITH(fit(problem, options), ContainsSubstring(words));
  };
  LeastSquaresProblem bad = good;
  bad.A.values[0] = bad.A.values[1] = 0;
  refused(bad, {}, "row 1 of the matrix is empty");
  bad = good;
  bad.A.values[1] = bad.A.values[3] = bad.A.values[5] = 0;
  refused(bad, {}, "column 2 of the matrix is empty");
  bad = good;
  bad.A.values[0] = INFINITY;
  refused(bad, {}, "an entry that is not finite");
  bad = good;
  bad.b.high.pop_back();
  refused(bad, {}, "the right-hand side has 2 values, the matrix 3 rows");
  bad = good;
  bad.b.low = {0, 0};
  refused(bad, {}, "low parts for some of its values only");
  bad.b.low = {0, NAN, 0};
  refused(bad, {}, "the right-hand side has a value that is not finite");
  bad = good;
  bad.solution = WideVector{{1, 2, 3}, {}};
  refused(bad, {}, "the solution to measure against has 3 values, the matrix 2 columns");
  bad = good;
  bad.L = identity_matrix(3);
  refused(bad, {}, "the operator has 3 columns, the matrix 2");
  LeastSquaresOptions options;
  options.regularisation = -1;
  refused(good, options, "the regularisation is -1: a number that is not negative");
  bad = good;
  bad.L = {identity_matrix(2).pattern, {1e200, 1e200}};
  options.regularisation = 1e300;
  refused(bad, options, "the square root of the regularisation, 1e+300");
  options = {};
  options.penalty = 1;
  refused(good, options, "a penalty is for bounds");
  options.upper = 0;
  options.penalty = 0;
  refused(good, options, "the penalty is 0");
  options.penalty.reset();
  options.lower = 0;
  refused(good, options, "the lower bound is 0: below the upper one, 0");
  options = {};
  options.upper = 1;
  options.solver.refinement.inner = {Precision::single_};
  refused(good, options, "with bounds");
  options = {};
  options.storage = SparseStorage::blocks_2;
  refused(good, options, "blocks are for square matrices");
  options = in(Precision::half);
  options.regularisation = 1e-30;
  refused(good, options,
          "entries from 1e-15 to 3 are needed, those of regularisation and bounds among them, and "
          "with the largest it holds none below 0.00012; allowed: bfloat16, single, double-single, "
          "double, double-double");
}
