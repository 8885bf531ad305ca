#pragma once
// Problems on their grids, for tests of whole solves.

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold::testing {

struct DirectSolution;  // tests/support/judged.hpp

/// A problem with the grids of its levels.
struct Stated {
  Problem problem;
  std::vector<TensorGrid> grids;
  /// Computed by the first judge(), which takes longer than a solve.
  mutable std::shared_ptr<const DirectSolution> direct = {};
};

inline Stated problem_on(const ProblemOptions& options, int level, const GridGrading& grading) {
  return {make_problem(options, 1, 1), make_hierarchy(1, 1, level, grading)};
}

/// On 2^level cells of these widths per direction.
inline Stated with_widths(const ProblemOptions& options, int level, const std::vector<double>& x,
                          const std::vector<double>& y) {
  GridGrading own;
  own.x_widths = x;
  own.y_widths = y;
  const double width = std::accumulate(x.begin(), x.end(), 0.0);
  const double height = std::accumulate(y.begin(), y.end(), 0.0);
  return {make_problem(options, width, height), make_hierarchy(width, height, level, own)};
}

inline ProblemOptions formula(const std::string& u, const std::string& f) {
  ProblemOptions options;
  options.solution = u;
  options.source = f;
  return options;
}

inline void make_neumann(ProblemOptions& options, Side side, const std::string& flux) {
  options.boundary[side] = BoundaryKind::neumann;
  options.flux[static_cast<std::size_t>(side)] = flux;
}

/// Cells so thin that the bound of what rounding leaves, Accuracy::rounding(), is above
/// hopeless_rounding in single, while a single's solution has most of its digits.
inline Stated thin_columns() {
  ProblemOptions options = formula("", "cos(pi*x/width)");
  options.gx = options.gy = 0.85;
  return with_widths(options, 2, {2.3e-16, 1.4e-10, 1.4e-7, 5.6e-18},
                     {0.25, 4e-18, 5.5e-10, 4.8e-15});
}

}  // namespace ninefold::testing
