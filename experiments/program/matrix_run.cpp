#include "experiments/program/matrix_run.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "fem/sparse/matrix_market.hpp"

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/matrix_results.hpp"
#include "experiments/program/plain_rate.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/stated_system.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;

bool have_mesh(const std::vector<Plan>& plans) {
  return plans.front().configuration.mesh.is_used();
}

Cell count_cell(std::int64_t count) {
  return count;
}

/// What is said of one run.
std::string remark_of(const MatrixRun& run) {
  const Report& report = run.solved.report;
  const bool is_enough = run.map && run.map->texels && *run.map->texels <= texels_enough;
  if (!is_enough || report.outcome == Outcome::converged) return report.remark;
  const std::string text =
      report.remark.empty() ? fmt::format(
          "the residual ends at {:.1e} of the right-hand side{}", report.true_residual_reduction,
          report.outcome == Outcome::stagnated ? ", above the tolerance" : "")
                            : report.remark;
  return fmt::format("{}; the map is right to {:.2g} texels all the same", text, *run.map->texels);
}

/// What is said of the matrix, once if it is that of all runs, and one sentence for each run that
/// needs one.
std::vector<std::string> remarks_of(const std::vector<MatrixRun>& runs) {
  std::vector<std::string> all;
  if (runs.empty()) return all;
  const bool one_matrix = std::all_of(runs.begin(), runs.end(), [&](const MatrixRun& run) {
    return run.remarks == runs.front().remarks;
  });
  if (one_matrix) all = runs.front().remarks;
  for (const MatrixRun& run : runs) {
    const std::string where = runs.size() > 1 ? run.plan->name + ": " : "";
    if (!one_matrix) {
      for (const std::string& remark : run.remarks) all.push_back(where + remark);
    }
    if (const std::string remark = remark_of(run); !remark.empty()) all.push_back(where + remark);
  }
  return all;
}

Figure residual_figure(const std::vector<MatrixRun>& runs) {
  Figure figure{.title = "Residuals",
                .description = "the residual after each iteration, as a part of the first one",
                .x_label = "iteration",
                .y_label = "|r| / |b|"};
  for (const MatrixRun& run : runs) {
    figure.series.push_back(history_series(*run.plan, run.solved.report.history));
  }
  return figure;
}

/// What matters first.
std::vector<std::string> summary_of(const std::vector<MatrixRun>& runs) {
  std::vector<std::string> lines;
  std::vector<JudgedMap> maps;
  for (const MatrixRun& run : runs) {
    if (!run.map) continue;
    const SolverOptions& solver = run.plan->configuration.solver;
    const auto first = std::find_if(runs.begin(), runs.end(), [&](const MatrixRun& other) {
      return same_mesh(other.plan->configuration.mesh, run.plan->configuration.mesh);
    });
    maps.push_back(
        {.run = run.plan->name,
         .formats = formats_of(solver),
         .is_single = solver.precision == Precision::single_ && !solver.refinement.used(),
         .mesh = static_cast<std::size_t>(first - runs.begin()),
         .finite = run.map->finite,
         .texels = run.map->texels});
  }
  if (!maps.empty()) lines.push_back(map_verdict(maps));
  for (const MatrixRun& run : runs) {
    const SparseSolved& solved = run.solved;
    std::string line = runs.size() > 1 ? run.plan->name + ": " : "";
    line += fmt::format("{} in {}: {} after {} iterations", run.matrix,
                        formats_of(run.plan->configuration.solver),
                        to_string(solved.report.outcome), solved.report.iterations);
    if (run.map) {
      if (run.map->texels) line += fmt::format(", largest error {:.1e} texels", *run.map->texels);
    } else if (solved.errors.l2) {
      line += fmt::format(", error {:.1e} of the solution", *solved.errors.l2);
    } else if (solved.errors.energy) {
      line += fmt::format(", error about {:.1e} of the solution in the energy norm",
                          *solved.errors.energy);
    }
    lines.push_back(std::move(line));
  }
  return lines;
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
  FigureSeries series{plan.name + ": " + formats_of(plan.configuration.solver), {}};
  constexpr std::size_t most_points = 400;
  const std::size_t step = 1 + history.size() / most_points;
  const auto add = [&](std::size_t k) {
    series.points.push_back({static_cast<double>(k), history[k], "#" + identifier(plan.name)});
  };
  for (std::size_t k = 0; k + 1 < history.size(); k += step) add(k);
  if (!history.empty()) add(history.size() - 1);
  return series;
}

bool is_done(const std::vector<MatrixRun>& runs, bool open_formats) {
  const auto is_good = [](const MatrixRun& run) {
    return run.solved.report.outcome == Outcome::converged
           || (run.map && run.map->texels && *run.map->texels <= texels_enough);
  };
  return open_formats ? std::any_of(runs.begin(), runs.end(), is_good)
                      : std::all_of(runs.begin(), runs.end(), is_good);
}

std::vector<Column> matrix_run_columns(const std::vector<Plan>& plans) {
  std::vector<Column> columns;
  if (!plans.front().varied.empty()) {
    columns.push_back({.key = "run", .header = "run", .align = Align::left});
    for (const auto& [key, unused] : plans.front().varied) {
      columns.push_back(
          {.key = key, .header = key.substr(key.rfind('.') + 1), .align = Align::left});
    }
  }
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
  text("storage", "storage");
  text("order", "order", true);
  number("iterations", "iterations", {});
  number("inner_iterations", "inner", {});
  text("outcome", "outcome");
  number("residual", "residual", scientific(2), true);
  number("true_residual", "true\nresidual", scientific(2));
  number("attainable_residual", "attainable", scientific(2), true);
  number("backward_error", "backward\nerror", scientific(2));
  const bool mesh = have_mesh(plans);
  if (mesh) number("error_texels", "error in\ntexels", significant(2));
  number("error_l2", "error", scientific(2), mesh);
  number("error_max", "largest error", scientific(2), true);
  number("estimated_energy_error", "error (est.)\nin energy", scientific(2));
  number("condition", "condition", significant(3));
  if (mesh) {
    number("turned_over", "turned\nover", {});
    number("median_stretch", "median\nstretch", significant(3), true);
    number("largest_stretch", "largest\nstretch", significant(3), true);
  }
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
  add(report.setup_seconds);
  add(report.solve_seconds);
  add(count_cell(solved.matrix_bytes));
  add(count_cell(static_cast<std::int64_t>(report.memory_bytes)));
  add(count_cell(report.work.bytes));
  add(to_cell(share_of_rate(report, run.plain_rate)));
  add(report.remark);
  return cells;
}

Table matrix_run_table(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs) {
  Table table(matrix_run_columns(plans));
  for (const MatrixRun& run : runs) table.add_row(matrix_run_row(run));
  return table;
}

Article matrix_run_document(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs) {
  Article document{.title = have_mesh(plans) ? "ninefold: a mesh laid flat"
                                             : "ninefold: systems with a sparse matrix"};
  document.summary = summary_of(runs);
  const Table table = matrix_run_table(plans, runs);
  TableBlock block{"", table};
  for (const MatrixRun& run : runs) block.row_ids.push_back(identifier(run.plan->name));
  Section results{"results", "Results", {std::move(block)}};
  if (const auto remarks = remarks_of(runs); !remarks.empty()) {
    results.blocks.emplace_back(Items{remarks});
  }
  document.sections.push_back(std::move(results));
  Gallery maps;
  for (const MatrixRun& run : runs) {
    if (!run.map) continue;
    for (const Image* image : {&run.map->image, &run.map->surface}) {
      if (!image->png.empty()) maps.images.push_back(*image);
    }
  }
  if (!maps.images.empty()) {
    document.sections.push_back({"maps", "The mesh laid flat", {std::move(maps)}, true});
  }
  document.sections.push_back({"residuals", "Residuals", {residual_figure(runs)}, true});
  return document;
}

std::vector<MatrixRun> run_matrices(const std::vector<Plan>& plans, const std::string& json,
                                    const MatrixRunEvents& events) {
  const fs::path folder = plans.front().configuration.output.directory;
  std::vector<MatrixRun> runs;
  std::unique_ptr<StatedSystem> stated;
  const auto run_next = [&](const Plan& plan) {
    const std::size_t k = runs.size();
    if (k == 0 || !same_system(plans[k - 1], plan)) {
      stated.reset();  // before the next one takes memory
      stated = std::make_unique<StatedSystem>(stated_system(plan));
    }
    const SparsePattern& pattern = stated->problem.A.pattern;
    const BackendKind where = backend_of(plan);
    MatrixRun run{.plan = &plan,
                  .matrix = stated->name,
                  .rows = pattern.n_rows,
                  .entries = pattern.entries(),
                  .device = device_name(where),
                  .remarks = stated->remarks};
    if (k == 0) {
      ensure_writable_directory(folder);
      events.begin(fmt::format("{}: {} unknowns, {} entries; {}", run.matrix, run.rows, run.entries,
                               run.device));
    }
    run.solved = located(plan, source_key(plan.configuration), [&] {
      return solve_sparse(stated->problem, sparse_options(plan.configuration), where);
    });
    if (run.solved.report.memory_bytes >= memory_bound) run.plain_rate = measure_plain_rate(where);
    const Uninterrupted whole_files;
    if (plan.configuration.matrix.write_solution) {
      write_file_atomically(folder / (plan.name + "-solution.mtx"),
                            matrix_market_text(run.solved.solution.high));
    }
    write_file_atomically(folder / fmt::format("history-{}.csv", plan.name),
                          matrix_history_csv(run.solved.report));
    if (stated->mesh) {
      run.map =
          map_facts(*stated->mesh, run.solved.solution, stated->problem.solution,
                    fmt::format("{} in {}", run.matrix, formats_of(plan.configuration.solver)));
      write_map(*stated->mesh, *run.map, folder, plan.name);
      // Of the size of the mesh, and written.
      run.map->distortion.stretch = run.map->distortion.area = {};
      run.map->texture = {};
    }
    run.solved.solution = {};
    runs.push_back(std::move(run));
    write_matrix_results(plans, runs, json);
    events.run_ends(runs.back());
  };
  for (const Plan& plan : plans) {
    try {
      run_next(plan);
    } catch (const std::exception& error) {
      tell_matrix_failure(plans, runs, json, error.what());
      throw;
    }
  }
  return runs;
}

}  // namespace ninefold
