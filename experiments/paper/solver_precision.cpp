// How does the precision of the solver limit the accuracy of the solution?
//
// Table 2 of Goeddeke, Strzodka, Turek 2007: test A solved by multigrid in single and in double,
// down to a relative residual of 1e-3; and beside it what the paper did not have, the same solver
// with the operator in difference form.
//
// The paper does not state the smoothing.  Undamped Jacobi, 6+6 steps, gives all its cycle counts
// and all its double errors to 0.3 %; see docs/experiments.md.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "solvers/stopping.hpp"

#include "output/plots/plot.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/plans.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr double tolerance = 1e-3, damping = 1.0;
constexpr int smoothing_steps = 6;
constexpr LevelRange all_levels{2, 10};

// By which margins values shall agree.
constexpr double paper_margin = 0.005;   // printed with four digits; ours differ by 0.3 % at most
constexpr double single_margin = 0.02;   // while single still follows double
constexpr double exact_margin = 0.05;    // single in difference form
constexpr int last_level_of_single = 5;  // from level 6 on rounding shows, from 7 on it rules
constexpr int last_level_of_difference = 9;

Plan make_plan(const ExperimentOptions& options, Precision precision, OperatorForm form) {
  SolverOptions solver = paper_options();
  solver.precision = precision;
  solver.form = form;
  solver.tolerance = tolerance;
  solver.max_iterations = 20;
  solver.multigrid.smoother = Smoother::jacobi;
  solver.multigrid.damping = damping;
  solver.multigrid.pre_smoothing = solver.multigrid.post_smoothing = smoothing_steps;
  Plan plan = experiment_plan(fmt::format("{} {}", to_string(precision), to_string(form)), options,
                              options.levels.value_or(all_levels), solver);
  tell_varied(plan, {"solver.precision", "operator.form"});
  return plan;
}

void report_double(ExperimentReport& report, const RunResult& run) {
  Table table(
      {level_column(), error_column("exact_error", "exact\nerror", 4),
       count_column("paper_cycles", "cycles\npaper"), count_column("cycles", "cycles\nours"),
       error_column("paper_error", "error\npaper", 4), error_column("error", "error\nours", 4),
       decimal_column("paper_reduction", "reduction\npaper", 2),
       decimal_column("reduction", "reduction\nours", 2), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("solver_precision, table 2, double");
  for (const LevelResult& row : run.levels) {
    const SolverPrecisionRow& paper = *find_solver_precision(row.level);
    comparison.begin_row(run.name, row.level);
    comparison.count("cycles", Source::paper, paper.double_cycles, row.iterations);
    comparison.relative("error", Source::paper, paper.double_error, error_l2(row), paper_margin);
    table.add_row({std::int64_t{row.level}, exact_l2('A', row.level),
                   std::int64_t{paper.double_cycles}, std::int64_t{row.iterations},
                   paper.double_error, error_l2(row), to_cell(paper.double_reduction),
                   to_cell(row.reduction_factor), comparison.verdict()});
    links.push_back(cell_links(table, {{"cycles", solve_link(run.name, row)}}));
  }
  report.table(fmt::format("Table 2, double (errors agree within {:g} %)", 100 * paper_margin),
               "table_2_double", table, std::move(links));
  report.add(std::move(comparison));
}

void compare_single(Comparison& comparison, const SolverPrecisionRow& paper, double exact,
                    const LevelResult& row) {
  const double error = error_l2(row);
  if (row.level < 9) {
    comparison.count("cycles", Source::paper, paper.single_cycles, row.iterations);
  } else {
    comparison.leave_out("cycles", std::int64_t{paper.single_cycles}, std::int64_t{row.iterations},
                         "our true residual stagnates above the tolerance there");
  }
  if (row.level <= last_level_of_single) {
    comparison.relative("error", Source::paper, paper.single_error, error, single_margin);
  } else {
    comparison.leave_out("error", paper.single_error, error,
                         "its size is that of the rounding, which goes by the order of operations");
  }
  if (row.level >= 7) {
    comparison.statement("error over exact", Source::paper, "above 1.1", error / exact,
                         error / exact > 1.1);
  }
  if (row.level >= 8 && row.reduction_factor) {
    comparison.statement("reduction", Source::paper, "below 1: the error rises",
                         *row.reduction_factor, *row.reduction_factor < 1);
  }
}

void report_single(ExperimentReport& report, const RunResult& run) {
  Table table(
      {level_column(), count_column("paper_cycles", "cycles\npaper"),
       count_column("cycles", "cycles\nours"), error_column("true_residual", "residual\nours", 2),
       error_column("paper_error", "error\npaper", 4), error_column("error", "error\nours", 4),
       Column{.key = "paper_over_exact", .header = "over exact\npaper", .style = significant(3)},
       Column{.key = "over_exact", .header = "over exact\nours", .style = significant(3)},
       decimal_column("paper_reduction", "reduction\npaper", 2),
       decimal_column("reduction", "reduction\nours", 2), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("solver_precision, table 2, single");
  std::string stagnated;
  for (const LevelResult& row : run.levels) {
    const SolverPrecisionRow& paper = *find_solver_precision(row.level);
    const double exact = exact_l2('A', row.level);
    comparison.begin_row(run.name, row.level);
    compare_single(comparison, paper, exact, row);
    table.add_row({std::int64_t{row.level}, std::int64_t{paper.single_cycles}, iterations_cell(row),
                   row.true_residual_reduction, paper.single_error, error_l2(row),
                   paper.single_error / exact, error_l2(row) / exact,
                   to_cell(paper.single_reduction), to_cell(row.reduction_factor),
                   comparison.verdict()});
    links.push_back(cell_links(table, {{"cycles", solve_link(run.name, row)}}));
    if (row.outcome == to_string(Outcome::stagnated)) {
      stagnated += fmt::format("{}{}", stagnated.empty() ? "" : " and ", row.level);
    }
  }
  report.table("Table 2, single", "table_2_single", table, std::move(links));
  std::string text = fmt::format(
      "Single is compared digit by digit through level {} (within {:g} %).  Beyond it the size of\n"
      "the error is that of the rounding, which depends on the order of operations: what is "
      "compared\n"
      "is that the error leaves the exact one by level 7 and rises from level 8 on.",
      last_level_of_single, 100 * single_margin);
  if (!stagnated.empty()) {
    text += fmt::format(
        "\nOn level {} our true residual stagnates above {:g}, where the paper counts 2 cycles.",
        stagnated, tolerance);
  }
  report.paragraph(text);
  report.add(std::move(comparison));
}

void report_difference(ExperimentReport& report, const RunResult& single, const RunResult& twice) {
  Table table({level_column(), error_column("exact_error", "exact\nerror", 4),
               count_column("single_cycles", "single\ncycles"),
               error_column("single_true_residual", "single\nresidual", 2),
               error_column("single_error", "single\nerror", 4),
               decimal_column("single_over_exact", "single\nover exact", 3),
               count_column("double_cycles", "double\ncycles"),
               error_column("double_error", "double\nerror", 4),
               decimal_column("double_over_exact", "double\nover exact", 3),
               text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("solver_precision, difference form");
  for (std::size_t k = 0; k < single.levels.size(); ++k) {
    const LevelResult &low = single.levels[k], &high = twice.levels[k];
    const double exact = exact_l2('A', low.level);
    comparison.begin_row(single.name, low.level);
    if (low.level <= last_level_of_difference) {
      comparison.relative("error", Source::exact, exact, error_l2(low), exact_margin);
    }
    table.add_row({std::int64_t{low.level}, exact, iterations_cell(low),
                   low.true_residual_reduction, error_l2(low), error_l2(low) / exact,
                   iterations_cell(high), error_l2(high), error_l2(high) / exact,
                   comparison.verdict()});
    links.push_back(cell_links(table, {{"single_cycles", solve_link(single.name, low)},
                                       {"double_cycles", solve_link(twice.name, high)}}));
  }
  report.table(fmt::format("Difference form, not in the paper (single within {:g} % of the exact "
                           "errors through level {})",
                           100 * exact_margin, last_level_of_difference),
               "difference_form", table, std::move(links));
  report.add(std::move(comparison));
}

/// The errors over the levels: ours, and the paper's single.
void report_picture(ExperimentReport& report, const Results& results,
                    const ExperimentOptions& options) {
  const auto curve = [](std::string title, const std::vector<LevelResult>& levels) {
    return RunResult{std::move(title), {}, levels};
  };
  std::vector<LevelResult> paper;
  for (const LevelResult& row : results.runs[0].levels) {
    paper.push_back(row);
    paper.back().error_l2 = find_solver_precision(row.level)->single_error;
  }
  const Results curves{
      results.meta,
      {curve("single, paper of 2007", paper), curve("single, plain form", results.runs[1].levels),
       curve("single, difference form", results.runs[3].levels),
       curve("double", results.runs[0].levels)}};
  report.picture("convergence.png", write_convergence_plot(curves, options.output).remark);
}

std::vector<Plan> make_plans(const ExperimentOptions& options) {
  std::vector<Plan> plans;
  for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
    for (const Precision precision : {Precision::double_, Precision::single_}) {
      plans.push_back(make_plan(options, precision, form));
    }
  }
  return plans;
}

bool report_results(const ExperimentOptions& options, const Results& results) {
  ExperimentReport report("Solver precision: table 2 of Goeddeke, Strzodka, Turek 2007", results,
                          options.output);
  report.paragraph(fmt::format(
      "Test A (unit square, uniform grids): multigrid, F-cycles, {0}+{0} undamped Jacobi steps,\n"
      "to a residual of {1:g} times the first.  Errors: integrated L2.  Exact: of the exact "
      "solution\n"
      "of the discrete equations.",
      smoothing_steps, tolerance));
  report_double(report, results.runs[0]);
  report_single(report, results.runs[1]);
  report_difference(report, results.runs[3], results.runs[2]);
  report_picture(report, results, options);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(argc, argv,
                        {.name = "solver_precision",
                         .question = "How does the precision of the solver limit the accuracy of "
                                     "the solution?  Table 2 of the paper.",
                         .possible = all_levels,
                         .defaults = "2 10"},
                        make_plans, report_results);
}
