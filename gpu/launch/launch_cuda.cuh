#pragma once
// The launch primitives on a CUDA device.
//
// One thread per node or batch of nodes, 256 threads along i per block: neighbours in a warp are
// neighbours in memory, and a memory-bound stencil reaches the rate of a plain copy
// (results/reference).
//
// A functor that moves little per node, or that is summed, may offer itself in two parts, read(i,
// j) and write(i, j, what was read), and name a `batch`: a thread then reads that many nodes, 256
// apart, before it writes the first.  The compiler cannot do this by itself, since what is written
// might be read next; without it, a warp waits for each node's values in turn.
//
// Rows that may be climbed are: gpu/launch/climbing.cuh, on large grids two columns at once,
// gpu/launch/climbing_neighbours.cuh, or with rows that come by themselves,
// gpu/launch/climbing_ring.cuh.  What may be done by columns is, where columns are many:
// gpu/launch/columns.cuh.
//
// Each kernel may be put on the device before the one before it ends: gpu/launch/launch.cuh.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "grids/field.hpp"

#include "gpu/backend/device.cuh"
#include "gpu/backend/summation.hpp"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/climbing_neighbours.cuh"
#include "gpu/launch/climbing_ring.cuh"
#include "gpu/launch/columns.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold {

namespace kernels {

inline constexpr int block_threads = 256;

template <class F>
__global__ void __launch_bounds__(block_threads) for_each_kernel(int n, const F f) {
  begin_kernel();
  const int k = static_cast<int>(blockIdx.x) * block_threads + static_cast<int>(threadIdx.x);
  if (k < n) f(k);
}

/// A functor that reads nothing that a kernel has written: it may read before the kernels before
/// have ended.
template <class F>
concept ReadsNoResults = requires {
  F::reads_no_results;
};

/// f at the nodes i, i + 256, ... of a batch that lie before `end`; `use` takes each result.
template <class F, class Use>
__device__ void for_batch(const F& f, int i, int end, int j, const Use& use) {
  decltype(f.read(i, j)) values[F::batch];
#pragma unroll
  for (int k = 0; k < F::batch; ++k) {
    if (i + k * block_threads < end) values[k] = f.read(i + k * block_threads, j);
  }
  if constexpr (ReadsNoResults<F>) wait_for_kernels_before();
#pragma unroll
  for (int k = 0; k < F::batch; ++k) {
    if (i + k * block_threads < end) use(f.write(i + k * block_threads, j, values[k]));
  }
}

template <class F>
__global__ void __launch_bounds__(block_threads) for_batches_kernel(const Box box, const F f) {
  let_next_start();
  if constexpr (!ReadsNoResults<F>) wait_for_kernels_before();
  const int first = static_cast<int>(blockIdx.x) * block_threads * F::batch;
  const int i = box.i0 + first + static_cast<int>(threadIdx.x);
  const int j = box.j0 + row_of_block();
  if (j < box.j1) for_batch(f, i, box.i1, j, [](auto) {});
}

template <class F>
__global__ void __launch_bounds__(block_threads) for_nodes_kernel(const Box box, const F f) {
  begin_kernel();
  const int i =
      box.i0 + static_cast<int>(blockIdx.x) * block_threads + static_cast<int>(threadIdx.x);
  const int j = box.j0 + row_of_block();
  if (i < box.i1 && j < box.j1) f(i, j);
}

/// Blocks that a multiprocessor is to hold: one, whose registers hold whole batches in flight, or
/// as many as a functor wants that computes more than it reads.
template <class F>
constexpr int sum_blocks() {
  if constexpr (requires { F::sum_blocks; }) return F::sum_blocks;
  return 1;
}

template <class F, class T>
__global__ void __launch_bounds__(sum_lanes, sum_blocks<F>())
    sum_nodes_kernel(const Box box, const F f, T* partial) {
  static_assert(!ReadsNoResults<F>, "for_batch would wait in some threads only");
  begin_kernel();
  const int start = box.i0 + static_cast<int>(blockIdx.x) * sum_chunk;
  const int end = min(start + sum_chunk, box.i1);
  const int row = row_of_block(), j = box.j0 + row;
  if (j >= box.j1) return;
  static_assert(sum_lanes == block_threads);
  T sum = T(0);
  bool first = true;  // a lane's first value is taken, not added to zero: -0 stays -0
  const auto add = [&](T value) {
    sum = first ? value : sum + value;
    first = false;
  };
  for (int i = start + static_cast<int>(threadIdx.x); i < end; i += F::batch * sum_lanes) {
    for_batch(f, i, end, j, add);
  }
  sum = sum_lanes_of_block(sum);
  if (threadIdx.x == 0) partial[static_cast<unsigned>(row) * gridDim.x + blockIdx.x] = sum;
}

/// The sum of the values of a block's part of a round that are this lane's.  All are read before
/// the first is added: few blocks have the device to themselves, and wait for memory.
template <class T>
__device__ T sum_values_of_lane(const T* values, int count) {
  constexpr int most = sum_partial_chunk / sum_lanes;
  static_assert(most * sum_lanes == sum_partial_chunk);
  const int lane = static_cast<int>(threadIdx.x);
  T own[most];
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (lane + k * sum_lanes < count) own[k] = values[lane + k * sum_lanes];
  }
  T sum = lane < count ? own[0] : T(0);
#pragma unroll
  for (int k = 1; k < most; ++k) {
    if (lane + k * sum_lanes < count) sum = sum + own[k];
  }
  return sum;
}

template <class T>
__global__ void __launch_bounds__(sum_lanes) sum_values_kernel(int n, const T* values, T* partial) {
  begin_kernel();
  const int start = static_cast<int>(blockIdx.x) * sum_partial_chunk;
  T sum = sum_values_of_lane(values + start, min(sum_partial_chunk, n - start));
  sum = sum_lanes_of_block(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

}  // namespace kernels

/// f(k) for 0 <= k < n.
template <class F>
void for_each(const Cuda& on, int n, const F& f) {
  if (n <= 0) return;
  const int threads = n < kernels::block_threads ? n : kernels::block_threads;
  const int blocks = (n + kernels::block_threads - 1) / kernels::block_threads;
  kernels::launch<kernels::for_each_kernel<F>>(on, static_cast<unsigned>(blocks), threads, 0, n, f);
}

namespace kernels {

template <class F>
void for_box(const Cuda& on, const Box& box, const F& f) {
  if (box.empty()) return;
  const auto blocks = [&](int nodes_per_block) {
    return grid_of_rows((box.width() + nodes_per_block - 1) / nodes_per_block, box.height());
  };
  const std::int64_t nodes = std::int64_t{box.width()} * box.height();
  if constexpr (climbs_in_ring<F>()) {
    if (nodes >= on.pass_sizes().columns && climb_in_ring(on, box, f)) return;
  }
  if constexpr (climbs_neighbours<F>()) {
    if (nodes >= on.pass_sizes().columns && has_neighbours<neighbours>(f)) {
      climb_neighbours(on, box, f);
      return;
    }
  }
  if constexpr (Climbing<F>) {
    // Long columns share more, short ones keep a device busy where nodes are few; of those measured
    // on an H200, 8 to 128, longer ones than these are slower
    // (results/reference/h200_climbing.csv).
    const std::int64_t nodes_each = nodes / on.multiprocessors();
    const int rows = static_cast<int>(std::clamp<std::int64_t>(nodes_each / 3950, 4, 24));
    const int columns = (box.width() + climb_threads - 1) / climb_threads;
    const dim3 blocks = grid_of_rows(columns, (box.height() + rows - 1) / rows);
    with_reaction(f.A, [&](auto reacts) {
      launch<climb_kernel<F, reacts()>>(on, blocks, climb_threads, 0, box, f, rows);
    });
  } else if constexpr (Batched<F>) {
    launch<for_batches_kernel<F>>(on, blocks(block_threads * F::batch), block_threads, 0, box, f);
  } else {
    launch<for_nodes_kernel<F>>(on, blocks(block_threads), block_threads, 0, box, f);
  }
}

/// The chunk sums of all rows of a box.
template <class T, class F>
void sum_box(const Cuda& on, const Box& box, const F& f, T* partial) {
  if (box.empty()) return;
  const int chunks = sum_chunks(box.width());
  if constexpr (climbs_in_sums<F>()) {
    // Measured on an H200, levels 10 to 14, with 4, 8 and 16 rows: more rows read less, and hold
    // fewer threads, which those that store want.
    const auto climb = [&](auto rows, auto blocks) {
      const dim3 grid = grid_of_rows(chunks, (box.height() + rows() - 1) / rows());
      launch<climb_sums_kernel<rows(), blocks(), F, T>>(on, grid, sum_lanes, 0, box, f, partial);
    };
    using std::integral_constant;
    constexpr bool is_short = sizeof(T) == 4;
    if constexpr (requires { F::stores_nothing; }) {
      if (std::int64_t{box.width()} * box.height() >= std::int64_t{63000} * on.multiprocessors()) {
        return climb(integral_constant<int, 8>(), integral_constant < int, is_short ? 4 : 2 > ());
      }
    }
    climb(integral_constant<int, 4>(), integral_constant < int, is_short ? 4 : 3 > ());
  } else {
    launch<sum_nodes_kernel<F, T>>(on, grid_of_rows(chunks, box.height()), sum_lanes, 0, box, f,
                                   partial);
  }
}

}  // namespace kernels

/// f(i, j) for the values of an extent.
template <class F>
void for_nodes(const Cuda& on, const Extent& extent, const F& f) {
  kernels::for_box(on, extent.full_rows(), f);
  kernels::for_box(on, extent.short_row(), f);
}

/// f(i, j) for the nodes of a box or, to the same effect, columns(i, first, end) for a box of
/// columns: whichever is faster.
template <class F, class Columns>
void for_nodes_or_columns(const Cuda& on, const Box& box, const F& f, const Box& column_box,
                          const Columns& columns) {
  if (box.empty()
      || kernels::column_blocks<Columns>(column_box) < kernels::fewest_column_blocks(on)) {
    kernels::for_box(on, box, f);
  } else {
    kernels::for_columns(on, column_box, columns);
  }
}

/// The first round of a sum, for the rows first <= row < last of the extent, counted from its own
/// first: one value per chunk of a row, in the backend's scratch, where all rows have their places.
/// f is batched, and may also write to its own node.
template <class T, class F>
void sum_rows(const Cuda& on, const Extent& extent, const F& f, int first, int last) {
  require_scratch(on, extent, sizeof(T));
  const Extent rows = extent.rows(first, last);
  T* const partial = own_chunk_sums<T>(on) + first * sum_chunks(extent.box.width());
  kernels::sum_box(on, rows.full_rows(), f, partial);
  kernels::sum_box(on, rows.short_row(), f,
                   partial + rows.full_rows().height() * sum_chunks(extent.box.width()));
}

/// The later rounds, when the chunk sums of all rows are there.
template <class T>
void sum_chunk_sums(const Cuda& on, const Extent& extent, T* result) {
  gather_chunk_sums<T>(on);
  int n = chunk_sums(summed_extent(on, extent));
  T* from = static_cast<T*>(on.scratch());
  T* to = from + n;
  if (n == 1) on.copy_within(result, from, sizeof(T));
  while (n > 1) {
    const int chunks = sum_partial_chunks(n);
    kernels::launch<kernels::sum_values_kernel<T>>(on, static_cast<unsigned>(chunks), sum_lanes, 0,
                                                   n, from, chunks == 1 ? result : to);
    std::swap(from, to);
    n = chunks;
  }
}

/// *result = sum of f(i, j) over the values of an extent that is not empty: the two in a row, or
/// one kernel where one chunk is all.
template <class F, class T>
void sum_nodes(const Cuda& on, const Extent& extent, const F& f, T* result) {
  require_scratch(on, extent, sizeof(T));
  if (chunk_sums(extent) == 1 && on.part() == nullptr) {
    kernels::sum_box(on, extent.is_box() ? extent.box : extent.short_row(), f, result);
    return;
  }
  sum_rows<T>(on, extent, f, 0, extent.box.height());
  sum_chunk_sums(on, extent, result);
}

}  // namespace ninefold
