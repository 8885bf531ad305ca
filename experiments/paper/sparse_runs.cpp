#include "experiments/paper/sparse_runs.hpp"

#include <algorithm>

#include "experiments/program/interrupt.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/results_place.hpp"
#include "experiments/program/run.hpp"

namespace ninefold {

LevelResult level_result(int level, int unknowns, const SparseSolved& solved) {
  const Report& report = solved.report;
  LevelResult row;
  row.level = level;
  row.unknowns = unknowns;
  row.iterations = report.iterations;
  if (!report.inner_history.empty()) {
    row.inner_iterations = report.inner_iterations;
    row.inner_history = report.inner_history;
  }
  row.outcome = to_string(report.outcome);
  row.residual_reduction = report.residual_reduction;
  row.true_residual_reduction = report.true_residual_reduction;
  row.attainable_reduction = report.attainable_reduction;
  row.error_l2 = solved.errors.l2;
  row.error_max = solved.errors.largest;
  row.setup_seconds = report.setup_seconds;
  row.solve_seconds = report.solve_seconds;
  row.moved_bytes = report.work.bytes;
  row.memory_bytes = report.memory_bytes;
  row.remark = report.remark;
  row.history = report.history;
  return row;
}

SparseOptions by_cg(Precision precision, double tolerance) {
  SparseOptions options;
  options.order = RowOrder::given;
  options.solver.precision = precision;
  options.solver.tolerance = tolerance;
  options.solver.max_iterations = 100'000;
  return options;
}

SparseRuns::SparseRuns(const ExperimentOptions& options, int solves)
    : where_(choose_backend(options.backend)),
      writer_(open_results(options.output)),
      progress_(solves, options.output) {
  results_.meta = make_meta({where_});
}

SparseSolved SparseRuns::solve(const std::string& run, int level, const SparseProblem& problem,
                               const SparseOptions& options) {
  return solve(run, level, problem, options, where_);
}

SparseSolved SparseRuns::solve(const std::string& run, int level, const SparseProblem& problem,
                               const SparseOptions& options, BackendKind where) {
  progress_.begin(run, level);
  SparseSolved solved = solve_sparse(problem, options, where);
  auto found = std::find_if(results_.runs.begin(), results_.runs.end(),
                            [&](const RunResult& one) { return one.name == run; });
  if (found == results_.runs.end()) {
    results_.runs.push_back({run, {}, {}});
    found = results_.runs.end() - 1;
  }
  found->levels.push_back(level_result(level, problem.A.pattern.n_rows, solved));
  {
    const Uninterrupted whole_files;
    writer_.update_tables(results_);
  }
  progress_.end(run, found->levels.back());
  return solved;
}

}  // namespace ninefold
