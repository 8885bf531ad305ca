// What does mixed precision win, and what does it cost?
//
// Goeddeke, Strzodka, Turek 2007, tables A4 to A6: test A in native double on the CPU against
// iterative refinement, double outside and single inside, two digits in each step; CG, and
// multigrid with 2+2 and 4+4 Jacobi steps.  Figures 1 and 2 are one picture here, with every path
// on the host and, where there is one, on the GPU.  Beside them stands which stopping rule is
// fastest.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "solvers/solve.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/paper/refinement_paths.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"
#include "experiments/support/solver_paths.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 13};

// By which rules values shall agree.
constexpr int step_margin = 1;      // of outer steps and of cycles
constexpr double cg_margin = 0.25;  // of iterations of CG in single
constexpr int most_digits = 8;      // of errors, where the paper's share more

constexpr double timing_seconds = 1;  // for repeating a solve of the best stopping rule

/// With setup and transfers, as the paper measures it.
double seconds(const LevelResult& row) {
  return row.setup_seconds + row.solve_seconds;
}

void report_table(ExperimentReport& report, const Results& results, const PaperSolver& solver,
                  const Path& mixed) {
  Table table(
      {level_column(), count_column("paper_double", "double\npaper"),
       count_column("double", "double\nours"), count_column("paper_mixed", "mixed\npaper"),
       count_column("mixed", "mixed\nours"), error_column("double_error", "rms error\ndouble", 10),
       error_column("error", "rms error\nmixed", 10),
       error_column("paper_error", "rms error\nmixed, paper", 10),
       error_column("exact_error", "rms error\nexact", 10), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("refinement, table " + solver.table);
  const RunResult& native = find_run(results, run_name(solver, host_double()));
  const RunResult& refined = find_run(results, run_name(solver, mixed));
  for (std::size_t k = 0; k < refined.levels.size(); ++k) {
    const LevelResult &row = refined.levels[k], &high = native.levels[k];
    const RefinementRow* const paper = find_refinement(solver.table, row.level);
    const EmulationRow* const cpu = find_emulation(solver.cpu_table, row.level);
    const double exact = exact_rms('A', row.level);
    comparison.begin_row(refined.name, row.level);
    int shared_with_exact = most_digits, shared_with_double = most_digits;
    if (paper != nullptr && cpu != nullptr) {
      const int inner = row.inner_iterations.value();
      comparison.count("double", Source::paper, cpu->cpu_iterations, high.iterations, step_margin);
      comparison.count("outer", Source::paper, paper->counts.outer, row.iterations, step_margin);
      if (solver.method == Method::multigrid) {
        comparison.count("inner", Source::paper, paper->counts.inner, inner, step_margin);
      } else {
        comparison.relative("inner", Source::paper, paper->counts.inner, inner, cg_margin);
      }
      shared_with_exact = shared_digits(paper->error, exact, most_digits);
      shared_with_double = shared_digits(cpu->cpu_error, paper->error, most_digits);
      comparison.digits("error", Source::exact, exact, error_rms(row), shared_with_exact);
      comparison.digits("error of double", Source::paper, error_rms(high), error_rms(row),
                        shared_with_double);
    } else {
      comparison.statement("residual", Source::exact, "reaches the tolerance",
                           row.true_residual_reduction,
                           row.outcome == to_string(Outcome::converged));
    }
    table.add_row(
        {std::int64_t{row.level}, cpu == nullptr ? Cell() : Cell(std::int64_t{cpu->cpu_iterations}),
         iterations_cell(high),
         paper == nullptr ? Cell()
                          : Cell(fmt::format("{}:{}", paper->counts.outer, paper->counts.inner)),
         counts_cell(row), error_rms(high), error_rms(row),
         paper == nullptr ? Cell() : Cell(paper->error), exact, comparison.verdict()});
    links.push_back(cell_links(table, {{"double", solve_link(native.name, high)},
                                       {"mixed", solve_link(refined.name, row)}}));
  }
  report.table(fmt::format("Table {}: {}", solver.table, solver.title), "table_" + solver.table,
               table, std::move(links));
  report.add(std::move(comparison));
}

void report_times(ExperimentReport& report, const Results& results, const std::vector<Path>& all) {
  const auto column = [](const std::string& key, const std::string& header) {
    return Column{.key = key, .header = header, .style = significant(3)};
  };
  std::vector<Column> columns{text_column("table", "table"), level_column()};
  for (const Path& path : all) {
    columns.push_back(time_column(path.key + "_seconds", path.name + "\n[s]"));
  }
  columns.push_back(column("paper_speedup", "speedup\npaper"));
  for (const Path& path : all) {
    if (path.key != host_double().key) {
      columns.push_back(column(path.key + "_speedup", "speedup\n" + path.name));
    }
  }
  Table table(std::move(columns));
  for (const PaperSolver& solver : paper_solvers()) {
    const RunResult& native = find_run(results, run_name(solver, host_double()));
    for (std::size_t k = 0; k < native.levels.size(); ++k) {
      const int level = native.levels[k].level;
      const RefinementRow* const paper = find_refinement(solver.table, level);
      std::vector<Cell> times{solver.table, std::int64_t{level}},
          speedups{paper == nullptr ? Cell() : Cell(paper->speedup)};
      for (const Path& path : all) {
        const auto& levels = find_run(results, run_name(solver, path)).levels;
        std::optional<double> time, speedup;
        if (k < levels.size()) {
          time = seconds(levels[k]);
          speedup = seconds(native.levels[k]) / *time;
        }
        times.push_back(to_cell(time));
        if (path.key != host_double().key) speedups.push_back(to_cell(speedup));
      }
      times.insert(times.end(), speedups.begin(), speedups.end());
      table.add_row(std::move(times));
    }
  }
  report.table("Seconds, with setup and transfers, and speedups over double on the host", "times",
               table);
}

Picture draw_times(const Results& results, const std::vector<Path>& all,
                   const ExperimentOptions& options) {
  CurvePlot plot{.title = "Time until solution for each unknown, setup and transfers included",
                 .x_label = "refinement level",
                 .y_label = "microseconds for each unknown",
                 .key_corner = KeyCorner::bottom_left};
  double least = INFINITY, greatest = 0;
  for (const PaperSolver& solver : paper_solvers()) {
    for (const Path& path : all) {
      Stroke stroke = solver.stroke;
      stroke.colour = path.colour;
      Curve curve{fmt::format("{}, {}", solver.name, path.name), stroke, {}};
      for (const LevelResult& row : find_run(results, run_name(solver, path)).levels) {
        curve.points.emplace_back(row.level,
                                  1e6 * seconds(row) / static_cast<double>(row.unknowns));
      }
      for (const auto& point : curve.points) {
        least = std::min(least, point.second);
        greatest = std::max(greatest, point.second);
      }
      plot.curves.push_back(std::move(curve));
    }
  }
  plot.least_y = least / 20;  // room for the key
  plot.greatest_y = 2 * greatest;
  for (const PaperSolver& solver : paper_solvers())
    plot.key.push_back({solver.title, solver.stroke});
  return write_curve_plot(options.output / "times.png", plot);
}

/// Which rule is fastest, with which inner format, beside double alone in the same form.
void report_best_rules(ExperimentReport& report, const Results& results,
                       const std::vector<RuleRace>& races) {
  Table table(
      {level_column(), text_column("inner", "inner\nformat"), text_column("rule", "rule"),
       count_column("double", "cycles\nof double"), count_column("counts", "outer:inner"),
       error_column("residual", "true\nresidual", 2),
       Column{
           .key = "double_milliseconds", .header = "double", .unit = "ms", .style = significant(4)},
       Column{.key = "milliseconds", .header = "mixed", .unit = "ms", .style = significant(4)},
       decimal_column("ratio", "mixed over\ndouble", 3),
       error_column("deviation", "error's relative\ndeviation", 2),
       text_column("agreement", "agrees")});
  Comparison comparison("refinement, stopping rules");
  std::string words;
  for (const RuleRace& race : races) {
    const LevelResult& high = find_run(results, race.native.name).levels.front();
    const double exact = exact_rms('A', high.level);
    const double in_double = median_solve_seconds(race.native, high, timing_seconds);
    double best = INFINITY;
    std::string winner;
    for (const RuleEntry& entry : race.entries) {
      const LevelResult& row = find_run(results, entry.plan.name).levels.front();
      const double time = median_solve_seconds(entry.plan, row, timing_seconds);
      const bool converged = row.outcome == to_string(Outcome::converged);
      comparison.begin_row(entry.plan.name, row.level);
      if (entry.inner == Precision::single_) {
        comparison.statement("residual", Source::paper, "reaches the tolerance",
                             row.true_residual_reduction, converged);
      }
      if (converged && time < best) {
        best = time;
        winner = fmt::format("{} inside, {}", to_string(entry.inner), entry.rule);
      }
      table.add_row({std::int64_t{row.level}, to_string(entry.inner), entry.rule,
                     iterations_cell(high), counts_cell(row), row.true_residual_reduction,
                     1e3 * in_double, 1e3 * time, time / in_double, error_rms(row) / exact - 1,
                     comparison.verdict()});
    }
    if (!winner.empty()) {
      words += fmt::format("\n  level {}, residual {:g}: {}, {:.3f} of double's time", high.level,
                           race.native.configuration.solver.tolerance, winner, best / in_double);
    }
  }
  report.table("The best stopping rule: multigrid, 2+2 steps, in difference form", "best_rules",
               table);
  if (!words.empty()) report.paragraph("The fastest that converges:" + words);
  report.add(std::move(comparison));
}

bool run(const ExperimentOptions& options) {
  const std::vector<Path> all = paths(options);
  const std::vector<RuleRace> races = rule_races(options);
  const bool device = on_device(options);
  if (device) open_device();
  const Results results = run_with_progress(refinement_plans(options));
  ExperimentReport report(
      "Iterative refinement: tables A4 to A6 and figures 1 and 2 of Goeddeke, Strzodka, Turek 2007",
      results, options.output);
  std::string text = fmt::format(
      "Test A, to a residual of {:g} times the first: double on the host against double with "
      "corrections in\nsingle, two digits for each, on {}.",
      paper_tolerance,
      device ? "the GPU, \"outer:inner\" iterations"
             : "the same host, since no GPU is used; \"outer:inner\" iterations");
  if (!options.levels && paper_levels(options).last < finest_of_paper) {
    text += "\nLevel 10 is left to --full and to machines with a GPU.";
  }
  report.paragraph(text);
  for (const PaperSolver& solver : paper_solvers()) {
    report_table(report, results, solver, mixed_path(options));
  }
  report.paragraph(
      fmt::format("Double and outer steps: within {}.  Inner ones: cycles within {}, CG within "
                  "{:g} %.  Errors: "
                  "the digits\nthat the paper's share with the exact ones; and with those of "
                  "double, the digits "
                  "that the paper's two\ncolumns share; {} at most.",
                  step_margin, step_margin, 100 * cg_margin, most_digits));
  report_times(report, results, all);
  report.paragraph(
      "The paper: Athlon64 X2 4400+ (one thread) and GeForce 7800 GTX as its co-processor.  "
      "double-single runs in\ndifference form, since in plain form multigrid stalls.");
  report.picture("times.png", draw_times(results, all, options).remark);
  report_best_rules(report, results, races);
  report.paragraph(
      "Times of the iteration alone, data in place, medians where a solve can be repeated within a "
      "second.  i: so\nmany cycles for each correction, d: so many digits.  With single inside all "
      "must converge.");
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "refinement",
       .question = "What does mixed precision win, and what does it cost?  Tables A4 to A6 and "
                   "figures 1 and 2 of the paper.",
       .possible = possible,
       .defaults = "5 10 on a GPU, 5 9 on the host",
       .full = "level 10 without a GPU too; on a GPU the stopping rules to level 13"},
      run);
}
