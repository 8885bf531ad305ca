#pragma once
// One level solved: its row of the table, with errors and what is told of them, and the solution.
//
// Tests.  tests/experiments/program/run_test.cpp, tests/experiments/program/run_remarks_test.cpp

#include <string_view>

#include "fem/discrete/nodal_values.hpp"

#include "solvers/estimate/level_errors.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"

#include "output/tables/results.hpp"

namespace ninefold {

/// A solved level: its row, without a reduction factor, and the solution.
struct SolvedLevel {
  LevelResult row;
  Solved solved;
  NodeRows<double> coarser;  ///< the solution of the level before, if it is known
};

/// What remarks say of levels whose residual rounding holds, but not their error.
inline constexpr std::string_view no_more_digits = "and no more digits would show";

/// The row of a level before its solve.
LevelResult row_of_grid(const PreparedSolve& prepared);

/// The level's row and the solution.  Errors that cannot be measured,
/// since the problem's solution is infinite at a point, are absent, and a remark says why.
SolvedLevel solve_level(const PreparedSolve& prepared);

/// The same with the discretisation error that the levels of a sequence tell.
SolvedLevel solve_level(const PreparedSolve& prepared, LevelSequence& levels, bool is_finer_next);

}  // namespace ninefold
