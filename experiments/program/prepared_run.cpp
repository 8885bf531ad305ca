#include "experiments/program/prepared_run.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "precision/bad_value.hpp"
#include "precision/require.hpp"

namespace ninefold {
namespace {

std::vector<TensorGrid> grids_of(const Configuration& c, int level) {
  return make_hierarchy(c.width, c.height, level, c.grading);
}

/// Also of levels that are not run.
MemoryForecast memory_of_level(const Plan& plan, const PreparedRun& run, int level) {
  for (const PreparedSolve& solve : run.levels) {
    if (solve.level() == level) return solve.memory;
  }
  const Configuration& c = plan.configuration;
  return forecast_memory(run.problem(), grids_of(c, level), c.solver, run.where);
}

}  // namespace

BackendKind find_backend(const std::string& name, Precision precision) {
  try {
    return choose_backend(name, precision);
  } catch (const std::invalid_argument& error) {
    throw ConfigurationError(error.what());
  }
}

PreparedRun prepare_run(const Plan& plan) {
  const Configuration& c = plan.configuration;
  PreparedRun run;
  std::optional<int> at;  // the level that is being prepared
  const auto where = [&] {
    std::string text;
    if (at && c.first_level < c.last_level) text += fmt::format("\n  on level {}", *at);
    return text + combination_words(plan);
  };
  run.where = find_backend(c.backend, software_format(c.solver).value_or(c.solver.precision));
  try {
    require_value(c.output.estimates || !c.solver.to_discretisation, Parameter::tolerance,
                  "discretisation",
                  "coarser levels tell that error, which needs output.estimates = true");
    const Problem problem = make_problem(c.problem, c.width, c.height);
    // A picture is that of the finest level that is solved: finer ones may be refused.
    const bool is_kept = c.output.needs_solution();
    if (c.automatic_precision) {
      run.automatic = std::make_shared<AutomaticPrecision>(
          c, problem, run.where, is_kept ? c.last_level : last_pictured_level);
    }
    for (int level = c.first_level; level <= c.last_level; ++level) {
      at = level;
      if (run.automatic) {
        ChosenPath chosen = run.automatic->choose(level);
        run.paths.push_back(chosen.index);
        run.levels.push_back(std::move(chosen.solve));
        continue;
      }
      run.levels.push_back(prepare(problem, grids_of(c, level), c.solver, run.where,
                                   is_kept || level <= last_pictured_level));
    }
  } catch (const BadValue& error) {
    try {
      refuse_value(error, plan.settings, plan.file);
    } catch (const ConfigurationError& located) {
      throw ConfigurationError(located.what() + where());
    }
  } catch (const std::invalid_argument& error) {
    throw ConfigurationError(error.what() + where());
  }
  return run;
}

void require_memory(const Plan& plan, const PreparedRun& run) {
  for (const PreparedSolve& solve : run.levels) {
    try {
      require_memory(solve.memory, run.where, solve.options.ranks.get());
    } catch (const RankFailure&) {
      throw;
    } catch (const std::runtime_error& error) {
      int fits = solve.level() - 1;
      for (; fits > 0; --fits) {
        try {
          require_memory(memory_of_level(plan, run, fits), run.where, solve.options.ranks.get());
          break;
        } catch (const std::runtime_error&) {
        }
      }
      throw ConfigurationError(fmt::format(
          "level {} is beyond the memory of this machine: {}{}{}", solve.level(), error.what(),
          fits > 0 ? fmt::format("\n  the finest level that fits is {}", fits) : "",
          combination_words(plan)));
    }
  }
}

}  // namespace ninefold
