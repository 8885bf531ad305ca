#include "experiments/support/format_solves.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "solvers/solve.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/results_place.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/report.hpp"

namespace ninefold {
namespace {

/// s10e11 to s52e11, and single and double with their twins.
const std::vector<Precision>& formats() {
  static const std::vector<Precision> all = [] {
    std::vector<Precision> made;
    for (int bits = FormatSolves::least_bits; bits <= FormatSolves::most_bits; ++bits) {
      made.push_back(Precision::soft(bits, FormatSolves::exponent_bits));
    }
    made.push_back(Precision::soft(23, 8));
    made.push_back(Precision::single_);
    made.push_back(Precision::double_);
    return made;
  }();
  return all;
}

std::string run_name(const SolveWay& way, Precision precision) {
  return fmt::format("{} {}", to_string(precision), way.name);
}

LevelResult solve(const Problem& problem, const SolveWay& way, Precision precision, int level) {
  SolverOptions solver = paper_options();
  solver.method = way.method;
  solver.form = way.form;
  solver.precision = precision;
  solver.tolerance = FormatSolves::tolerance;
  solver.max_iterations = way.method == Method::cg ? FormatSolves::most_iterations_per_node << level
                                                   : FormatSolves::most_cycles;
  LevelResult row =
      solve_level(prepare(problem, make_hierarchy(1.0, 1.0, level), solver, BackendKind::host)).row;
  row.history.clear();  // hundreds of files that nobody would read
  return row;
}

}  // namespace

const std::vector<SolveWay>& solve_ways() {
  using enum OperatorForm;
  static const std::vector<SolveWay> all{{"CG plain", Method::cg, plain},
                                         {"CG difference", Method::cg, difference},
                                         {"multigrid plain", Method::multigrid, plain},
                                         {"multigrid difference", Method::multigrid, difference}};
  return all;
}

FormatSolves::FormatSolves(LevelRange levels, const std::filesystem::path& folder)
    : levels_(levels) {
  ResultsWriter writer = open_results(folder);
  results_.meta = make_meta({BackendKind::host});
  const auto runs = solve_ways().size() * formats().size();
  LevelProgress progress(static_cast<int>(runs) * (levels.last - levels.first + 1), folder);
  const ProblemOptions test_a;
  const Problem problem = make_problem(test_a, 1.0, 1.0);
  for (const SolveWay& way : solve_ways()) {
    for (const Precision precision : formats()) {
      RunResult run{run_name(way, precision),
                    {{"solver.method", std::string(to_string(way.method))},
                     {"operator.form", std::string(to_string(way.form))},
                     {"solver.precision", to_string(precision)}},
                    {}};
      for (int level = levels.first; level <= levels.last; ++level) {
        progress.begin(run.name, level);
        run.levels.push_back(solve(problem, way, precision, level));
        progress.end(run.name, run.levels.back());
      }
      results_.runs.push_back(std::move(run));
      writer.update(results_);
    }
  }
  progress.finish();
}

const LevelResult& FormatSolves::at(const SolveWay& way, Precision precision, int level) const {
  if (level < levels_.first || level > levels_.last) {
    throw std::logic_error(fmt::format("level {} was not solved", level));
  }
  return find_run(results_, run_name(way, precision))
      .levels[static_cast<std::size_t>(level - levels_.first)];
}

double FormatSolves::over_exact(const SolveWay& way, Precision precision, int level) const {
  return error_rms(at(way, precision, level)) / exact_rms('A', level);
}

bool FormatSolves::suffices(const SolveWay& way, int bits, int level) const {
  return std::abs(over_exact(way, Precision::soft(bits, exponent_bits), level) - 1) <= margin;
}

std::optional<int> FormatSolves::needed_bits(const SolveWay& way, int level) const {
  int bits = most_bits + 1;
  while (bits > least_bits && suffices(way, bits - 1, level)) --bits;
  if (bits > most_bits) return {};
  return bits;
}

}  // namespace ninefold
