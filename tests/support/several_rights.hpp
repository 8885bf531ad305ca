#pragma once
// Right-hand sides of very different kinds for one matrix, and whether two solves are the same.

#include <cmath>
#include <string>
#include <vector>

#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/same_bits.hpp"

namespace ninefold::testing {

/// The second of them is zero; the others differ in size, smoothness and the iterations they take.
inline std::vector<SparseRight> several_rights(const SparseMatrix& A, std::size_t count) {
  std::vector<SparseRight> rights;
  const auto n = static_cast<std::size_t>(A.pattern.n_rows);
  for (std::size_t k = 0; k < count; ++k) {
    if (k == 1) {
      rights.push_back({WideVector{std::vector<double>(n), {}}, {}});
    } else if (k == 2) {
      rights.push_back({WideVector{std::vector<double>(n), {}}, {}});
      rights.back().b.high[n / 3] = 1e-5;
    } else {
      SparseProblem one = k == 0 ? with_ones(A) : with_random_solution(A, k);
      for (double& value : one.b.high) value = std::ldexp(value, static_cast<int>(7 * k));
      for (double& value : one.b.low) value = std::ldexp(value, static_cast<int>(7 * k));
      rights.push_back({std::move(one.b), {}});
    }
  }
  return rights;
}

/// What differs between two solves but for their times and work, or an empty text.
inline std::string difference(const SparseSolved& a, const SparseSolved& b) {
  if (!same_bits(a.solution.high, b.solution.high) || !same_bits(a.solution.low, b.solution.low)) {
    return "solution";
  }
  if (!same_bits(a.report.history, b.report.history)) return "history";
  if (a.report.outcome != b.report.outcome) return "outcome";
  if (a.report.iterations != b.report.iterations) return "iterations";
  if (a.report.inner_history != b.report.inner_history) return "inner iterations";
  if (a.report.true_residual_reduction != b.report.true_residual_reduction) return "residual";
  if (a.report.attainable_reduction != b.report.attainable_reduction) return "attainable residual";
  if (a.condition != b.condition) return "condition";
  return "";
}

}  // namespace ninefold::testing
