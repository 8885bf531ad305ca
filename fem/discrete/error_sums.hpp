#pragma once
// What errors are computed from, wherever they are summed; see fem/discrete/errors.hpp.

#include <optional>

#include "precision/host_device.hpp"
#include "precision/larger.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/error_norms.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

/// Binary exponents that are taken out of the errors, the cells' widths and their heights before
/// they are squared and added.
struct ErrorExponents {
  int error = 0, width = 0, height = 0;
};

/// What errors are computed from: a sum, of which the largest are a part.
struct ErrorSums {
  double l2;       ///< of squares at the Gauss points
  double squares;  ///< at the nodes
  double max;      ///< at the nodes, not scaled
  double largest;  ///< at nodes and Gauss points, not scaled

  ErrorSums() = default;
  HOST_DEVICE explicit ErrorSums(double zero) : l2(zero), squares(zero), max(zero), largest(zero) {}

  HOST_DEVICE friend ErrorSums operator+(const ErrorSums& a, const ErrorSums& b) {
    ErrorSums sum = a;
    sum.l2 = a.l2 + b.l2;
    sum.squares = a.squares + b.squares;
    sum.max = larger(a.max, b.max);
    sum.largest = larger(a.largest, b.largest);
    return sum;
  }
};

/// What must be taken out for sums of errors up to `largest` to stay inside the range of double;
/// nothing wherever the plain sums do.
std::optional<ErrorExponents> needed_exponents(double largest, const TensorGrid& grid);

/// The errors of all nodes and cells of a grid, from their sum.
Errors errors_of(const ErrorSums& sums, const ErrorExponents& out, const TensorGrid& grid);

/// The most products of an exact solution that is compared where a solve runs.
inline constexpr int max_solution_products = 4;

/// True if the exact solution can be compared there.
inline bool compares_on_backend(const Problem& problem) {
  const std::size_t n = problem.solution.products().size();
  return n > 0 && n <= max_solution_products;
}

}  // namespace ninefold
