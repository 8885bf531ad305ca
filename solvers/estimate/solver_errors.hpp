#pragma once
// How far a computed solution is from the exact one of its level's equations: what its iteration
// has left, and what its format has cost.
//
// Mathematics.  Let r be the residual of x as the solve's own format has it, and r_w that in a
// wider one, with load and matrix of that.  By A e = r and A e = r_w - r,
//
//     algebraic   what further iterations would still change: all that the format can see
//     rounding    what it cannot see
//
// are solved for by multigrid in double, corrected in single, to a tenth of their residual: that
// takes no more digits than double has, unless cells are so thin that double loses them, where
// multigrid is in the wider format.  Both together are the error, of which A e = r_w tells the
// size: where rounding is all that is left, further iterations change x by chance, and the two,
// each as large as the error or larger, take from each other.
//
// The solution u that is given out is x beside the lifting w of the boundary values
// (fem/discrete/lifting.hpp), and has no mean where a constant is free.  A solve in double computes
// w, and adds it, with the roundoff of x, and where x is small beside w that is most of the error.
// With the w of the wider format
//
//     w + x - u
//
// is known at each node, without a solve: it is added to the e of rounding and to that of both.
// For other formats w is double's, whose roundoff is small beside theirs.
//
// Cost.  Set-up of two more solvers, of a narrow format one; one residual in the wider format, six
// in double, and six multigrid cycles in single, or in double where single does not suffice.
//
// Effectivity.  docs/which-precision.md; experiments/measure/error_estimates.cpp measures it.
//
// Tests.  tests/solvers/estimate/solver_errors_test.cpp

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "precision/precision.hpp"

namespace ninefold {

struct PreparedSolve;
class StandingSolve;

/// In l2, absolute, by lumped masses; nothing where it is not known.
struct SolverErrors {
  std::optional<double> algebraic;
  std::optional<double> rounding;  ///< of no double-double solve, beside which none is wider
  /// Both together; of a double-double solve what the iteration has left.
  std::optional<double> left;
  std::string remark;            ///< why one is not known, if the format does not say it
  std::size_t memory_bytes = 0;  ///< held at most, with the solver that is estimated
};

/// The format in which the rounding errors of another are seen: double, and of double
/// double-double, beside which there is none.
std::optional<Precision> wider_than(Precision precision);

/// The most that a solve and the estimate after it hold on the backend, where there is as much.
std::size_t bytes_with_estimate(const PreparedSolve& prepared);

/// Of what `solver`, made from `prepared`, has found last.  It ends here: its memory serves the
/// wider one.  Nothing is told, with a remark, where that is impossible.
SolverErrors estimate_solver_errors(const PreparedSolve& prepared,
                                    std::unique_ptr<StandingSolve> solver);

}  // namespace ninefold
