#pragma once
// The error of a solution that lies on a backend, against an exact one that is a sum of products
// (see fem/discrete/errors.hpp for what is measured), or as the next coarser level's tells it
// (fem/discrete/level_error.hpp).
//
// Rounding.  In W = Assembly<T>; once the exact solution has been subtracted, in double.  Sums as
// in gpu/backend/summation.hpp; host and device agree to the last bit.
//
// Tests.  tests/solvers/system/data_on_backend_test.cpp (against measure_errors(), which 50 digits
// judge), tests/gpu/device/large_grid_test.cpp

#include "grids/field.hpp"

#include "fem/discrete/error_sums.hpp"
#include "fem/discrete/level_error.hpp"

#include "gpu/operations/measure_operations.hpp"
#include "gpu/operations/product_operations.hpp"

namespace ninefold {

/// The solution by what a solve has found: x times a power of two plus a lifting, at the unknowns,
/// less a mean where a constant is free; the values of Dirichlet sides.
template <class T>
struct FoundSolution {
  using W = Assembly<T>;

  Field<const T> x;
  Box unknowns;
  PowerOfTwo scale;
  Products<W> lifting;
  const W* side[4];  ///< of Dirichlet sides, by Side; not read for others
  W mean = W(0);

  /// At an unknown.
  HOST_DEVICE W inside(int i, int j) const {
    return scale.times(static_cast<W>(x(i, j))) + lifting.at(i, j) - mean;
  }
  HOST_DEVICE W at(int i, int j) const {
    if (unknowns.contains(i, j)) return inside(i, j);
    return i < unknowns.i0    ? side[0][j]
           : i >= unknowns.i1 ? side[1][j]
           : j < unknowns.j0  ? side[2][i]
                              : side[3][i];
  }
};

/// The exact solution, and where it is compared.
template <class W>
struct ExactSolution {
  Products<W> nodes;
  Products<W> points;   ///< at the Gauss points: error_points columns and rows for each cell
  const double* width;  ///< of the cells along x, and y
  const double* height;
  W place[error_points];  ///< of the Gauss points on [0, 1]
  double weight[error_points];
};

/// A coarser level's solution, whose node (i, j) is the finer one's (2 i, 2 j), and how the finer
/// nodes divide its cells.
struct CoarserSolution {
  Field<const double> u;
  const HalvedCell* x;  ///< halved_cells() along x, and y
  const HalvedCell* y;
  const double* width;  ///< of the coarser cells along x, and y
  const double* height;
};

/// Powers of two that are taken out, those of ErrorExponents.
struct ErrorScales {
  PowerOfTwo error, width, height;

  explicit ErrorScales(const ErrorExponents& out)
      : error(-out.error), width(-out.width), height(-out.height) {}
};

/// *result = what errors_of() takes, over all nodes and cells
inline constexpr Traffic compare_solution_traffic{1, 0};
template <Backend B, Number T>
void compare_solution(const B& on, const FoundSolution<T>& found,
                      const ExactSolution<Assembly<T>>& exact, const ErrorScales& scales,
                      ErrorSums* result);

/// *result = what errors_of() takes for the coarser grid, of the finer solution's error as both
/// tell it, over all coarser nodes and cells
inline constexpr Traffic compare_levels_traffic{1, 0};
template <Backend B, Number T>
void compare_levels(const B& on, const FoundSolution<T>& found, const CoarserSolution& coarser,
                    const ErrorScales& scales, ErrorSums* result);

/// values = the solution at all nodes, rounded to double
inline constexpr Traffic solution_values_traffic{1, 1};
template <Backend B, Number T>
void solution_values(const B& on, const FoundSolution<T>& found, const Field<double>& values);

/// *result: squares = sum of mass times the scaled value squared, max = the largest |value|, over
/// all nodes
inline constexpr Traffic sum_solution_traffic{1, 0};
template <Backend B, Number T>
void sum_solution(const B& on, const FoundSolution<T>& found, const NodeWeights& weights,
                  const PowerOfTwo& scale, ErrorSums* result);

/// *result = the sum over all nodes of share_x[i] share_y[j] times the value, in Assembly<T>: the
/// mean, if shares are those of the nodes in their lines
inline constexpr Traffic mean_of_solution_traffic{1, 0};
template <Backend B, Number T>
void mean_of_solution(const B& on, const FoundSolution<T>& found, const Assembly<T>* share_x,
                      const Assembly<T>* share_y, Assembly<T>* result);

}  // namespace ninefold
