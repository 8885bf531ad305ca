#pragma once
// solve_small (gpu/operations/small_inverse.hpp) on a device: one block, all planes in shared
// memory.

#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_small_inverse.hpp"

namespace ninefold {

namespace kernels {

inline constexpr int small_threads = 1024;

template <class T>
__global__ void __launch_bounds__(small_threads)
    solve_small_kernel(const SolveSmall<T, BlockTeam> small) {
  __shared__ SmallPlanes<Arithmetic<T>> planes;
  let_next_start();
  small.load(planes);
  wait_for_kernels_before();
  small.solve(planes);
}

}  // namespace kernels

template <class T>
void launch_small(const Cuda& on, const SmallInverse<Scalar<T>>& inverse, const Field<const T>& b,
                  const Field<T>& x) {
  kernels::launch<kernels::solve_small_kernel<T>>(on, 1, kernels::small_threads, 0,
                                                  SolveSmall<T, kernels::BlockTeam>{inverse, b, x});
}

}  // namespace ninefold
