#pragma once
// Whose inner solvers stop, and by which rules; part of stopping_criteria.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/options.hpp"

#include "experiments/config/study.hpp"
#include "experiments/paper/paper.hpp"
#include "experiments/support/options.hpp"

namespace ninefold {

/// Another damping of multigrid than refinement_damping, for comparison: that of native solvers.
inline constexpr double other_damping = 0.8;

struct Rule {
  std::string name;  ///< "i100" or "d2", as in the paper
  InnerStop stop;
};
using Rules = std::array<Rule, stopping_rules>;

/// In the order of the paper's columns.
const Rules& rules_of(Method method);
const Rule& cg_rule(std::string_view name);

/// A solver with everything but its stopping rule; without inner formats it is native.
struct Setup {
  std::string name;
  SolverOptions solver;
};

Setup native_setup(Method method);

/// What table 3, 4 or 5 is about.
struct PaperTable {
  int number;
  std::string title;
  Setup setup;
};
const std::vector<PaperTable>& paper_tables();
const PaperTable& table_of(int number);

/// The solver of table 3 or 4, and the same under the other choices that the paper leaves open.
std::vector<Setup> variations(Method method);

/// What shall help CG against being restarted, and the rules that it is tried with.
std::vector<Setup> remedies();
inline constexpr std::array kept_rules{"i100", "d1", "d2"};

/// CG's variations would take long on every level.
LevelRange variation_levels(Method method, LevelRange levels);

std::string run_name(const Setup& setup, const Rule& rule);

std::vector<Plan> stopping_plans(const ExperimentOptions& options, LevelRange levels);

}  // namespace ninefold
