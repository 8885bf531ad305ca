// At which level does each number format stop following the exact discrete solution?
//
// Not in the paper.  Test A solved by multigrid in every format and both operator forms, each as
// far down as its residual goes.  The discretisation error falls by 4 with every level; rounding in
// plain form costs about u 4^level, in difference form about u.  The wall of a format is the level
// where its error is off the exact one by 10 %: with b bits, near b/4 in plain form and b/2 in
// difference form.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "solvers/solve.hpp"

#include "output/colours.hpp"
#include "output/curve_plot.hpp"

#include "experiments/comparison.hpp"
#include "experiments/options.hpp"
#include "experiments/paper.hpp"
#include "experiments/report.hpp"
#include "experiments/run.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 15};
constexpr int first_level = 2, device_level = 13;
constexpr double off = 0.1;  // what counts as having left the exact errors

// Low enough that what is left of the algebraic error is nothing beside the discretisation error
// down to level 15; a format that cannot go there stagnates, which is meant.
constexpr double tolerance = 1e-11;
constexpr int most_cycles = 60;

/// A format, how far it goes on a host in a minute, how far it shall go on a device with --full
/// (half has no range for level 14; for single and bfloat16 nothing changes there), and its colour.
struct Contestant {
  Precision precision;
  int host_level, host_level_full, device_level_full;
  std::string_view colour;
};

const std::vector<Contestant>& contestants() {
  static const std::vector<Contestant> all{{Precision::half, 9, 10, 13, okabe_ito[4]},
                                           {Precision::bfloat16, 10, 12, 13, okabe_ito[3]},
                                           {Precision::single_, 11, 12, 13, okabe_ito[1]},
                                           {Precision::double_single, 9, 10, 15, okabe_ito[5]},
                                           {Precision::double_, 11, 12, 15, okabe_ito[0]},
                                           {Precision::double_double, 9, 10, 15, okabe_ito[2]}};
  return all;
}

constexpr std::array forms{OperatorForm::plain, OperatorForm::difference};

std::string name_of(Precision precision, OperatorForm form) {
  return fmt::format("{} {}", to_string(precision), to_string(form));
}

/// What must come out: within `margin` of the exact l2 error through `last_level`, off by more than
/// 10 % on level `wall`.
struct Expected {
  Precision precision;
  OperatorForm form;
  int last_level;
  double margin;
  std::optional<int> wall;
};

const std::vector<Expected>& expectations() {
  using enum OperatorForm;
  static const std::vector<Expected> all{{Precision::half, plain, 3, off, 5},
                                         {Precision::half, difference, 3, off, 5},
                                         {Precision::bfloat16, plain, 2, off, 4},
                                         {Precision::bfloat16, difference, 2, off, 4},
                                         {Precision::single_, plain, 6, off, 7},
                                         {Precision::single_, difference, 10, off, 11},
                                         {Precision::double_single, plain, 11, off, {}},
                                         {Precision::double_single, difference, 15, 1e-3, {}},
                                         {Precision::double_, plain, 13, off, 15},
                                         {Precision::double_, difference, 15, 1e-5, {}},
                                         {Precision::double_double, plain, 15, 1e-6, {}},
                                         {Precision::double_double, difference, 15, 1e-6, {}}};
  return all;
}

const Expected& expected_of(Precision precision, OperatorForm form) {
  for (const Expected& e : expectations()) {
    if (e.precision == precision && e.form == form) return e;
  }
  throw std::logic_error("nothing is expected of " + name_of(precision, form));
}

/// The finest level, up to `level`, whose memory is there; 0 if none is.
int finest_that_fits(int level, const SolverOptions& solver, BackendKind where) {
  for (; level > 0; --level) {
    try {
      require_memory(forecast_memory(level, solver, where), where);
      return level;
    } catch (const std::runtime_error&) {
    }
  }
  return 0;
}

LevelRange levels_of(const ExperimentOptions& options, const Contestant& contestant,
                     const SolverOptions& solver) {
  if (options.levels) return *options.levels;
  const BackendKind where = find_backend(options.backend, contestant.precision);
  if (where == BackendKind::host) {
    return {first_level, options.full ? contestant.host_level_full : contestant.host_level};
  }
  if (!options.full) return {first_level, device_level};
  return {first_level,
          std::max(first_level, finest_that_fits(contestant.device_level_full, solver, where))};
}

Plan make_plan(const ExperimentOptions& options, const Contestant& contestant, OperatorForm form) {
  const Precision precision = contestant.precision;
  Plan plan{
      name_of(precision, form),
      {{"solver.precision", to_string(precision)}, {"operator.form", std::string(to_string(form))}},
      {}};
  Configuration& c = plan.configuration;
  c.solver.precision = precision;
  c.solver.form = form;
  c.solver.tolerance = tolerance;
  c.solver.max_iterations = most_cycles;
  const LevelRange levels = levels_of(options, contestant, c.solver);
  c.first_level = levels.first;
  c.last_level = levels.last;
  c.backend = options.backend;
  c.output.directory = options.output.string();
  return plan;
}

double exact_l2(int level) {
  return find_exact_errors('A', level)->l2;
}
double exact_rms(int level) {
  return find_exact_errors('A', level)->rms;
}
double l2_ratio(const LevelResult& row) {
  return error_l2(row) / exact_l2(row.level);
}
double rms_ratio(const LevelResult& row) {
  return error_rms(row) / exact_rms(row.level);
}

/// The first level whose error is off by 10 % and stays so, if there is one; not a number is off.
std::optional<int> wall_of(const RunResult& run, double (*ratio)(const LevelResult&)) {
  std::optional<int> wall;
  for (const LevelResult& row : run.levels) {
    if (std::abs(ratio(row) - 1) <= off) {
      wall.reset();
    } else if (!wall) {
      wall = row.level;
    }
  }
  return wall;
}

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
  for (const Contestant& contestant : contestants()) {
    for (const OperatorForm form : forms) {
      const RunResult& run = find_run(results, name_of(contestant.precision, form));
      const Expected& expected = expected_of(contestant.precision, form);
      std::string disagreement;
      for (const LevelResult& row : run.levels) {
        comparison.begin_row(run.name, row.level);
        if (row.level <= expected.last_level) {
          comparison.relative("l2 error", Source::exact, exact_l2(row.level), error_l2(row),
                              expected.margin);
        } else if (row.level == expected.wall) {
          const double ratio = l2_ratio(row);
          comparison.statement("l2 error over exact", Source::exact, "off by more than 10 %", ratio,
                               std::abs(ratio - 1) > off);
        }
        if (comparison.verdict().starts_with("NO")) {
          disagreement += fmt::format("{} {}", disagreement.empty() ? "NO: level" : ",", row.level);
        }
      }
      const LevelResult& last = run.levels.back();
      const FormatFacts format = facts(contestant.precision);
      table.add_row({to_string(contestant.precision), std::string(to_string(form)),
                     format.unit_roundoff, std::int64_t{format.bits / 8}, wall_words(run, l2_ratio),
                     wall_words(run, rms_ratio), std::int64_t{last.level}, l2_ratio(last),
                     last.true_residual_reduction, disagreement.empty() ? "yes" : disagreement});
    }
  }
  report.table("The wall: the first level whose error is off the exact one by 10 %", "walls",
               table);
  report.add(std::move(comparison));
}

/// One norm's errors of all formats in one form, over the exact error and less one.
void report_ratios(ExperimentReport& report, const Results& results, OperatorForm form,
                   const std::string& norm, double (*exact)(int),
                   double (*ratio)(const LevelResult&)) {
  std::vector<Column> columns{level_column(), error_column("exact", "exact\n" + norm, 10)};
  int first = possible.last, last = 0;
  for (const Contestant& contestant : contestants()) {
    const std::string name = to_string(contestant.precision);
    columns.push_back(error_column(name, name, 2));
    const auto& levels = find_run(results, name_of(contestant.precision, form)).levels;
    first = std::min(first, levels.front().level);
    last = std::max(last, levels.back().level);
  }
  Table table(columns);
  for (int level = first; level <= last; ++level) {
    std::vector<Cell> cells{std::int64_t{level}, exact(level)};
    for (const Contestant& contestant : contestants()) {
      Cell cell;
      for (const LevelResult& row : find_run(results, name_of(contestant.precision, form)).levels) {
        if (row.level == level) cell = ratio(row) - 1;
      }
      cells.push_back(std::move(cell));
    }
    table.add_row(std::move(cells));
  }
  report.table(
      fmt::format("The {} error's deviation from the exact one, {} form", norm, to_string(form)),
      fmt::format("{}_{}", norm, to_string(form)), table);
}

/// What stands at the end of a curve; the form is left out, and the second name, where both forms
/// end in one place.
std::string curve_name(const Results& results, Precision precision, OperatorForm form) {
  const LevelResult& plain =
      find_run(results, name_of(precision, OperatorForm::plain)).levels.back();
  const LevelResult& difference =
      find_run(results, name_of(precision, OperatorForm::difference)).levels.back();
  if (plain.level == difference.level
      && std::abs(error_l2(plain) - error_l2(difference)) <= 0.2 * error_l2(difference)) {
    return form == OperatorForm::plain ? "" : to_string(precision);
  }
  return fmt::format("{}, {}", to_string(precision), to_string(form));
}

Picture draw_walls(const Results& results, const ExperimentOptions& options) {
  CurvePlot plot{.title = "The accuracy wall: where each number format leaves the exact error",
                 .x_label = "refinement level",
                 .y_label = "L2 error"};
  int last_level = 0;
  for (const RunResult& run : results.runs) {
    last_level = std::max(last_level, run.levels.back().level);
  }
  Curve exact{"", {.colour = "#C4C4C4", .width = 16}, {}};
  for (const ExactErrors& errors : all_exact_errors()) {
    if (errors.test == 'A' && errors.level >= results.runs.front().levels.front().level
        && errors.level <= last_level) {
      exact.points.emplace_back(errors.level, errors.l2);
    }
  }
  plot.least_y = exact.points.back().second / 4;
  plot.greatest_y = 0.1;  // the size of the solution: nothing is left of it above
  plot.curves.push_back(exact);
  for (const Contestant& contestant : contestants()) {
    for (const OperatorForm form : forms) {
      const RunResult& run = find_run(results, name_of(contestant.precision, form));
      Curve curve{curve_name(results, contestant.precision, form),
                  {.colour = std::string(contestant.colour),
                   .width = form == OperatorForm::plain ? 3.0 : 4.0,
                   .dashed = form == OperatorForm::plain},
                  {}};
      for (const LevelResult& row : run.levels) {
        curve.points.emplace_back(row.level, error_l2(row));
      }
      plot.curves.push_back(std::move(curve));
      if (const auto wall = wall_of(run, l2_ratio)) {
        plot.marks.push_back({static_cast<double>(*wall),
                              exact_l2(*wall),
                              {.colour = std::string(contestant.colour),
                               .point = form == OperatorForm::plain ? 6 : 7}});
      }
    }
  }
  plot.key = {{"exact solution of the discrete equations", exact.stroke},
              {"operator in plain form", {.dashed = true}},
              {"operator in difference form", {.width = 4}},
              {"the wall, plain form: off by 10 %", {.point = 6}, false},
              {"the wall, difference form", {.point = 7}, false}};
  return write_curve_plot(options.output / "accuracy_wall.png", plot);
}

bool run(const ExperimentOptions& options) {
  std::vector<Plan> plans;
  for (const Contestant& contestant : contestants()) {
    for (const OperatorForm form : forms) plans.push_back(make_plan(options, contestant, form));
  }
  const Results results = run_with_progress(plans);
  ExperimentReport report("The accuracy wall of every number format", results.meta, options.output);
  report.paragraph(fmt::format(
      "Test A (unit square, uniform grids): multigrid, F-cycles, 2+2 Jacobi steps, until the\n"
      "residual has fallen by {:g} or no longer falls.  Exact: of the exact solution of the\n"
      "discrete equations.",
      tolerance));
  for (const OperatorForm form : forms) {
    report_ratios(report, results, form, "l2", exact_l2, l2_ratio);
    report_ratios(report, results, form, "rms", exact_rms, rms_ratio);
  }
  report_walls(report, results);
  report.paragraph(
      "Rounding costs about u 4^level in plain form and about u in difference form, where the\n"
      "discretisation error is about 4^-level: four bits buy one level in plain form, two bits in\n"
      "difference form.  half and bfloat16 are rounded where they are stored, in both forms "
      "alike.");
  report.picture("accuracy_wall.png", draw_walls(results, options).remark);
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
       .defaults = "2 13 on a GPU; on the host 2 11 for single and double, 2 10 for bfloat16, "
                   "2 9 for the others",
       .full = "double-single and wider to level 15 as far as the GPU's memory allows; on the host "
               "one or two levels "
               "more"},
      run);
}
