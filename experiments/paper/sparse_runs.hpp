#pragma once
// The solves of an experiment with sparse matrices: their progress, rows and files, as those of
// runs on grids have them.
//
// Shape.  A run has a row for each level; results.* and history-*.csv are on disk after each solve.
//
// Tests.  tests/experiments/experiments.py

#include <string>
#include <utility>

#include "solvers/sparse/sparse_solve.hpp"

#include "output/tables/results.hpp"
#include "output/tables/results_files.hpp"

#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace ninefold {

/// A solve's row: the errors are relative to the solution.
LevelResult level_result(int level, int unknowns, const SparseSolved& solved);

/// By CG with Jacobi's preconditioner, in the order that is given.
SparseOptions by_cg(Precision precision, double tolerance);

class SparseRuns {
 public:
  /// `solves` in all.  Throws ConfigurationError if nothing can be written to the folder of the
  /// options, std::invalid_argument if the backend is not there.
  SparseRuns(const ExperimentOptions& options, int solves);

  /// Solves as the level of a run, and keeps the row with it.
  SparseSolved solve(const std::string& run, int level, const SparseProblem& problem,
                     const SparseOptions& options);

  /// The same on another backend.
  SparseSolved solve(const std::string& run, int level, const SparseProblem& problem,
                     const SparseOptions& options, BackendKind where);

  BackendKind where() const { return where_; }
  void finish() const { progress_.finish(); }
  const Results& results() const { return results_; }

 private:
  BackendKind where_;
  ResultsWriter writer_;
  LevelProgress progress_;
  Results results_{};
};

}  // namespace ninefold
