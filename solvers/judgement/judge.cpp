#include "solvers/judgement/judge.hpp"

#include <cmath>

#include <fmt/format.h>

#include "precision/parameter_format.hpp"
#include "precision/require.hpp"

#include "solvers/judgement/remarks.hpp"

namespace ninefold {

std::optional<double> error_by_change(const Evidence& evidence) {
  if (!evidence.change || !evidence.rounding) return {};
  return *evidence.change + *evidence.rounding;
}

bool holds_matrix(const Evidence& evidence) {
  return !evidence.rounding || *evidence.rounding <= hopeless_rounding;
}

namespace {

/// Of a tolerance of the error in one norm.
Outcome judge_in_norm(const SolverOptions& options, const Evidence& evidence, Outcome by_itself,
                      std::string& remark) {
  if (evidence.bound && *evidence.bound <= options.tolerance) return Outcome::converged;
  const std::optional<double> by_change = error_by_change(evidence);
  if (by_change && *by_change <= options.tolerance) {
    remark = fmt::format(
        "the bound of the error stays at {:.1e}, which counts what rounding makes of differences "
        "across thin cells; by what further cycles change it is {:.1e}",
        for_words(evidence.bound.value_or(0)), *by_change);
    return Outcome::converged;
  }
  return by_itself == Outcome::converged ? Outcome::stagnated : by_itself;
}

}  // namespace

Outcome judge(const SolverOptions& options, const Evidence& evidence, Outcome by_itself,
              std::string& remark) {
  if (measures_error(options)) return judge_in_norm(options, evidence, by_itself, remark);
  const double tolerance = options.tolerance, reached = for_words(evidence.true_reduction);
  if (!holds_matrix(evidence)) {
    return by_itself == Outcome::converged ? Outcome::stagnated : by_itself;
  }
  if (evidence.has_aimed) return by_itself;
  const double promised = promise(tolerance);
  const auto name_rounding = [&] {
    if (!evidence.rounding || *evidence.rounding <= promised) return;
    remark += (remark.empty() ? "" : "; ") + rounding_remark(options, *evidence.rounding);
  };
  if (evidence.change) {
    if (!(reached <= tolerance)) {
      remark = fmt::format(
          "further cycles change {:.1e} of the solution; the residual, at {:.2e}, counts what "
          "rounding makes of differences across thin cells",
          *evidence.change, reached);
    }
    name_rounding();  // what it leaves, cycles do not change
    return Outcome::converged;
  }
  if (!(reached <= tolerance)) {
    if (!std::isfinite(reached)) return Outcome::not_finite;
    if (evidence.bound && *evidence.bound <= sure_factor * tolerance) {
      remark = fmt::format(
          "the residual stays at {:.2e}, but the error is at most {:.1e} of the solution", reached,
          *evidence.bound);
      return Outcome::converged;
    }
    const bool drift = by_itself == Outcome::converged && evidence.attainable <= tolerance
                       && reached <= recurrence_drift * tolerance;
    if (!drift) return by_itself == Outcome::converged ? Outcome::stagnated : by_itself;
    remark = fmt::format("the recursive residual meets {}, the true one is {:.2e}",
                         Parameter::tolerance, reached);
  }
  if (evidence.bound && !(*evidence.bound <= promised)) return Outcome::stagnated;
  name_rounding();
  return Outcome::converged;
}

}  // namespace ninefold
