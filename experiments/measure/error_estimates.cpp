// How good are the estimated errors?
//
// Effectivity, estimate over truth, of the discretisation error that levels tell
// (solvers/estimate/level_errors.hpp): named and other problems with known solutions, on uniform
// and graded grids, in several formats and forms, level by level.  The truth is the error of the
// first format, double, against the analytic solution: others have their rounding beside it.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "solvers/estimate/level_errors.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/program/run.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

struct Settings {
  std::vector<int> levels{4, 10};
  std::string backend = "auto", output = "results/error_estimates";
};

struct NamedProblem {
  std::string name;
  ProblemOptions options;
};

std::vector<NamedProblem> problems() {
  std::vector<NamedProblem> all;
  for (const std::string& name : problem_names()) {
    ProblemOptions options;
    options.solution = name;
    options.quadrature = 3;
    all.push_back({name, options});
    if (name == "cosine") {
      for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
      all.push_back({"cosine, no flux", options});
    }
    if (name == "boundary_layer") {
      options.reaction = 100;
      all.push_back({"boundary_layer, reaction", options});
    }
  }
  const auto add = [&](const char* name, const char* solution, const char* source) {
    ProblemOptions options;
    options.solution = solution;
    options.source = source;
    options.quadrature = 5;
    all.push_back({name, options});
  };
  add("oscillating", "sin(20*x)*sin(30*y)", "1300*sin(20*x)*sin(30*y)");
  add("r^1.5 inside", "((x-0.3)^2+(y-0.4)^2)^0.75", "-2.25*((x-0.3)^2+(y-0.4)^2)^(-0.25)");
  add("r^0.5 at a corner", "(x^2+y^2)^0.25", "x^2+y^2 > 0 ? -0.25*(x^2+y^2)^(-0.75) : 0");
  return all;
}

struct NamedGrading {
  std::string name;
  GridGrading grading;
};

std::vector<NamedGrading> gradings() {
  std::vector<NamedGrading> all;
  for (const double nu : {1.0, 0.75, 0.5, 1.0 / 64}) {
    GridGrading grading;
    grading.nu = nu;
    all.push_back({nu == 1 ? "uniform" : fmt::format("anisotropy {:.3g}", nu), grading});
  }
  GridGrading geometric;
  geometric.kind = Grading::geometric;
  geometric.expansion_ratio = 50;
  all.push_back({"geometric 50", geometric});
  GridGrading shishkin;
  shishkin.kind = Grading::shishkin;
  shishkin.layer_width = 0.1;
  all.push_back({"shishkin 0.1", shishkin});
  return all;
}

struct NamedFormat {
  std::string name;
  SolverOptions options;
};

std::vector<NamedFormat> formats() {
  const auto in = [](const char* precision, std::optional<OperatorForm> form) {
    SolverOptions options;
    options.precision = precision_from_name(precision);
    options.form = form;
    options.tolerance = options.precision == Precision::double_ ? 1e-10 : 1e-6;
    return options;
  };
  SolverOptions mixed = in("double", {});
  mixed.method = Method::full_multigrid;
  mixed.refinement.inner = {Precision::single_};
  return {{"double", in("double", {})},
          {"double, plain", in("double", OperatorForm::plain)},
          {"double, difference", in("double", OperatorForm::difference)},
          {"double:single", mixed},
          {"single", in("single", {})},
          {"single, plain", in("single", OperatorForm::plain)}};
}

Table make_table() {
  const NumberStyle error = scientific(3), ratio = fixed(3);
  return Table(with_context({{.key = "problem", .header = "problem", .align = Align::left},
                             {.key = "grid", .header = "grid", .align = Align::left},
                             {.key = "format", .header = "format", .align = Align::left},
                             {.key = "level", .header = "level"},
                             {.key = "outcome", .header = "outcome", .align = Align::left},
                             {.key = "l2", .header = "l2 error", .style = error},
                             {.key = "estimated_l2", .header = "estimated", .style = error},
                             {.key = "l2_effectivity", .header = "over\ndouble's", .style = ratio},
                             {.key = "rms", .header = "rms error", .style = error},
                             {.key = "estimated_rms", .header = "estimated", .style = error},
                             {.key = "rms_effectivity", .header = "over\ndouble's", .style = ratio},
                             {.key = "order", .header = "order", .style = fixed(2)}}));
}

/// The least and the largest effectivity.
struct Span {
  double least = 1e300, largest = 0;
  int told = 0;

  void take(double effectivity) {
    least = std::min(least, effectivity);
    largest = std::max(largest, effectivity);
    ++told;
  }
  Cell from() const { return told > 0 ? Cell(least) : Cell(); }
  Cell to() const { return told > 0 ? Cell(largest) : Cell(); }
};
struct Spans {
  int levels = 0;
  Span l2, rms;
};

Cell over(const std::optional<double>& estimate, const std::optional<double>& truth, Span& span) {
  if (!estimate || !truth || !(*truth > 0)) return {};
  span.take(*estimate / *truth);
  return *estimate / *truth;
}

Cell cell(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

/// One problem on one kind of grid in one format, level by level.
void measure(const NamedProblem& problem, const NamedGrading& grading, const NamedFormat& format,
             const Settings& settings, BackendKind where, Table& table, const Context& context,
             std::map<int, LevelResult>& truth, Spans& spans) {
  const Problem made = make_problem(problem.options, 1.0, 1.0);
  LevelSequence sequence;
  for (int level = settings.levels[0]; level <= settings.levels[1]; ++level) {
    LevelResult row;
    try {
      const PreparedSolve prepared = prepare(made, make_hierarchy(1.0, 1.0, level, grading.grading),
                                             format.options, where, false);
      row = solve_level(prepared, sequence, level < settings.levels[1]).row;
    } catch (const BadValue&) {  // beyond the format's range
      return;
    }
    ++spans.levels;
    const LevelResult& exact = truth.try_emplace(level, row).first->second;
    const Cell l2 = over(row.estimated_l2, exact.error_l2, spans.l2);
    const Cell rms = over(row.estimated_rms, exact.error_rms, spans.rms);
    table.add_row(
        with_context({problem.name, grading.name, format.name, std::int64_t{level}, row.outcome,
                      cell(row.error_l2), cell(row.estimated_l2), l2, cell(row.error_rms),
                      cell(row.estimated_rms), rms, cell(row.observed_order)},
                     context));
  }
}

Table make_summary() {
  const NumberStyle ratio = fixed(3);
  return Table(with_context({{.key = "problem", .header = "problem", .align = Align::left},
                             {.key = "format", .header = "format", .align = Align::left},
                             {.key = "levels", .header = "levels"},
                             {.key = "l2_told", .header = "l2\ntold"},
                             {.key = "l2_from", .header = "from", .style = ratio},
                             {.key = "l2_to", .header = "to", .style = ratio},
                             {.key = "rms_told", .header = "rms\ntold"},
                             {.key = "rms_from", .header = "from", .style = ratio},
                             {.key = "rms_to", .header = "to", .style = ratio}}));
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  const Context context = context_of(is_device(where));
  Table table = make_table(), summary = make_summary();
  for (const NamedProblem& problem : problems()) {
    std::vector<Spans> of_formats(formats().size());  // over all grids
    for (const NamedGrading& grading : gradings()) {
      std::map<int, LevelResult> truth;
      for (std::size_t f = 0; f < of_formats.size(); ++f) {
        measure(problem, grading, formats()[f], settings, where, table, context, truth,
                of_formats[f]);
      }
    }
    for (std::size_t f = 0; f < of_formats.size(); ++f) {
      const auto& [levels, l2, rms] = of_formats[f];
      summary.add_row(with_context(
          {problem.name, formats()[f].name, std::int64_t{levels}, std::int64_t{l2.told}, l2.from(),
           l2.to(), std::int64_t{rms.told}, rms.from(), rms.to()},
          context));
    }
  }
  const std::filesystem::path folder = settings.output;
  write_file_atomically(folder / "error_estimates.csv", table.to_csv());
  write_file_atomically(folder / "effectivities.csv", summary.to_csv());
  std::fputs(
      fmt::format("Estimates over errors, least to largest of all grids\n\n{}", summary.to_text())
          .c_str(),
      stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("How good are the estimated errors?", "error_estimates");
  app.add_option("--levels", settings.levels, "the first and the last, from 1 to 14")
      ->expected(2)
      ->check(CLI::Range(1, 14))
      ->capture_default_str();
  app.add_option("--backend", settings.backend, "auto, host or cuda")->capture_default_str();
  app.add_option("--output", settings.output, "folder of the table")->capture_default_str();
  return run_program(app, argc, argv, [&] {
    if (settings.levels[0] > settings.levels[1]) {
      throw ConfigurationError("--levels: the first one is finer than the last");
    }
    run(settings);
    return true;
  });
}
