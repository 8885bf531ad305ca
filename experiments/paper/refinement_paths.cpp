#include "experiments/paper/refinement_paths.hpp"

#include <utility>

#include <fmt/format.h>

#include "solvers/solve.hpp"

#include "output/plots/colours.hpp"

#include "experiments/paper/paper.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/plans.hpp"

namespace ninefold {
namespace {

// Beyond this level double in either form cannot reach the paper's tolerance.
constexpr double loose_tolerance = 1e-8;
constexpr int finest_race = 13;

Plan make_plan(const ExperimentOptions& options, std::string name, LevelRange levels,
               const SolverOptions& solver, const std::string& backend) {
  Plan plan = experiment_plan(std::move(name), options, levels, solver);
  plan.configuration.backend = backend;
  tell_varied(plan, {"operator.form", "solver.method", "solver.precision", "solver.tolerance",
                     "multigrid.damping", "multigrid.pre_smoothing", "multigrid.post_smoothing",
                     "refinement.inner_precision", "refinement.inner_digits",
                     "refinement.inner_iterations", "refinement.inner_form", "backend.name"});
  return plan;
}

SolverOptions solver_of(const PaperSolver& paper, const Path& path) {
  SolverOptions solver = paper_options();
  solver.method = paper.method;
  solver.precision = path.precision;
  solver.tolerance = paper_tolerance;
  if (paper.method == Method::multigrid) {
    solver.multigrid.damping = refinement_damping;
    solver.multigrid.pre_smoothing = solver.multigrid.post_smoothing = paper.steps;
  }
  if (path.precision == Precision::double_single) solver.form = OperatorForm::difference;
  if (path.mixed) {
    solver.refinement.inner = {Precision::single_};
    solver.refinement.inner_form = OperatorForm::plain;
    solver.refinement.stop = {{{}, 2.0}};
  }
  return solver;
}

/// The levels on which stopping rules race.
LevelRange race_levels(const ExperimentOptions& options) {
  const int last = paper_levels(options).last;
  const bool far = !options.levels && options.full && on_device(options);
  return {last, far ? finest_race : last};
}

}  // namespace

const std::vector<PaperSolver>& paper_solvers() {
  static const std::vector<PaperSolver> all{
      {"A4", "A1", "CG", "conjugate gradients", Method::cg, 0, {.dashed = true}},
      {"A5", "A2", "MG 2+2", "multigrid, 2+2 steps", Method::multigrid, 2, {}},
      {"A6", "A3", "MG 4+4", "multigrid, 4+4 steps", Method::multigrid, 4, {.point = 7}}};
  return all;
}

const Path& host_double() {
  static const Path path{"double_host", "double, host", Precision::double_,
                         false,         "host",         std::string(okabe_ito[0])};
  return path;
}

Path mixed_path(const ExperimentOptions& options) {
  const bool device = on_device(options);
  return {device ? "mixed_gpu" : "mixed_host",
          device ? "mixed, GPU" : "mixed, host",
          Precision::double_,
          true,
          device ? "cuda" : "host",
          std::string(okabe_ito[device ? 2 : 1])};
}

std::vector<Path> paths(const ExperimentOptions& options) {
  const bool device = on_device(options);
  std::vector<Path> all{host_double()};
  if (device) {
    all.push_back(
        {"mixed_host", "mixed, host", Precision::double_, true, "host", std::string(okabe_ito[1])});
    all.push_back({"double_gpu", "double, GPU", Precision::double_, false, "cuda",
                   std::string(okabe_ito[5])});
  }
  all.push_back(mixed_path(options));
  all.push_back({"double_single", device ? "double-single, GPU" : "double-single, host",
                 Precision::double_single, false, device ? "cuda" : "host",
                 std::string(okabe_ito[3])});
  return all;
}

bool on_device(const ExperimentOptions& options) {
  return find_backend(options.backend, Precision::double_) == BackendKind::cuda;
}

LevelRange paper_levels(const ExperimentOptions& options) {
  if (options.levels) return *options.levels;
  return {5, options.full || on_device(options) ? finest_of_paper : 9};
}

LevelRange levels_of(const ExperimentOptions& options, const Path& path) {
  LevelRange levels = paper_levels(options);
  const bool slow = path.precision == Precision::double_single && path.backend == "host";
  if (slow && !options.levels && !options.full) --levels.last;
  return levels;
}

void open_device() {
  (void)solve(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 2), SolverOptions{},
              BackendKind::cuda);
}

std::string run_name(const PaperSolver& solver, const Path& path) {
  return fmt::format("{} {}", solver.name, path.name);
}

std::vector<RuleRace> rule_races(const ExperimentOptions& options) {
  // On a host bfloat16 and half cost time instead of saving it.
  std::vector<Precision> formats{Precision::single_};
  if (on_device(options)) formats.insert(formats.end(), {Precision::bfloat16, Precision::half});
  const LevelRange levels = race_levels(options);
  std::vector<RuleRace> races;
  for (int level = levels.first; level <= levels.last; ++level) {
    SolverOptions solver = paper_options();
    solver.form = OperatorForm::difference;
    solver.tolerance = level <= finest_of_paper ? paper_tolerance : loose_tolerance;
    const auto plan = [&](const std::string& name) {
      return make_plan(options, fmt::format("rules, level {}, {}", level, name), {level, level},
                       solver, options.backend);
    };
    RuleRace race{plan("double"), {}};
    for (const Precision inner : formats) {
      solver.refinement.inner = {inner};
      for (int k = 1; k <= 6; ++k) {
        const InnerStop stop = k <= 3 ? InnerStop{k, {}} : InnerStop{{}, k - 3};
        solver.refinement.stop = {stop};
        const std::string rule = fmt::format("{}{}", k <= 3 ? 'i' : 'd', k <= 3 ? k : k - 3);
        race.entries.push_back({inner, rule, plan(fmt::format("{} {}", to_string(inner), rule))});
      }
    }
    races.push_back(std::move(race));
  }
  return races;
}

std::vector<Plan> refinement_plans(const ExperimentOptions& options) {
  std::vector<Plan> plans;
  for (const PaperSolver& solver : paper_solvers()) {
    for (const Path& path : paths(options)) {
      plans.push_back(make_plan(options, run_name(solver, path), levels_of(options, path),
                                solver_of(solver, path), path.backend));
    }
  }
  for (const RuleRace& race : rule_races(options)) {
    plans.push_back(race.native);
    for (const RuleEntry& entry : race.entries) plans.push_back(entry.plan);
  }
  return plans;
}

}  // namespace ninefold
