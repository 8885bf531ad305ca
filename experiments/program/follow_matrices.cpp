#include "experiments/program/follow_matrices.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "experiments/program/least_squares_problem.hpp"
#include "experiments/program/stated_group.hpp"
#include "experiments/program/stated_system.hpp"

namespace ninefold {
namespace {

void follow_systems(const std::vector<Plan>& plans) {
  StatedGroup stated;
  for (std::size_t k = 0; k < plans.size();) {
    const std::span<const Plan> group = group_of(plans, k);
    stated.state(group);
    // Refusals are what the first rank tells.
    (void)solve_group(group, stated, backend_of(group.front()), plans.size() == 1);
    k += group.size();
  }
}

void follow_fits(const std::vector<Plan>& plans) {
  std::unique_ptr<StatedFit> fit;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const Plan& plan = plans[k];
    if (k == 0 || !same_fit(plans[k - 1], plan)) {
      fit.reset();
      fit = std::make_unique<StatedFit>(stated_fit(plan));
    }
    std::string refusal;
    const auto solved = located_or_refused(plan, fit_key(plan.configuration), plans.size() == 1,
                                           refusal, [&] { return solve_fit(*fit, plan); });
    if (solved) (void)deficiency_of(*fit, plan, solved->front());
  }
}

}  // namespace

void follow_matrices(const std::vector<Plan>& plans) {
  if (plans.front().configuration.least_squares.is_used()) {
    follow_fits(plans);
  } else {
    follow_systems(plans);
  }
}

}  // namespace ninefold
