#pragma once
// What a solve is called at its end.
//
// With norm = "error", of what is true of the x that is returned (`tolerance` t, promise 1000 t but
// never more than half of the solution, all relative to the solution in l2 and the largest node):
//
//     rounding above hopeless_rounding       never converged
//     a small change that was confirmed      converged
//     residual <= t, bound <= promise        converged
//     residual > t,  bound <= sure_factor t  converged
//     residual <= recurrence_drift t of a recursive residual that has met t, the format can attain
//       t, bound <= promise                  converged
//     else                                   as the iteration has ended; stagnated, not converged
//
// Where the discretisation error has ended the iteration, that is the outcome, unless rounding is
// above hopeless_rounding; where rounding has ended it before, what is left decides, as estimated
// after the solve (solvers/solve.cpp).
//
// With norm = "residual" there is no bound, rounding or change: the residual alone decides.
//
// Where the tolerance is one of the error in one norm, the residual does not matter, nor how the
// iteration has ended:
//
//     bound <= t                             converged
//     change, with rounding, <= t            converged
//     else                                   as above
//
// Tests.  tests/solvers/judgement/accuracy_test.cpp, tests/guard

#include <optional>
#include <string>

#include "solvers/options.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// What a solve's end is judged by.
struct Evidence {
  double true_reduction;           ///< |b - A x| / |r0|, recomputed from x
  double attainable;               ///< what rounding may leave of it (Report::attainable_reduction)
  std::optional<double> bound;     ///< of the error, from the residual; where it is asked for
  std::optional<double> rounding;  ///< the error that rounding may leave: a bound of it, or
                                   ///< rounding_response()
  std::optional<double> change;    ///< of the last cycle, if the solve ended by it; in one norm
                                   ///< changes_in_norm times that
  bool has_aimed = false;          ///< at the discretisation error: the iteration says how it ends
};

/// In one norm: the error that a change speaks of, with that of rounding.
std::optional<double> error_by_change(const Evidence& evidence);

/// False if rounding is above hopeless_rounding.
bool holds_matrix(const Evidence& evidence);

/// The outcome of a solve whose own residual has met the tolerance or no longer falls (converged or
/// stagnated by itself), with what is to be said of it.
Outcome judge(const SolverOptions& options, const Evidence& evidence, Outcome by_itself,
              std::string& remark);

}  // namespace ninefold
