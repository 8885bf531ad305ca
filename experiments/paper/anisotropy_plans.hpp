#pragma once
// The solves of tables 7 to 9 and those of test I in several precisions; part of anisotropy.

#include <string>
#include <string_view>
#include <vector>

#include "solvers/options.hpp"

#include "experiments/config/study.hpp"
#include "experiments/support/options.hpp"

namespace ninefold {

inline constexpr std::string_view all_tests = "ABCDEFGHI";

/// The levels of the tables, and those of MG_JAC: where the paper has no result the first one alone
/// unless more is asked for, since it takes minutes on a host.
LevelRange table_levels(const ExperimentOptions& options);
LevelRange jacobi_levels(const ExperimentOptions& options, char test);
/// True if the paper prints a result of MG_JAC.
bool has_printed_jacobi(char test);

/// A solver of the tables; the smoothing of MG_JAC depends on the test.
struct TableSolver {
  std::string name;  ///< in the results
  SolverOptions options;
};
/// CG counts as the paper's does if the diagonal preconditions it; on uniform grids that changes
/// nothing.
const TableSolver& table_cg();
const TableSolver& table_jacobi();
/// MG_ADITRIGS in double, and in single inside refinement.
const TableSolver& table_lines(LineOrder order);
const TableSolver& table_mixed(LineOrder order);

/// "E CG", "E MG_ADITRIGS zebra"
std::string run_name(char test, const TableSolver& solver);

/// The cycles after which MG_JAC ends where the paper has no result.
inline constexpr int unprinted_cycles = 150;

// Digits of the exact error of test I: rounding in plain form leads away by 1.3e-7 on level 10, in
// difference form the tolerance by less than 1e-9.
inline constexpr int plain_digits = 6, difference_digits = 8;

/// A way through the formats on which test I is solved, MG_ADITRIGS in zebra order.
struct Way {
  std::string name;  ///< "double, plain"
  SolverOptions options;
  int host_level;  ///< the last one without --full on a host
  int digits;      ///< that the error must share with the exact one; 0: shown alone
};
const std::vector<Way>& ways();
std::string way_name(const Way& way);
LevelRange levels_of(const ExperimentOptions& options, const Way& way);

/// A plan of [0, width] x [0, 1], refined to the right and the bottom by nu, and that of a test.
Plan plan_grid(const ExperimentOptions& options, double width, double nu, LevelRange levels,
               std::string name, const SolverOptions& solver);
Plan plan_test(const ExperimentOptions& options, char test, LevelRange levels, std::string name,
               const SolverOptions& solver);

/// All of tables 7 to 9 and of test I.  Throws ConfigurationError if the backend is not there.
std::vector<Plan> anisotropy_plans(const ExperimentOptions& options);

}  // namespace ninefold
