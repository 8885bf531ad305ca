#include "solvers/stopping.hpp"

#include <cmath>
#include <stdexcept>

namespace ninefold {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::step_limit:
      return "step limit";
    case Outcome::stagnated:
      return "stagnated";
    case Outcome::diverged:
      return "diverged";
    case Outcome::not_finite:
      return "not finite";
  }
  throw std::logic_error("an outcome without a name");
}

ResidualMonitor::ResidualMonitor(int max_iterations, Patience patience, double divergence)
    : max_iterations_(max_iterations), patience_(patience), divergence_(divergence) {}

std::optional<Outcome> ResidualMonitor::judge(double reduction, bool met) {
  history_.push_back(reduction);
  if (!std::isfinite(reduction)) return Outcome::not_finite;
  if (met) return Outcome::converged;
  if (reduction > divergence_) return Outcome::diverged;
  if (iterations() >= max_iterations_) return Outcome::step_limit;

  const bool first = history_.size() == 1;
  const auto watch = [&](double factor, double& best, int& since) {
    if (first || reduction < factor * best) {
      best = reduction;
      since = 0;
    } else {
      ++since;
    }
  };
  watch(0.98, best_near_, since_near_);
  watch(0.999, best_anywhere_, since_anywhere_);
  if (since_anywhere_ >= patience_.anywhere) return Outcome::stagnated;
  return std::nullopt;
}

}  // namespace ninefold
