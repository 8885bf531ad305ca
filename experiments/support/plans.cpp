#include "experiments/support/plans.hpp"

#include <utility>

#include "experiments/config/keys.hpp"

namespace ninefold {

Plan experiment_plan(std::string name, const ExperimentOptions& options, LevelRange levels,
                     const SolverOptions& solver) {
  Plan plan{std::move(name), {}, {}};
  Configuration& c = plan.configuration;
  c.first_level = levels.first;
  c.last_level = levels.last;
  c.solver = solver;
  c.backend = options.backend;
  c.output.directory = options.output.string();
  return plan;
}

void tell_varied(Plan& plan, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    plan.varied.emplace_back(key, to_words(parse_value(find_key(key)->show(plan.configuration))));
  }
}

}  // namespace ninefold
