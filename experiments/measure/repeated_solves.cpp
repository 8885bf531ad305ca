// What does a solver that stays save?
//
// Of each level of a config file: the time of a whole first solve (set-up, iteration, errors), of
// one for other data by the same solver, of such solves when several solvers work at once, each on
// a thread of its own, and of a step of implicit Euler's method; and of which parts the first two
// are made up.  Everything is done once before it is measured, so that no kernel is loaded in it.

#include <cstdio>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "solvers/solver.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/timeline.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/prepared_run.hpp"
#include "experiments/support/measuring.hpp"
#include "experiments/support/median.hpp"
#include "experiments/support/run_program.hpp"

namespace {

using namespace ninefold;

struct Settings {
  std::string file;
  std::vector<std::string> set;
  int stretches = 21, solvers = 4;
  double dt = 1e-3;
  std::string backend = "auto", output = "results/repeated_solves";
};

Table make_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "first", .header = "first\nsolve", .unit = "ms", .style = significant(3)},
       {.key = "next", .header = "next\nsolve", .unit = "ms", .style = significant(3)},
       {.key = "iteration", .header = "its\niteration", .unit = "ms", .style = significant(3)},
       {.key = "solvers", .header = "solvers\nat once"},
       {.key = "at_once", .header = "a solve\nof theirs", .unit = "ms", .style = significant(3)},
       {.key = "step", .header = "step", .unit = "ms", .style = significant(3)},
       {.key = "cycles", .header = "its\ncycles", .style = significant(2)}}));
}

Table make_parts_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "part", .header = "part", .align = Align::left},
       {.key = "first", .header = "first\nsolve", .unit = "ms", .style = significant(3)},
       {.key = "next", .header = "next\nsolve", .unit = "ms", .style = significant(3)}}));
}

double milliseconds_since(Clock::time_point began) {
  return 1e3 * seconds_since(began);
}

/// Median milliseconds of a task that has been done before.
template <class Task>
double median_milliseconds(int times, const Task& task) {
  task();
  std::vector<double> measured;
  for (int k = 0; k < times; ++k) {
    const auto began = Clock::now();
    task();
    measured.push_back(milliseconds_since(began));
  }
  return median_of(std::move(measured));
}

void require_converged(const Report& report) {
  if (report.outcome == Outcome::converged) return;
  throw std::runtime_error(
      fmt::format("a solve has ended as \"{}\": {}", to_string(report.outcome), report.remark));
}

/// The milliseconds of each part of a solve, of all that were measured.
using Parts = std::map<std::string_view, std::vector<double>>;
void take_parts(const Report& report, Parts& parts) {
  for (const TimedPart& part : report.timeline) parts[part.name].push_back(1e3 * part.seconds);
}
Cell median_part(const Parts& parts, std::string_view name) {
  const auto found = parts.find(name);
  return found == parts.end() ? Cell() : Cell(median_of(found->second));
}

/// Milliseconds per solve of several solvers, each on its thread.
double at_once(const PreparedSolve& prepared, int solvers, int times) {
  std::vector<Solver> all;
  for (int k = 0; k < solvers; ++k) {
    all.emplace_back(prepared);
    require_converged(all.back().solve().report);
  }
  const auto began = Clock::now();
  std::vector<std::future<void>> threads;
  for (Solver& solver : all) {
    threads.push_back(std::async(std::launch::async, [&solver, times] {
      for (int k = 0; k < times; ++k) {
        solver.set_data(solver.prepared().problem);
        require_converged(solver.solve().report);
      }
    }));
  }
  for (std::future<void>& thread : threads) thread.get();
  return milliseconds_since(began) / (solvers * times);
}

void measure(const PreparedSolve& prepared, const Settings& settings, Table& table, Table& parts,
             const Context& context) {
  Parts of_first, of_next;
  const double first = median_milliseconds(settings.stretches, [&] {
    const Report report = Solver(prepared).solve().report;
    require_converged(report);
    take_parts(report, of_first);
  });
  Solver solver(prepared);
  std::vector<double> iterations;
  const double next = median_milliseconds(settings.stretches, [&] {
    solver.set_data(prepared.problem);
    const Solved solved = solver.solve();
    require_converged(solved.report);
    iterations.push_back(1e3 * solved.report.solve_seconds);
    take_parts(solved.report, of_next);
  });
  for (const std::string_view name :
       {part::data, part::matrix, part::solver, part::iteration, part::judgement, part::errors}) {
    parts.add_row(with_context({std::int64_t{prepared.level()}, std::string(name),
                                median_part(of_first, name), median_part(of_next, name)},
                               context));
  }
  const bool threads = is_device(prepared.where) && settings.solvers > 1;
  Cell together;
  if (threads) together = at_once(prepared, settings.solvers, settings.stretches);

  const double rate = 1 / settings.dt;
  Problem problem = prepared.problem;
  problem.reaction += rate;
  Solver stepping(prepare(problem, prepared.grids, prepared.options, prepared.where, false));
  int cycles = 0, steps = 0;
  const double step = median_milliseconds(settings.stretches, [&] {
    const Report report = stepping.step(rate);
    require_converged(report);
    cycles += report.iterations;
    ++steps;
  });
  table.add_row(
      with_context({std::int64_t{prepared.level()}, first, next, median_of(std::move(iterations)),
                    std::int64_t{threads ? settings.solvers : 1}, together, step,
                    static_cast<double>(cycles) / steps},
                   context));
}

void run(const Settings& settings) {
  const BackendKind where = begin_measuring(settings.backend, settings.output);
  std::vector<Override> overrides;
  for (const std::string& text : settings.set) overrides.push_back({text, "--set " + text});
  overrides.push_back({fmt::format("backend.name={}", to_string(where)), "--backend", true});
  constexpr const char* text =
      "[grid]\nlevels = [8, 10]\n[solver]\nmethod = \"full-multigrid\"\ntolerance = 1e-8\n"
      "[refinement]\ninner_precision = \"single\"\n";
  const Document document = settings.file.empty()
                                ? parse_document(text, "repeated_solves", overrides)
                                : read_document(settings.file, overrides);
  Table table = make_table(), parts = make_parts_table();
  const Context context = context_of(is_device(where));
  for (const Plan& plan : plan_run(document)) {
    for (PreparedSolve prepared : prepare_run(plan).levels) {
      prepared.keeps_solution = false;  // errors are measured where the solver runs
      measure(prepared, settings, table, parts, context);
    }
  }
  std::fputs(
      fmt::format("Solvers that stay\n\n{}\nTheir parts\n\n{}", table.to_text(), parts.to_text())
          .c_str(),
      stdout);
  write_file_atomically(std::filesystem::path(settings.output) / "repeated_solves.csv",
                        table.to_csv());
  write_file_atomically(std::filesystem::path(settings.output) / "parts.csv", parts.to_csv());
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("What does a solver that stays save?", "repeated_solves");
  app.add_option("FILE", settings.file,
                 "a config file; without one the paper's problem by full multigrid, double over "
                 "single, to 1e-8");
  app.add_option("--set", settings.set, "a setting of the file, such as grid.levels=[8,12]")
      ->allow_extra_args(false);
  app.add_option("--stretches", settings.stretches, "of measurements; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--solvers", settings.solvers, "at once, on a device; 1 leaves that out")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--dt", settings.dt, "of the steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--backend", settings.backend, "auto, host or cuda")->capture_default_str();
  app.add_option("--output", settings.output, "folder of the table")->capture_default_str();
  return run_program(app, argc, argv, [&] {
    run(settings);
    return true;
  });
}
