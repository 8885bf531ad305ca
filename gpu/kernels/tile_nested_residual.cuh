#pragma once
// The pass of gpu/kernels/nested_residual.cuh on grids that are too small for warps that march: a
// block does a tile of nodes (gpu/kernels/tile_rows.cuh), one operation after the other.
//
// Shape.  The interpolated solution is computed on the whole tile, the residual on a node less at
// each side, and what is restricted is what lies within the frame.
//
// The meaning of a value comes from gpu/meaning/generic_nested_operations.hpp,
// gpu/meaning/generic_mixed_operations.hpp and grids/transfer.hpp.

#include "gpu/kernels/nested_residual.cuh"
#include "gpu/kernels/tile_interpolation.cuh"
#include "gpu/kernels/tile_rows.cuh"
#include "gpu/meaning/between_formats.hpp"

namespace ninefold::kernels {

template <class High, class Low>
__global__ void __launch_bounds__(tile_threads)
    tile_nested_residual_kernel(const __grid_constant__ NestedProblem<High, Low> problem) {
  using C = Arithmetic<High>;
  using D = Arithmetic<Low>;
  __shared__ TileRows<C> rows;
  __shared__ typename TileInterpolation<High>::Memory coarse;
  __shared__ typename TileRestriction<Low>::Memory sums;
  let_next_start();
  const TilePlace at = TilePlace::of_thread();
  const TileFactors<High> factors(problem.A, at);
  const TileRestriction<Low> restriction(problem.transfer, problem.A.unknowns, at);
  TileInterpolation<High> interpolation(coarse, problem.c, problem.cubic, at);
  rows.clear_sides();
  wait_for_kernels_before();
  interpolation.read();
  High b[2];
  read_unknowns(problem.b, at, factors.unknown, b);
  const C down = problem.state->down;
  C x[2], product[2];
  interpolation.values(factors.unknown, x);
  factors.products(rows.around(at, x), product);
  Low stored[2];
  D r[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    stored[k] = narrowed<Low>(down * (C(b[k]) - product[k]));
    r[k] = D(stored[k]);
  }
  write_tile(problem.r, at, factors.unknown, stored);
  restriction.write(sums, at, r, problem.coarse_box, problem.b_coarse);
}

template <class High, class Low>
void launch_tile_nested_residual(const Cuda& on, const NestedProblem<High, Low>& problem) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  launch<tile_nested_residual_kernel<High, Low>>(on, tiles_of(box), tile_threads, 0, problem);
}

}  // namespace ninefold::kernels
