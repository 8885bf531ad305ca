// The table of runs of least squares: its columns and rows
// (experiments/program/least_squares_run.hpp).

#include <algorithm>
#include <cstdint>
#include <utility>

#include "experiments/program/least_squares_run.hpp"
#include "experiments/program/matrix_run.hpp"

namespace ninefold {

namespace {

std::vector<Column> least_squares_columns(const std::vector<Plan>& plans) {
  std::vector<Column> columns = varied_columns(plans);
  const auto number = [&](const char* key, const char* header, NumberStyle style,
                          bool data_only = false) {
    columns.push_back({.key = key, .header = header, .style = style, .data_only = data_only});
  };
  const auto text = [&](const char* key, const char* header, bool data_only = false) {
    columns.push_back({.key = key, .header = header, .align = Align::left, .data_only = data_only});
  };
  const auto any = [&](const auto& is_so) {
    return std::any_of(plans.begin(), plans.end(),
                       [&](const Plan& plan) { return is_so(plan.configuration); });
  };
  const bool has_bounds =
      any([](const Configuration& c) { return c.least_squares.lower || c.least_squares.upper; });
  number("right", "right-hand\nside", {});
  text("matrix", "matrix", true);
  number("rows", "rows", {});
  number("unknowns", "unknowns", {});
  number("entries", "entries", {});
  text("formats", "format");
  text("storage", "storage", true);
  number("regularisation", "lambda", significant(3), true);
  number("iterations", "iterations", {});
  number("inner_iterations", "inner", {});
  text("outcome", "outcome");
  number("gradient", "gradient", scientific(2), true);
  number("true_gradient", "true\ngradient", scientific(2));
  number("attainable_gradient", "attainable", scientific(2), true);
  number("relative_residual", "residual", scientific(2));
  number("residual_norm", "|b - A x|", scientific(3), true);
  number("solution_norm", "|L x|", scientific(3));
  number("error_l2", "error", scientific(2));
  number("error_max", "largest error", scientific(2), true);
  number("condition", "condition\n>=", significant(3));
  number("fit_condition", "of the\nfit", significant(3));
  number("out_of_bounds", "out of\nbounds", {}, !has_bounds);
  number("largest_violation", "by at\nmost", scientific(2), !has_bounds);
  number("setup_seconds", "set-up s", significant(3));
  number("solve_seconds", "solve s", significant(3));
  number("kernels", "kernels an\niteration", significant(3));
  number("matrix_bytes", "matrix bytes", {}, true);
  number("memory_bytes", "memory bytes", {}, true);
  number("moved_bytes", "moved bytes", {}, true);
  number("part_of_plain_rate", "of plain\nrate", significant(2), true);
  number("deficiency", "|A v| over\n|A||v|", scientific(2), true);
  text("remark", "remark", true);
  return columns;
}

std::vector<Cell> least_squares_row(const LeastSquaresRun& run) {
  std::vector<Cell> cells;
  const LeastSquaresSolved& solved = run.solved;
  const Report& report = solved.report;
  const SolverOptions& solver = run.plan->configuration.solver;
  if (!run.plan->varied.empty()) {
    cells.emplace_back(run.name);
    for (const auto& [unused, value] : run.plan->varied) cells.emplace_back(value);
  }
  const auto add = [&](Cell cell) { cells.push_back(std::move(cell)); };
  const auto count = [&](std::int64_t number) { add(number); };
  add(run.image_number > 0 ? Cell(std::int64_t{run.image_number}) : Cell());
  add(run.matrix);
  count(run.rows);
  count(run.unknowns);
  count(run.entries);
  add(formats_of(solver));
  add(std::string(to_string(solved.storage)));
  add(run.plan->configuration.least_squares.regularisation);
  count(report.iterations);
  add(solver.refinement.used() ? Cell(std::int64_t{report.inner_iterations}) : Cell());
  add(std::string(to_string(report.outcome)));
  add(report.residual_reduction);
  add(report.true_residual_reduction);
  add(report.attainable_reduction);
  add(solved.right_norm > 0 ? Cell(solved.residual_norm / solved.right_norm) : Cell());
  add(solved.residual_norm);
  add(solved.solution_norm);
  add(to_cell(solved.errors.l2));
  add(to_cell(solved.errors.largest));
  add(run.deficiency ? Cell() : to_cell(solved.condition));
  add(run.deficiency ? Cell() : to_cell(solved.fit_condition));
  count(solved.out_of_bounds);
  add(solved.largest_violation);
  add(report.setup_seconds);
  add(report.solve_seconds);
  add(solved.kernels_per_iteration > 0 ? Cell(solved.kernels_per_iteration) : Cell());
  count(solved.matrix_bytes);
  count(static_cast<std::int64_t>(report.memory_bytes));
  count(report.work.bytes);
  add(to_cell(share_of_rate(report, run.plain_rate)));
  add(to_cell(run.deficiency));
  add(report.remark);
  return cells;
}

}  // namespace

Table least_squares_table(const std::vector<Plan>& plans,
                          const std::vector<LeastSquaresRun>& runs) {
  Table table(least_squares_columns(plans));
  for (const LeastSquaresRun& run : runs) {
    const auto cells = least_squares_row(run);
    table.add_row(run.refusal.empty() ? cells : refused_cells(table.columns(), cells, run.refusal));
  }
  table.hide_empty_columns();
  return table;
}

}  // namespace ninefold
