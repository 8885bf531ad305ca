// What does double precision cost where the hardware has single precision only?
//
// Tables A1 to A3 of Goeddeke, Strzodka, Turek 2007: test A in double on the CPU against
// double-single, a pair of floats, on the GPU; CG, and multigrid with 2+2 and 4+4 Jacobi steps.
// The paper's multigrid stalls in double-single on levels 9 and 10; beside it stands what the paper
// did not have, the same solver with the operator in difference form.

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "solvers/solve.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/plans.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 10}, host_levels{5, 9}, all_levels{5, 10};
constexpr double tolerance = 1e-10;

// By which rules values shall agree.
constexpr int iteration_margin = 1;         // of CG, and of multigrid with 4+4 steps
constexpr double difference_margin = 1e-7;  // of the exact error, in difference form
constexpr int first_stall = 9;              // the level, in plain form

/// A table of the paper with the solver that it is about.
struct TableA {
  std::string name, title;
  Method method;
  int steps;         ///< of smoothing, before and after
  int cycle_margin;  ///< of iterations
};
const std::vector<TableA>& tables() {
  static const std::vector<TableA> all{
      {"A1", "conjugate gradients", Method::cg, 0, iteration_margin},
      {"A2", "multigrid, 2+2 steps", Method::multigrid, 2, 0},
      {"A3", "multigrid, 4+4 steps", Method::multigrid, 4, iteration_margin}};
  return all;
}

bool on_device(const ExperimentOptions& options) {
  return find_backend(options.backend, Precision::double_single) == BackendKind::cuda;
}

LevelRange levels_of(const ExperimentOptions& options) {
  if (options.levels) return *options.levels;
  return options.full || on_device(options) ? all_levels : host_levels;
}

std::string double_name(const TableA& a) {
  return a.name + " double";
}
std::string pair_name(const TableA& a, OperatorForm form) {
  return fmt::format("{} double-single {}", a.name, to_string(form));
}

Plan make_plan(const ExperimentOptions& options, const TableA& a, std::string name,
               Precision precision, OperatorForm form, const std::string& backend) {
  SolverOptions solver = paper_options();
  solver.method = a.method;
  solver.precision = precision;
  solver.form = form;
  solver.tolerance = tolerance;
  if (a.method == Method::multigrid) {
    solver.multigrid.pre_smoothing = solver.multigrid.post_smoothing = a.steps;
  }
  Plan plan = experiment_plan(std::move(name), options, levels_of(options), solver);
  plan.configuration.backend = backend;
  tell_varied(plan, {"solver.method", "solver.precision", "operator.form",
                     "multigrid.pre_smoothing", "backend.name"});
  return plan;
}

std::vector<Plan> make_plans(const ExperimentOptions& options) {
  std::vector<Plan> plans;
  for (const TableA& a : tables()) {
    plans.push_back(
        make_plan(options, a, double_name(a), Precision::double_, OperatorForm::plain, "host"));
    plans.push_back(make_plan(options, a, pair_name(a, OperatorForm::plain),
                              Precision::double_single, OperatorForm::plain, options.backend));
    if (a.method == Method::multigrid) {
      plans.push_back(make_plan(options, a, pair_name(a, OperatorForm::difference),
                                Precision::double_single, OperatorForm::difference,
                                options.backend));
    }
  }
  return plans;
}

/// With setup and transfers, as the paper measures it.
double seconds(const LevelResult& row) {
  return row.setup_seconds + row.solve_seconds;
}

double exact_error(int level) {
  return exact_rms('A', level);
}

Cell paper_iterations(const EmulationRow* paper, bool gpu) {
  if (paper == nullptr) return {};
  if (!gpu) return std::int64_t{paper->cpu_iterations};
  if (!paper->gpu_iterations) return std::string("stalls");
  return std::int64_t{*paper->gpu_iterations};
}

/// Table A1, A2 or A3 in plain form, as in the paper.
void report_table(ExperimentReport& report, const Results& results, const TableA& a) {
  Table table(
      {level_column(), count_column("paper_double", "double\npaper"),
       count_column("double", "double\nours"), count_column("paper_pair", "double-single\npaper"),
       count_column("pair", "double-single\nours"), error_column("residual", "its\nresidual", 3),
       error_column("paper_error", "its rms error\npaper", 10),
       error_column("error", "its rms error\nours", 10),
       error_column("exact_error", "rms error\nexact", 10), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison(fmt::format("emulation, table {}", a.name));
  const RunResult &in_double = find_run(results, double_name(a)),
                  &in_pairs = find_run(results, pair_name(a, OperatorForm::plain));
  for (std::size_t k = 0; k < in_pairs.levels.size(); ++k) {
    const LevelResult& row = in_pairs.levels[k];
    const EmulationRow* const paper = find_emulation(a.name, row.level);
    const double exact = exact_error(row.level);
    comparison.begin_row(in_pairs.name, row.level);
    if (paper != nullptr && paper->gpu_iterations) {
      comparison.count("iterations", Source::paper, *paper->gpu_iterations, row.iterations,
                       a.cycle_margin);
      comparison.digits("error", Source::paper, paper->gpu_error, error_rms(row),
                        shared_digits(paper->gpu_error, exact));
    } else if (paper != nullptr && row.level >= first_stall) {
      comparison.statement(
          "residual", Source::paper, "stalls above 1e-10", row.true_residual_reduction,
          row.outcome == to_string(Outcome::stagnated) && row.true_residual_reduction > tolerance);
    }
    table.add_row({std::int64_t{row.level}, paper_iterations(paper, false),
                   iterations_cell(in_double.levels[k]), paper_iterations(paper, true),
                   iterations_cell(row), row.true_residual_reduction,
                   paper == nullptr ? Cell() : Cell(paper->gpu_error), error_rms(row), exact,
                   comparison.verdict()});
    links.push_back(cell_links(table, {{"double", solve_link(in_double.name, in_double.levels[k])},
                                       {"pair", solve_link(in_pairs.name, row)}}));
  }
  report.table(fmt::format("Table {}: {}, iterations and error", a.name, a.title),
               "table_" + a.name, table, std::move(links));
  report.add(std::move(comparison));
}

void report_times(ExperimentReport& report, const Results& results) {
  Table table({text_column("table", "table"), level_column(),
               decimal_column("paper_double", "double\npaper [s]", 2),
               time_column("double", "double\nours [s]"),
               decimal_column("paper_pair", "double-single\npaper [s]", 2),
               time_column("pair", "double-single\nours [s]"),
               Column{.key = "paper_speedup", .header = "speedup\npaper", .style = significant(3)},
               Column{.key = "speedup", .header = "speedup\nours", .style = significant(3)}});
  for (const TableA& a : tables()) {
    const RunResult &in_double = find_run(results, double_name(a)),
                    &in_pairs = find_run(results, pair_name(a, OperatorForm::plain));
    for (std::size_t k = 0; k < in_pairs.levels.size(); ++k) {
      const LevelResult &high = in_double.levels[k], &row = in_pairs.levels[k];
      const EmulationRow* const paper = find_emulation(a.name, row.level);
      const bool stalls = row.outcome != to_string(Outcome::converged) && a.method != Method::cg;
      table.add_row({a.name, std::int64_t{row.level},
                     paper == nullptr ? Cell() : Cell(paper->cpu_seconds), seconds(high),
                     paper == nullptr ? Cell() : to_cell(paper->gpu_seconds), seconds(row),
                     paper == nullptr ? Cell() : to_cell(paper->speedup),
                     stalls ? Cell() : Cell(seconds(high) / seconds(row))});
    }
  }
  report.table("Seconds, with setup and transfers, and the speedup of double-single over double",
               "times", table);
}

void report_difference(ExperimentReport& report, const Results& results) {
  Table table(
      {text_column("solver", "solver"), level_column(),
       count_column("paper_double", "cycles of\ndouble, paper"),
       count_column("cycles", "cycles of\ndouble-single"), error_column("residual", "residual", 3),
       error_column("error", "rms error\nours", 10),
       error_column("exact_error", "rms error\nexact", 10),
       error_column("deviation", "relative\ndeviation", 2), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("emulation, difference form");
  for (const TableA& a : tables()) {
    if (a.method != Method::multigrid) continue;
    const RunResult& run = find_run(results, pair_name(a, OperatorForm::difference));
    for (const LevelResult& row : run.levels) {
      const EmulationRow* const paper = find_emulation(a.name, row.level);
      const double exact = exact_error(row.level);
      comparison.begin_row(pair_name(a, OperatorForm::difference), row.level);
      if (paper != nullptr) {
        comparison.count("cycles", Source::paper, paper->cpu_iterations, row.iterations,
                         a.cycle_margin);
      }
      comparison.statement("residual", Source::exact, "reaches 1e-10", row.true_residual_reduction,
                           row.true_residual_reduction <= tolerance);
      comparison.relative("error", Source::exact, exact, error_rms(row), difference_margin);
      table.add_row({a.title, std::int64_t{row.level}, paper_iterations(paper, false),
                     iterations_cell(row), row.true_residual_reduction, error_rms(row), exact,
                     error_rms(row) / exact - 1, comparison.verdict()});
      links.push_back(cell_links(table, {{"cycles", solve_link(run.name, row)}}));
    }
  }
  report.table("Double-single in difference form, not in the paper", "difference_form", table,
               std::move(links));
  report.add(std::move(comparison));
}

/// Where the plain form stops, in words.
std::string stall_words(const Results& results) {
  std::string text;
  for (const TableA& a : tables()) {
    if (a.method != Method::multigrid) continue;
    for (const LevelResult& row : find_run(results, pair_name(a, OperatorForm::plain)).levels) {
      if (row.level < first_stall) continue;
      text += fmt::format(
          "\n  {}, level {}: {} after {} cycles, residual {:.2e}; in the paper it "
          "stalls.",
          a.title, row.level, row.outcome, row.iterations, row.true_residual_reduction);
    }
  }
  return text.empty() ? text
                      : "Where multigrid in double-single stops in plain form:" + text
                            + "\nIts limit grows by 4 with every level and crosses 1e-10 between "
                              "levels 8 and 9, as in the paper.";
}

bool report_results(const ExperimentOptions& options, const Results& results) {
  ExperimentReport report("Emulation: tables A1 to A3 of Goeddeke, Strzodka, Turek 2007", results,
                          options.output);
  std::string text = fmt::format(
      "Test A, to a residual of {:g} times the first: double on the host against double-single on\n"
      "{}.  Exact: of the exact solution of the discrete equations.",
      tolerance,
      on_device(options) ? "the GPU"
                         : "the same host, since no GPU is used: the times are not those of the "
                           "paper's comparison, all\nelse is");
  if (!options.levels && levels_of(options).last < all_levels.last) {
    text += "\nLevel 10 is left to --full and to machines with a GPU.";
  }
  report.paragraph(text);
  for (const TableA& a : tables()) report_table(report, results, a);
  report.paragraph(fmt::format(
      "Iterations: within {} of the paper's, in table A2 equal.  Errors: the digits that the "
      "paper's\n"
      "share with the exact ones.  CG stops by its recursive residual; where the true one has come "
      "to\nits limit before, the outcome says so.",
      iteration_margin));
  if (const std::string words = stall_words(results); !words.empty()) report.paragraph(words);
  report_difference(report, results);
  report.paragraph(fmt::format(
      "Cycles: those of double, with 4+4 steps within {}.  Errors: within {:g} of the exact ones.",
      iteration_margin, difference_margin));
  report_times(report, results);
  report.paragraph(
      "The paper: Athlon64 X2 4400+ (one thread) and GeForce 7800 GTX, which had no double.  A "
      "first\nsolve on a GPU also opens the device.");
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(argc, argv,
                        {.name = "emulation",
                         .question = "What does emulated double precision cost, and what is it "
                                     "worth?  Tables A1 to A3 of the paper.",
                         .possible = possible,
                         .defaults = "5 10 on a GPU, 5 9 on the host",
                         .full = "level 10 without a GPU too"},
                        make_plans, report_results);
}
