#pragma once
// The operations that judge a solution: norms that no cell size defeats.
//
// Rounding.  What is summed is a double, whatever T is: squares of small numbers do not underflow
// in narrow formats.  A residual is computed in Arithmetic<T> first.  Host and device agree to the
// last bit.
//
// Tests.  tests/gpu/operations/measure_operations_test.cpp (50 digits),
// tests/gpu/device/same_bits_test.cpp

#include "fem/matrix/computed_bands.hpp"

#include "gpu/operations/row_operations.hpp"

namespace ninefold {

/// A number at each node, stiff_x[i] mass_y[j] + mass_x[i] stiff_y[j]: see
/// fem/discrete/error_bound.hpp. Views of memory on the backend.
struct NodeWeights {
  const double* stiff_x;
  const double* mass_x;
  const double* stiff_y;
  const double* mass_y;

  HOST_DEVICE double at(int i, int j) const {
    return fused(stiff_x[i], mass_y[j], mass_x[i] * stiff_y[j]);
  }
  HOST_DEVICE double mass(int i, int j) const { return mass_x[i] * mass_y[j]; }
};

/// *result = sum of (b - A x)^2 / weight
template <Backend B, Number T, RowsOf<T> Rows>
void weighted_residual_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                              const NodeWeights& weights, double* result);

/// *result = sum of m^2 / weight, m as in rounding_of_rows
template <Backend B, Number T, RowsOf<T> Rows>
void weighted_rounding_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                              const NodeWeights& weights, double* result);

/// *result = sum of mass x^2 over a box
inline constexpr Traffic mass_square_traffic{1, 0};
template <Backend B, Number T>
void mass_square(const B& on, const Box& box, In<Field, T> x, const NodeWeights& weights,
                 double* result);

}  // namespace ninefold
