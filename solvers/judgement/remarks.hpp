#pragma once
// What a report says of a solve that did not converge: why, and which parameters help.
//
// Tests.  tests/solvers/judgement/remarks_test.cpp,
// tests/solvers/refinement/refinement_report_test.cpp

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/judgement/judge.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Why the residual no longer falls; the report's reductions must be set.  `loses_cells`: there are
/// thin cells away from Dirichlet sides.  `hint`: smoother_hint().  `rows`: factored_rows().
/// `by_changes`: tolerance_for_changes().
std::string stagnation_remark(const SolverOptions& options, OperatorForm form, const Report& report,
                              const Evidence& evidence, bool loses_cells, const std::string& hint,
                              const std::string& rows, const std::string& by_changes);

/// The bound that is reached where the tolerance is one of the error in one norm, and the tolerance
/// that would have been met.  The arguments are those of stagnation_remark().
std::string norm_remark(const SolverOptions& options, const Evidence& evidence, bool loses_cells,
                        const std::string& hint);

/// That rounding may leave so large an error, of a solve that has converged, and what to do about
/// it.
std::string rounding_remark(const SolverOptions& options, double rounding);

/// Which limit of iterations has been reached: solver.max_iterations, or that of inner ones.
std::string limit_reached(const SolverOptions& options, bool of_inner);

/// Which steps have come to their end, and what makes fewer of them suffice.  `hint`:
/// smoother_hint().
std::string step_limit_remark(const SolverOptions& options, int iterations,
                              const std::string& hint);

/// Of a solve that stagnates before what it leaves is small beside the discretisation error.
std::string open_aim_remark(const SolverOptions& options);

/// The same where what iteration and rounding leave is known: this part of the discretisation
/// error, of which `rounding`, if that is known by itself, is rounding's.  `is_least`: of what
/// levels tell, which is more than the discretisation error where what is left is in it.
std::string aim_remark(const SolverOptions& options, double part, std::optional<double> rounding,
                       bool is_least);

/// Of one whose corrections have told of less than it leaves, which is this part of that error.
/// `hint`: smoother_hint().
std::string slow_aim_remark(double part, const std::string& hint);

/// "a larger solver.tolerance (4e-03)": the least one, rounded up to one digit.  What is left by
/// rounding grows from level to level: `where` is " on this level" then, as coarser ones, on which
/// the same tolerance would leave an error of the iteration, need less.
std::string larger_tolerance(double least, std::string_view where = "");

/// The first format whose roundoff is smaller by this factor, as a setting, or nothing.  Where
/// cells are lost, corrections in a narrower format lose them, too.
std::string wider_format(const SolverOptions& options, double factor, bool loses_cells);

/// Nothing without refinement, and where the inner format is the solver's own.
std::string more_precise_inner(const SolverOptions& options);

/// "; use A or B" of those that are not empty, or nothing.
std::string any_of(const std::vector<std::string>& remedies);

/// Which format's range the numbers have left, the narrowest one's, or what else may be, and what
/// helps.
std::string range_remark(const SolverOptions& options,
                         std::string_view or_else = ", or rounding has taken a divisor away");

std::string divergence_remark(const SolverOptions& options, const std::string& hint = "");

/// The setting to use if multigrid's smoother is not the one that suits the grid; else nothing.
std::string smoother_hint(const SolverOptions& options, const Smoothing& chosen,
                          const Smoothing& suitable);

}  // namespace ninefold
