#pragma once
// How an iteration ends, and what is remembered of it.

#include <string>
#include <string_view>
#include <vector>

namespace ninefold {

/// How an iteration ended.  Only `converged` is success.
enum class [[nodiscard]] Outcome {
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

}  // namespace ninefold
