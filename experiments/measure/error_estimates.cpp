// How good are the estimated errors?
//
// Effectivity, estimate over truth: named and other problems with known solutions, on uniform and
// graded grids, in several formats, forms and methods, level by level.
//
// Of the discretisation error that levels tell (solvers/estimate/level_errors.hpp) the truth is the
// error of the first format, double, against the analytic solution: others have their rounding
// beside it.  Of what iteration and rounding leave (solvers/estimate/solver_errors.hpp), taken
// together, it is the distance to the solution of the same equations in double-double.
//
// Cases run at once, as many as OpenMP has threads, one thread each: the rows are the same.  Tables
// of parts, by problems, are those of the whole.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include "fem/discrete/q1_element.hpp"

#include "solvers/estimate/level_errors.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/program/run.hpp"
#include "experiments/support/gradings.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

struct Settings {
  std::vector<int> levels{4, 10};
  int exact_to = 7;  ///< finest level on which the equations are solved to many digits
  std::string backend = "auto", output = "results/error_estimates";
  std::vector<std::string> problems{}, grids{}, formats{};  ///< by name; all if there is none
};

struct NamedProblem {
  std::string name;
  ProblemOptions options;
};

std::vector<NamedProblem> all_problems() {
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
  // What coarse grids do not see: nothing can be told of it before they do.
  add("waves between nodes", "sin(pi*x)*sin(pi*y)+0.3*sin(32*pi*x)*sin(32*pi*y)",
      "2*pi^2*sin(pi*x)*sin(pi*y)+614.4*pi^2*sin(32*pi*x)*sin(32*pi*y)");
  add("oscillating", "sin(20*x)*sin(30*y)", "1300*sin(20*x)*sin(30*y)");
  add("r^1.5 inside", "((x-0.3)^2+(y-0.4)^2)^0.75", "-2.25*((x-0.3)^2+(y-0.4)^2)^(-0.25)");
  add("r^0.5 at a corner", "(x^2+y^2)^0.25", "x^2+y^2 > 0 ? -0.25*(x^2+y^2)^(-0.75) : 0");
  return all;
}

struct NamedFormat {
  std::string name;
  SolverOptions options;
};

std::vector<NamedFormat> all_formats() {
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
  SolverOptions short_one = mixed;
  short_one.to_discretisation = true;
  SolverOptions cg = in("double", {});
  cg.method = Method::cg;
  cg.norm = StoppingNorm::residual;
  cg.tolerance = 1e-4;
  SolverOptions half = in("half", {});
  half.norm = StoppingNorm::residual;
  return {{"double", in("double", {})},
          {"double, plain", in("double", OperatorForm::plain)},
          {"double, difference", in("double", OperatorForm::difference)},
          {"double:single", mixed},
          {"double:single, to discretisation", short_one},
          {"double, cg to 1e-4", cg},
          {"double-single", in("double-single", {})},
          {"single", in("single", {})},
          {"single, plain", in("single", OperatorForm::plain)},
          {"half", half}};
}

/// Those that are named, in the order of the list; all if no name is given.
template <class Named>
std::vector<Named> chosen(std::vector<Named> all, const std::vector<std::string>& names,
                          const char* option) {
  const auto is = [](const std::string& name) {
    return [&name](const Named& one) { return one.name == name; };
  };
  for (const std::string& name : names) {
    if (std::any_of(all.begin(), all.end(), is(name))) continue;
    std::vector<std::string> known;
    for (const Named& one : all) known.push_back(one.name);
    throw ConfigurationError(
        fmt::format("{} {}: there are {}", option, name, fmt::join(known, "; ")));
  }
  if (!names.empty()) {
    std::erase_if(all, [&](const Named& one) {
      return std::find(names.begin(), names.end(), one.name) == names.end();
    });
  }
  return all;
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
                             {.key = "order", .header = "order", .style = fixed(2)},
                             {.key = "left", .header = "left", .style = error},
                             {.key = "algebraic", .header = "by the\niteration", .style = error},
                             {.key = "rounding", .header = "by\nrounding", .style = error},
                             {.key = "estimated_left", .header = "by both", .style = error},
                             {.key = "left_effectivity", .header = "over\nleft", .style = ratio}}));
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
  void take(const Span& other) {
    least = std::min(least, other.least);
    largest = std::max(largest, other.largest);
    told += other.told;
  }
  Cell from() const { return told > 0 ? Cell(least) : Cell(); }
  Cell to() const { return told > 0 ? Cell(largest) : Cell(); }
};
struct Spans {
  int levels = 0;
  Span l2, rms, left;

  void take(const Spans& other) {
    levels += other.levels;
    l2.take(other.l2);
    rms.take(other.rms);
    left.take(other.left);
  }
};

/// What the first format, and many digits, have found on a level.
struct Truth {
  LevelResult row;
  std::vector<DoubleDouble> solution;  ///< of its equations, or empty
};

std::vector<DoubleDouble> solve_exactly(const Problem& problem, const GridGrading& grading,
                                        int level, BackendKind where) {
  SolverOptions options;
  options.precision = Precision::double_double;
  options.refinement.inner = {Precision::double_};
  options.norm = StoppingNorm::residual;
  options.tolerance = 1e-22;
  return wide_solution(
      solve(prepare(problem, make_hierarchy(1.0, 1.0, level, grading), options, where)));
}

/// The l2 norm, by lumped masses, of what separates a solve from the exact solution; of problems
/// that leave a constant free without its mean.
double distance(const Problem& problem, const TensorGrid& grid, const Solved& solved,
                const std::vector<DoubleDouble>& exact) {
  const auto mx = lumped_masses<double>(grid.x), my = lumped_masses<double>(grid.y);
  const auto nx = static_cast<std::size_t>(grid.nx()), ny = static_cast<std::size_t>(grid.ny());
  double square = 0, mean = 0, area = 0;
  for (std::size_t j = 0; j < ny; ++j) {
    for (std::size_t i = 0; i < nx; ++i) {
      const std::size_t k = j * nx + i;
      const auto e = static_cast<double>(DoubleDouble(solved.solution[k]) - exact[k]);
      square += mx[i] * my[j] * e * e;
      mean += mx[i] * my[j] * e;
      area += mx[i] * my[j];
    }
  }
  return std::sqrt(has_free_constant(problem) ? square - mean * mean / area : square);
}

Cell over(const std::optional<double>& estimate, const std::optional<double>& truth, Span& span) {
  if (!estimate || !truth || !(*truth > 0)) return {};
  span.take(*estimate / *truth);
  return *estimate / *truth;
}

Cell cell(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

/// A problem on one kind of grid, and what was found of it.
struct Case {
  NamedProblem problem;
  NamedGrading grading;
  std::vector<std::vector<Cell>> rows{};
  std::vector<Spans> spans{};  ///< of the formats
};

/// What all cases share.
struct Measurement {
  const Settings& settings;
  BackendKind where;
  std::vector<NamedFormat> formats;  ///< the first one, which no range refuses, is the truth of all
};

/// In one format, level by level.
void measure(const Measurement& all, std::size_t format, const Problem& problem,
             std::map<int, Truth>& truths, Case& found) {
  const auto& [settings, where, formats] = all;
  Spans& spans = found.spans[format];
  LevelSequence sequence;
  for (int level = settings.levels[0]; level <= settings.levels[1]; ++level) {
    SolvedLevel solved;
    const auto grids = make_hierarchy(1.0, 1.0, level, found.grading.grading);
    try {
      const PreparedSolve prepared = prepare(problem, grids, formats[format].options, where);
      solved = solve_level(prepared, sequence, level < settings.levels[1]);
    } catch (const BadValue&) {  // beyond the format's range
      return;
    }
    const LevelResult& row = solved.row;
    ++spans.levels;
    if (format == 0) {
      truths[level].row = row;
      if (level <= settings.exact_to) {
        truths[level].solution = solve_exactly(problem, found.grading.grading, level, where);
      }
    }
    const Truth& truth = truths.at(level);
    const bool is_true = truth.row.outcome == to_string(Outcome::converged);
    const Cell l2 = is_true ? over(row.estimated_l2, truth.row.error_l2, spans.l2) : Cell();
    const Cell rms = is_true ? over(row.estimated_rms, truth.row.error_rms, spans.rms) : Cell();
    std::optional<double> left;
    if (!truth.solution.empty() && row.left_l2) {
      left = distance(problem, grids.back(), solved.solved, truth.solution);
    }
    found.rows.push_back(
        {found.problem.name, found.grading.name, formats[format].name, std::int64_t{level},
         row.outcome, cell(row.error_l2), cell(row.estimated_l2), l2, cell(row.error_rms),
         cell(row.estimated_rms), rms, cell(row.observed_order), cell(left), cell(row.algebraic_l2),
         cell(row.rounding_l2), cell(row.left_l2), over(row.left_l2, left, spans.left)});
  }
}

/// In all formats.
void measure(const Measurement& all, Case& found) {
  const Problem problem = make_problem(found.problem.options, 1.0, 1.0);
  std::map<int, Truth> truths;
  found.spans.resize(all.formats.size());
  for (std::size_t k = 0; k < all.formats.size(); ++k) measure(all, k, problem, truths, found);
}

/// Several cases at once: most levels are too small for all threads, or for a device.
void measure(const Measurement& all, std::vector<Case>& cases) {
  const int threads = omp_get_max_threads();
  const int workers = std::clamp(static_cast<int>(cases.size()), 1, threads);
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(cases.size());
  const auto work = [&] {
    omp_set_num_threads(threads / workers);
    for (std::size_t k = next++; k < cases.size(); k = next++) {
      try {
        measure(all, cases[k]);
      } catch (...) {
        failures[k] = std::current_exception();
        next = cases.size();
      }
    }
  };
  {
    std::vector<std::jthread> team;
    for (int k = 0; k < workers; ++k) team.emplace_back(work);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
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
                             {.key = "rms_to", .header = "to", .style = ratio},
                             {.key = "left_told", .header = "left\ntold"},
                             {.key = "left_from", .header = "from", .style = ratio},
                             {.key = "left_to", .header = "to", .style = ratio}}));
}

void run(const Settings& settings) {
  std::vector<Case> cases;
  for (const NamedProblem& problem : chosen(all_problems(), settings.problems, "--problems")) {
    for (const NamedGrading& grading : chosen(all_gradings(), settings.grids, "--grids")) {
      cases.push_back({problem, grading});
    }
  }
  std::vector<std::string> names = settings.formats;
  if (!names.empty()) names.push_back(all_formats().front().name);
  const auto formats = chosen(all_formats(), names, "--formats");
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  const Context context = context_of(is_device(where));
  measure({settings, where, formats}, cases);
  Table table = make_table(), summary = make_summary();
  for (auto first = cases.begin(); first != cases.end();) {
    const auto last = std::find_if(first, cases.end(), [&](const Case& one) {
      return one.problem.name != first->problem.name;
    });
    for (auto one = first; one != last; ++one) {
      for (std::vector<Cell>& row : one->rows) {
        table.add_row(with_context(std::move(row), context));
      }
    }
    for (std::size_t f = 0; f < formats.size(); ++f) {
      Spans of_grids;
      for (auto one = first; one != last; ++one) of_grids.take(one->spans[f]);
      const auto& [levels, l2, rms, left] = of_grids;
      summary.add_row(
          with_context({first->problem.name, formats[f].name, std::int64_t{levels},
                        std::int64_t{l2.told}, l2.from(), l2.to(), std::int64_t{rms.told},
                        rms.from(), rms.to(), std::int64_t{left.told}, left.from(), left.to()},
                       context));
    }
    first = last;
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
  app.add_option("--exact-to", settings.exact_to,
                 "the finest level on which the equations are solved to many digits")
      ->check(CLI::Range(1, 14))
      ->capture_default_str();
  app.add_option("--problems", settings.problems, "by name, of all");
  app.add_option("--grids", settings.grids, "by name, of all");
  app.add_option("--formats", settings.formats, "by name, of all, beside double");
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
