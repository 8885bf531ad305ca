#pragma once
// Test A solved in software-rounded formats of all mantissa lengths, four ways.
//
// Shape.  All combinations of the ways, the formats s10e11 to s52e11, and the levels; besides, in
// the formats that the hardware has too, single and double, and s23e8, the software's single
// (s52e11 is its double).  The rows go to results.* in a folder, after each format.
//
// Cost.  A software-rounded solve takes about twice the time of the same in double.
//
// Tests.  tests/experiments/support/format_solves_test.cpp

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precision/precision.hpp"

#include "solvers/options.hpp"

#include "output/tables/results.hpp"

#include "experiments/support/options.hpp"

namespace ninefold {

/// A way to solve.
struct SolveWay {
  std::string name;  ///< "CG plain"
  Method method;
  OperatorForm form;
};

/// CG and multigrid (F-cycles, 2+2 Jacobi steps), each in plain and in difference form.
const std::vector<SolveWay>& solve_ways();

class FormatSolves {
 public:
  static constexpr int least_bits = 10, most_bits = 52, exponent_bits = 11;
  static constexpr double tolerance = 1e-10;  ///< of the paper's solvers
  static constexpr int most_cycles = 100;
  /// CG needs about 4/3 2^level iterations in double, more in shorter formats; this times 2^level
  /// at most.
  static constexpr int most_iterations_per_node = 8;
  static constexpr double margin = 0.1;  ///< a format suffices up to here: of the exact rms error

  /// Solves everything, with progress on standard error; throws ConfigurationError if the folder
  /// cannot be written to.
  FormatSolves(LevelRange levels, const std::filesystem::path& folder);

  LevelRange levels() const { return levels_; }
  const Results& results() const { return results_; }

  /// One of the solves; throws std::logic_error if there is none such.
  const LevelResult& at(const SolveWay& way, Precision precision, int level) const;

  /// The rms error over the exact one; not a number if the solve came to no numbers.
  double over_exact(const SolveWay& way, Precision precision, int level) const;

  /// Whether s`bits`e11 is within the margin.
  bool suffices(const SolveWay& way, int bits, int level) const;

  /// The fewest bits from which on all formats suffice; none if s52e11 does not.
  std::optional<int> needed_bits(const SolveWay& way, int level) const;

 private:
  LevelRange levels_;
  Results results_;
};

}  // namespace ninefold
