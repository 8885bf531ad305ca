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

ResidualMonitor::ResidualMonitor(double tolerance, int max_iterations, int patience)
    : tolerance_(tolerance), max_iterations_(max_iterations), patience_(patience) {}

ResidualMonitor::Verdict ResidualMonitor::judge(double reduction) {
  history_.push_back(reduction);
  if (!std::isfinite(reduction)) return Verdict::not_finite;
  if (reduction <= tolerance_) return Verdict::converged;
  if (reduction > divergence_factor) return Verdict::diverged;

  if (history_.size() == 1 || reduction < 0.9 * best_) {
    best_ = reduction;
    since_progress_ = 0;
  } else {
    ++since_progress_;
  }
  if (history_.size() == 1 || reduction < 0.99 * slow_best_) {
    slow_best_ = reduction;
    since_slow_progress_ = 0;
  } else {
    ++since_slow_progress_;
  }
  if (since_progress_ >= patience_) return Verdict::suspicious;
  return iterations() >= max_iterations_ ? Verdict::step_limit : Verdict::go_on;
}

std::optional<Outcome> ResidualMonitor::judge_suspicious(double reduction) const {
  const bool near_limit = reduction <= 3.0 * *attainable_;
  if (near_limit || since_slow_progress_ >= 50 * patience_) return Outcome::stagnated;
  if (iterations() >= max_iterations_) return Outcome::step_limit;
  return std::nullopt;
}

std::optional<Outcome> ResidualMonitor::outcome_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::go_on:
    case Verdict::suspicious:
      return std::nullopt;
    case Verdict::converged:
      return Outcome::converged;
    case Verdict::step_limit:
      return Outcome::step_limit;
    case Verdict::diverged:
      return Outcome::diverged;
    case Verdict::not_finite:
      return Outcome::not_finite;
  }
  throw std::logic_error("a verdict without an outcome");
}

}  // namespace ninefold
