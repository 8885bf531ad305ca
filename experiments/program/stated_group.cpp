#include "experiments/program/stated_group.hpp"

#include <exception>
#include <utility>

#include "solvers/sparse/sparse_systems.hpp"

namespace ninefold {

std::span<const Plan> group_of(const std::vector<Plan>& plans, std::size_t first) {
  std::size_t end = first + 1;
  const int together = plans[first].together;
  while (together > 0 && end < plans.size() && plans[end].together == together) ++end;
  return std::span(plans).subspan(first, end - first);
}

bool StatedGroup::state(std::span<const Plan> group) {
  bool is_same = group.size() == plans_.size();
  for (std::size_t k = 0; k < group.size() && is_same; ++k) {
    is_same = same_system(plans_[k], group[k]);
  }
  plans_ = group;
  if (is_same) return false;
  systems_.clear();  // before the next ones take memory
  for (const Plan& plan : group) {
    systems_.push_back(std::make_unique<StatedSystem>(stated_system(plan)));
  }
  return true;
}

std::vector<SolvedPlan> solve_group(std::span<const Plan> group, const StatedGroup& stated,
                                    BackendKind where, bool is_alone) {
  std::vector<SolvedPlan> solved(group.size());
  const SparseOptions options = sparse_options(group.front().configuration);
  const std::string_view key = source_key(group.front().configuration);
  if (group.size() == 1) {
    solved.front().solved = located_or_refused(
        group.front(), key, is_alone, solved.front().refusal,
        [&] { return solve_sparse(stated[0].A, stated[0].rights, options, where); });
    return solved;
  }
  std::vector<GivenSystem> given;
  for (std::size_t k = 0; k < group.size(); ++k) given.push_back({&stated[k].A, stated[k].rights});
  std::string refusal;
  auto each = located_or_refused(group.front(), key, is_alone, refusal,
                                 [&] { return solve_systems(given, options, where); });
  if (!each) {
    for (SolvedPlan& one : solved) one.refusal = refusal;
    return solved;
  }
  for (std::size_t k = 0; k < group.size(); ++k) {
    try {
      solved[k].solved = located_or_refused(group[k], key, false, solved[k].refusal, [&] {
        if ((*each)[k].refusal) std::rethrow_exception((*each)[k].refusal);
        return std::move((*each)[k].rights);
      });
    } catch (const ConfigurationError& error) {
      throw ConfigurationError(stated[k].name + ": " + error.what());
    }
  }
  return solved;
}

}  // namespace ninefold
