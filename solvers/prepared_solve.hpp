#pragma once
// A solve with all decided that does not need its data: made once, then run, and read by whoever
// says what is run.
//
// Usage.
//     const PreparedSolve prepared = prepare(problem, grids, SolverOptions{}, where);
//     ...                                        // what it will take: prepared.memory
//     const Solved solved = solve(prepared);     // solvers/solve.hpp
//
// Memory.  The forecast is what the owners of memory of a solve count when they are made on a Host
// that only counts (gpu/backend/backend.hpp): the same constructors, in the same order.
//
// Cost.  Per level what belongs to its nodes in one direction: tens of milliseconds at level 15.
//
// Tests.  tests/solvers/prepared_solve_test.cpp, and wherever a report's memory is compared with a
// forecast

#include <cstddef>
#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

#include "solvers/devices.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Bytes that a solve will hold at once on the backend, and those of the values that it and the
/// output of its solution hold on the host: up to five per node, in double or, for a double-double
/// solve, in double-double.
struct MemoryForecast {
  std::size_t backend = 0;
  std::size_t host = 0;
};

struct PreparedSolve {
  Problem problem;
  std::vector<TensorGrid> grids;  ///< the levels 0 to L >= 1 of one hierarchy
  SolverOptions options;          ///< settled()
  BackendKind where = BackendKind::host;

  Smoothing smoothing;  ///< of multigrid, where that solves or preconditions
  Smoothing suitable;   ///< what "auto" takes on the finest grid
  Smoothing judging;    ///< of the multigrid that judges the solution at its end, if one does
  bool has_detached_thin_cells = false;  ///< on the finest grid (fem/discrete/error_bound.hpp)
  bool watches_changes = false;          ///< the changes of x, beside the residual
  /// Changes tell, but cannot be watched, for want of a multigrid that suits the grid: where the
  /// residual does not suffice, cycles are made for the judgement at the end.
  bool judges_by_a_cycle = false;

  /// Whether the solution is wanted on the host; if not, its errors are all that is left of it.
  bool keeps_solution = true;

  MemoryForecast memory;

  int level() const { return static_cast<int>(grids.size()) - 1; }
  const TensorGrid& finest() const { return grids.back(); }
  OperatorForm form() const { return options.form.value(); }
};

/// A solve of the problem on the finest of `grids`, which are the levels 0 to L of one hierarchy, L
/// >= 1.  Throws BadValue for options out of range or that do not suit the grids, and for a
/// software format on a CUDA device, std::invalid_argument for grids of another problem.  Memory is
/// not asked for. std::logic_error if another thread solves in a software format.
PreparedSolve prepare(Problem problem, std::vector<TensorGrid> grids, const SolverOptions& options,
                      BackendKind where, bool keeps_solution = true);

/// What a prepared solve takes for the data that its problem has now.
MemoryForecast forecast_memory(const PreparedSolve& prepared);
/// The memory of a prepared solve, also on a device that is not there or not for its formats; the
/// problem needs no data.  Throws BadValue for options out of range.
MemoryForecast forecast_memory(const Problem& problem, const std::vector<TensorGrid>& grids,
                               const SolverOptions& options, BackendKind where);
/// The same from the level alone (nodes 2^level + 1 squared, all cells alike).  With the smoother
/// left open a device's memory for lines is counted.
MemoryForecast forecast_memory(int level, const SolverOptions& options, BackendKind where);

/// The smoother of a solve in words, or that it has had no use for it; empty without multigrid.
std::string smoother_words(const PreparedSolve& prepared, const Report& report);

/// Throws OutOfMemory, with both numbers, if the forecast exceeds the memory now available;
/// of several ranks, all of which call it, on all if it does on one; those of one machine share
/// what there is.
void require_memory(const MemoryForecast& forecast, BackendKind where,
                    const Ranks* ranks = nullptr);
/// False where that would throw.
bool fits_memory(const MemoryForecast& forecast, BackendKind where, const Ranks* ranks = nullptr);

}  // namespace ninefold
