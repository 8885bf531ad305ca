#include "experiments/program/follow_matrices.hpp"

#include <cstddef>
#include <memory>
#include <string>

#include "experiments/program/least_squares_problem.hpp"
#include "experiments/program/stated_system.hpp"

namespace ninefold {
namespace {

void follow_systems(const std::vector<Plan>& plans) {
  std::unique_ptr<StatedSystem> stated;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const Plan& plan = plans[k];
    if (k == 0 || !same_system(plans[k - 1], plan)) {
      stated.reset();  // before the next one takes memory
      stated = std::make_unique<StatedSystem>(stated_system(plan));
    }
    std::string refusal;  // which the first rank tells
    (void)located_or_refused(plan, source_key(plan.configuration), plans.size() == 1, refusal, [&] {
      return solve_sparse(stated->A, stated->rights, sparse_options(plan.configuration),
                          backend_of(plan));
    });
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
