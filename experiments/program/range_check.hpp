#pragma once
// What a format's range will refuse, and what its digits will not meet, known before anything is
// solved.
//
// Mathematics.  A solve scales its system (fem/discrete/scaling.hpp) and is refused where the
// format's exponents hold not all of it.  That needs the load and the boundary values of each
// level, but no matrix and no iteration.
//
// Cost.  Where a format is narrow, per level the time to assemble the load; else nothing.
//
// Tests.  tests/experiments/program/range_check_test.cpp

#include <optional>
#include <string>

#include "experiments/program/run.hpp"

namespace ninefold {

struct RangeRefusal {
  int level;
  std::string message;   ///< as the solve words it
  bool of_data = false;  ///< is_of_data()
};

/// The first level that a solve in the range of its formats will refuse; runs without a format that
/// has less than the exponents of double are not looked at.
std::optional<RangeRefusal> find_range_refusal(const PreparedRun& run);

/// What rounding the solution may leave of the first residual, where that is known and above the
/// tolerance: u 4^level / 18 for smooth solutions of Poisson's equation, with a small reaction or
/// none, on square cells all alike (docs/configuration.md, "What a format can meet").  Hardly a
/// solve ends below it.
std::optional<double> find_stagnation(const PreparedSolve& solve);

}  // namespace ninefold
