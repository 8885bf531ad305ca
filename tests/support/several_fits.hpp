#pragma once
// Right-hand sides of very different kinds for one fit, and whether two fits are the same.

#include <cmath>
#include <string>
#include <vector>

#include "grids/counter_random.hpp"

#include "solvers/least_squares/least_squares.hpp"

#include "tests/support/same_bits.hpp"

namespace ninefold::testing {

/// The second of them is zero; the others differ in size and in the iterations they take.
inline std::vector<SparseRight> several_fits(const SparseMatrix& A, std::size_t count) {
  std::vector<SparseRight> rights;
  const auto m = static_cast<std::size_t>(A.pattern.n_rows);
  const auto n = static_cast<std::size_t>(A.pattern.n_columns);
  for (std::size_t k = 0; k < count; ++k) {
    SparseRight one{WideVector{std::vector<double>(m), {}}, {}};
    const CounterRandom random(k + 1);
    if (k == 0) {
      SparseProblem ones = with_ones(A);
      one.b = std::move(ones.b);
      one.solution = std::move(ones.solution);
    } else if (k == 2) {
      one.b.high[m / 3] = 1e-5;
    } else if (k > 2) {
      for (std::size_t i = 0; i < m; ++i) {
        one.b.high[i] = std::ldexp(2 * random.unit(i) - 1, static_cast<int>(7 * k));
      }
      one.solution = WideVector{std::vector<double>(n, 1.0), {}};
    }
    rights.push_back(std::move(one));
  }
  return rights;
}

/// What differs between two fits but for their times and work, or an empty text.
inline std::string difference_of_fits(const LeastSquaresSolved& a, const LeastSquaresSolved& b) {
  if (!same_bits(a.solution.high, b.solution.high) || !same_bits(a.solution.low, b.solution.low)) {
    return "solution";
  }
  if (!same_bits(a.report.history, b.report.history)) return "history";
  if (a.report.outcome != b.report.outcome) return "outcome";
  if (a.report.iterations != b.report.iterations) return "iterations";
  if (a.report.inner_history != b.report.inner_history) return "inner iterations";
  if (a.report.true_residual_reduction != b.report.true_residual_reduction) return "gradient";
  if (a.report.attainable_reduction != b.report.attainable_reduction) return "attainable gradient";
  if (a.residual_norm != b.residual_norm || a.solution_norm != b.solution_norm) return "norms";
  if (a.errors.l2 != b.errors.l2 || a.errors.largest != b.errors.largest) return "errors";
  if (a.condition != b.condition || a.fit_condition != b.fit_condition) return "condition";
  if (a.out_of_bounds != b.out_of_bounds || a.largest_violation != b.largest_violation) {
    return "bounds";
  }
  return "";
}

}  // namespace ninefold::testing
