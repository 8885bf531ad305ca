#pragma once
// Functors that go up columns, f(i, first, end) for the rows first <= j < end of column i, on a
// CUDA device: one thread per column of some rows.
//
// They name a `batch`, the rows that they read at once, and `most_batches`, how many of these a
// thread takes at most.

#include <algorithm>
#include <cstdint>

#include "precision/host_device.hpp"

#include "grids/field.hpp"

#include "gpu/backend/device.cuh"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold::kernels {

inline constexpr int column_threads = 128;

/// Blocks from which on columns pay.  With fewer, the device is waiting, and more threads with one
/// node each are sooner done.
inline int fewest_column_blocks(const Cuda& on) {
  return 4 * on.multiprocessors();
}
/// Blocks from which on they are made longer: several turns of all that fit on a device at once, so
/// that the last turn counts little.
inline int many_column_blocks(const Cuda& on) {
  return 32 * on.multiprocessors();
}

/// Warps begin at multiples of their size: where rows are aligned, their accesses are, too.
HOST_DEVICE inline int first_column(const Box& box) {
  return box.i0 / 32 * 32;
}

template <class F>
__global__ void __launch_bounds__(column_threads)
    for_columns_kernel(const Box box, const F f, int rows) {
  begin_kernel();
  const int i = first_column(box) + static_cast<int>(blockIdx.x) * column_threads
                + static_cast<int>(threadIdx.x);
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (i >= box.i0 && i < box.i1 && first < end) f(i, first, end);
}

inline int blocks_across(const Box& box) {
  return (box.i1 - first_column(box) + column_threads - 1) / column_threads;
}

/// Blocks for a box, each of whose threads takes one batch.
template <class F>
std::int64_t column_blocks(const Box& box) {
  return std::int64_t{blocks_across(box)} * ((box.height() + F::batch - 1) / F::batch);
}

template <class F>
void for_columns(const Cuda& on, const Box& box, const F& f) {
  const std::int64_t batches = column_blocks<F>(box) / many_column_blocks(on);
  const int rows =
      F::batch * static_cast<int>(std::clamp<std::int64_t>(batches, 1, F::most_batches));
  launch<for_columns_kernel<F>>(on,
                                grid_of_rows(blocks_across(box), (box.height() + rows - 1) / rows),
                                column_threads, 0, box, f, rows);
}

}  // namespace ninefold::kernels
