#pragma once
// What a report says of a solve that did not converge: why, and which parameters help.
//
// Tests.  tests/solvers/judgement/remarks_test.cpp,
// tests/solvers/refinement/refinement_report_test.cpp

#include <string>

#include "solvers/judgement/judge.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/options.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Why the residual no longer falls; the report's reductions must be set.  `loses_cells`: there are
/// thin cells away from Dirichlet sides.  `hint`: smoother_hint().  `rows`: factored_rows().
std::string stagnation_remark(const SolverOptions& options, OperatorForm form, const Report& report,
                              const Evidence& evidence, bool loses_cells, const std::string& hint,
                              const std::string& rows);

/// ", or ..." where conjugate gradients may want a preconditioner; else nothing.
std::string slow_cg_hint(const SolverOptions& options);

/// Which format's range the numbers have left: the narrowest one's.
std::string range_remark(const SolverOptions& options);

std::string divergence_remark(const SolverOptions& options, const std::string& hint = "");

/// The setting to use if multigrid's smoother is not the one that suits the grid; else nothing.
std::string smoother_hint(const SolverOptions& options, const Smoothing& chosen,
                          const Smoothing& suitable);

}  // namespace ninefold
