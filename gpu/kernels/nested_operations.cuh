#pragma once
// nested_residual, nested_correction and add_correction_after_steps of
// gpu/operations/nested_operations.hpp; included by the generated files that compile them.

#include <stdexcept>
#include <string>

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
  kernels::NestedProblem<High, Low> problem{A, b,          c,        cubic,   state,
                                            r, coarse_box, transfer, b_coarse};
  if (divides(on, A.ny)) {
    share_borders(on, Bordered<High>{c, 2}, Bordered<High>{b});
    const DividedWindow window(*on.ranks(), A.ny);
    problem = {window.fine(A),
               window.fine(b),
               window.coarse(c),
               window.coarse(cubic),
               state,
               window.fine(r),
               window.own_coarse(coarse_box),
               window.fine(transfer),
               window.coarse(b_coarse)};
  }
  if (by == FusedBy::size) by = fused_by<Low>(on, problem.A.nx, problem.A.ny);
  if (by == FusedBy::strips && kernels::has_nested_strips(A)) {
    kernels::launch_nested_residual(on, problem);
  } else {
    kernels::launch_tile_nested_residual(on, problem);
  }
  gather_if_whole(on, A.ny, b_coarse);
  share_borders(on, Bordered<Low>{r}, Bordered<Low>{b_coarse, shared_rows});
}

/// Whether a pass that ends a visit can do with these.
template <class High, class Low>
void require_last_steps(const char* operation, In<Field, Low> e_coarse, const FactoredRows<Low>& A,
                        In<Field, Low> r, const Field<High>& x) {
  require_shape(operation, x, A, r);
  require_shape(operation, Field<const Low>{nullptr, 2 * e_coarse.nx - 1, 2 * e_coarse.ny - 1}, x);
  require_inside(operation, A.unknowns, A);
  if ((A.nx - 1) % 4 != 0 && A.nx > 3) {
    throw std::invalid_argument(std::string(operation) + ": a line has no multiple of 4 cells");
  }
  require_aligned<High, kernels::lane_columns<Low>>(operation, Field<const High>(x));
  for (const Field<const Low>& v : {Field<const Low>(e_coarse), Field<const Low>(r)})
    require_aligned<Low>(operation, v);
}
/// The steps have a shape, and are not stored.
template <class Low, class High>
kernels::StepsProblem<Low> unstored_steps(const FactoredRows<Low>& A, In<Field, Low> r,
                                          const StepRelaxations<Low>& relaxations,
                                          const Field<High>& x) {
  return {A, r, relaxations, {nullptr, x.nx, x.ny, x.pitch}};
}

template <Number High, Number Low>
void nested_correction(const Cuda& on, const Transfer<Scalar<Low>>& transfer,
                       In<Field, Low> e_coarse, const FactoredRows<Low>& A, In<Field, Low> r,
                       const StepRelaxations<Low>& relaxations,
                       const CubicTransfer<Scalar<High>>& cubic, In<Field, High> c,
                       const RefinementState<Scalar<High>>* state, const Field<High>& x, FusedBy by,
                       OthersRows others) {
  require_last_steps<High, Low>("nested_correction", e_coarse, A, r, x);
  require_shape("nested_correction", c, e_coarse);
  require_aligned<High, kernels::lane_columns<Low>>("nested_correction", Field<const High>(c));
  count_mixed<High, Low>(on, A.unknowns, 1, 1);
  count_mixed<High, Low>(on, Box{0, c.nx, 0, c.ny}, 1, 1);
  const auto run = [&](const FactoredRows<Low>& rows, const Field<const Low>& right,
                       const Field<const Low>& e, const Transfer<Scalar<Low>>& weights,
                       const kernels::FromInterpolated<High>& before, const Field<High>& to) {
    const auto steps = unstored_steps<Low>(rows, right, relaxations, to);
    kernels::launch_nested_correction<High, Low, kernels::FromInterpolated<High>>(
        on, by, {steps, {steps.y, e, weights}, before, state, to});
  };
  if (!divides(on, A.ny)) return run(A, r, e_coarse, transfer, {c, cubic}, x);
  if (others == OthersRows::asked_for)
    share_borders(on, Bordered<High>{c, 2}, Bordered<Low>{e_coarse, 2}, Bordered<Low>{r});
  const DividedWindow window(*on.ranks(), A.ny);
  run(window.fine(A), window.fine(r), window.coarse(e_coarse), window.fine(transfer),
      {window.coarse(c), window.coarse(cubic)}, window.fine(x));
}

template <Number High, Number Low>
void add_correction_after_steps(const Cuda& on, const Transfer<Scalar<Low>>& transfer,
                                In<Field, Low> e_coarse, const FactoredRows<Low>& A,
                                In<Field, Low> r, const StepRelaxations<Low>& relaxations,
                                const RefinementState<Scalar<High>>* state, const Field<High>& x,
                                FusedBy by, OthersRows others) {
  require_last_steps<High, Low>("add_correction_after_steps", e_coarse, A, r, x);
  count_mixed<High, Low>(on, A.unknowns, 2, 1);
  count_mixed<High, Low>(on, Box{0, e_coarse.nx, 0, e_coarse.ny}, 0, 1);
  const auto run = [&](const FactoredRows<Low>& rows, const Field<const Low>& right,
                       const Field<const Low>& e, const Transfer<Scalar<Low>>& weights,
                       const Field<High>& to) {
    const auto steps = unstored_steps<Low>(rows, right, relaxations, to);
    kernels::launch_nested_correction<High, Low, kernels::FromSolution<High>>(
        on, by, {steps, {steps.y, e, weights}, {}, state, to});
  };
  if (!divides(on, A.ny)) return run(A, r, e_coarse, transfer, x);
  if (others == OthersRows::asked_for)
    share_borders(on, Bordered<Low>{e_coarse, 2}, Bordered<Low>{r});
  const DividedWindow window(*on.ranks(), A.ny);
  run(window.fine(A), window.fine(r), window.coarse(e_coarse), window.fine(transfer),
      window.fine(x));
}

}  // namespace ninefold
