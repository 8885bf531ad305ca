// At which level does each number format stop following the exact discrete solution?
//
// Not in the paper.  Test A solved by multigrid in every format and both operator forms, and by
// mixed precision, each as far down as its residual goes.  The discretisation error falls by 4 with
// every level; rounding in plain form costs about u 4^level, in difference form about u.  The wall
// of a format is the level where its error is off the exact one by 10 %: with b bits, near b/4 in
// plain form and b/2 in difference form.  That of a mixed path is its outer format's, as long as
// the inner one still corrects.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/errors.hpp"
#include "fem/problem/problems.hpp"

#include "solvers/solve.hpp"

#include "output/document/field_image.hpp"

#include "experiments/beyond/accuracy_wall_contestants.hpp"
#include "experiments/beyond/accuracy_wall_picture.hpp"
#include "experiments/paper/paper.hpp"
#include "experiments/program/prepared_run.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{first_wall_level, 15};

std::string wall_words(const RunResult& run, double (*ratio)(const LevelResult&)) {
  const auto wall = wall_of(run, ratio);
  return wall ? fmt::format("{}", *wall) : fmt::format("beyond {}", run.levels.back().level);
}

void report_walls(ExperimentReport& report, const Results& results) {
  Table table(
      {text_column("format", "format"), text_column("form", "form"),
       Column{.key = "unit_roundoff", .header = "unit\nroundoff", .style = significant(3)},
       count_column("bytes", "bytes of\na value"), count_column("wall_l2", "wall\nin l2"),
       count_column("wall_rms", "wall\nin rms"), count_column("last_level", "finest\nlevel"),
       Column{.key = "l2_over_exact", .header = "l2 there\nover exact", .style = significant(6)},
       error_column("residual", "residual\nthere", 2), text_column("agreement", "agrees")});
  Comparison comparison("accuracy_wall");
  for (const Entry& entry : entries()) {
    const RunResult& run = find_run(results, entry.name());
    const Expected& expected = entry.expected;
    std::string disagreement;
    for (const LevelResult& row : run.levels) {
      comparison.begin_row(run.name, row.level);
      if (row.level <= expected.last_level) {
        comparison.relative("l2 error", Source::exact, exact_l2('A', row.level), error_l2(row),
                            expected.margin);
      } else if (row.level == expected.wall) {
        const double ratio = l2_ratio(row);
        comparison.statement("l2 error over exact", Source::exact, "off by more than 10 %", ratio,
                             std::abs(ratio - 1) > off_the_exact);
      }
      if (comparison.verdict().starts_with("NO")) {
        disagreement += fmt::format("{} {}", disagreement.empty() ? "NO: level" : ",", row.level);
      }
    }
    const LevelResult& last = run.levels.back();
    const SolverPath& path = entry.contestant.path;
    const FormatFacts format = facts(path.outer);
    table.add_row({to_string(path), entry.form_name(), format.unit_roundoff,
                   path.mixed() ? Cell{} : Cell{std::int64_t{format.bits / 8}},
                   wall_words(run, l2_ratio), wall_words(run, rms_ratio), std::int64_t{last.level},
                   l2_ratio(last), last.true_residual_reduction,
                   disagreement.empty() ? "yes" : disagreement});
  }
  report.table("The wall: the first level whose error is off the exact one by 10 %", "walls",
               table);
  report.add(std::move(comparison));
}

/// What stands in one table: formats in one form, or the mixed paths.
struct Group {
  std::string title, stem;
  bool mixed;
  OperatorForm form;

  std::vector<const Entry*> members() const {
    std::vector<const Entry*> list;
    for (const Entry& entry : entries()) {
      if (entry.contestant.path.mixed() == mixed && entry.form == form) list.push_back(&entry);
    }
    return list;
  }
};

/// One norm's errors of a group, over the exact error and less one.
void report_ratios(ExperimentReport& report, const Results& results, const Group& group,
                   const std::string& norm, double (*exact)(char, int),
                   double (*ratio)(const LevelResult&)) {
  std::vector<Column> columns{level_column(), error_column("exact", "exact\n" + norm, 10)};
  int first = possible.last, last = 0;
  for (const Entry* entry : group.members()) {
    const std::string name = to_string(entry->contestant.path);
    std::string header = name;
    std::replace(header.begin(), header.end(), ':', '\n');
    columns.push_back(error_column(name, header, 2));
    const auto& levels = find_run(results, entry->name()).levels;
    first = std::min(first, levels.front().level);
    last = std::max(last, levels.back().level);
  }
  Table table(columns);
  std::vector<std::vector<std::string>> links;
  for (int level = first; level <= last; ++level) {
    std::vector<Cell> cells{std::int64_t{level}, exact('A', level)};
    std::vector<std::string> to(cells.size());
    for (const Entry* entry : group.members()) {
      Cell cell;
      to.emplace_back();
      for (const LevelResult& row : find_run(results, entry->name()).levels) {
        if (row.level != level) continue;
        cell = ratio(row) - 1;
        to.back() = solve_link(entry->name(), row);
      }
      cells.push_back(std::move(cell));
    }
    table.add_row(std::move(cells));
    links.push_back(std::move(to));
  }
  report.table(
      fmt::format("The {} error's relative deviation from the exact one, {}", norm, group.title),
      fmt::format("{}_{}", norm, group.stem), table, std::move(links));
}

/// Where the errors of single in both forms and of double sit on the grid of a level.
std::vector<Image> error_images(const ExperimentOptions& options, int level) {
  const auto grids = make_hierarchy(1, 1, level);
  const Problem problem = make_problem({}, 1, 1);
  const std::vector<double> exact = nodal_solution(problem, grids.back());
  std::vector<Image> images;
  for (const auto& [precision, form] : {std::pair{"single", OperatorForm::plain},
                                        {"single", OperatorForm::difference},
                                        {"double", OperatorForm::difference}}) {
    const auto entry = std::ranges::find_if(entries(), [&](const Entry& of) {
      return to_string(of.contestant.path) == precision && of.form == form;
    });
    const SolverOptions solver = plan_entry(options, *entry).configuration.solver;
    std::vector<double> error =
        solve(problem, grids, solver, find_backend(options.backend, solver.precision)).solution;
    for (std::size_t k = 0; k < error.size(); ++k) error[k] = std::abs(error[k] - exact[k]);
    images.push_back(field_image(
        grids.back(), error, fmt::format("{}, level {}: size of the error", entry->name(), level)));
  }
  return images;
}

std::vector<Plan> make_plans(const ExperimentOptions& options) {
  std::vector<Plan> plans;
  for (const Entry& entry : entries()) plans.push_back(plan_entry(options, entry));
  return plans;
}

bool report_results(const ExperimentOptions& options, const Results& results) {
  ExperimentReport report("The accuracy wall of every number format", results, options.output);
  report.paragraph(fmt::format(
      "Test A (unit square, uniform grids): multigrid, F-cycles, 2+2 Jacobi steps, until the\n"
      "residual has fallen by {:g} or no longer falls.  double:single keeps the solution in "
      "double\n"
      "and corrects it by multigrid in single.  Exact: of the exact solution of the discrete\n"
      "equations.",
      plan_entry(options, entries().front()).configuration.solver.tolerance));
  for (const Group& group :
       {Group{"plain form", "plain", false, OperatorForm::plain},
        Group{"difference form", "difference", false, OperatorForm::difference},
        Group{"mixed precision in difference form", "mixed", true, OperatorForm::difference}}) {
    report_ratios(report, results, group, "l2", exact_l2, l2_ratio);
    report_ratios(report, results, group, "rms", exact_rms, rms_ratio);
  }
  report_walls(report, results);
  report.paragraph(
      "Rounding costs about u 4^level in plain form and about u in difference form, where the\n"
      "discretisation error is about 4^-level: four bits buy one level in plain form, two bits in\n"
      "difference form.  half and bfloat16 are rounded where they are stored, in both forms "
      "alike.\n"
      "Mixed precision has the accuracy of its outer format: u is that of the outer one.");
  report.picture("accuracy_wall.png", draw_walls(results, options.output).remark);
  const int pictured = options.levels ? std::min(options.levels->last, 9) : 9;
  report.paragraph(fmt::format(
      "The page shows where the error sits on the grid of level {}: rounding in plain form is "
      "smooth\n"
      "and covers the discretisation error, which single in difference form shows as double does.",
      pictured));
  report.gallery(error_images(options, pictured));
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(
      argc, argv,
      {.name = "accuracy_wall",
       .question = "At which level does each number format leave the error of the exact discrete "
                   "solution?",
       .possible = possible,
       .defaults = "2 13 on a GPU; on the host 2 11 for single, double and double:single, 2 10 for "
                   "bfloat16 and double:bfloat16, 2 9 for the others",
       .full = "double-single and wider, double:single and double-double:* to level 15 as far as "
               "the GPU's memory allows; on the host one or two levels more"},
      make_plans, report_results);
}
