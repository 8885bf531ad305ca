#pragma once
// Paths to a solution: a number format alone, or one that keeps the solution and others, inside it,
// that solve for its corrections.
//
// Mathematics.  All paths solve test A (unit square, uniform grids) by the same multigrid, F-cycles
// with 2+2 damped Jacobi steps, alone or as the innermost solver of iterative refinement.
//
// Tests.  tests/experiments/support/solver_paths_test.cpp

#include <string>
#include <vector>

#include "precision/precision.hpp"

#include "solvers/options.hpp"
#include "solvers/solve.hpp"

#include "output/tables/results.hpp"

#include "experiments/config/study.hpp"
#include "experiments/support/options.hpp"

namespace ninefold {

struct SolverPath {
  Precision outer;
  std::vector<Precision> inner{};  ///< the outermost inner one first; empty: outer alone

  bool mixed() const { return !inner.empty(); }
};

/// "double", "double:single", "double-double:double:single".
std::string to_string(const SolverPath& path);

/// True if all of its formats are the hardware's, so that it can run on a device.
bool runs_on_device(const SolverPath& path);

/// How the paths are solved: the operator's form, outside and inside, and when to end.
struct PathSolve {
  OperatorForm form = OperatorForm::difference;
  double tolerance = 1e-11;
  int most_iterations = 60;
};

/// The plan of a path, with its name, on these levels of test A.
Plan plan_path(const SolverPath& path, const PathSolve& how, const ExperimentOptions& options,
               LevelRange levels);

/// The finest level, up to `level`, whose memory is there now; 0 if none is.
int finest_that_fits(int level, const SolverOptions& solver, BackendKind where);

/// Solves a level of the plan again, as often as it can be done in `seconds`, setup included; the
/// median time of the iteration, that of `first` among them.
double median_solve_seconds(const Plan& plan, const LevelResult& first, double seconds);

}  // namespace ninefold
