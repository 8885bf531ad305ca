#pragma once
// The pass of gpu/kernels/nested_residual.cuh on grids that are too small for warps that march: a
// block does the fine nodes of a tile of coarse cells, one operation after the other, in shared
// memory.
//
// Shape.  The interpolated solution is computed on a coarse cell more at each side, the residual on
// a node more where the restriction asks for it.
//
// The meaning of a value comes from gpu/meaning/generic_nested_operations.hpp,
// gpu/meaning/generic_mixed_operations.hpp and grids/transfer.hpp.

#include "gpu/kernels/nested_residual.cuh"
#include "gpu/kernels/tile_passes.cuh"
#include "gpu/meaning/generic_mixed_operations.hpp"
#include "gpu/meaning/generic_nested_operations.hpp"

namespace ninefold::kernels {

template <class High, class Low>
__global__ void __launch_bounds__(tile_threads)
    tile_nested_residual_kernel(const NestedProblem<High, Low> problem, const Box cells) {
  constexpr int wide = coarse_tile_columns + 2, high = coarse_tile_rows + 2;  // cells
  constexpr int columns = 2 * coarse_tile_columns + 1, rows = 2 * coarse_tile_rows + 1;
  __shared__ Tile<High, 2 * wide, 2 * high> x_memory;
  __shared__ Tile<High, columns, rows> b_memory;
  __shared__ Tile<Low, columns, rows> r_memory;
  __shared__ NearFactors<High, columns, rows> factors;
  let_next_start();
  const Box coarse = tile_of_block<coarse_tile_columns, coarse_tile_rows>(cells);
  const Box fine{2 * coarse.i0 - 1, 2 * coarse.i1, 2 * coarse.j0 - 1, 2 * coarse.j1},
      around = grown(coarse, 1);
  factors.load(problem.A, fine.i0, fine.j0);
  const FactoredRows<High> A = factors.of(problem.A, fine.i0, fine.j0);
  const Field<High> x = x_memory.at(2 * around.i0, 2 * around.j0, A.nx, A.ny);
  const Field<High> b = b_memory.at(fine.i0, fine.j0, A.nx, A.ny);
  const Field<Low> r = r_memory.at(fine.i0, fine.j0, A.nx, A.ny);
  for_tile<2 * wide>({2 * around.i0, 2 * around.i1, 2 * around.j0, 2 * around.j1},
                     [&](int i, int j) { x(i, j) = High(Arithmetic<High>(0)); });
  __syncthreads();
  wait_for_kernels_before();
  if (coarse.empty()) return;
  const InterpolateCell<High, Interpolated<High>> interpolate{
      problem.cubic, problem.c, A.unknowns, {x}, false};
  for_tile<wide>(around, [&](int I, int J) {
    if (I >= 0 && I < problem.c.nx && J >= 0 && J < problem.c.ny) interpolate(I, J);
  });
  for_tile<columns>(fine, [&](int i, int j) {
    if (A.unknowns.contains(i, j)) b(i, j) = problem.b(i, j);
  });
  __syncthreads();
  const ResidualRounded<FactoredForm, High, Low, FactoredRows<High>> residual{A, b, x, r,
                                                                              problem.state};
  for_tile<columns>(fine, [&](int i, int j) {
    if (!A.unknowns.contains(i, j)) return;
    residual.write(i, j, residual.read(i, j));
    if (i >= 2 * coarse.i0 && j >= 2 * coarse.j0) problem.r(i, j) = r(i, j);
  });
  __syncthreads();
  for_tile<coarse_tile_columns>(coarse, [&](int I, int J) {
    if (!problem.coarse_box.contains(I, J)) return;
    problem.b_coarse(I, J) =
        Low(restrict_at<Low>(problem.transfer, Field<const Low>(r), A.unknowns, I, J));
  });
}

template <class High, class Low>
void launch_tile_nested_residual(const Cuda& on, const NestedProblem<High, Low>& problem) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  const Box cells{box.i0 / 2, (box.i1 + 1) / 2, box.j0 / 2, (box.j1 + 1) / 2};
  launch<tile_nested_residual_kernel<High, Low>>(
      on, tiles_of<coarse_tile_columns, coarse_tile_rows>(cells), tile_threads, 0, problem, cells);
}

}  // namespace ninefold::kernels
