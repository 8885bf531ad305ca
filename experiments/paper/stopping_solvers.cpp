#include "experiments/paper/stopping_solvers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "experiments/paper/paper_options.hpp"
#include "experiments/support/plans.hpp"

namespace ninefold {
namespace {

SolverOptions native(Method method) {
  SolverOptions solver = paper_options();
  solver.method = method;
  solver.multigrid.damping = refinement_damping;
  return solver;
}

Setup refined(std::string name, Method method, Precision inner) {
  Setup setup{std::move(name), native(method)};
  setup.solver.refinement.inner = {inner};
  setup.solver.refinement.inner_form = OperatorForm::plain;
  return setup;
}

std::string name_of(Method method) {
  return method == Method::cg ? "CG" : "multigrid";
}

Plan make_plan(const ExperimentOptions& options, LevelRange levels, std::string name,
               const SolverOptions& solver) {
  Plan plan = experiment_plan(std::move(name), options, levels, solver);
  tell_varied(plan,
              {"solver.method", "multigrid.damping", "refinement.inner_precision",
               "refinement.inner_digits", "refinement.inner_iterations", "refinement.inner_form",
               "refinement.scaling", "refinement.variant", "refinement.stop_at_tolerance"});
  return plan;
}

Plan make_plan(const ExperimentOptions& options, LevelRange levels, const Setup& setup,
               const Rule& rule) {
  SolverOptions solver = setup.solver;
  solver.refinement.stop = {rule.stop};
  return make_plan(options, levels, run_name(setup, rule), solver);
}

}  // namespace

const Rules& rules_of(Method method) {
  static const auto make = [](std::array<int, 3> iterations) {
    Rules rules;
    for (std::size_t k = 0; k < 3; ++k) {
      const int digits = static_cast<int>(k) + 1;
      rules[k] = {fmt::format("i{}", iterations[k]), {iterations[k], {}}};
      rules[k + 3] = {fmt::format("d{}", digits), {{}, digits}};
    }
    return rules;
  };
  static const Rules of_multigrid = make({1, 2, 3}), of_cg = make({100, 250, 500});
  return method == Method::multigrid ? of_multigrid : of_cg;
}
const Rule& cg_rule(std::string_view name) {
  const Rules& rules = rules_of(Method::cg);
  return *std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
}

Setup native_setup(Method method) {
  return {name_of(method) + " double", native(method)};
}

const std::vector<PaperTable>& paper_tables() {
  static const std::vector<PaperTable> all = [] {
    std::vector<PaperTable> tables{
        {3, "multigrid, 2+2 steps, in single",
         refined("multigrid in single", Method::multigrid, Precision::single_)},
        {4, "conjugate gradients in single",
         refined("CG in single", Method::cg, Precision::single_)},
        {5, "conjugate gradients in double, ending as soon as the outer tolerance is met",
         refined("CG in double", Method::cg, Precision::double_)}};
    tables[2].setup.solver.refinement.stop_at_tolerance = true;
    return tables;
  }();
  return all;
}

const PaperTable& table_of(int number) {
  return paper_tables()[static_cast<std::size_t>(number - paper_tables().front().number)];
}

std::vector<Setup> variations(Method method) {
  const bool cg = method == Method::cg;
  std::vector<Setup> setups{table_of(cg ? 4 : 3).setup};
  const auto vary = [&](bool other, OperatorForm form) {
    Setup setup = setups.front();
    setup.name += fmt::format(", {}", to_string(form));
    if (other) setup.name += cg ? ", by the norm" : fmt::format(", damping {}", other_damping);
    setup.solver.refinement.inner_form = form;
    if (other && cg) setup.solver.refinement.scaling = RefinementScaling::norm;
    if (other) setup.solver.multigrid.damping = other_damping;
    setups.push_back(std::move(setup));
  };
  vary(true, OperatorForm::plain);
  vary(false, OperatorForm::difference);
  vary(true, OperatorForm::difference);
  return setups;
}

std::vector<Setup> remedies() {
  std::vector<Setup> setups;
  for (const RefinementVariant variant :
       {RefinementVariant::residual_guided_cg, RefinementVariant::flexible_cg}) {
    setups.push_back(
        refined(fmt::format("{} over single", to_string(variant)), Method::cg, Precision::single_));
    setups.back().solver.refinement.variant = variant;
  }
  setups.push_back(refined("residual-guided-cg over double", Method::cg, Precision::double_));
  setups.back().solver.refinement.variant = RefinementVariant::residual_guided_cg;
  setups.back().solver.refinement.stop_at_tolerance = true;
  return setups;
}

LevelRange variation_levels(Method method, LevelRange levels) {
  return method == Method::cg ? LevelRange{levels.first, levels.first} : levels;
}

std::string run_name(const Setup& setup, const Rule& rule) {
  return setup.name + " " + rule.name;
}

std::vector<Plan> stopping_plans(const ExperimentOptions& options, LevelRange levels) {
  std::vector<Plan> plans;
  for (const Method method : {Method::multigrid, Method::cg}) {
    const Setup setup = native_setup(method);
    plans.push_back(make_plan(options, levels, setup.name, setup.solver));
  }
  const auto add = [&](const Setup& setup, Method method, LevelRange range) {
    for (const Rule& rule : rules_of(method)) {
      plans.push_back(make_plan(options, range, setup, rule));
    }
  };
  for (const PaperTable& table : paper_tables()) {
    add(table.setup, table.setup.solver.method, levels);
  }
  for (const Method method : {Method::multigrid, Method::cg}) {
    const std::vector<Setup> setups = variations(method);
    for (std::size_t k = 1; k < setups.size(); ++k) {  // the first is the table's
      add(setups[k], method, variation_levels(method, levels));
    }
  }
  for (const Setup& setup : remedies()) {
    for (const char* rule : kept_rules) {
      plans.push_back(make_plan(options, levels, setup, cg_rule(rule)));
    }
  }
  return plans;
}

}  // namespace ninefold
