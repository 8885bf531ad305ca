#pragma once
// Sparse systems and fits by one and by several ranks (tests/support/each_rank.hpp).

#include <memory>
#include <vector>

#include "gpu/backend/ranks.hpp"

#include "solvers/least_squares/least_squares.hpp"
#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/each_rank.hpp"
#include "tests/support/several_rights.hpp"

namespace ninefold::testing {

/// Tridiagonal, of two systems that know nothing of each other.
inline SparseMatrix two_chains(int first, int second) {
  std::vector<SparseEntry> entries;
  for (int i = 0; i < first + second; ++i) {
    entries.push_back({i, i, 2.5});
    if (i == 0 || i == first) continue;
    entries.push_back({i, i - 1, -1.0});
    entries.push_back({i - 1, i, -1.0});
  }
  return assemble_sparse(first + second, first + second, entries);
}

/// What each of so many ranks finds.
template <class Solve>
auto solve_on_ranks(int count, const Solve& solve) {
  return found_by_ranks(count, Slabs::fewest_cells, solve);
}

/// Each rank finds what one on the host does, for each right-hand side.
inline void check_system(const SparseMatrix& A, const std::vector<SparseRight>& rights,
                         const SparseOptions& stated, BackendKind where,
                         const std::vector<int>& counts) {
  const std::vector<SparseSolved> alone = solve_sparse(A, rights, stated, BackendKind::host);
  for (const int count : counts) {
    CAPTURE(count, to_string(stated.solver.precision), stated.storage.has_value());
    const auto found = solve_on_ranks(count, [&](const std::shared_ptr<const Ranks>& ranks) {
      SparseOptions options = stated;
      options.solver.ranks = ranks;
      return solve_sparse(A, rights, options, where);
    });
    for (const std::vector<SparseSolved>& own : found) {
      REQUIRE(own.size() == alone.size());
      for (std::size_t k = 0; k < own.size(); ++k) CHECK(difference(alone[k], own[k]) == "");
      CHECK(own.front().report.work.bytes == found.front().front().report.work.bytes);
    }
  }
}

inline void check_fit(const LeastSquaresProblem& problem, const LeastSquaresOptions& stated,
                      BackendKind where, const std::vector<int>& counts) {
  const LeastSquaresSolved alone = solve_least_squares(problem, stated, BackendKind::host);
  for (const int count : counts) {
    CAPTURE(count, to_string(stated.solver.precision), stated.storage.has_value());
    const auto found = solve_on_ranks(count, [&](const std::shared_ptr<const Ranks>& ranks) {
      LeastSquaresOptions options = stated;
      options.solver.ranks = ranks;
      return solve_least_squares(problem, options, where);
    });
    for (const LeastSquaresSolved& own : found) {
      CHECK(same_bits(own.solution.high, alone.solution.high));
      CHECK(same_bits(own.solution.low, alone.solution.low));
      CHECK(same_bits(own.report.history, alone.report.history));
      CHECK(own.report.outcome == alone.report.outcome);
      CHECK(own.report.inner_history == alone.report.inner_history);
      CHECK(own.report.attainable_reduction == alone.report.attainable_reduction);
    }
  }
}

}  // namespace ninefold::testing
