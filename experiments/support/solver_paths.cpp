#include "experiments/support/solver_paths.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/paper/paper_options.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/median.hpp"
#include "experiments/support/plans.hpp"

namespace ninefold {
namespace {

std::vector<std::string> names_of(const std::vector<Precision>& formats) {
  std::vector<std::string> names;
  for (const Precision format : formats) names.push_back(to_string(format));
  return names;
}

}  // namespace

std::string to_string(const SolverPath& path) {
  std::vector<Precision> formats{path.outer};
  formats.insert(formats.end(), path.inner.begin(), path.inner.end());
  return fmt::format("{}", fmt::join(names_of(formats), ":"));
}

bool runs_on_device(const SolverPath& path) {
  const auto on_device = [](Precision format) { return facts(format).on_device; };
  return on_device(path.outer) && std::all_of(path.inner.begin(), path.inner.end(), on_device);
}

Plan plan_path(const SolverPath& path, const PathSolve& how, const ExperimentOptions& options,
               LevelRange levels) {
  const std::size_t stages = path.inner.size();
  SolverOptions solver = paper_options();
  solver.precision = path.outer;
  solver.form = solver.refinement.inner_form = how.form;
  solver.refinement.inner = path.inner;
  solver.tolerance = how.tolerance;
  solver.max_iterations = how.most_iterations;
  Plan plan = experiment_plan(to_string(path), options, levels, solver);
  tell_varied(plan, {"solver.precision", "operator.form"});
  plan.varied.emplace_back("refinement.inner_precision",
                           stages == 1 ? to_string(path.inner.front()) : "none");
  plan.varied.emplace_back(
      "refinement.cascade",
      stages > 1 ? fmt::format("{}", fmt::join(names_of(path.inner), ", ")) : "none");
  return plan;
}

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

double median_solve_seconds(const Plan& plan, const LevelResult& first, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times{first.solve_seconds};
  double spent = first.setup_seconds + first.solve_seconds;
  if (2 * spent > seconds) return median_of(std::move(times));
  Plan repeated = plan;
  repeated.configuration.first_level = repeated.configuration.last_level = first.level;
  const PreparedRun run = prepare_run(repeated);
  double longest = spent;
  while (spent + longest <= seconds) {
    const auto began = Clock::now();
    times.push_back(solve(run.levels.front()).report.solve_seconds);
    const double now = std::chrono::duration<double>(Clock::now() - began).count();
    longest = std::max(longest, now);
    spent += now;
  }
  return median_of(std::move(times));
}

}  // namespace ninefold
