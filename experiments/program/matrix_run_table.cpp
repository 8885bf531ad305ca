// The table of runs with a sparse matrix: experiments/program/matrix_run.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "experiments/program/matrix_run.hpp"

namespace ninefold {
namespace {

Cell count_cell(std::int64_t count) {
  return count;
}

}  // namespace

std::string formats_of(const SolverOptions& solver) {
  std::string text = to_string(solver.precision);
  for (const Precision inner : solver.refinement.inner) text += ":" + to_string(inner);
  return text;
}

std::optional<double> share_of_rate(const Report& report, std::optional<double> plain_rate) {
  if (!plain_rate || report.solve_seconds <= 0 || report.work.bytes == 0) return {};
  return static_cast<double>(report.work.bytes) / report.solve_seconds / *plain_rate;
}

FigureSeries history_series(const Plan& plan, const std::vector<double>& history) {
  const std::string formats = formats_of(plan.configuration.solver);
  FigureSeries series{plan.name == formats ? formats : plan.name + ": " + formats, {}};
  constexpr std::size_t most_points = 400;
  const std::size_t step = 1 + history.size() / most_points;
  const auto add = [&](std::size_t k) {
    series.points.push_back({static_cast<double>(k), history[k], "#" + identifier(plan.name)});
  };
  for (std::size_t k = 0; k + 1 < history.size(); k += step) add(k);
  if (!history.empty()) add(history.size() - 1);
  return series;
}

std::vector<Column> varied_columns(const std::vector<Plan>& plans) {
  std::vector<Column> columns;
  if (!plans.front().varied.empty()) {
    columns.push_back({.key = "run", .header = "run", .align = Align::left});
    for (const auto& [key, value] : plans.front().varied) {
      // Where runs are named after their formats, the name says it.
      columns.push_back({.key = key,
                         .header = key.substr(key.rfind('.') + 1),
                         .align = Align::left,
                         .data_only = value == plans.front().name});
    }
  }
  return columns;
}

std::string ending_of(const Report& report, const std::string& refusal) {
  if (!refusal.empty()) return "refused";
  return fmt::format("{} after {} iterations", to_string(report.outcome), report.iterations);
}

void require_one_solved(const Plan& plan, const std::vector<std::string>& refusals) {
  const bool is_one = std::any_of(refusals.begin(), refusals.end(),
                                  [](const std::string& refusal) { return refusal.empty(); });
  if (!is_one) {
    throw ConfigurationError(fmt::format("{}: no run of the study is possible: {}",
                                         plan.file.string(), refusals.front()));
  }
}

std::vector<Cell> refused_cells(const std::vector<Column>& columns, std::vector<Cell> cells,
                                const std::string& refusal) {
  const auto outcome = std::find_if(columns.begin(), columns.end(),
                                    [](const Column& column) { return column.key == "outcome"; });
  const auto at = static_cast<std::size_t>(outcome - columns.begin());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string& key = columns[k].key;
    if (k > at || key == "iterations" || key == "inner_iterations") cells[k] = {};
    if (key == "remark") cells[k] = refusal;
  }
  cells.at(at) = std::string("refused");
  return cells;
}

namespace {

std::vector<Column> matrix_run_columns(const std::vector<Plan>& plans) {
  std::vector<Column> columns = varied_columns(plans);
  const auto number = [&](const char* key, const char* header, NumberStyle style,
                          bool data_only = false) {
    columns.push_back({.key = key, .header = header, .style = style, .data_only = data_only});
  };
  const auto text = [&](const char* key, const char* header, bool data_only = false) {
    columns.push_back({.key = key, .header = header, .align = Align::left, .data_only = data_only});
  };
  text("matrix", "matrix", true);
  number("unknowns", "unknowns", {});
  number("entries", "entries", {});
  text("formats", "format");
  text("form", "form", true);
  text("inner_form", "inner form", true);
  text("storage", "storage");
  text("order", "order", true);
  number("iterations", "iterations", {});
  number("inner_iterations", "inner", {});
  text("outcome", "outcome");
  number("residual", "residual", scientific(2), true);
  number("true_residual", "true\nresidual", scientific(2));
  number("attainable_residual", "attainable", scientific(2), true);
  number("backward_error", "backward\nerror", scientific(2));
  const MeshSettings& mesh_settings = plans.front().configuration.mesh;
  const bool mesh = mesh_settings.is_used(), smooths = mesh_settings.is_smoothed();
  if (smooths) {
    number("error_edges", "error in\nmean edges", significant(2));
    number("error_diagonals", "error in\ndiagonals", scientific(2), true);
    number("largest_move", "largest move\nin mean edges", significant(3));
    number("mean_move", "mean move\nin mean edges", significant(2));
  } else if (mesh) {
    number("error_texels", "error in\ntexels", significant(2));
  }
  number("error_l2", "error", scientific(2), mesh);
  number("error_max", "largest error", scientific(2), true);
  number("estimated_energy_error", "error (est.)\nin energy", scientific(2));
  number("condition", "condition\n>=", significant(3));
  if (mesh && !smooths) {
    number("turned_over", "turned\nover", {});
    number("median_stretch", "median\nstretch", significant(3), true);
    number("largest_stretch", "largest\nstretch", significant(3), true);
  }
  number("systems_together", "together", {}, true);
  number("setup_seconds", "set-up s", significant(3));
  number("solve_seconds", "solve s", significant(3));
  number("matrix_bytes", "matrix bytes", {}, true);
  number("memory_bytes", "memory bytes", {}, true);
  number("moved_bytes", "moved bytes", {}, true);
  number("part_of_plain_rate", "of plain\nrate", significant(2));
  text("remark", "remark", true);
  return columns;
}

std::vector<Cell> matrix_run_row(const MatrixRun& run) {
  std::vector<Cell> cells;
  const SparseSolved& solved = run.solved;
  const Report& report = solved.report;
  const SolverOptions& solver = run.plan->configuration.solver;
  if (!run.plan->varied.empty()) {
    cells.emplace_back(run.plan->name);
    for (const auto& [unused, value] : run.plan->varied) cells.emplace_back(value);
  }
  const auto add = [&](Cell cell) { cells.push_back(std::move(cell)); };
  add(run.matrix);
  add(count_cell(run.rows));
  add(count_cell(run.entries));
  add(formats_of(solver));
  add(std::string(to_string(solved.form)));
  add(solved.inner_form ? Cell(std::string(to_string(*solved.inner_form))) : Cell());
  add(std::string(to_string(solved.storage)));
  add(std::string(to_string(solved.order)));
  add(count_cell(report.iterations));
  add(solver.refinement.used() ? count_cell(report.inner_iterations) : Cell());
  add(std::string(to_string(report.outcome)));
  add(report.residual_reduction);
  add(report.true_residual_reduction);
  add(report.attainable_reduction);
  add(solved.backward_error);
  if (run.map) add(to_cell(run.map->texels));
  if (run.smooth) {
    const SmoothFacts& smooth = *run.smooth;
    add(to_cell(smooth.error_in_edges));
    add(to_cell(smooth.error_in_diagonals));
    add(smooth.finite ? Cell(smooth.largest_move) : Cell());
    add(smooth.finite ? Cell(smooth.mean_move) : Cell());
  }
  add(to_cell(solved.errors.l2));
  add(to_cell(solved.errors.largest));
  add(to_cell(solved.errors.energy));
  add(to_cell(solved.condition));
  if (run.map) {
    const bool is_map = run.map->finite;
    add(is_map ? count_cell(run.map->distortion.turned_over) : Cell());
    add(is_map ? Cell(run.map->distortion.median_stretch) : Cell());
    add(is_map ? Cell(run.map->distortion.largest_stretch) : Cell());
  }
  add(run.together > 1 ? count_cell(static_cast<std::int64_t>(run.together)) : Cell());
  add(report.setup_seconds);
  add(report.solve_seconds);
  add(count_cell(solved.matrix_bytes));
  add(count_cell(static_cast<std::int64_t>(report.memory_bytes)));
  add(count_cell(report.work.bytes));
  add(to_cell(share_of_rate(report, run.plain_rate)));
  add(report.remark);
  return cells;
}

}  // namespace

Table matrix_run_table(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs) {
  Table table(matrix_run_columns(plans));
  for (const MatrixRun& run : runs) {
    const auto cells = matrix_run_row(run);
    table.add_row(run.refusal.empty() ? cells : refused_cells(table.columns(), cells, run.refusal));
  }
  table.hide_empty_columns();
  return table;
}

}  // namespace ninefold
