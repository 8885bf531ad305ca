#pragma once
// Is what a solve says of its result true?  By a direct solution in 113 bits.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/solve.hpp"

#include "experiments/config/configuration.hpp"
#include "tests/support/direct.hpp"

namespace ninefold::guard {

/// A result within this part of the tolerance must not be called lost, unless rounding alone may be
/// as much.  Not more of it: the bound of an error is up to 30 times the error, and
/// a residual that was not reduced as asked for may have left a small error by chance.
inline constexpr double as_good_as_right = 0.1;

/// Where rounding may be more than this part of the solution, a format does not hold the matrix;
/// what is called converged must say so.
inline constexpr double void_allowance = 1.0 / 3;

/// How far from the exact discrete solution a result may be that is called converged: so many
/// tolerances, but never so much that nobody would call it the solution.
inline double promise_of(const SolverOptions& options) {
  if (measures_error(options)) return options.tolerance;
  return std::min(1000 * options.tolerance, 0.5);
}

/// Relative to the solution: in the integral norm, and at the largest node.
struct Deviation {
  double l2 = 0, max = 0;
};

enum class Finding {
  right,         ///< what the solve says is true
  out_of_reach,  ///< right, and called lost where rounding may be more than the tolerance
  refused,       ///< std::invalid_argument
  not_judged,    ///< 113 bits are too few
  wrong,         ///< converged, and is not
  lost,          ///< right, and called stagnated, diverged or not finite
  contradicted   ///< the report contradicts itself or the options
};
std::string_view to_string(Finding finding);

struct Verdict {
  Finding finding = Finding::right;
  std::string outcome;  ///< or why it was refused
  Deviation error;      ///< of the result
  Deviation rounding;   ///< that the format excuses
  /// Of a tolerance of the error in one norm, as that speaks of it: the error, and what rounding
  /// may do.
  double in_norm = 0, rounding_in_norm = 0;
  bool has_thin_cells = false;  ///< whose rounding a bound overrates
  int iterations = 0;
  double true_residual_reduction = 0;
  double seconds = 0;  ///< of the solve
};

/// What rounding may do to the solution x in the outer format, whoever solves.
///
/// Mathematics.  Matrix, load and residual hold each term with a relative error of a few u, the
/// unit roundoff: one for storing an entry, and what a row's nine sums leave of theirs, three in
/// all, and the roundings of assembly, v.  A solver then sees a residual off by (3 u + v) m,
///
///     plain form       m_i = sum over j of |a_ij| |x_j| + |b_i|
///     difference form  m_i = sum over j of |a_ij| |x_j - x_i| + |s_i| |x_i| + |b_i|,  s row sums,
///
/// |b_i| being the sum of the sizes of the load's terms.  Entries below the format's range are off
/// by u times the smallest normal number, where the largest entry is one.  Data are functions in
/// double: 4 roundoffs of double on the load and on boundary values.  The bound is the solution of
/// A e = (3 u + v) m, positive as A obeys a maximum principle but for the flattest cells, where |e|
/// is taken; and 2 u |x| for storing x.
Deviation rounding_allowance(const testing::DirectSystem& system,
                             const testing::DirectSystem::Values& x, Precision outer,
                             OperatorForm form);
/// The same node by node.
testing::DirectSystem::Values rounding_at_nodes(const testing::DirectSystem& system,
                                                const testing::DirectSystem::Values& x,
                                                Precision outer, OperatorForm form);

/// The error that a report says rounding may leave, of the solution; else nothing.
double stated_rounding(const Report& report);

/// What the solve says against what is true: error and rounding of the verdict must be set.
Finding find(const SolverOptions& options, const Report& report, const Verdict& v);

/// A configuration's solve.
struct Trial {
  Problem problem;
  std::vector<TensorGrid> grids;
  Solved solved;
  std::string refusal;  ///< std::invalid_argument, or nothing
  double seconds = 0;
};

/// Solves on the host.  What is thrown other than std::invalid_argument passes through.
Trial attempt(const Configuration& c);

/// A verdict without its errors: what the solve says, or why it was refused.
Verdict said_by(const Trial& trial);

/// Compares with the direct solution; several threads may judge at once.
Verdict judge(const Trial& trial, const SolverOptions& options);

inline Verdict judge(const Configuration& c) {
  return judge(attempt(c), c.solver);
}

}  // namespace ninefold::guard
