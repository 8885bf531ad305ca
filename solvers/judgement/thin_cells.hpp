#pragma once
// What a user is told where rounding loses cells that no boundary value holds, or the constant.
//
// Tests.  tests/solvers/judgement/remarks_test.cpp, tests/solvers/judgement/remedies_test.cpp

#include <string>

#include "solvers/judgement/judge.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Where cells that are thin away from Dirichlet sides explain why a solve has not converged:
/// which, and what to do about it; else nothing.  (A smoother works in the leading word of its
/// format.)  `by_changes`: tolerance_for_changes(), for what has stagnated.
std::string lost_cells_remark(const PreparedSolve& prepared, Outcome outcome,
                              const std::string& by_changes = "");

/// False where that may keep a solve from converging.
bool holds_cells(const PreparedSolve& prepared);

/// The tolerance that changes of the format judge beside such cells, as a remedy; nothing where it
/// is asked for already, or nothing changes there.
std::string tolerance_for_changes(const PreparedSolve& prepared, const Evidence& evidence);

/// Where a solve in mixed precision has converged slowly because its corrections lose such cells:
/// that, and what to do about it; else nothing.
std::string slow_corrections_remark(const PreparedSolve& prepared, const Report& report);

/// The settings by which rows become factored ones where these would hold thin cells that entries
/// lose, and the formats to go with them if those of the options would not do; nothing where rows
/// are factored, or cannot be.
std::string factored_rows(const PreparedSolve& prepared);

/// Where a small reaction is all that holds the constant, and the format is too narrow for it:
/// that, and what to do about it; else nothing.
std::string lost_constant_remark(const PreparedSolve& prepared);

/// Where the rounding of entries may be many times what holds the solution, so that a solve may go
/// anywhere: that, and what to do about it; else nothing.
std::string lost_hold_remark(const PreparedSolve& prepared);

}  // namespace ninefold
