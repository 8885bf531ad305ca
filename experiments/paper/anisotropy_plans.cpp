#include "experiments/paper/anisotropy_plans.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "experiments/paper/paper.hpp"
#include "experiments/paper/paper_options.hpp"
#include "experiments/program/run.hpp"
#include "experiments/support/plans.hpp"

namespace ninefold {
namespace {

constexpr LevelRange paper_levels{8, 9}, full_levels{8, 10};

bool on_host(const ExperimentOptions& options) {
  return find_backend(options.backend, Precision::double_) == BackendKind::host;
}

SolverOptions lines(LineOrder order) {
  SolverOptions solver = paper_options();
  solver.multigrid.smoother = Smoother::adi_trigs;
  solver.multigrid.line_order = order;
  return solver;
}

SolverOptions refined(SolverOptions solver, Precision outer, Precision inner, OperatorForm form) {
  solver.precision = outer;
  solver.form = solver.refinement.inner_form = form;
  solver.refinement.inner = {inner};
  return solver;
}

/// MG_JAC as the test needs it.
SolverOptions jacobi(char test) {
  const JacobiSmoothing smoothing = grid_of_test(test).jacobi;
  SolverOptions solver = table_jacobi().options;
  solver.multigrid.damping = smoothing.damping;
  solver.multigrid.pre_smoothing = solver.multigrid.post_smoothing = smoothing.steps;
  if (!has_printed_jacobi(test)) solver.max_iterations = unprinted_cycles;
  return solver;
}

}  // namespace

bool has_printed_jacobi(char test) {
  const std::span<const ConvergenceRow> rows = paper_tables_7_and_8();
  return std::any_of(rows.begin(), rows.end(),
                     [=](const auto& row) { return row.test == test && row.multigrid_cycles; });
}

LevelRange table_levels(const ExperimentOptions& options) {
  return options.levels.value_or(options.full ? full_levels : paper_levels);
}

LevelRange jacobi_levels(const ExperimentOptions& options, char test) {
  LevelRange levels = table_levels(options);
  const bool all = options.levels || options.full || has_printed_jacobi(test) || !on_host(options);
  if (!all) levels.last = levels.first;
  return levels;
}

const TableSolver& table_cg() {
  static const TableSolver solver = [] {
    TableSolver cg{"CG", {}};
    cg.options.method = Method::cg;
    cg.options.preconditioner = Preconditioning::jacobi;
    return cg;
  }();
  return solver;
}

const TableSolver& table_jacobi() {
  static const TableSolver solver = [] {
    TableSolver jacobi{"MG_JAC", {}};
    jacobi.options.multigrid.smoother = Smoother::jacobi;
    return jacobi;
  }();
  return solver;
}

const TableSolver& table_lines(LineOrder order) {
  static const auto make = [](LineOrder lines_in) {
    return TableSolver{fmt::format("MG_ADITRIGS {}", to_string(lines_in)), lines(lines_in)};
  };
  static const TableSolver sequential = make(LineOrder::sequential), zebra = make(LineOrder::zebra);
  return order == LineOrder::zebra ? zebra : sequential;
}

const TableSolver& table_mixed(LineOrder order) {
  static const auto make = [](LineOrder lines_in) {
    TableSolver solver{
        fmt::format("mixed MG_ADITRIGS {}", to_string(lines_in)),
        refined(lines(lines_in), Precision::double_, Precision::single_, OperatorForm::plain)};
    solver.options.refinement.stop = {{{}, 2.0}};
    return solver;
  };
  static const TableSolver sequential = make(LineOrder::sequential), zebra = make(LineOrder::zebra);
  return order == LineOrder::zebra ? zebra : sequential;
}

std::string run_name(char test, const TableSolver& solver) {
  return fmt::format("{} {}", test, solver.name);
}

const std::vector<Way>& ways() {
  static const std::vector<Way> all = [] {
    using enum OperatorForm;
    const Precision single = Precision::single_, double_ = Precision::double_,
                    double_double = Precision::double_double;
    const SolverOptions zebra = lines(LineOrder::zebra);
    std::vector<Way> list;
    const auto alone = [&](Precision format, OperatorForm form, double tolerance, int host_level,
                           int digits) {
      Way way{fmt::format("{}, {}", to_string(format), to_string(form)), zebra, host_level, digits};
      way.options.precision = format;
      way.options.form = form;
      way.options.tolerance = tolerance;
      if (tolerance != zebra.tolerance) way.name += fmt::format(", to {:g}", tolerance);
      list.push_back(std::move(way));
    };
    const auto mixed = [&](Precision outer, Precision inner, OperatorForm form, int host_level,
                           int digits) {
      list.push_back({fmt::format("{}:{}, {}", to_string(outer), to_string(inner), to_string(form)),
                      refined(zebra, outer, inner, form), host_level, digits});
    };
    alone(double_, plain, 1e-10, 10, plain_digits);
    alone(double_, plain, 1e-12, 9, plain_digits);
    alone(double_, difference, 1e-10, 10, difference_digits);
    alone(double_, difference, 1e-12, 9, difference_digits);
    mixed(double_, single, plain, 10, plain_digits);
    mixed(double_, single, difference, 10, difference_digits);
    mixed(double_double, double_, plain, 9, difference_digits);
    alone(double_double, plain, 1e-12, 9, difference_digits);
    alone(single, plain, 1e-10, 9, 0);
    alone(single, difference, 1e-10, 9, 0);
    return list;
  }();
  return all;
}

std::string way_name(const Way& way) {
  return "I by " + way.name;
}

LevelRange levels_of(const ExperimentOptions& options, const Way& way) {
  if (options.levels) return *options.levels;
  LevelRange levels = full_levels;
  if (!options.full && on_host(options)) levels.last = way.host_level;
  return levels;
}

Plan plan_test(const ExperimentOptions& options, char test, LevelRange levels, std::string name,
               const SolverOptions& solver) {
  const TestGrid grid = grid_of_test(test);
  return plan_grid(options, grid.width, grid.nu, levels, std::move(name), solver);
}

Plan plan_grid(const ExperimentOptions& options, double width, double nu, LevelRange levels,
               std::string name, const SolverOptions& solver) {
  Plan plan = experiment_plan(std::move(name), options, levels, solver);
  plan.configuration.width = width;
  plan.configuration.grading.nu = nu;
  tell_varied(plan,
              {"domain.width", "grid.anisotropy", "operator.form", "solver.method",
               "solver.preconditioner", "solver.precision", "solver.tolerance",
               "solver.max_iterations", "multigrid.smoother", "multigrid.line_order",
               "multigrid.damping", "multigrid.pre_smoothing", "multigrid.post_smoothing",
               "refinement.inner_precision", "refinement.inner_digits", "refinement.inner_form"});
  return plan;
}

std::vector<Plan> anisotropy_plans(const ExperimentOptions& options) {
  const LevelRange levels = table_levels(options);
  std::vector<Plan> plans;
  for (const char test : all_tests) {
    const auto add = [&](const TableSolver& solver, const SolverOptions& how, LevelRange range) {
      plans.push_back(plan_test(options, test, range, run_name(test, solver), how));
    };
    add(table_cg(), table_cg().options, levels);
    add(table_jacobi(), jacobi(test), jacobi_levels(options, test));
    for (const LineOrder order : {LineOrder::sequential, LineOrder::zebra}) {
      add(table_lines(order), table_lines(order).options, levels);
      add(table_mixed(order), table_mixed(order).options, levels);
    }
  }
  for (const Way& way : ways()) {
    plans.push_back(plan_test(options, 'I', levels_of(options, way), way_name(way), way.options));
  }
  return plans;
}

}  // namespace ninefold
