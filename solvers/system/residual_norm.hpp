#pragma once
// Norms of residuals, read by the host.

#include <cmath>

#include "precision/number.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"

namespace ninefold {

/// |b - A x|; waits for it.
template <Backend B, Number T, class A = Operator<T>>
double residual_norm(const B& on, const std::type_identity_t<A>& matrix, const Field<const T>& b,
                     const Field<const T>& x, Scalar<T>* scratch) {
  residual_square<B, T>(on, matrix, b, x, scratch);
  return std::sqrt(static_cast<double>(read_value(on, scratch)));
}

/// u | |A||x| + |b| | / |r0| : about what rounding leaves of the residual, however long one
/// iterates.
template <Backend B, Number T, class A = Operator<T>>
double attainable_reduction(const B& on, const std::type_identity_t<A>& matrix,
                            const Field<const T>& b, const Field<const T>& x, Scalar<T>* scratch,
                            double r0) {
  rounding_scale<B, T>(on, matrix, b, x, scratch);
  const double scale = std::sqrt(static_cast<double>(read_value(on, scratch)));
  return unit_roundoff<T>() * scale / r0;
}

}  // namespace ninefold
