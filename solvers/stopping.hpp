#pragma once
// How an iteration ends, and what is remembered of it.
//
// Tests.  tests/solvers/stopping_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ninefold {

/// How an iteration ended.  Only `converged` is success.
enum class [[nodiscard]] Outcome{
    converged,   ///< the tolerance is met
    step_limit,  ///< max_iterations reached first
    stagnated,   ///< the residual no longer falls: the limit of the number format, or of the method
    diverged,    ///< the residual grew beyond divergence_factor times the first one
    not_finite   ///< infinity or NaN
};

/// "converged", "step limit", "stagnated", "diverged" or "not finite".
std::string_view to_string(Outcome outcome);

/// What a solve reports beside the solution.  Norms are Euclidean, over the unknowns.
struct Report {
  Outcome outcome = Outcome::step_limit;
  int iterations = 0;
  double residual_reduction = 0;       ///< |r| / |r0| by the method's own residual
  double true_residual_reduction = 0;  ///< |b - A x| / |r0|, recomputed from the returned x
  double attainable_reduction = 0;     ///< an estimate of what the format can reach, see solve.hpp
  std::string remark;                  ///< one sentence for the user, or empty
  std::vector<double> history;         ///< |r_k| / |r0|, k = 0 ... iterations
  double setup_seconds = 0;            ///< assembly, transfer, recording
  double solve_seconds = 0;            ///< the iteration alone, data in place
  std::size_t memory_bytes = 0;        ///< the most the backend held during setup and solve
};

/// A residual this many times the first one counts as divergence.
inline constexpr double divergence_factor = 1e8;

/// CG's recursive residual drifts from the true one; a solve whose recursive residual meets the
/// tolerance counts as converged if the true one is within this factor of it.
inline constexpr double recurrence_drift = 10.0;

/// Watches the residuals of an iteration and says when, and how, it ends.
///
/// Stagnation: near the format's limit (up to 3 times the attainable reduction), no residual below
/// 0.9 times the best for `patience` steps; anywhere, none below 0.99 times the best for 50 times
/// as many.  `patience` is a property of the method: multigrid falls steadily, CG does not.
class ResidualMonitor {
 public:
  ResidualMonitor(double tolerance, int max_iterations, int patience);

  /// Takes |r_k| / |r_0| of the next step (k = 0 at first); the outcome if the iteration ends
  /// here.  `attainable` returns the attainable reduction; it is called at most once.
  template <class Attainable>
  std::optional<Outcome> next(double reduction, Attainable&& attainable) {
    const Verdict verdict = judge(reduction);
    if (verdict != Verdict::suspicious) return outcome_of(verdict);
    if (!attainable_) attainable_ = attainable();
    return judge_suspicious(reduction);
  }

  /// Takes a residual without judging it.
  void append(double reduction) { history_.push_back(reduction); }

  const std::vector<double>& history() const { return history_; }
  int iterations() const { return static_cast<int>(history_.size()) - 1; }

 private:
  enum class Verdict { go_on, suspicious, converged, step_limit, diverged, not_finite };
  Verdict judge(double reduction);
  std::optional<Outcome> judge_suspicious(double reduction) const;
  static std::optional<Outcome> outcome_of(Verdict verdict);

  double tolerance_;
  int max_iterations_, patience_;
  std::vector<double> history_;
  double best_ = 0;         ///< the last residual that counted as progress
  int since_progress_ = 0;  ///< steps since it, by the rule near the limit
  double slow_best_ = 0;    ///< the same by the rule that holds anywhere
  int since_slow_progress_ = 0;
  std::optional<double> attainable_;
};

}  // namespace ninefold
