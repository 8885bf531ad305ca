#pragma once
// The fit that a plan states: a matrix in a file and its data, or generated, with its operator.
//
// Tests.  tests/experiments/least_squares.py

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/least_squares/least_squares.hpp"

#include "experiments/config/study.hpp"

namespace ninefold {

struct StatedFit {
  std::string name{};
  LeastSquaresProblem problem{};          ///< of the first right-hand side
  std::vector<SparseRight> others{};      ///< those that are solved with it
  int image_width = 0, image_height = 0;  ///< of the unknowns; 0: they are no image
  bool is_measured = false;               ///< the solution that is known is what data are of
  std::vector<std::string> remarks{};
  std::optional<std::optional<double>> deficiency{};  ///< of its matrix, once it was looked for
};

/// The key that states the matrix.
std::string_view fit_key(const Configuration& c);

/// Throws ConfigurationError for what cannot be read, made or solved with.
StatedFit stated_fit(const Plan& plan);

/// solve_least_squares() of all its right-hand sides, as the plan states.
std::vector<LeastSquaresSolved> solve_fit(const StatedFit& fit, const Plan& plan);

/// rank_deficiency() of its matrix, looked for once; nothing where what was solved says enough of
/// that itself.
std::optional<double> deficiency_of(StatedFit& fit, const Plan& plan,
                                    const LeastSquaresSolved& solved);

/// True if both are about the same data, operator and solution to measure against.
bool same_fit(const Plan& a, const Plan& b);

}  // namespace ninefold
