#pragma once
// nested_residual of gpu/operations/nested_operations.hpp; included by the generated files that
// compile it.

#include "precision/half.hpp"

#include "gpu/kernels/fused_operations.cuh"
#include "gpu/kernels/nested_residual.cuh"
#include "gpu/operations/nested_operations.hpp"

namespace ninefold {

template <Number High, Number Low>
void nested_residual(const Cuda& on, const FactoredRows<High>& A, In<Field, High> b,
                     const CubicTransfer<Scalar<High>>& cubic, In<Field, High> c,
                     const RefinementState<Scalar<High>>* state, const Field<Low>& r,
                     const Box& coarse_box, const Transfer<Scalar<Low>>& transfer,
                     const Field<Low>& b_coarse) {
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
  kernels::launch_nested_residual<High, Low>(
      on, {A, b, c, cubic, state, r, coarse_box, transfer, b_coarse});
}

}  // namespace ninefold
