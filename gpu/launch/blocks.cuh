#pragma once
// What the blocks of a CUDA kernel have in common: which row of a box is theirs, and the sum of
// their lanes.

#include "precision/double_word.hpp"

#include "fem/discrete/error_sums.hpp"

#include "gpu/backend/summation.hpp"
#include "gpu/operations/largest.hpp"

namespace ninefold::kernels {

/// Blocks of a row of a box, times its rows: a grid has at most 65535 in y, further rows go to z.
inline dim3 grid_of_rows(int blocks_of_row, int rows) {
  constexpr int most = 65535;
  const int y = rows < most ? rows : most;
  return {static_cast<unsigned>(blocks_of_row), static_cast<unsigned>(y),
          static_cast<unsigned>((rows + most - 1) / most)};
}
/// The row of a block; those beyond the last one have nothing to do.
__device__ inline int row_of_block() {
  return static_cast<int>(blockIdx.z * gridDim.y + blockIdx.y);
}

/// The value of the lane `distance` above in the warp.
template <class T>
__device__ T shuffle_down(T value, int distance) {
  return __shfl_down_sync(0xffffffffu, value, distance);
}
template <class F>
__device__ DoubleWord<F> shuffle_down(DoubleWord<F> value, int distance) {
  return {shuffle_down(value.high, distance), shuffle_down(value.low, distance)};
}

__device__ inline Largest shuffle_down(Largest value, int distance) {
  return Largest(shuffle_down(value.value, distance));
}
__device__ inline ErrorSums shuffle_down(ErrorSums value, int distance) {
  value.l2 = shuffle_down(value.l2, distance);
  value.squares = shuffle_down(value.squares, distance);
  value.max = shuffle_down(value.max, distance);
  value.largest = shuffle_down(value.largest, distance);
  return value;
}

/// Adds the lanes of a block in the halving tree; lane 0 returns the sum.
template <class T>
__device__ T sum_lanes_of_block(T value) {
  __shared__ T lane[sum_lanes];
  const int l = static_cast<int>(threadIdx.x);
  lane[l] = value;
  __syncthreads();
  for (int half = sum_lanes / 2; half >= 32; half /= 2) {
    if (l < half) lane[l] = lane[l] + lane[l + half];
    __syncthreads();
  }
  if (l < 32) {
    value = lane[l];
    for (int half = 16; half > 0; half /= 2) value = value + shuffle_down(value, half);
  }
  return value;
}

}  // namespace ninefold::kernels
