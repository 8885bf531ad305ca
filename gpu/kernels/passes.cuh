#pragma once
// What kernels of the fused passes (gpu/operations/fused_operations.hpp) are given.

#include "grids/field.hpp"
#include "grids/transfer.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/operations/fused_operations.hpp"
#include "gpu/operations/relaxation.hpp"

namespace ninefold::kernels {

/// Jacobi steps; where they begin is another argument (gpu/kernels/marching_sources.cuh).
template <class T>
struct StepsProblem {
  FactoredRows<T> A;
  Field<const T> b;
  Relaxations<Leading<T>, most_fused_steps> relaxations;
  Field<T> y;
};

/// The restricted residual.
template <class T>
struct RestrictionProblem {
  FactoredRows<T> A;
  Field<const T> b, x;
  Transfer<Arithmetic<T>> transfer;
  Box coarse_box;
  Field<T> b_coarse;
};

}  // namespace ninefold::kernels
