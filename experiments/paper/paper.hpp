#pragma once
// The printed values that the experiments compare with, and the exact ones.
//
// Shape.  Rows in the order of the paper.  What the paper leaves empty is absent.  The exact errors
// are those of the exact solution of the discrete equations: what any solver must reproduce once
// its own error is negligible.
//
// Rounding.  Printed values carry the paper's digits: four in tables 1 and 2, five (errors) and
// four decimals (rates) in tables 7 to 9, ten in tables A1 to A6.  Exact errors are rounded to ten
// digits.
//
// Reference.  Goeddeke, Strzodka, Turek, Int. J. Parallel Emergent Distrib. Syst. 22(4), 2007:
// tables 1 to 9 and A1 to A6, section 8.3.  The exact errors come from a direct solver, refined
// with residuals in 80 bits; those of test A from level 11 on from a sine series in 80 bits.
// Tests.      tests/experiments/paper/paper_test.cpp,
// tests/experiments/paper/anisotropy_tables_test.cpp,
// tests/experiments/support/exact_errors_test.cpp,
// tests/experiments/program/stretched_errors_test.cpp

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace ninefold {

/// Table 1: nodal root mean square errors of a solver in double whose right-hand side was rounded.
struct InputPrecisionRow {
  int level;
  double half_error, single_error, double_error;
};

/// Table 2: multigrid in single and in double, integrated L2 errors.
struct SolverPrecisionRow {
  int level;
  int single_cycles;
  double single_error;
  std::optional<double> single_reduction;
  int double_cycles;
  double double_error;
  std::optional<double> double_reduction;
};

/// Tables 7 (tests A to D) and 8 (E to I): CG, multigrid with Jacobi's method (MG_JAC) and with
/// alternating lines (MG_ADITRIGS); rates per iteration, error: integrated L2.  The error of test I
/// is not that of its level 8 but of level 7.
struct ConvergenceRow {
  char test;
  int level;
  int cg_iterations;
  double cg_rate;
  std::optional<int> multigrid_cycles;
  std::optional<double> multigrid_rate;
  int line_cycles;
  double line_rate;
  double error_l2;
};

/// Section 8.3, text: MG_JAC on test B, level 9, with fewer smoothing steps, before and after each.
struct SmoothingRow {
  int steps;
  int cycles;
  double rate;
};

/// Table 6: a pipelined CG core on a Xilinx xc2v8000 in the format s`mantissa`e11; its multipliers
/// made of logic (PipeLUT), or 18 x 18 bit blocks of the chip (MUL18x18).
struct AreaRow {
  std::string_view multiplier;
  int mantissa;
  int slices;
  int blocks;  ///< MUL18x18
  int pins;    ///< input/output blocks
  int megahertz;
};

/// Tables A1 (CG), A2 (multigrid, 2+2 steps) and A3 (4+4): native double on an Athlon64 X2 4400+,
/// double-single on a GeForce 7800 GTX.  Nodal root mean square errors; absent where multigrid did
/// not converge ("max").
struct EmulationRow {
  std::string_view table;
  int level;
  int cpu_iterations;
  double cpu_seconds, cpu_error;
  std::optional<int> gpu_iterations;
  std::optional<double> gpu_seconds;
  double gpu_error;
  std::optional<double> speedup;
};

/// Iterative refinement: steps of the outer solver, and those of the inner one in all.
struct RefinementCounts {
  int outer, inner;
};

/// Table 9: refinement with two digits in each outer step, MG_ADITRIGS in single inside; integrated
/// L2 errors, beside those of tables 7 and 8.
struct MixedAnisotropyRow {
  char test;
  int level;
  RefinementCounts counts;
  double error, error_of_double;
};

/// The stopping rules of the inner solver, in the order of the columns: after 1, 2 or 3 cycles in
/// table 3, 100, 250 or 500 iterations in tables 4 and 5; after 1, 2 or 3 digits.
inline constexpr int stopping_rules = 6;

/// Tables 3 (multigrid in single), 4 (CG in single) and 5 (CG in double, which ends as soon as the
/// outer tolerance is met).
struct StoppingRow {
  int table, level;
  int double_iterations;  ///< without refinement
  std::array<RefinementCounts, stopping_rules> counts;
};

/// Tables A4 (CG), A5 (multigrid, 2+2 steps) and A6 (4+4): refinement with two digits in each outer
/// step, the inner solver in single on a GeForce 7800 GTX; beside the CPU columns of A1, A2 and A3.
struct RefinementRow {
  std::string_view table;
  int level;
  RefinementCounts counts;
  double seconds, error;
  double speedup;  ///< over the CPU
};

/// The damping of multigrid with which the counts of tables 3, A5 and A6 come out; the paper states
/// none (docs/experiments.md).
inline constexpr double refinement_damping = 0.7;

/// How MG_JAC smooths: so many steps before and after each coarse correction.  The damping is ours:
/// the paper says "strong damping" where ours is not 0.8 (docs/experiments.md).
struct JacobiSmoothing {
  int steps;
  double damping;
};

/// A test of tables 7 to 9: [0, width] x [0, 1], refined to the right and the bottom by nu.
struct TestGrid {
  char test;
  double width, nu;
  JacobiSmoothing jacobi;  ///< tests D, H and I have none in the paper: that of C, and of G
};

struct ExactErrors {
  char test;
  int level;
  double l2, rms;
};

std::span<const InputPrecisionRow> paper_table_1();
std::span<const SolverPrecisionRow> paper_table_2();
std::span<const AreaRow> paper_table_6();
std::span<const ConvergenceRow> paper_tables_7_and_8();
std::span<const MixedAnisotropyRow> paper_table_9();
std::span<const SmoothingRow> paper_section_8_3();
std::span<const EmulationRow> paper_tables_a();
std::span<const StoppingRow> paper_tables_3_to_5();
std::span<const RefinementRow> paper_tables_a4_to_a6();
std::span<const ExactErrors> all_exact_errors();

/// The row of this level, or nullptr.
const InputPrecisionRow* find_input_precision(int level);
const SolverPrecisionRow* find_solver_precision(int level);
const ConvergenceRow* find_convergence(char test, int level);
const MixedAnisotropyRow* find_mixed_anisotropy(char test, int level);
const EmulationRow* find_emulation(std::string_view table, int level);
const StoppingRow* find_stopping(int table, int level);
const RefinementRow* find_refinement(std::string_view table, int level);
const AreaRow* find_area(std::string_view multiplier, int mantissa);
const ExactErrors* find_exact_errors(char test, int level);
/// Of a level that there is.
double exact_l2(char test, int level);
double exact_rms(char test, int level);

/// Test A to I; throws std::invalid_argument for any other.
TestGrid grid_of_test(char test);

}  // namespace ninefold
