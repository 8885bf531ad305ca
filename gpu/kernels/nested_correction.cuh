#pragma once
// What ends a visit of full multigrid, in one pass: the coarse correction in Low, prolongated, two
// Jacobi steps on it, and the interpolated solution in High that is corrected by it.
//
// Shape.  Warps march up a grid (gpu/kernels/marching_strip.cuh), a lane's columns being those of
// Low: the steps are two rows behind the prolongation, and the interpolation keeps up with them. On
// smaller grids blocks have tiles (gpu/kernels/tile_passes.cuh).
//
// The meaning of a value comes from gpu/meaning/generic_row_operations.hpp, grids/transfer.hpp and
// gpu/meaning/generic_nested_operations.hpp.

#include "gpu/kernels/marching_interpolation.cuh"
#include "gpu/kernels/marching_steps.cuh"
#include "gpu/kernels/tile_interpolation.cuh"
#include "gpu/kernels/tile_passes.cuh"
#include "gpu/meaning/generic_nested_operations.hpp"

namespace ninefold::kernels {

/// x = I c + up e, e being what steps end in.
template <class High, class Low>
struct CorrectionProblem {
  StepsProblem<Low> steps;  ///< without y
  FromSum<Low, true> sum;
  Field<const High> c;
  CubicTransfer<Arithmetic<High>> cubic;
  const RefinementState<Arithmetic<High>>* state;
  Field<High> x;
};

inline constexpr int correction_steps = 2;

template <class High, class Low, bool reacts, Divisor divisor>
__global__ void __launch_bounds__(marching_threads, 3)  // with 4 blocks most values would spill
    nested_correction_kernel(const CorrectionProblem<High, Low> problem, const Parts parts) {
  using Steps = MarchingSteps<Low, correction_steps, FromSum<Low, true>, reacts, divisor>;
  constexpr int n = Steps::n;
  using Interpolated = InterpolatedRows<High, n, (n < 4), false, false>;
  __shared__ typename Steps::Memory steps_memory[marching_warps];
  __shared__ typename Interpolated::Memory coarse_memory[marching_warps];
  begin_kernel();
  const FactoredRows<Low>& A = problem.steps.A;
  const int warp = warp_of_grid(), in_block = warp % marching_warps;
  if (warp >= parts.warps) return;
  const WarpPart part = parts.of<Low>(warp, lane_of_warp(), A.unknowns.j0, A.unknowns.j1);
  const LaneColumns<Low> lane(A, part.first);
  // Rows of the prolongation; those of the solution are two below.
  const int begin = even_below(part.j0 - correction_steps), end = part.j1 + correction_steps;
  Steps march(problem.steps, problem.sum, steps_memory[in_block], lane, begin);
  Interpolated solution(coarse_memory[in_block], A.unknowns, lane.unknown, problem.c, problem.cubic,
                        part.first, begin - correction_steps);
  const auto fetch = [&](auto is_inside) {
    constexpr bool inside = decltype(is_inside)::value;
    solution.template fetch<inside>();
    march.template fetch<inside>();
  };
  for (int k = 0; k < pairs_ahead; ++k) fetch(std::false_type());
  const Arithmetic<High> up = problem.state->up;
  RowWriter<High, n> x(problem.x, begin - correction_steps, part.first, A.unknowns.i0,
                       A.unknowns.i1, part.writes);
  const auto advance = [&](auto parity, auto is_inside, int j) {
    constexpr int k = decltype(parity)::value;
    constexpr bool inside = decltype(is_inside)::value;
    Pack<Low, n> e;
    march.template advance<k, inside>(j, e);
    const int row = j - correction_steps;
    Arithmetic<High> before[n];
    if constexpr (k == 0) {
      solution.template even_row<inside>(row, before);
    } else {
      solution.template odd_row<inside>(row, before);
    }
    Pack<High, n> after;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      after.value[c] = InterpolatedAndCorrected<High, Low>::value(up, e.value[c], High(before[c]));
    }
    x.write(row >= part.j0 && row < part.j1, after);
  };
  const auto advance_two = [&](auto is_inside, int j) {
    fetch(is_inside);
    __pipeline_wait_prior(pairs_ahead);
    __syncwarp();  // coarse rows, and what lies along y, are read across lanes
    advance(std::integral_constant<int, 0>(), is_inside, j);
    advance(std::integral_constant<int, 1>(), is_inside, j + 1);
  };
  __pipeline_wait_prior(pairs_ahead - 1);
  __syncwarp();
  solution.begin(begin - correction_steps);
  march.begin(begin);
  // Odd rows of the solution are inside where they are not in the first coarse cell.
  for_pairs(begin, end, march.first_inside() + correction_steps,
            A.is_tame ? march.last_inside() : begin, advance_two);
}

template <class High, class Low>
__global__ void __launch_bounds__(tile_threads)
    tile_nested_correction_kernel(const __grid_constant__ CorrectionProblem<High, Low> problem) {
  using Steps = TileSteps<Low, correction_steps, FromSum<Low, true>>;
  using C = Arithmetic<High>;
  __shared__ typename Steps::Memory memory;
  __shared__ typename TileInterpolation<High>::Memory coarse;
  let_next_start();
  const TilePlace at = TilePlace::of_thread();
  Steps steps(problem.steps, problem.sum, memory, at);
  TileInterpolation<High> interpolation(coarse, problem.c, problem.cubic, at);
  wait_for_kernels_before();
  interpolation.read();
  steps.read();
  const C up = problem.state->up;
  C before[2];
  interpolation.values(steps.factors.unknown, before);
  Arithmetic<Low> e[2];
  steps.run(e);
  High x[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    x[k] = InterpolatedAndCorrected<High, Low>::value(up, Low(e[k]), High(before[k]));
  }
  write_tile(problem.x, at, steps.factors.unknown, x);
}

template <class High, class Low>
void launch_nested_correction(const Cuda& on, const CorrectionProblem<High, Low>& problem) {
  const Box& box = problem.steps.A.unknowns;
  if (box.empty()) return;
  with_reaction(problem.steps.A, [&](auto reacts) {
    with_divisor(problem.steps.relaxations.divisor, [&](auto divisor) {
      launch_marching<nested_correction_kernel<High, Low, reacts(), divisor()>, Low>(
          on, box.i1, box.height(), problem);
    });
  });
}
template <class High, class Low>
void launch_tile_nested_correction(const Cuda& on, const CorrectionProblem<High, Low>& problem) {
  const Box& box = problem.steps.A.unknowns;
  if (box.empty()) return;
  launch<tile_nested_correction_kernel<High, Low>>(on, tiles_of(box), tile_threads, 0, problem);
}

}  // namespace ninefold::kernels
