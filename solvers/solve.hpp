#pragma once
// From named options to a solved problem: the only place where precision, method and backend are
// chosen at run time.
//
// Usage.
//     const auto grids = make_hierarchy(1.0, 1.0, 9);
//     const auto problem = make_problem({}, 1.0, 1.0);
//     const auto where = choose_backend("auto");
//     const auto solved = solve(problem, grids, SolverOptions{}, where);
//     const auto errors = measure_errors(problem, grids.back(), nodal_values(solved));
//
// Rounding.  Matrix and load are assembled in double (in double-double for a double-double solver)
// and rounded once to the solver's format.  The system is scaled by powers of two so that its
// largest entries are near one; this changes no digit and keeps squared norms inside the format's
// range.
//
// Tests.  tests/solvers/solve_test.cpp

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/errors.hpp"
#include "fem/discrete/nodal_values.hpp"
#include "fem/problem/problems.hpp"

#include "solvers/devices.hpp"
#include "solvers/estimate/solver_errors.hpp"
#include "solvers/options.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

class LevelSolution;

struct Solved {
  Report report;
  /// At node (i, j), k = j nx + i, boundary nodes included.  Where ranks share the grid, of the
  /// rows share->here(): each rank has its part.
  std::vector<double> solution;
  std::vector<double> solution_low;  ///< what double leaves of a double-double solution; else empty
  std::shared_ptr<const RowShare> share;  ///< null where all rows are here
  /// Against the analytic solution, measured where the solve ran; nothing if that is not known as a
  /// sum of products: then by measure_errors().
  std::optional<Errors> errors;
  /// Of Neighbours: the solution's own error as the coarser level tells it, if errors fall by four
  /// from level to level (solvers/estimate/level_errors.hpp).
  std::optional<Errors> level_errors;
  std::optional<double> l2;  ///< of the solution, by lumped masses, where that is told
  std::shared_ptr<const LevelSolution> values;  ///< of Neighbours
  std::optional<SolverErrors> solver_errors;    ///< where they are asked for
};

/// A view of the solution as double has it.
inline NodalValues<double> nodal_values(const Solved& solved) {
  return {solved.solution, solved.share.get()};
}

/// The levels beside one that is solved.
struct Neighbours {
  std::shared_ptr<const LevelSolution> coarser;  ///< its solution's values, to compare with
  bool is_finer_next = false;                    ///< the values of this one are kept for it
  bool estimates_solver_errors = false;
};

/// The solution with all its digits, of a double-double solve; the same nodes.
std::vector<DoubleDouble> wide_solution(const Solved& solved);

/// Solves from zero; the solution stays empty if prepared.keeps_solution is false and nothing else
/// needs it.  Throws BadValue for data that are not finite and systems that the format's range
/// cannot hold, std::invalid_argument for a solution beyond double; std::runtime_error if memory
/// does not suffice or a CUDA call fails; std::logic_error if another thread solves in a software
/// format.
Solved solve(const PreparedSolve& prepared, const Neighbours& neighbours = {});

/// The same, prepared here: see prepare() for the arguments and what it throws.
Solved solve(const Problem& problem, const std::vector<TensorGrid>& grids,
             const SolverOptions& options, BackendKind where);

}  // namespace ninefold
