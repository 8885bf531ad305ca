// What does line smoothing cost on this device?
//
// Zebra steps along x, along y and alternating, on the grid of test G: their time beside that of
// moving the bytes that they must move at the rate of a plain copy (device) or triad (host) in the
// same run, and a Jacobi step.  Then whole solves to a true residual of 1e-8, double with
// corrections in single: alternating lines on test G against Jacobi's method on test A.  Last, on a
// device, the same steps by cuSPARSE.
//
// Times are medians of many stretches of recorded work.  Status 1: a solve did not converge, and
// the ratio of its time to the other's is left empty; or cuSPARSE's x is not ours.

#include "experiments/measure/line_smoothing.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <ninefold/version.hpp>

#include "fem/problem/problems.hpp"

#include "solvers/solve.hpp"
#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/support/run_program.hpp"

namespace ninefold {

TensorGrid stretched_grid(int level) {
  const TestGrid test = grid_of_test('G');
  return make_hierarchy(test.width, 1.0, level, {.nu = test.nu}).back();
}

std::vector<double> rough_values(const TensorGrid& grid) {
  const int nx = grid.nx(), ny = grid.ny();
  std::vector<double> values(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny), 0.0);
#pragma omp parallel for
  for (int j = 1; j < ny - 1; ++j) {
    for (int i = 1; i < nx - 1; ++i) {
      const auto k =
          static_cast<std::size_t>(j) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(i);
      values[k] = std::sin(0.7 * static_cast<double>(k));
    }
  }
  return values;
}

}  // namespace ninefold

namespace {

using namespace ninefold;

using Settings = LineSmoothingSettings;

constexpr int calls = 4;  // of a step in one recording
constexpr double tolerance = 1e-8;
constexpr int solves_per_time = 5;  // the median counts

/// Our times in plain form, by level and format.
using OurSeconds = std::map<std::pair<int, std::string>, LineSeconds>;

Table make_step_table(bool on_device) {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "precision", .header = "precision", .align = Align::left},
       {.key = "form", .header = "form", .align = Align::left},
       {.key = "step", .header = "step", .align = Align::left},
       {.key = "values_per_node", .header = "values\nper node"},
       {.key = "seconds", .header = "time", .unit = "ms", .style = significant(4), .scale = 1e-3},
       {.key = "bytes",
        .header = "necessary\nbytes",
        .unit = "MB",
        .style = significant(4),
        .scale = 1e6},
       {.key = "plain_bytes_per_second",
        .header = on_device ? "copy" : "triad",
        .unit = "GB/s",
        .style = significant(4),
        .scale = 1e9},
       {.key = "time_over_movement", .header = "time over\nmovement", .style = fixed(2)}}));
}

Table make_solve_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "form", .header = "form", .align = Align::left},
       {.key = "test", .header = "test", .align = Align::left},
       {.key = "smoother", .header = "smoother", .align = Align::left},
       {.key = "outcome", .header = "outcome", .align = Align::left},
       {.key = "outer_steps", .header = "outer\nsteps"},
       {.key = "inner_cycles", .header = "inner\ncycles"},
       {.key = "true_residual_reduction", .header = "true\nresidual", .style = scientific(3)},
       {.key = "solve_seconds",
        .header = "solve",
        .unit = "ms",
        .style = significant(4),
        .scale = 1e-3},
       {.key = "nanoseconds_per_unknown",
        .header = "per\nunknown",
        .unit = "ns",
        .style = significant(4)},
       {.key = "over_jacobi", .header = "over Jacobi\non test A", .style = fixed(2)}}));
}

/// The rows of one system; the times of line steps.
template <Backend B, Number T>
LineSeconds measure_steps(const B& on, int level, OperatorForm form, double plain,
                          const Settings& settings, Table& table, const Context& context) {
  const LineProblem<B, T> problem(on, stretched_grid(level), form);
  const Box box = problem.A().unknowns;
  const double nodes = static_cast<double>(box.width()) * box.height();
  const auto add = [&](const char* name, int values, const auto& step) {
    const double seconds = seconds_of(on, settings.stretches, calls, step);
    const double bytes = nodes * values * static_cast<double>(sizeof(T));
    table.add_row(with_context(
        {std::int64_t{level}, std::string(Format<T>::name), std::string(to_string(form)),
         std::string(name), std::int64_t{values}, seconds, bytes, plain, seconds / (bytes / plain)},
        context));
    return seconds;
  };
  using Rows = NineBand<const T>;
  constexpr int values = with_rows<Rows>(line_step_traffic).values();
  add("jacobi", with_rows<Rows>(jacobi_step_traffic).values(),
      [&] { problem.jacobi_step_to_other(); });
  const double along_x = add("along x", values, [&] { problem.step(LineDirection::x); });
  const double along_y = add("along y", values, [&] { problem.step(LineDirection::y); });
  const double alternating = add("alternating", 2 * values, [&] {
    problem.step(LineDirection::x);
    problem.step(LineDirection::y);
  });
  // What a kept elimination reads in the place of a part of the matrix is not counted.
  if (problem.keeps()) {
    add("along x, kept", values, [&] { problem.step(LineDirection::x, true); });
    add("along y, kept", values, [&] { problem.step(LineDirection::y, true); });
    add("alternating, kept", 2 * values, [&] {
      problem.step(LineDirection::x, true);
      problem.step(LineDirection::y, true);
    });
  }
  return {along_x, along_y, alternating};
}

template <Backend B>
OurSeconds measure_all_steps(const B& on, const Settings& settings, Table& table,
                             const Context& context) {
  OurSeconds ours;
  for (const int level : settings.levels) {
    const double n = std::ldexp(1.0, level) + 1;
    const double plain = plain_rate(on, settings.stretches, static_cast<std::size_t>(n * n) * 8);
    for (const Precision precision : settings.precisions) {
      with_type(precision, [&]<class T>() {
        if constexpr (!std::is_same_v<T, SoftFloat>) {
          for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
            const LineSeconds seconds =
                measure_steps<B, T>(on, level, form, plain, settings, table, context);
            if (form == OperatorForm::plain) {
              ours.emplace(std::pair(level, std::string(to_string(precision))), seconds);
            }
            std::cerr << "." << std::flush;
          }
        }
      });
    }
  }
  return ours;
}

/// The median of several solves, by time.
Report typical_solve(const Problem& problem, const std::vector<TensorGrid>& grids,
                     const SolverOptions& options, BackendKind where) {
  std::vector<Report> reports;
  for (int k = 0; k < solves_per_time; ++k) {
    reports.push_back(solve(problem, grids, options, where).report);
  }
  return median_of(std::move(reports), [](const Report& a, const Report& b) {
    return a.solve_seconds < b.solve_seconds;
  });
}

/// Appends the rows of whole solves; returns whether all of them converge.
bool measure_solves(const Settings& settings, BackendKind where, Table& table,
                    const Context& context) {
  // Time per unknown, unless the solve does not converge.
  using Nanoseconds = std::optional<double>;
  const auto measure = [&](int level, OperatorForm form, char name, Smoother smoother,
                           Nanoseconds jacobi) -> Nanoseconds {
    const TestGrid test = grid_of_test(name);
    const std::vector<TensorGrid> grids = make_hierarchy(test.width, 1.0, level, {.nu = test.nu});
    SolverOptions options = paper_options();
    options.precision = Precision::double_;
    options.form = form;
    options.tolerance = tolerance;
    options.multigrid.smoother = smoother;
    options.refinement.inner = {Precision::single_};
    const Report report = typical_solve(make_problem({}, test.width, 1.0), grids, options, where);
    const bool converged = report.outcome == Outcome::converged;
    const double across = std::ldexp(1.0, level) - 1;
    const double nanoseconds = 1e9 * report.solve_seconds / (across * across);
    table.add_row(
        with_context({std::int64_t{level}, std::string(to_string(form)), std::string(1, name),
                      report.smoother, std::string(to_string(report.outcome)),
                      std::int64_t{report.iterations}, std::int64_t{report.inner_iterations},
                      report.true_residual_reduction, report.solve_seconds, nanoseconds,
                      converged && jacobi ? Cell(nanoseconds / *jacobi) : Cell()},
                     context));
    std::cerr << "." << std::flush;
    return converged ? Nanoseconds(nanoseconds) : std::nullopt;
  };
  bool all_converge = true;
  for (const int level : settings.solve_levels) {
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      const Nanoseconds jacobi = measure(level, form, 'A', Smoother::jacobi, {});
      const Nanoseconds lines = measure(level, form, 'G', Smoother::adi_trigs, jacobi);
      all_converge = all_converge && jacobi && lines;
    }
  }
  return all_converge;
}

/// Shows a table and writes it, so that it is there whatever fails later.
void show(const Settings& settings, const std::string& title, const std::string& name,
          const Table& table) {
  std::cout << title << "\n\n" << table.to_text() << "\n" << std::flush;
  const std::filesystem::path directory = settings.output;
  write_file_atomically(directory / (name + ".csv"), table.to_csv());
  write_file_atomically(directory / (name + ".md"), table.to_markdown());
}

bool run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  const bool on_device = where == BackendKind::cuda;
  const Context context = context_of(on_device);
  Table steps = make_step_table(on_device), solves = make_solve_table(), peers = make_peer_table();
  const OurSeconds ours = with_backend(
      where, [&](const auto& on) { return measure_all_steps(on, settings, steps, context); });
  std::cerr << "\n";
  std::cout << context.device << ", commit " << commit << ", " << context.date << "\n\n";
  show(settings, "Steps of smoothing on the grid of test G", "steps", steps);

  const bool all_converge = measure_solves(settings, where, solves, context);
  std::cerr << "\n";
  show(settings, fmt::format("Double with corrections in single, to {:g}", tolerance), "solves",
       solves);
  if (!all_converge) std::cout << "A solve did not converge\n";

  if (const std::string why = why_no_peer(on_device); !why.empty()) {
    std::cout << "cuSPARSE is left out: " << why << "\n";
    return all_converge;
  }
  bool same = true;
  for (const int level : settings.levels) {
    for (const Precision precision : settings.precisions) {
      if (precision != Precision::single_ && precision != Precision::double_) continue;
      const LineSeconds& seconds = ours.at({level, std::string(to_string(precision))});
      same = measure_peer(settings, level, precision, seconds, peers, context) && same;
    }
  }
  std::cerr << "\n";
  show(settings, "The same steps by " + peer_name(), "peers", peers);
  if (!same) std::cout << "cuSPARSE's x differs from ours by more than rounding\n";
  return same && all_converge;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("What does line smoothing cost on this device?", "line_smoothing");
  app.add_option("--levels", settings.levels, "of the steps")
      ->check(CLI::Range(2, max_level))
      ->capture_default_str();
  app.add_option("--solve-levels", settings.solve_levels, "of the solves")
      ->check(CLI::Range(2, max_level))
      ->capture_default_str();
  std::vector<std::string> precisions;
  app.add_option("--precisions", precisions, "formats; default: single double");
  app.add_option("--stretches", settings.stretches, "of measurements; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--backend", settings.backend, "auto, host or cuda")->capture_default_str();
  app.add_option("--output", settings.output, "folder of the tables")->capture_default_str();
  return run_program(app, argc, argv, [&] {
    if (!precisions.empty()) settings.precisions = measured_formats(precisions);
    return run(settings);
  });
}
