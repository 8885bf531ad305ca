#pragma once
// Solves by one and by several ranks (tests/support/each_rank.hpp).

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "gpu/backend/ranks.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/each_rank.hpp"
#include "tests/support/row_kinds.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold::testing {

struct RankedSolve {
  ProblemOptions problem;
  SolverOptions options;
  int level = 6;  ///< at least; finer where fewer than two grids would be divided
  double height = 1;
  int cells_each = 16;  ///< of a rank (grids/slabs.hpp)
};

/// By points, of a problem with a reaction and a Neumann side.
inline RankedSolve solve_with_rows(const RowKind& rows) {
  RankedSolve stated;
  stated.options.form = rows.form;
  stated.options.storage = rows.storage;
  stated.options.multigrid.smoother = Smoother::jacobi;
  stated.options.multigrid.cycle = Cycle::f;
  stated.problem.solution = "exponential";
  stated.problem.reaction = 2;
  stated.problem.boundary[Side::top] = BoundaryKind::neumann;
  stated.height = 0.7;
  return stated;
}

struct TwoLevels {
  Solved coarser, solved;
};

/// Two levels, the finer one with what levels tell and what iteration and rounding leave.
inline TwoLevels solve_two_levels(const RankedSolve& stated, BackendKind where,
                                  const std::shared_ptr<const Ranks>& ranks) {
  const Problem problem = make_problem(stated.problem, 1.0, stated.height);
  SolverOptions options = stated.options;
  options.ranks = ranks;
  const std::vector<TensorGrid> all = make_hierarchy(1.0, stated.height, stated.level);
  const std::vector<TensorGrid> coarser(all.begin(), all.end() - 1);
  TwoLevels result;
  result.coarser = solve(prepare(problem, coarser, options, where), {nullptr, true, false});
  result.solved =
      solve(prepare(problem, all, options, where), {result.coarser.values, false, true});
  return result;
}

inline void check_same(const std::optional<double>& a, const std::optional<double>& b) {
  CHECK(a.has_value() == b.has_value());
  CHECK(a.value_or(0) == b.value_or(0));
}

/// Of a solve that has all rows, what one that shares its grid with others has of it.
inline Solved part_of(Solved whole, const Solved& part) {
  if (part.share == nullptr) return whole;
  const RowRange here = part.share->here();
  const std::size_t nx = whole.solution.size() / static_cast<std::size_t>(part.share->rows());
  for (std::vector<double>* const values : {&whole.solution, &whole.solution_low}) {
    if (values->empty()) continue;
    const auto begin = values->begin();
    *values = std::vector<double>(begin + static_cast<std::ptrdiff_t>(nx) * here.first,
                                  begin + static_cast<std::ptrdiff_t>(nx) * here.last);
  }
  return whole;
}

/// Each of so many ranks, in ascending order, finds what one on the host does, and has its rows of
/// the solution.
inline void check_ranks(RankedSolve stated, BackendKind where, const std::vector<int>& counts) {
  std::optional<TwoLevels> found_alone;
  for (const int count : counts) {
    const Slabs slabs(count, stated.cells_each);
    while (count > 1 && !slabs.divide((1 << (stated.level - 1)) + 1)) {
      ++stated.level;
      found_alone.reset();
    }
    if (!found_alone) found_alone = solve_two_levels(stated, BackendKind::host, nullptr);
    const TwoLevels& alone = *found_alone;
    const auto by_rank =
        found_by_ranks(count, stated.cells_each, [&](const std::shared_ptr<const Ranks>& ranks) {
          return solve_two_levels(stated, where, ranks);
        });
    for (const TwoLevels& one : by_rank) {
      CAPTURE(count, to_string(stated.options.precision), to_string(stated.options.method));
      CHECK((one.solved.share != nullptr) == (count > 1));
      check_same_solve(part_of(alone.coarser, one.coarser), one.coarser);
      check_same_solve(part_of(alone.solved, one.solved), one.solved);
      REQUIRE(one.solved.solver_errors.has_value() == alone.solved.solver_errors.has_value());
      if (!alone.solved.solver_errors) continue;
      CHECK(one.solved.solver_errors->remark == alone.solved.solver_errors->remark);
      check_same(one.solved.solver_errors->algebraic, alone.solved.solver_errors->algebraic);
      check_same(one.solved.solver_errors->rounding, alone.solved.solver_errors->rounding);
      check_same(one.solved.solver_errors->left, alone.solved.solver_errors->left);
    }
  }
}

}  // namespace ninefold::testing
