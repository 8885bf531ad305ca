// What do thin cells cost each solver, and how accurate are the solutions?
//
// Goeddeke, Strzodka, Turek 2007: tables 7 (rectangles with ever thinner cells), 8 (grids refined
// to two sides) and 9 (the same in mixed precision), with line smoothers in the paper's order and
// in zebra order, the parallel one; what limits test I; and a map of how robust solvers are.
//
// The paper does not state the damping of its Jacobi smoother; see docs/experiments.md.

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/paper/anisotropy_plans.hpp"
#include "experiments/paper/paper.hpp"
#include "experiments/paper/robustness_map.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 10};

// By which rules values shall agree.
constexpr int error_digits = 5;            // of the exact errors
constexpr double iteration_margin = 0.01;  // of CG on thin cells: the order of operations shows
constexpr int rate_digits = 4;             // of CG on uniform grids
constexpr double rate_margin = 2e-4;       // on refined ones: the last residual, taken to 1/n
constexpr int cycle_margin = 1;            // of multigrid by lines; of outer steps
constexpr int zebra_margin = 2;            // the same in zebra order, which the paper does not have
constexpr int idle_margin = 4;             // in zebra order where every other step is idle: test D
constexpr int inner_margin = 3;  // a cycle that almost gains two digits asks for another one

/// The geometric mean of the factors by which the residual falls.
double rate_of(const LevelResult& row) {
  return std::pow(row.residual_reduction, 1.0 / row.iterations);
}

template <class Value>
Cell count_cell(const std::optional<Value>& count) {
  return count ? Cell(std::int64_t{*count}) : Cell();
}

/// The value of a printed row's member, or nothing.
template <class Row, class Value>
std::optional<Value> printed(const Row* row, Value Row::*member) {
  return row == nullptr ? std::nullopt : std::optional(row->*member);
}

void report_cg(ExperimentReport& report, const Results& results) {
  Table table(
      {text_column("test", "test"), level_column(),
       count_column("paper_iterations", "iterations\npaper"),
       count_column("iterations", "iterations\nours"),
       decimal_column("paper_rate", "rate\npaper", 4), decimal_column("rate", "rate\nours", 5),
       error_column("paper_error", "l2 error\npaper", 5),
       error_column("error", "l2 error\nours", 7),
       error_column("exact_error", "l2 error\nexact", 7), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("anisotropy, CG");
  for (const char test : all_tests) {
    const RunResult& run = find_run(results, run_name(test, table_cg()));
    for (const LevelResult& row : run.levels) {
      const ConvergenceRow* const paper = find_convergence(test, row.level);
      const double exact = exact_l2(test, row.level);
      comparison.begin_row(run.name, row.level);
      if (paper != nullptr) {
        if (test == 'A') {
          comparison.count("iterations", Source::paper, paper->cg_iterations, row.iterations);
        } else {
          comparison.relative("iterations", Source::paper, paper->cg_iterations, row.iterations,
                              iteration_margin);
        }
        if (grid_of_test(test).nu == 1) {
          comparison.digits("rate", Source::paper, paper->cg_rate, rate_of(row), rate_digits);
        } else {
          comparison.relative("rate", Source::paper, paper->cg_rate, rate_of(row), rate_margin);
        }
      }
      comparison.digits("error", Source::exact, exact, error_l2(row), error_digits);
      table.add_row({std::string(1, test), std::int64_t{row.level},
                     count_cell(printed(paper, &ConvergenceRow::cg_iterations)),
                     iterations_cell(row), to_cell(printed(paper, &ConvergenceRow::cg_rate)),
                     rate_of(row), to_cell(printed(paper, &ConvergenceRow::error_l2)),
                     error_l2(row), exact, comparison.verdict()});
      links.push_back(cell_links(table, {{"iterations", solve_link(run.name, row)}}));
    }
  }
  report.table("Tables 7 and 8: conjugate gradients, preconditioned by the diagonal", "cg", table,
               std::move(links));
  report.paragraph(fmt::format(
      "Iterations: equal on test A, within {:g} % on the others.  Rates: {} digits of the paper's, "
      "on refined grids\nwithin {:g} %.  Errors: {} digits of the exact ones.  The paper's error "
      "of "
      "test I on level 8 is that of level 7;\nlevel 9 it cannot assemble.",
      100 * iteration_margin, rate_digits, 100 * rate_margin, error_digits));
  report.add(std::move(comparison));
}

void report_jacobi(ExperimentReport& report, const Results& results) {
  Table table(
      {text_column("test", "test"), level_column(), text_column("smoothing", "smoothing"),
       decimal_column("damping", "damping", 3), count_column("paper_cycles", "cycles\npaper"),
       count_column("cycles", "cycles\nours"), decimal_column("paper_rate", "rate\npaper", 4),
       decimal_column("rate", "rate\nours", 4), error_column("residual", "residual", 3),
       error_column("error", "l2 error\nours", 7),
       error_column("exact_error", "l2 error\nexact", 7), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("anisotropy, MG_JAC");
  for (const char test : all_tests) {
    const JacobiSmoothing smoothing = grid_of_test(test).jacobi;
    const RunResult& run = find_run(results, run_name(test, table_jacobi()));
    for (const LevelResult& row : run.levels) {
      const ConvergenceRow* const paper = find_convergence(test, row.level);
      const double exact = exact_l2(test, row.level);
      comparison.begin_row(run.name, row.level);
      if (paper != nullptr && paper->multigrid_cycles) {
        comparison.count("cycles", Source::paper, *paper->multigrid_cycles, row.iterations);
      }
      if (has_printed_jacobi(test)) {
        comparison.digits("error", Source::exact, exact, error_l2(row), error_digits);
      }
      const bool has_cycles = paper != nullptr && paper->multigrid_cycles;
      table.add_row({std::string(1, test), std::int64_t{row.level},
                     fmt::format("{0}+{0}", smoothing.steps), smoothing.damping,
                     has_cycles         ? Cell(std::int64_t{*paper->multigrid_cycles})
                     : paper != nullptr ? Cell("n/a")
                                        : Cell(),
                     iterations_cell(row), has_cycles ? Cell(*paper->multigrid_rate) : Cell(),
                     rate_of(row), row.true_residual_reduction, error_l2(row), exact,
                     comparison.verdict()});
      links.push_back(cell_links(table, {{"cycles", solve_link(run.name, row)}}));
    }
  }
  report.table("Tables 7 and 8: multigrid with Jacobi (MG_JAC)", "mg_jac", table, std::move(links));
  report.paragraph(fmt::format(
      "Cycles: equal.  Errors: {} digits of the exact ones.  The damping is ours, chosen for the "
      "paper's cycles; it says\n\"strong damping\".  Tests D, H and I are n/a in the paper: shown, "
      "not compared, is what {} cycles achieve\nwith the smoothing of C, and of G.",
      error_digits, unprinted_cycles));
  report.add(std::move(comparison));
}

void report_lines(ExperimentReport& report, const Results& results) {
  Table table(
      {text_column("test", "test"), level_column(), count_column("paper_cycles", "cycles\npaper"),
       count_column("sequential_cycles", "sequen-\ntial"), count_column("zebra_cycles", "zebra"),
       decimal_column("paper_rate", "rate\npaper", 4),
       decimal_column("sequential_rate", "sequen-\ntial", 4),
       decimal_column("zebra_rate", "zebra", 4), error_column("paper_error", "l2 error\npaper", 5),
       error_column("sequential_error", "sequential", 7), error_column("zebra_error", "zebra", 7),
       error_column("exact_error", "exact", 7), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("anisotropy, MG_ADITRIGS");
  for (const char test : all_tests) {
    const RunResult& in_order =
        find_run(results, run_name(test, table_lines(LineOrder::sequential)));
    const RunResult& by_colour = find_run(results, run_name(test, table_lines(LineOrder::zebra)));
    for (std::size_t k = 0; k < in_order.levels.size(); ++k) {
      const LevelResult &sequential = in_order.levels[k], &zebra = by_colour.levels[k];
      const ConvergenceRow* const paper = find_convergence(test, sequential.level);
      const double exact = exact_l2(test, sequential.level);
      comparison.begin_row(fmt::format("{} MG_ADITRIGS", test), sequential.level);
      if (paper != nullptr) {
        comparison.count("sequential cycles", Source::paper, paper->line_cycles,
                         sequential.iterations, cycle_margin);
        comparison.count("zebra cycles", Source::paper, paper->line_cycles, zebra.iterations,
                         test == 'D' ? idle_margin : zebra_margin);
      }
      comparison.digits("sequential error", Source::exact, exact, error_l2(sequential),
                        error_digits);
      comparison.digits("zebra error", Source::exact, exact, error_l2(zebra), error_digits);
      table.add_row({std::string(1, test), std::int64_t{sequential.level},
                     count_cell(printed(paper, &ConvergenceRow::line_cycles)),
                     iterations_cell(sequential), iterations_cell(zebra),
                     to_cell(printed(paper, &ConvergenceRow::line_rate)), rate_of(sequential),
                     rate_of(zebra), to_cell(printed(paper, &ConvergenceRow::error_l2)),
                     error_l2(sequential), error_l2(zebra), exact, comparison.verdict()});
      links.push_back(
          cell_links(table, {{"sequential_cycles", solve_link(in_order.name, sequential)},
                             {"zebra_cycles", solve_link(by_colour.name, zebra)}}));
    }
  }
  report.table("Tables 7 and 8: multigrid by alternating lines (MG_ADITRIGS), 2+2 steps",
               "mg_aditrigs", table, std::move(links));
  report.paragraph(fmt::format(
      "Sequential: one line after the other, as in the paper; zebra: every other line at once.  "
      "Cycles: within {}\nof the paper's, in zebra order {}, on test D, where only lines along x "
      "matter, {}.  Errors: {} digits of the\nexact ones, of test I too.",
      cycle_margin, zebra_margin, idle_margin, error_digits));
  report.add(std::move(comparison));
}

void report_mixed(ExperimentReport& report, const Results& results) {
  Table table(
      {text_column("test", "test"), level_column(), count_column("paper_counts", "paper"),
       count_column("sequential_counts", "sequen-\ntial"), count_column("zebra_counts", "zebra"),
       error_column("paper_error", "l2 error\npaper", 5),
       error_column("sequential_error", "sequential", 7), error_column("zebra_error", "zebra", 7),
       error_column("double_error", "double,\nsequential", 7),
       error_column("exact_error", "exact", 7), text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("anisotropy, table 9");
  for (const char test : all_tests) {
    const RunResult& in_order =
        find_run(results, run_name(test, table_mixed(LineOrder::sequential)));
    const RunResult& by_colour = find_run(results, run_name(test, table_mixed(LineOrder::zebra)));
    const RunResult& native = find_run(results, run_name(test, table_lines(LineOrder::sequential)));
    for (std::size_t k = 0; k < in_order.levels.size(); ++k) {
      const LevelResult &sequential = in_order.levels[k], &zebra = by_colour.levels[k];
      const MixedAnisotropyRow* const paper = find_mixed_anisotropy(test, sequential.level);
      const double exact = exact_l2(test, sequential.level);
      comparison.begin_row(fmt::format("{} mixed", test), sequential.level);
      if (paper != nullptr) {
        comparison.count("sequential outer", Source::paper, paper->counts.outer,
                         sequential.iterations, cycle_margin);
        comparison.count("sequential inner", Source::paper, paper->counts.inner,
                         sequential.inner_iterations.value(), inner_margin);
        comparison.count("zebra outer", Source::paper, paper->counts.outer, zebra.iterations,
                         cycle_margin);
      }
      comparison.digits("sequential error", Source::exact, exact, error_l2(sequential),
                        error_digits);
      comparison.digits("zebra error", Source::exact, exact, error_l2(zebra), error_digits);
      table.add_row({std::string(1, test), std::int64_t{sequential.level},
                     paper == nullptr
                         ? Cell()
                         : fmt::format("{}:{}", paper->counts.outer, paper->counts.inner),
                     counts_cell(sequential), counts_cell(zebra),
                     to_cell(printed(paper, &MixedAnisotropyRow::error)), error_l2(sequential),
                     error_l2(zebra), error_l2(native.levels[k]), exact, comparison.verdict()});
      links.push_back(
          cell_links(table, {{"sequential_counts", solve_link(in_order.name, sequential)},
                             {"zebra_counts", solve_link(by_colour.name, zebra)}}));
    }
  }
  report.table("Table 9: double with corrections by MG_ADITRIGS in single, outer:inner", "table_9",
               table, std::move(links));
  report.paragraph(fmt::format(
      "Two digits in each outer step.  Outer steps: within {}.  Inner cycles: within {} in the "
      "paper's order.  Errors:\n{} digits of the exact ones.",
      cycle_margin, inner_margin, error_digits));
  report.add(std::move(comparison));
}

/// Which part of the pipeline limits test I.
void report_ways(ExperimentReport& report, const Results& results) {
  Table table({text_column("way", "precision, form of the operator"), level_column(),
               count_column("cycles", "cycles"), error_column("residual", "true\nresidual", 2),
               error_column("error", "l2 error", 10), error_column("exact_error", "exact", 10),
               error_column("deviation", "relative\ndeviation", 2),
               text_column("agreement", "agrees")});
  std::vector<std::vector<std::string>> links;
  Comparison comparison("anisotropy, test I");
  for (const Way& way : ways()) {
    const RunResult& run = find_run(results, way_name(way));
    for (const LevelResult& row : run.levels) {
      const double exact = exact_l2('I', row.level);
      comparison.begin_row(run.name, row.level);
      if (way.digits > 0) {
        comparison.digits("error", Source::exact, exact, error_l2(row), way.digits);
      }
      table.add_row({way.name, std::int64_t{row.level},
                     row.inner_iterations ? counts_cell(row) : iterations_cell(row),
                     row.true_residual_reduction, error_l2(row), exact, error_l2(row) / exact - 1,
                     comparison.verdict()});
      links.push_back(cell_links(table, {{"cycles", solve_link(run.name, row)}}));
    }
  }
  report.table("Test I in several precisions, MG_ADITRIGS in zebra order", "test_i", table,
               std::move(links));
  report.paragraph(fmt::format(
      "Compared: {} digits in plain form and {} in difference form or double-double; in single "
      "none.  The last node\nbefore x = 1 on level 9, 5.6e-17 away, lies between two neighbouring "
      "doubles: cell widths can hold it,\ncoordinates cannot.",
      plain_digits, difference_digits));
  report.add(std::move(comparison));
}

std::vector<Plan> make_plans(const ExperimentOptions& options) {
  std::vector<Plan> plans = anisotropy_plans(options);
  for (Plan& plan : robustness_plans(options)) plans.push_back(std::move(plan));
  return plans;
}

bool report_results(const ExperimentOptions& options, const Results& results) {
  ExperimentReport report("Anisotropy: tables 7 to 9 of Goeddeke, Strzodka, Turek 2007", results,
                          options.output);
  report.paragraph(
      "Tests B to D: rectangles with cells 4, 16 and 1e11 times as high as wide; E to I: the unit "
      "square, refined to\nthe right and the bottom, on level 9 with cells up to 17, 768, 5e5, "
      "1e11 and 7e13 times as long as wide.\nDouble precision, plain form, to a residual of 1e-10 "
      "times the first.  Rate: geometric mean of the factors by\nwhich the residual falls.  "
      "Exact: of the exact solution of the discrete equations.");
  report_cg(report, results);
  report_jacobi(report, results);
  report_lines(report, results);
  report_mixed(report, results);
  report_ways(report, results);
  report_robustness(report, results, options);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "anisotropy",
       .question = "What do thin cells cost each solver, and how accurate are the solutions?  "
                   "Tables 7 to 9 of the paper, and a map of how robust solvers are.",
       .possible = possible,
       .defaults = "8 9, the map 3 8 on the host, 3 10 on a GPU",
       .full =
           "level 10; on the host also MG_JAC of tests D, H and I beyond level 8, test I in all "
           "precisions and the map to level 10"},
      make_plans, report_results);
}
