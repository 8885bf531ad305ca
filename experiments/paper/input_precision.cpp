// What does it cost to round the right-hand side, when all else is double?
//
// Table 1 of Goeddeke, Strzodka, Turek 2007: b = A u, u the values of the solution at the nodes and
// A the nine-point matrix, so that the discrete solution is u and there is no discretisation error;
// b is rounded to a lower format and the system solved in double.  The errors are those of the
// rounding alone.  Beside the paper's three formats: bfloat16 and double-single; the same in
// difference form; and b scaled by 4^level before it is rounded, a power of two that takes it from
// where half has lost its digits to near 1.
//
// Theory.  Where nothing under- or overflows, b changes by at most its u-fold, u being the format's
// unit roundoff.  A has a non-negative inverse and b is non-negative, so the solution changes by at
// most its own u-fold.

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/precision.hpp"

#include "fem/discrete/errors.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/row_operations.hpp"

#include "solvers/multigrid/multigrid.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"
#include "solvers/with_backend.hpp"

#include "experiments/config/settings.hpp"
#include "experiments/paper/paper.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/results_place.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"
#include "experiments/support/rounded_load.hpp"

namespace {

using namespace ninefold;

constexpr LevelRange possible{2, 13}, host_levels{8, 10}, device_levels{8, 13};
constexpr int host_level_full = 11;

// Each cycle takes a factor of 20 off the algebraic error, so that nothing is left of it.
constexpr int cycles = 14;

// By which rules values shall agree.  The paper's single errors differ from ours by its double
// errors, which are those of its own arithmetic.
constexpr double half_margin = 0.001, single_margin = 0.002;

const std::vector<Precision>& formats() {
  static const std::vector<Precision> all{Precision::bfloat16, Precision::half, Precision::single_,
                                          Precision::double_single, Precision::double_};
  return all;
}

constexpr OperatorForm forms[] = {OperatorForm::plain, OperatorForm::difference};

/// Test A on one level in double, with whatever right-hand side.
template <Backend B>
class Solver {
 public:
  Solver(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
         OperatorForm form)
      : on_(on),
        multigrid_(on, grids, problem.boundary, {problem.gx, problem.gy, problem.reaction}, form,
                   choose_smoothing({}, grids.back(), problem.gx, problem.gy)),
        square_(on, 1) {}

  /// A u at the unknowns, zero elsewhere.
  std::vector<double> product_with(const std::vector<double>& u) {
    upload(on_, u, 0, multigrid_.x());
    set_zero(on_, multigrid_.b());
    product(on_, multigrid_.A(), multigrid_.x(), multigrid_.b());
    return download<B, double>(on_, multigrid_.b(), 0);
  }

  struct Result {
    std::vector<double> x;
    double seconds;    ///< of the cycles
    double reduction;  ///< of the residual
  };
  Result solve(const std::vector<double>& load) {
    upload(on_, load, 0, multigrid_.b());
    set_zero(on_, multigrid_.x());
    const double before = residual_norm();
    const auto began = Clock::now();
    multigrid_.adopt_start();
    for (int cycle = 0; cycle < cycles; ++cycle) multigrid_.cycle();
    on_.wait();
    const double seconds = seconds_since(began);
    return {download<B, double>(on_, multigrid_.x(), 0), seconds, residual_norm() / before};
  }

 private:
  double residual_norm() const {
    return ninefold::residual_norm<B, double>(on_, multigrid_.A(), multigrid_.b(), multigrid_.x(),
                                              square_.data());
  }

  B on_;
  Multigrid<B, double> multigrid_;
  Array<B, double> square_;
};

std::string run_name(Precision precision, OperatorForm form, bool scaled) {
  return fmt::format("{} {}{}", to_string(precision), to_string(form), scaled ? " scaled" : "");
}

/// What rounding does to the right-hand side of one level and format.
struct Rounding {
  int level;
  Precision precision;
  double denormal, lost;  ///< as it is
  bool scaled_alike;      ///< scaled, it is rounded to the same digits
  double denormal_if_scaled;
};

/// All solves, as the files show them, and what was rounded.
class Study {
 public:
  Study(const ExperimentOptions& options, LevelRange levels, BackendKind where)
      : levels_(levels),
        where_(where),
        writer_(open_results(options.output)),
        progress_(2 * 2 * static_cast<int>(formats().size()) * (levels.last - levels.first + 1),
                  options.output) {
    results_.meta = make_meta({where});
    for (const bool scaled : {false, true}) {
      for (const OperatorForm form : forms) {
        for (const Precision precision : formats()) {
          results_.runs.push_back({run_name(precision, form, scaled),
                                   {{"right-hand side", to_string(precision)},
                                    {"operator.form", std::string(to_string(form))},
                                    {"scaled", scaled ? "yes" : "no"}},
                                   {}});
        }
      }
    }
  }

  void run() {
    for (int level = levels_.first; level <= levels_.last; ++level) {
      for (const OperatorForm form : forms) {
        with_backend(
            where_, [&](const auto& on) { run_level(on, level, form); }, scratch(level));
      }
    }
    progress_.finish();
  }

  const Results& results() const { return results_; }
  const std::vector<Rounding>& roundings() const { return roundings_; }

 private:
  static std::size_t scratch(int level) {
    const int n = (1 << level) + 1;
    return sum_scratch_bytes(n, n);
  }

  template <Backend B>
  void run_level(const B& on, int level, OperatorForm form) {
    const auto grids = make_hierarchy(1.0, 1.0, level);
    const ProblemOptions test_a;
    const Problem problem = make_problem(test_a, 1.0, 1.0);
    Solver<B> solver(on, problem, grids, form);
    const std::vector<double> load = solver.product_with(nodal_solution(problem, grids.back()));
    for (const Precision precision : formats()) {
      const RoundedLoad as_it_is = round_load(load, precision, 0);
      const RoundedLoad scaled = round_load(load, precision, 2 * level);
      const bool alike = as_it_is.values == scaled.values;
      if (form == OperatorForm::plain) {
        roundings_.push_back(
            {level, precision, as_it_is.denormal, as_it_is.lost, alike, scaled.denormal});
      }
      progress_.begin(run_name(precision, form, false), level);
      LevelResult row = solve(on, solver, problem, grids, as_it_is.values);
      add(run_name(precision, form, false), row);
      if (!alike) row = solve(on, solver, problem, grids, scaled.values);
      add(run_name(precision, form, true), row);
    }
  }

  template <Backend B>
  LevelResult solve(const B& on, Solver<B>& solver, const Problem& problem,
                    const std::vector<TensorGrid>& grids, const std::vector<double>& load) {
    const TensorGrid& grid = grids.back();
    const auto result = solver.solve(load);
    const Errors errors = measure_errors(problem, grid, result.x);
    LevelResult row;
    row.level = static_cast<int>(grids.size()) - 1;
    row.unknowns = std::int64_t{grid.nx() - 2} * (grid.ny() - 2);
    row.h_min = grid.h_min();
    row.iterations = cycles;
    row.outcome = as_asked;
    row.residual_reduction = row.true_residual_reduction = result.reduction;
    row.solve_seconds = result.seconds;
    row.error_l2 = errors.l2;
    row.error_rms = errors.rms;
    row.error_max = errors.max;
    row.memory_bytes = on.peak();
    return row;
  }

  void add(const std::string& name, const LevelResult& row) {
    for (RunResult& run : results_.runs) {
      if (run.name == name) run.levels.push_back(row);
    }
    writer_.update(results_);
    progress_.end(name, row);
  }

  LevelRange levels_;
  BackendKind where_;
  Results results_;
  ResultsWriter writer_;
  LevelProgress progress_;
  std::vector<Rounding> roundings_;
};

const LevelResult& find_level(const Results& results, const std::string& name, int level) {
  const auto& levels = find_run(results, name).levels;
  return *std::find_if(levels.begin(), levels.end(),
                       [=](const LevelResult& row) { return row.level == level; });
}

/// The paper's error, if it has this format on this level.
std::optional<double> paper_error(Precision precision, int level) {
  const InputPrecisionRow* const row = find_input_precision(level);
  if (row == nullptr) return {};
  if (precision == Precision::half) return row->half_error;
  if (precision == Precision::single_) return row->single_error;
  if (precision == Precision::double_) return row->double_error;
  return {};
}

void compare_with_paper(Comparison& comparison, Precision precision, double paper, double ours) {
  if (precision == Precision::half) {
    comparison.relative("error", Source::paper, paper, ours, half_margin);
  } else if (precision == Precision::single_) {
    comparison.relative("error", Source::paper, paper, ours, single_margin);
  } else {
    comparison.statement("error", Source::paper, "not above the paper's", ours, ours <= paper);
  }
}

Column percent_column(const std::string& key, const std::string& header) {
  return {.key = key, .header = header, .unit = "%", .style = significant(3), .scale = 0.01};
}

void report_table_1(ExperimentReport& report, const Study& study) {
  Table table({level_column(), text_column("format", "right-hand side"),
               error_column("paper_error", "rms error\npaper", 4),
               error_column("error", "rms error\nours", 4),
               error_column("difference_error", "difference\nform", 4),
               percent_column("denormal", "below\nnormal"), percent_column("lost", "became\nzero"),
               text_column("agreement", "agrees")});
  Comparison comparison("input_precision, table 1");
  for (const Rounding& rounding : study.roundings()) {
    const Precision precision = rounding.precision;
    const auto error = [&](OperatorForm form) {
      return error_rms(
          find_level(study.results(), run_name(precision, form, false), rounding.level));
    };
    const std::optional<double> paper = paper_error(precision, rounding.level);
    const double ours = error(OperatorForm::plain);
    comparison.begin_row(to_string(precision), rounding.level);
    if (paper) compare_with_paper(comparison, precision, *paper, ours);
    table.add_row({std::int64_t{rounding.level}, to_string(precision), to_cell(paper), ours,
                   error(OperatorForm::difference), rounding.denormal, rounding.lost,
                   comparison.verdict()});
  }
  report.table("Table 1: the right-hand side rounded as it is", "table_1", table);
  report.add(std::move(comparison));
}

void report_scaled(ExperimentReport& report, const Study& study, double solution_rms) {
  Table table({level_column(), text_column("format", "right-hand side"),
               error_column("error", "rms error\nas it is", 4),
               error_column("scaled_error", "rms error\nscaled", 4),
               error_column("bound", "bound\nu |u|", 2), text_column("digits", "digits"),
               text_column("agreement", "agrees")});
  Comparison comparison("input_precision, scaled");
  for (const Rounding& rounding : study.roundings()) {
    const Precision precision = rounding.precision;
    const auto error = [&](bool scaled) {
      return error_rms(find_level(
          study.results(), run_name(precision, OperatorForm::difference, scaled), rounding.level));
    };
    const double bound = facts(precision).unit_roundoff * solution_rms;
    comparison.begin_row(to_string(precision), rounding.level);
    if (rounding.denormal_if_scaled == 0) {
      comparison.statement("scaled error", Source::theory, "within the bound", error(true),
                           error(true) <= bound);
    }
    if (rounding.denormal == 0) {
      comparison.statement("digits", Source::theory, "scaling changes none", error(true),
                           rounding.scaled_alike);
    }
    table.add_row({std::int64_t{rounding.level}, to_string(precision), error(false), error(true),
                   bound, std::string(rounding.scaled_alike ? "the same" : "others"),
                   comparison.verdict()});
  }
  report.table("Scaled by 4^level before rounding (difference form)", "scaled", table);
  report.add(std::move(comparison));
}

bool run(const ExperimentOptions& options) {
  const BackendKind where = find_backend(options.backend, Precision::double_);
  LevelRange levels = where == BackendKind::cuda ? device_levels : host_levels;
  if (options.full && where == BackendKind::host) levels.last = host_level_full;
  if (options.levels) levels = *options.levels;
  try {
    require_memory(forecast_memory(levels.last, SolverOptions{}, where), where);
  } catch (const std::runtime_error& error) {  // before anything is written
    throw ConfigurationError(error.what());
  }
  Study study(options, levels, where);
  study.run();
  const double solution_rms = 1.0 / 30;  // of x (1-x) y (1-y), a little above that of the nodes
  ExperimentReport report("Input precision: table 1 of Goeddeke, Strzodka, Turek 2007",
                          study.results(), options.output);
  report.paragraph(fmt::format(
      "Test A: b = A u with the nodal values u of the solution, computed in double by the\n"
      "nine-point matrix, then rounded; solved in double by {} F-cycles of multigrid.  The error\n"
      "is that of the rounding: with b = A u there is no discretisation error.",
      cycles));
  report_table_1(report, study);
  report.paragraph(fmt::format(
      "Half within {:g} % of the paper's, single within {:g} %, double not above.  b is about h^2 "
      "large:\n"
      "below half's normal numbers, 2^-14, from level 8 on, where digits are lost.",
      100 * half_margin, 100 * single_margin));
  report_scaled(report, study, solution_rms);
  report.paragraph(
      "Scaled, b is near 1 and half keeps its 11 bits on every level.  For formats with the\n"
      "exponents of single a power of two changes no digit.");
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_experiment(argc, argv,
                        {.name = "input_precision",
                         .question = "What does it cost to round the right-hand side, when all "
                                     "else is double?  Table 1 of the paper.",
                         .possible = possible,
                         .defaults = "8 13 on a GPU, 8 10 on the host",
                         .full = "level 11 without a GPU too"},
                        run);
}
