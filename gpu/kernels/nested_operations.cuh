#pragma once
// nested_residual and nested_correction of gpu/operations/nested_operations.hpp; included by the
// generated files that compile them.

#include "precision/half.hpp"

#include "gpu/kernels/fused_operations.cuh"
#include "gpu/kernels/nested_correction.cuh"
#include "gpu/kernels/nested_residual.cuh"
#include "gpu/kernels/tile_nested_residual.cuh"
#include "gpu/operations/nested_operations.hpp"

namespace ninefold {

template <Number High, Number Low>
void nested_residual(const Cuda& on, const FactoredRows<High>& A, In<Field, High> b,
                     const CubicTransfer<Scalar<High>>& cubic, In<Field, High> c,
                     const RefinementState<Scalar<High>>* state, const Field<Low>& r,
                     const Box& coarse_box, const Transfer<Scalar<Low>>& transfer,
                     const Field<Low>& b_coarse, FusedBy by) {
  require_shape("nested_residual", r, A, b);
  require_shape("nested_residual", c, b_coarse);
  require_shape("nested_residual", Field<const High>{nullptr, 2 * c.nx - 1, 2 * c.ny - 1}, b);
  require_inside("nested_residual", A.unknowns, A);
  require_inside("nested_residual", coarse_box, b_coarse);
  for (const Field<const High>& v : {Field<const High>(b), Field<const High>(c)})
    require_aligned<High>("nested_residual", v);
  for (const Field<const Low>& v : {Field<const Low>(r), Field<const Low>(b_coarse)})
    require_aligned<Low>("nested_residual", v);
  count_mixed<High, Low>(on, A.unknowns, 1, 1);
  count_mixed<High, Low>(on, coarse_box, 1, 1);
  const kernels::NestedProblem<High, Low> problem{A, b,          c,        cubic,   state,
                                                  r, coarse_box, transfer, b_coarse};
  if (by == FusedBy::size) by = fused_by(A.nx, A.ny);
  if (by == FusedBy::strips && kernels::has_nested_strips(A)) {
    kernels::launch_nested_residual(on, problem);
  } else {
    kernels::launch_tile_nested_residual(on, problem);
  }
}

template <Number High, Number Low>
void nested_correction(const Cuda& on, const Transfer<Scalar<Low>>& transfer,
                       In<Field, Low> e_coarse, const FactoredRows<Low>& A, In<Field, Low> r,
                       const StepRelaxations<Low>& relaxations,
                       const CubicTransfer<Scalar<High>>& cubic, In<Field, High> c,
                       const RefinementState<Scalar<High>>* state, const Field<High>& x,
                       FusedBy by) {
  require_shape("nested_correction", x, A, r);
  require_shape("nested_correction", c, e_coarse);
  require_shape("nested_correction", Field<const High>{nullptr, 2 * c.nx - 1, 2 * c.ny - 1}, x);
  require_inside("nested_correction", A.unknowns, A);
  if ((A.nx - 1) % 4 != 0 && A.nx > 3) {
    throw std::invalid_argument("nested_correction: a line has no multiple of 4 cells");
  }
  for (const Field<const High>& v : {Field<const High>(c), Field<const High>(x)})
    require_aligned<High, kernels::lane_columns<Low>>("nested_correction", v);
  for (const Field<const Low>& v : {Field<const Low>(e_coarse), Field<const Low>(r)})
    require_aligned<Low>("nested_correction", v);
  count_mixed<High, Low>(on, A.unknowns, 1, 1);
  count_mixed<High, Low>(on, Box{0, c.nx, 0, c.ny}, 1, 1);
  // Steps have a shape, and are not stored.
  const Field<Low> none{nullptr, x.nx, x.ny, x.pitch};
  const kernels::CorrectionProblem<High, Low> problem{
      {A, r, relaxations, none}, {none, e_coarse, transfer}, c, cubic, state, x};
  if (by == FusedBy::size) by = fused_by(A.nx, A.ny);
  if (by == FusedBy::strips) {
    kernels::launch_nested_correction(on, problem);
  } else {
    kernels::launch_tile_nested_correction(on, problem);
  }
}

}  // namespace ninefold
