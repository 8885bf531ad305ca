#pragma once
// How an iteration ends, and what is remembered of it.
//
// Tests.  tests/solvers/stopping_test.cpp

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/backend/work.hpp"

namespace ninefold {

/// How an iteration ended.  Only `converged` is success.
enum class [[nodiscard]] Outcome{
    converged,   ///< the tolerance is met
    step_limit,  ///< max_iterations reached first
    stagnated,   ///< the residual no longer falls: the limit of the number format, or of the method
    diverged,    ///< the residual grew beyond what its ResidualMonitor takes
    not_finite   ///< infinity or NaN
};

/// "converged", "step limit", "stagnated", "diverged" or "not finite".
std::string_view to_string(Outcome outcome);

/// A part of a solve's time.
struct TimedPart {
  std::string_view name;  ///< one of part (solvers/timeline.hpp)
  double seconds;
};

/// What a solve reports beside the solution.  Norms are Euclidean, over the unknowns.
struct Report {
  Outcome outcome = Outcome::step_limit;
  int iterations = 0;
  double residual_reduction = 0;       ///< |r| / |r0| by the method's own residual
  double true_residual_reduction = 0;  ///< |b - A x| / |r0|, recomputed from the returned x
  /// Of the error, relative to the solution in l2 and in the largest node: the bound from the
  /// residual, or what the last cycle changed, whichever the outcome rests on; none with
  /// StoppingNorm::residual (solvers/judgement/accuracy.hpp).  Where the tolerance is one of the
  /// error in one norm, as that is compared with it: in that norm, relative or not, rounding
  /// included.
  std::optional<double> error_bound;
  bool judged_by_change = false;
  /// Aimed at the discretisation error, and rounding alone has moved what was there before that was
  /// known to be met: what is left tells (solvers/solve.cpp).
  bool is_ended_by_rounding = false;
  double attainable_reduction = 0;    ///< u | |A||x| + |b| | / |r0|: what rounding may leave; the
                                      ///< floor observed lies within a factor of about 5 of it
  std::string remark;                 ///< one sentence for the user, or empty
  std::string smoother;               ///< of multigrid, in words, or that it had no use; or empty
  bool is_solved_by_vectors = false;  ///< by eigenvectors alone, as full multigrid begins
  std::vector<double> history;        ///< |r_k| / |r0|, k = 0 ... iterations (of a system that is
                                      ///< solved twice: solvers/sparse/sparse_solve.hpp)
  double setup_seconds = 0;           ///< assembly, transfer, recording
  double solve_seconds = 0;           ///< the iteration alone, data in place
  std::size_t memory_bytes = 0;       ///< the most the backend held during setup and solve
  std::vector<TimedPart> timeline;    ///< of both, and of what follows

  // Of refinement: `iterations` and `history` above count the steps of the outer solver.
  int inner_iterations = 0;           ///< of the last stage, in all
  std::vector<int> inner_history;     ///< the same of each outer step
  std::size_t transferred_bytes = 0;  ///< vectors between host and device during the iteration

  Work work;        ///< of the whole iteration
  Work outer_work;  ///< the outer solver's part of it
};

/// A residual this many times the first one counts as divergence.
inline constexpr double divergence_factor = 1e8;

/// CG's recursive residual drifts from the true one.  Where the format can attain the tolerance, a
/// solve whose recursive residual meets it counts as converged if the true one is within this
/// factor.
inline constexpr double recurrence_drift = 10.0;

/// How long a method may go without progress.  Multigrid falls steadily, so it can be given up
/// soon; CG may stay on a plateau for as many steps as the grid has nodes across, and longer on
/// stretched grids, so only max_iterations ends it.
struct Patience {
  int near_limit;  ///< steps without a residual below 0.98 times the best, once the best is no more
                   ///< than 3 times the attainable reduction
  int anywhere;    ///< steps without a residual below 0.999 times the best, wherever it is
};
inline constexpr Patience multigrid_patience{8, 200};
inline constexpr Patience refinement_patience{4, 60};
/// A direct solver's residual falls at once, or not at all.
inline constexpr Patience direct_patience{1, 2};
/// A stage within a cascade: the more precise one around it corrects what is left, and the steps of
/// all of them multiply.
inline constexpr Patience stage_patience{4, 4};
inline constexpr Patience cg_patience{1000, std::numeric_limits<int>::max()};

/// Inner solves that no count ends may take this many times max_iterations in all: more than CG in
/// one format, since each begins anew, but not as many as there are steps.
inline constexpr int inner_iterations_factor = 10;

/// Watches the residuals of an iteration and says when, and how, it ends.
class ResidualMonitor {
 public:
  /// `divergence`: |r_k| / |r_0| beyond which the iteration has diverged.
  ResidualMonitor(int max_iterations, Patience patience, double divergence = divergence_factor);

  /// Takes |r_k| / |r_0| of the next step (k = 0 at first) and whether the tolerance is met; the
  /// outcome if the iteration ends here.  `attainable` estimates the attainable reduction; it is
  /// called only when progress has stopped.
  template <class Attainable>
  std::optional<Outcome> next(double reduction, bool met, Attainable&& attainable) {
    const std::optional<Outcome> outcome = judge(reduction, met);
    if (outcome || since_near_ < patience_.near_limit) return outcome;
    since_near_ = 0;
    if (best_near_ <= 3.0 * attainable()) return Outcome::stagnated;
    return std::nullopt;
  }

  /// Takes a residual without judging it.
  void append(double reduction) { history_.push_back(reduction); }

  const std::vector<double>& history() const { return history_; }
  int iterations() const { return static_cast<int>(history_.size()) - 1; }

 private:
  std::optional<Outcome> judge(double reduction, bool met);

  int max_iterations_;
  Patience patience_;
  double divergence_;
  std::vector<double> history_;
  double best_near_ = 0, best_anywhere_ = 0;  ///< the last residuals that counted as progress
  int since_near_ = 0, since_anywhere_ = 0;   ///< steps since
};

}  // namespace ninefold
