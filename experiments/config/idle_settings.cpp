#include "experiments/config/idle_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "precision/shortened.hpp"

#include "experiments/config/keys.hpp"

namespace ninefold {
namespace {

/// Why the run has no use for the key; empty if it has.  Most of what a method does not take is
/// refused; what may well stay in a file while methods are tried is not.
std::string why_idle(const std::string& key, const Configuration& c) {
  const SolverOptions& solver = c.solver;
  if (key == "solver.fraction" && !solver.to_discretisation) {
    return "solver.tolerance is not \"discretisation\"";
  }
  if (key == "solver.double_speed" && !c.automatic_precision) {
    return "solver.precision is not \"auto\"";
  }
  if (key == "backend.min_rows_per_rank" && !has_several_ranks(solver)) {
    return "one process, or one device, solves";
  }
  if (key == "backend.transfers" && c.transfers != "auto"
      && (!has_several_ranks(solver) || c.backend == "host")) {
    return "no devices of several processes solve";
  }
  if (table_of(key) != "multigrid") return "";
  if (uses_multigrid(solver)) {
    const bool idle =
        key == "multigrid.cycles_per_level" && solver.method != Method::full_multigrid;
    return idle ? "full multigrid does not solve" : "";
  }
  return "multigrid neither solves nor preconditions";
}

}  // namespace

std::vector<std::string> idle_settings(const std::vector<Plan>& plans) {
  std::vector<std::string> lines;
  if (plans.empty()) return lines;
  for (const Setting& setting : plans.front().settings) {
    std::string why;
    const bool idle = std::all_of(plans.begin(), plans.end(), [&](const Plan& plan) {
      why = why_idle(setting.key, plan.configuration);
      return !why.empty();
    });
    if (!idle) continue;
    lines.push_back(fmt::format("{}: {} = {} has no effect: {}", setting.origin.place, setting.key,
                                shortened(to_toml(setting.value)), why));
  }
  return lines;
}

}  // namespace ninefold
