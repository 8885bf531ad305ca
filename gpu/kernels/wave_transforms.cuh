#pragma once
// Kernels between Fourier transforms: each makes rows of bins (gpu/direct/wave_rows.hpp) from a
// plane, or from what the transforms before it have left, or stores that.
//
// A thread makes the pairs of a group, from up to eight values of the source.  Columns pass through
// shared memory in tiles of 32 rows by 8 groups, so that both sides read and write along memory.
//
// Rounding.  In the order of gpu/direct/wave_rows.hpp.

#include "gpu/direct/wave_transforms.hpp"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/operations/tensor_inverse.hpp"

namespace ninefold::kernels {

// A tile has a group for each warp.
inline constexpr int wave_threads = 256, wave_tile = 32, wave_warps = wave_threads / wave_tile;

// Sources: the value of row j and column k.
template <class T>
struct PlaneValue {
  Plane<const T> from;
  __device__ T operator()(int j, int k) const { return from.data[j * from.stride + k]; }
};
template <class T>
struct WaveValue {
  WaveRows<T> from;
  __device__ T operator()(int j, int k) const { return from.value(k, j); }
};
template <class T>
struct DividedValue {
  WaveRows<T> from;
  SpectralSums<T> sums;
  __device__ T operator()(int j, int k) const { return divided(sums, j, k, from.value(k, j)); }
};

/// Row j of `to` from row j.
template <class T, class Source>
__global__ void __launch_bounds__(wave_threads)
    load_rows_kernel(const Source from, const WaveRows<T> to) {
  begin_kernel();
  const int row = row_of_block();
  const int group = static_cast<int>(blockIdx.x) * wave_threads + static_cast<int>(threadIdx.x);
  if (row >= to.rows || group >= to.groups()) return;
  Complex<T> pairs[WaveRows<T>::most_lists];
  to.make_pairs(
      group, [&](int p) { return from(row, p); }, pairs);
  const bool all = !to.is_quarter();
#pragma unroll
  for (int list = 0; list < WaveRows<T>::most_lists; ++list) {
    if (list == 0 || all) *to.place(list, group, row) = pairs[list];
  }
}

/// Row j of `to` from column j.
template <class T, class Source>
__global__ void __launch_bounds__(wave_threads)
    load_columns_kernel(const Source from, const WaveRows<T> to) {
  constexpr int lists = WaveRows<T>::most_lists;
  __shared__ Complex<T> tile[lists][wave_warps][wave_tile + 1];
  begin_kernel();
  const int lane = static_cast<int>(threadIdx.x) % wave_tile;
  const int warp = static_cast<int>(threadIdx.x) / wave_tile;
  const int row0 = static_cast<int>(blockIdx.x) * wave_tile;
  const int group0 = static_cast<int>(blockIdx.y) * wave_warps;
  const bool all = !to.is_quarter();
  {
    const int row = row0 + lane, group = group0 + warp;
    if (row < to.rows && group < to.groups()) {
      Complex<T> pairs[lists];
      to.make_pairs(
          group, [&](int p) { return from(p, row); }, pairs);
#pragma unroll
      for (int list = 0; list < lists; ++list) {
        if (list == 0 || all) tile[list][warp][lane] = pairs[list];
      }
    }
  }
  __syncthreads();
  const int of_group = static_cast<int>(threadIdx.x) % wave_warps;
  const int of_row = static_cast<int>(threadIdx.x) / wave_warps;
  const int row = row0 + of_row, group = group0 + of_group;
  if (row >= to.rows || group >= to.groups()) return;
#pragma unroll
  for (int list = 0; list < lists; ++list) {
    if (list == 0 || all) *to.place(list, group, row) = tile[list][of_group][of_row];
  }
}

template <class T>
__global__ void __launch_bounds__(wave_threads)
    store_rows_kernel(const WaveRows<T> from, int columns, const Plane<T> to) {
  begin_kernel();
  const int row = row_of_block();
  const int k = static_cast<int>(blockIdx.x) * wave_threads + static_cast<int>(threadIdx.x);
  if (row < from.rows && k < columns) to.data[row * to.stride + k] = from.value(k, row);
}

template <class T>
__global__ void __launch_bounds__(wave_threads)
    store_columns_kernel(const WaveRows<T> from, int columns, const Plane<T> to) {
  __shared__ T tile[wave_tile][wave_tile + 1];
  begin_kernel();
  const int lane = static_cast<int>(threadIdx.x) % wave_tile;
  const int warp = static_cast<int>(threadIdx.x) / wave_tile;
  const int column0 = static_cast<int>(blockIdx.x) * wave_tile;
  const int row0 = static_cast<int>(blockIdx.y) * wave_tile;
  for (int k = warp; k < wave_tile; k += wave_warps) {
    const int row = row0 + k, column = column0 + lane;
    if (row < from.rows && column < columns) tile[k][lane] = from.value(column, row);
  }
  __syncthreads();
  for (int k = warp; k < wave_tile; k += wave_warps) {
    const int row = row0 + lane, column = column0 + k;
    if (row < from.rows && column < columns) to.data[column * to.stride + row] = tile[lane][k];
  }
}

inline unsigned blocks_for(int count, int of_each) {
  return static_cast<unsigned>((count + of_each - 1) / of_each);
}

template <class T, class Source>
void load_rows_of(const Cuda& on, const Source& from, const WaveRows<T>& to) {
  const dim3 blocks =
      grid_of_rows(static_cast<int>(blocks_for(to.groups(), wave_threads)), to.rows);
  launch<load_rows_kernel<T, Source>>(on, blocks, wave_threads, 0, from, to);
}

template <class T, class Source>
void load_columns_of(const Cuda& on, const Source& from, const WaveRows<T>& to) {
  const dim3 blocks(blocks_for(to.rows, wave_tile), blocks_for(to.groups(), wave_warps));
  launch<load_columns_kernel<T, Source>>(on, blocks, wave_threads, 0, from, to);
}

}  // namespace ninefold::kernels
