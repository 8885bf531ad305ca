#include "experiments/program/solved_level.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/bad_value.hpp"
#include "precision/parameter_format.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/errors.hpp"

#include "solvers/timeline.hpp"

namespace ninefold {
namespace {

std::int64_t count_unknowns(const TensorGrid& grid, const Boundary& boundary) {
  const Box nodes = unknown_nodes(grid, boundary);
  return std::int64_t{nodes.width()} * nodes.height();
}

/// The parts of a level's time add up to all of it.
void close_timeline(LevelResult& row) {
  double rest = row.setup_seconds + row.solve_seconds + row.finish_seconds;
  for (const auto& [part, seconds] : row.timeline) rest -= seconds;
  row.timeline.emplace_back("rest", std::max(0.0, rest));
}

/// The errors of a solution that is known at the nodes.
Errors errors_by_nodes(const PreparedSolve& prepared, const Solved& solved) {
  const Problem& problem = prepared.problem;
  const TensorGrid& grid = prepared.finest();
  if (solved.solution_low.empty()) return measure_errors(problem, grid, nodal_values(solved));
  const std::vector<DoubleDouble> wide = wide_solution(solved);
  return measure_errors(problem, grid, NodalValues<DoubleDouble>(wide, solved.share.get()));
}

/// The row of a level whose solve began then.
LevelResult row_of(const PreparedSolve& prepared, const Solved& solved,
                   std::chrono::steady_clock::time_point began) {
  const Problem& problem = prepared.problem;
  const Report& report = solved.report;
  LevelResult row = row_of_grid(prepared);
  row.iterations = report.iterations;
  row.outcome = to_string(report.outcome);
  row.residual_reduction = report.residual_reduction;
  row.true_residual_reduction = report.true_residual_reduction;
  row.attainable_reduction = report.attainable_reduction;
  row.error_bound = report.error_bound;
  if (report.error_bound) {
    row.judged_by = report.judged_by_change ? "change" : "bound";
    row.bound_norm = to_string(prepared.options.norm);
    if (!prepared.options.relative) row.bound_norm += ", absolute";
  }
  row.setup_seconds = report.setup_seconds;
  row.solve_seconds = report.solve_seconds;
  row.moved_bytes = report.work.bytes;
  row.memory_bytes = report.memory_bytes;
  // Full multigrid without an inner format corrects in its own.
  const SolverOptions& options = prepared.options;
  if (options.refinement.used()
      && (options.method != Method::full_multigrid
          || options.refinement.inner.back() != options.precision)) {
    row.inner_iterations = report.inner_iterations;
    row.inner_history = report.inner_history;
    row.transferred_bytes = report.transferred_bytes;
    row.outer_bytes = report.outer_work.bytes;
  }
  row.smoother = report.smoother;
  row.remark = report.remark;
  row.history = report.history;
  Timeline timeline(report.timeline);
  if (problem.solution && report.outcome != Outcome::not_finite) {
    try {
      const Errors errors = solved.errors ? *solved.errors : errors_by_nodes(prepared, solved);
      row.error_l2 = errors.l2;
      row.error_rms = errors.rms;
      row.error_max = errors.max;
    } catch (const BadValue& error) {  // the solve did not need the solution there
      row.data_remarks.push_back(fmt::format("errors are not measured: {}", error.what()));
    }
  }
  timeline.mark(part::errors);
  for (const TimedPart& part : timeline.parts()) {
    row.timeline.emplace_back(part.name, part.seconds);
  }
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - began;
  row.finish_seconds = std::max(0.0, all.count() - row.setup_seconds - row.solve_seconds);
  return row;
}

/// Of a residual that rounding holds above the tolerance, though no more digits would show: what
/// its remark advises serves the tolerance alone.  Empty of others.
std::string enough_remark(const SolverOptions& options, const LevelResult& row) {
  const bool has_stagnated =
      row.outcome == to_string(Outcome::stagnated) && !options.to_discretisation;
  if (!has_stagnated || !row.estimated_l2 || !row.rounding_l2 || !row.left_l2) return "";
  if (!(*row.left_l2 <= options.fraction * *row.estimated_l2)) return "";
  return fmt::format(
      "; that would meet {}, {}: iteration and rounding leave {:.1e} of the discretisation error",
      Parameter::tolerance, no_more_digits, *row.left_l2 / *row.estimated_l2);
}

}  // namespace

LevelResult row_of_grid(const PreparedSolve& prepared) {
  const TensorGrid& grid = prepared.finest();
  LevelResult row;
  row.level = prepared.level();
  row.unknowns = count_unknowns(grid, prepared.problem.boundary);
  row.h_min = grid.h_min();
  row.aspect_ratio = grid.max_aspect_ratio();
  return row;
}

SolvedLevel solve_level(const PreparedSolve& prepared) {
  const auto began = std::chrono::steady_clock::now();
  Solved solved = solve(prepared);
  LevelResult row = row_of(prepared, solved, began);
  close_timeline(row);
  return {std::move(row), std::move(solved), {}};
}

SolvedLevel solve_level(const PreparedSolve& prepared, LevelSequence& levels, bool is_finer_next) {
  const auto began = std::chrono::steady_clock::now();
  EstimatedSolve estimated = levels.solve(prepared, is_finer_next);
  LevelResult row = row_of(prepared, estimated.solved, began);
  row.estimated_l2 = estimated.discretisation.l2;
  row.solution_l2 = estimated.solved.l2;
  row.estimated_rms = estimated.discretisation.rms;
  row.observed_order = estimated.discretisation.order;
  row.not_estimated = estimated.discretisation.open;
  row.finish_seconds = std::max(0.0, row.finish_seconds - estimated.coarser_seconds);
  close_timeline(row);
  if (const auto& own = estimated.solved.solver_errors) {
    row.algebraic_l2 = own->algebraic;
    row.rounding_l2 = own->rounding;
    row.left_l2 = own->left;
    row.memory_bytes = std::max(row.memory_bytes, own->memory_bytes);
    if (!own->remark.empty()) {
      row.data_remarks.push_back("what iteration and rounding leave is not estimated: "
                                 + own->remark);
    }
  }
  row.remark += enough_remark(prepared.options, row);
  if (estimated.discretisation.is_expected) {
    row.data_remarks.push_back(
        "what iteration and rounding leave hides the discretisation error, "
        "which is taken to fall as between the coarser levels");
  }
  if (!estimated.remark.empty()) {
    row.data_remarks.push_back("the discretisation error is not estimated: " + estimated.remark);
  }
  return {std::move(row), std::move(estimated.solved), std::move(estimated.coarser)};
}

}  // namespace ninefold
