// How do conjugate gradients and multigrid converge in double precision?
//
// Goeddeke, Strzodka, Turek 2007: table 7, tests A to D (rectangles with ever thinner cells),
// columns CG and MG_JAC; and the CPU columns of tables A1 (CG), A2 and A3 (multigrid, 2+2 and 4+4
// steps).
//
// The paper does not state its "strong damping" on tests B and C; see docs/experiments.md.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/paper/paper.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/plans.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 10}, table_7_levels{8, 9};
constexpr int section_8_3_level = 9;
constexpr LevelRange tables_a_levels{5, 9}, tables_a_full{5, 10};

// By which rules values shall agree.
constexpr int error_digits = 5, rate_digits = 4, difference_digits = 8;
constexpr double iteration_margin = 0.01;  // on thin cells, where the order of operations shows
constexpr int cycle_margin = 1;            // of section 8.3 and table A3

const JacobiSmoothing two_two = grid_of_test('A').jacobi, four_four{4, two_two.damping},
                      strong_b = grid_of_test('B').jacobi;

// On test D the paper has no result for multigrid with Jacobi.  What happens is shown for as many
// cycles as test C needs.
constexpr int cycles_of_d = 31;

struct Levels {
  LevelRange table_7, tables_a;
};

Levels levels_of(const ExperimentOptions& options) {
  if (options.levels) return {*options.levels, *options.levels};
  return {table_7_levels, options.full ? tables_a_full : tables_a_levels};
}

bool contains(LevelRange range, int level) {
  return range.first <= level && level <= range.last;
}

LevelRange hull(const Levels& levels) {
  return {std::min(levels.table_7.first, levels.tables_a.first),
          std::max(levels.table_7.last, levels.tables_a.last)};
}

std::string cg_name(char test) {
  return fmt::format("{} CG", test);
}

std::string multigrid_name(char test, JacobiSmoothing smoothing) {
  return fmt::format("{0} multigrid {1}+{1}", test, smoothing.steps);
}

const std::string difference_name = "A multigrid 2+2 difference";

Plan make_plan(const ExperimentOptions& options, char test, LevelRange levels, std::string name,
               const SolverOptions& solver) {
  Plan plan = experiment_plan(std::move(name), options, levels, solver);
  plan.configuration.width = grid_of_test(test).width;
  tell_varied(plan, {"domain.width", "grid.levels", "operator.form", "solver.method",
                     "solver.max_iterations", "multigrid.smoother", "multigrid.damping",
                     "multigrid.pre_smoothing", "multigrid.post_smoothing"});
  return plan;
}

Plan cg_plan(const ExperimentOptions& options, char test, LevelRange levels) {
  SolverOptions solver = paper_options();
  solver.method = Method::cg;
  return make_plan(options, test, levels, cg_name(test), solver);
}

Plan multigrid_plan(const ExperimentOptions& options, char test, LevelRange levels,
                    JacobiSmoothing smoothing, int max_iterations = 100) {
  SolverOptions solver = paper_options();
  solver.max_iterations = max_iterations;
  solver.multigrid.smoother = Smoother::jacobi;  // the paper's MG_JAC, on thin cells too
  solver.multigrid.damping = smoothing.damping;
  solver.multigrid.pre_smoothing = solver.multigrid.post_smoothing = smoothing.steps;
  return make_plan(options, test, levels, multigrid_name(test, smoothing), solver);
}

/// Table A2 once more, in difference form.
Plan difference_plan(const ExperimentOptions& options, LevelRange levels) {
  SolverOptions solver = paper_options();
  solver.form = OperatorForm::difference;
  solver.multigrid.smoother = Smoother::jacobi;
  solver.multigrid.damping = two_two.damping;
  return make_plan(options, 'A', levels, difference_name, solver);
}

std::vector<Plan> make_plans(const ExperimentOptions& options) {
  const Levels levels = levels_of(options);
  std::vector<Plan> plans{cg_plan(options, 'A', hull(levels)),
                          multigrid_plan(options, 'A', hull(levels), two_two),
                          multigrid_plan(options, 'A', levels.tables_a, four_four)};
  plans.push_back(difference_plan(options, levels.tables_a));
  for (const char test : {'B', 'C', 'D'}) plans.push_back(cg_plan(options, test, levels.table_7));
  plans.push_back(multigrid_plan(options, 'B', levels.table_7, strong_b));
  plans.push_back(multigrid_plan(options, 'C', levels.table_7, grid_of_test('C').jacobi));
  plans.push_back(
      multigrid_plan(options, 'D', levels.table_7, grid_of_test('D').jacobi, cycles_of_d));
  if (contains(levels.table_7, section_8_3_level)) {
    for (const SmoothingRow& row : paper_section_8_3()) {
      plans.push_back(multigrid_plan(options, 'B', {section_8_3_level, section_8_3_level},
                                     {row.steps, strong_b.damping}, 200));
    }
  }
  return plans;
}

/// What the paper prints beside one of our solves.
struct Printed {
  std::optional<int> iterations;
  std::optional<double> rate, error;

  Cell iterations_cell() const { return iterations ? Cell(std::int64_t{*iterations}) : Cell(); }
};

Printed printed_cg(char test, int level) {
  const ConvergenceRow* const row = find_convergence(test, level);
  if (row == nullptr) return {};
  return {row->cg_iterations, row->cg_rate, row->error_l2};
}

Printed printed_multigrid(char test, int level) {
  const ConvergenceRow* const row = find_convergence(test, level);
  if (row == nullptr) return {};
  return {row->multigrid_cycles, row->multigrid_rate, row->error_l2};
}

Printed printed_cpu(const std::string& table, int level) {
  const EmulationRow* const row = find_emulation(table, level);
  if (row == nullptr) return {};
  return {row->cpu_iterations, {}, row->cpu_error};
}

/// The geometric mean of the factors by which the residual falls.
double rate_of(const LevelResult& row) {
  return std::pow(row.residual_reduction, 1.0 / row.iterations);
}

void report_table_7_cg(ExperimentReport& report, const Results& results, LevelRange levels) {
  Table table(
      {text_column("test", "test"), level_column(),
       count_column("paper_iterations", "iterations\npaper"),
       count_column("iterations", "iterations\nours"),
       decimal_column("paper_rate", "rate\npaper", 4), decimal_column("rate", "rate\nours", 5),
       error_column("paper_error", "l2 error\npaper", 5),
       error_column("error", "l2 error\nours", 7),
       error_column("exact_error", "l2 error\nexact", 7), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("convergence, table 7, CG");
  for (const char test : {'A', 'B', 'C', 'D'}) {
    for (const LevelResult& row : find_run(results, cg_name(test)).levels) {
      if (!contains(levels, row.level)) continue;
      const Printed paper = printed_cg(test, row.level);
      const double exact = exact_l2(test, row.level);
      comparison.begin_row(cg_name(test), row.level);
      if (paper.iterations && test == 'A') {
        comparison.count("iterations", Source::paper, *paper.iterations, row.iterations);
      } else if (paper.iterations) {
        comparison.relative("iterations", Source::paper, *paper.iterations, row.iterations,
                            iteration_margin);
      }
      if (paper.rate) {
        comparison.digits("rate", Source::paper, *paper.rate, rate_of(row), rate_digits);
      }
      comparison.digits("error", Source::exact, exact, error_l2(row), error_digits);
      table.add_row({std::string(1, test), std::int64_t{row.level}, paper.iterations_cell(),
                     iterations_cell(row), to_cell(paper.rate), rate_of(row), to_cell(paper.error),
                     error_l2(row), exact, comparison.verdict()});
      links.push_back(cell_links(table, {{"iterations", solve_link(cg_name(test), row)}}));
    }
  }
  report.table("Table 7, conjugate gradients", "table_7_cg", table, std::move(links));
  report.paragraph(
      fmt::format("Iterations: equal on test A, within {:g} % on the others.  Rates: {} digits of "
                  "the paper's.\n"
                  "Errors: {} digits of the exact ones.",
                  100 * iteration_margin, rate_digits, error_digits));
  report.add(std::move(comparison));
}

void report_table_7_multigrid(ExperimentReport& report, const Results& results, LevelRange levels) {
  Table table(
      {text_column("test", "test"), level_column(), text_column("smoothing", "smoothing"),
       decimal_column("damping", "damping", 3), count_column("paper_cycles", "cycles\npaper"),
       count_column("cycles", "cycles\nours"), decimal_column("paper_rate", "rate\npaper", 4),
       decimal_column("rate", "rate\nours", 4), error_column("residual", "residual", 3),
       error_column("error", "l2 error\nours", 7),
       error_column("exact_error", "l2 error\nexact", 7), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("convergence, table 7, MG_JAC");
  for (const char test : {'A', 'B', 'C', 'D'}) {
    const JacobiSmoothing smoothing = grid_of_test(test).jacobi;
    for (const LevelResult& row : find_run(results, multigrid_name(test, smoothing)).levels) {
      if (!contains(levels, row.level)) continue;
      const Printed paper = printed_multigrid(test, row.level);
      const double exact = exact_l2(test, row.level);
      comparison.begin_row(multigrid_name(test, smoothing), row.level);
      if (paper.iterations) {
        comparison.count("cycles", Source::paper, *paper.iterations, row.iterations);
      }
      if (test != 'D') {
        comparison.digits("error", Source::exact, exact, error_l2(row), error_digits);
      }
      table.add_row(
          {std::string(1, test), std::int64_t{row.level}, fmt::format("{0}+{0}", smoothing.steps),
           smoothing.damping, paper.iterations_cell(), iterations_cell(row), to_cell(paper.rate),
           rate_of(row), row.true_residual_reduction, error_l2(row), exact, comparison.verdict()});
      links.push_back(
          cell_links(table, {{"cycles", solve_link(multigrid_name(test, smoothing), row)}}));
    }
  }
  report.table("Table 7, multigrid with Jacobi", "table_7_multigrid", table, std::move(links));
  report.paragraph(
      fmt::format("Cycles: equal.  Errors: {} digits of the exact ones.  The damping of B and C is "
                  "ours, chosen\n"
                  "for the paper's cycles; it says \"strong damping\".  Test D is n/a in the "
                  "paper: shown is what\n"
                  "{} cycles with the smoothing of test C achieve, which is not compared.",
                  error_digits, cycles_of_d));
  report.add(std::move(comparison));
}

void report_section_8_3(ExperimentReport& report, const Results& results) {
  Table table({text_column("smoothing", "smoothing"), count_column("paper_cycles", "cycles\npaper"),
               count_column("cycles", "cycles\nours"),
               decimal_column("paper_rate", "rate\npaper", 2),
               decimal_column("rate", "rate\nours", 4), text_column("agreement", "agrees")});
  Comparison comparison("convergence, section 8.3");
  for (const SmoothingRow& paper : paper_section_8_3()) {
    const std::string name = multigrid_name('B', {paper.steps, strong_b.damping});
    const LevelResult& row = find_run(results, name).levels.front();
    comparison.begin_row(name, row.level);
    comparison.count("cycles", Source::paper, paper.cycles, row.iterations, cycle_margin);
    table.add_row({fmt::format("{0}+{0}", paper.steps), std::int64_t{paper.cycles},
                   iterations_cell(row), paper.rate, rate_of(row), comparison.verdict()});
  }
  report.table(
      fmt::format("Section 8.3: test B, level {}, multigrid with damping {}, cycles within {}",
                  section_8_3_level, strong_b.damping, cycle_margin),
      "section_8_3", table);
  report.add(std::move(comparison));
}

/// Table A1, A2 or A3: test A, root mean square errors.
struct TableA {
  std::string paper, title, stem, run;
  int margin = 0;
  int digits = error_digits;
};

void report_table_a(ExperimentReport& report, const Results& results, LevelRange levels,
                    const TableA& a) {
  Table table({level_column(), count_column("paper_iterations", "iterations\npaper"),
               count_column("iterations", "iterations\nours"),
               error_column("paper_error", "rms error\npaper", 10),
               error_column("error", "rms error\nours", 10),
               error_column("exact_error", "rms error\nexact", 10),
               text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("convergence, table " + a.title);
  for (const LevelResult& row : find_run(results, a.run).levels) {
    if (!contains(levels, row.level)) continue;
    const Printed paper = printed_cpu(a.paper, row.level);
    const double exact = exact_rms('A', row.level);
    comparison.begin_row(a.run, row.level);
    if (paper.iterations) {
      comparison.count("iterations", Source::paper, *paper.iterations, row.iterations, a.margin);
    }
    comparison.digits("error", Source::exact, exact, error_rms(row), a.digits);
    table.add_row({std::int64_t{row.level}, paper.iterations_cell(), iterations_cell(row),
                   to_cell(paper.error), error_rms(row), exact, comparison.verdict()});
    links.push_back(cell_links(table, {{"iterations", solve_link(a.run, row)}}));
  }
  report.table(fmt::format("Table {}: test A, {}", a.title, a.run.substr(2)), a.stem, table,
               std::move(links));
  report.add(std::move(comparison));
}

bool report_results(const ExperimentOptions& options, const Results& results) {
  const Levels levels = levels_of(options);
  ExperimentReport report("Convergence: tables 7 and A1 to A3 of Goeddeke, Strzodka, Turek 2007",
                          results, options.output);
  report.paragraph(
      "Double precision, to a residual of 1e-10 times the first.  Rate: geometric mean of the\n"
      "factors by which the residual falls.  Exact: of the exact solution of the discrete "
      "equations.");
  report_table_7_cg(report, results, levels.table_7);
  report_table_7_multigrid(report, results, levels.table_7);
  if (contains(levels.table_7, section_8_3_level)) report_section_8_3(report, results);
  const TableA tables[] = {{"A1", "A1", "table_A1", cg_name('A')},
                           {"A2", "A2", "table_A2", multigrid_name('A', two_two)},
                           {"A3", "A3", "table_A3", multigrid_name('A', four_four), cycle_margin},
                           {"A2", "A2 in difference form", "table_A2_difference", difference_name,
                            0, difference_digits}};
  for (const TableA& table : tables) report_table_a(report, results, levels.tables_a, table);
  report.paragraph(
      fmt::format("Iterations: equal; in table A3 within {}.  Errors: {} digits of the exact ones, "
                  "in difference\n"
                  "form, which the paper does not have, {}.  The paper's errors leave the exact "
                  "ones where its\n"
                  "own rounding shows, on level 10 in the fourth digit.",
                  cycle_margin, error_digits, difference_digits));
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "convergence",
       .question = "How do conjugate gradients and multigrid converge in double precision?  Tables "
                   "7 and A1 to A3 of the paper.",
       .possible = possible,
       .defaults = "8 9 for table 7, 5 9 for tables A1 to A3"},
      make_plans, report_results);
}
