#pragma once
// The launch primitives of sparse rows on a CUDA device; gpu/launch/sparse_rows_host.hpp on hosts.
//
// A block has a chunk of 1024 rows, each of its warps one slice, or four of pairs; a thread one
// row. Rows are sorted by length within the chunk and go back to their places in shared memory,
// where what is made of them runs in the order of a sum, with whole lines read and written.
//
// Long rows come first, in kernels of their own: a warp for each laned one, a block for each chunk
// of the others.

#include <cstdint>
#include <type_traits>

#include "fem/sparse/row_order.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "gpu/launch/launch_cuda.cuh"
#include "gpu/operations/two_sums.hpp"

namespace ninefold {

/// The value of the lane `distance` above in the warp; found beside its type by sums.
template <class C>
__device__ TwoSums<C> shuffle_down(TwoSums<C> value, int distance) {
  return {kernels::shuffle_down(value.first, distance),
          kernels::shuffle_down(value.second, distance)};
}

static_assert(row_chunk == sum_chunk && chunked_lanes == sum_lanes && sorted_rows == sum_chunk);

namespace kernels {

/// The sum of n > 0 terms, this being lane l of `lanes`.
template <class Sum, int lanes, class T>
__device__ Arithmetic<T> sum_of_lane(const T* values, const std::int32_t* columns, int n,
                                     const T* x, const Arithmetic<T>& here, int l) {
  using C = Arithmetic<T>;
  if (l >= n) return C(0);
  Sum sum(C(values[l]), C(x[columns[l]]), here);
#pragma unroll 4
  for (int k = l + lanes; k < n; k += lanes) sum.add(C(values[k]), C(x[columns[k]]), here);
  return sum.value();
}

template <class Sum, class T>
__device__ Arithmetic<T> here_of(const LongRows<T>& longer, const T* x, int k) {
  using C = Arithmetic<T>;
  return Sum::needs_here ? C(x[longer.rows[k]]) : C(0);
}

template <class Sum, class T>
__global__ void __launch_bounds__(block_threads)
    laned_rows_kernel(const LongRows<T> longer, const T* x) {
  begin_kernel();
  const int k =
      static_cast<int>(blockIdx.x * (block_threads / row_lanes) + threadIdx.x / row_lanes);
  if (k >= longer.count || row_class(longer.lengths[k]) != RowClass::laned) return;
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  const std::int64_t first = longer.starts[k];
  Arithmetic<T> sum =
      sum_of_lane<Sum, row_lanes>(longer.values + first, longer.columns + first, longer.lengths[k],
                                  x, here_of<Sum>(longer, x, k), lane);
  for (int half = row_lanes / 2; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  if (lane == 0) longer.products[k] = sum;
}

template <class Sum, class T>
__global__ void __launch_bounds__(sum_lanes)
    row_pieces_kernel(const LongRows<T> longer, const T* x) {
  begin_kernel();
  const LongPiece piece = longer.piece[blockIdx.x];
  const Arithmetic<T> sum = sum_lanes_of_block(sum_of_lane<Sum, chunked_lanes>(
      longer.values + piece.first, longer.columns + piece.first, piece.count, x,
      here_of<Sum>(longer, x, piece.row), static_cast<int>(threadIdx.x)));
  if (threadIdx.x == 0) longer.piece_sums[blockIdx.x] = sum;
}

/// The later rounds of each chunked row, by a block.
template <class T>
__global__ void __launch_bounds__(sum_lanes) chunked_rows_kernel(const LongRows<T> longer) {
  begin_kernel();
  const ChunkedRow row = longer.chunked[blockIdx.x];
  Arithmetic<T>* const sums = longer.piece_sums + row.first_piece;
  for (int n = row.pieces; n > 1; n = sum_partial_chunks(n)) {
    for (int c = 0; c < sum_partial_chunks(n); ++c) {
      const int start = c * sum_partial_chunk, end = min(start + sum_partial_chunk, n);
      int k = start + static_cast<int>(threadIdx.x);
      Arithmetic<T> sum(0);
      if (k < end) {
        sum = sums[k];
        for (k += sum_lanes; k < end; k += sum_lanes) sum = sum + sums[k];
      }
      sum = sum_lanes_of_block(sum);
      // All of this chunk has been read; what is written lies at or before its begin.
      if (threadIdx.x == 0) sums[c] = sum;
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) longer.products[row.row] = sums[0];
}

/// Row i of A x, a chain of `width` entries from lane `lane` of a slice on.
template <class Sum, class T, class Column>
__device__ Arithmetic<T> chain_of_slice(const SlicedRows<T>& A, const T* entries, int width,
                                        const T* x, int i, const Column& column) {
  using C = Arithmetic<T>;
  const C here = Sum::needs_here ? C(x[i]) : C(0);
  if (width == 0) return Sum::finished(C(0), A, i, here);
  Sum sum(C(entries[0]), C(x[column(0)]), here);
#pragma unroll 4
  for (int k = 1; k < width; ++k) {
    sum.add(C(entries[k * slice_rows]), C(x[column(k * slice_rows)]), here);
  }
  return sum.finish(A, i, here);
}

/// Threads of a block that has a chunk of rows: one row each, and as many registers as then fit.
template <class T>
inline constexpr int chunk_threads = sizeof(Arithmetic<T>) > 8 ? 256 : 1024;
template <class T>
inline constexpr int chunk_blocks = sizeof(Arithmetic<T>) > 8 ? 4 : 2;

/// The values of the rows of this block's chunk, `n` of them from `first` on, into shared memory.
template <class Sum, int threads, class T>
__device__ void rows_of_chunk(const SlicedRows<T>& A, const T* x, int first, int n,
                              Arithmetic<T>* values) {
  const int lane = static_cast<int>(threadIdx.x) % slice_rows;
  for (int k = static_cast<int>(threadIdx.x) - lane; k < n; k += threads) {
    const int s = (first + k) / slice_rows;
    const Slice slice = A.slices[s];
    const int place = A.places[static_cast<unsigned>(s) * slice_rows + lane];
    if (place >= n) continue;  // a lane without a row
    const T* const entries = A.values + slice.values + lane;
    const std::uint16_t* const columns = A.columns + slice.columns;
    const int i = first + place;
    if (slice.column_0 >= 0) {
      const std::uint16_t* const from = columns + lane;
      values[place] = chain_of_slice<Sum>(A, entries, slice.width, x, i,
                                          [&](int m) { return slice.column_0 + from[m]; });
    } else {
      const auto* const from = reinterpret_cast<const std::int32_t*>(columns) + lane;
      values[place] =
          chain_of_slice<Sum>(A, entries, slice.width, x, i, [&](int m) { return from[m]; });
    }
  }
  if (A.longer.count == 0) return;
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < n; k += threads) {
    const int position = A.longer.position[first + k];
    if (position >= 0) values[k] = long_row<Sum>(A, x, first + k, position);
  }
}

template <class Sum, int threads, int blocks, class T, class Of>
__global__ void __launch_bounds__(threads, blocks)
    sliced_rows_kernel(const SlicedRows<T> A, const T* x, const Of of) {
  begin_kernel();
  __shared__ Arithmetic<T> values[sorted_rows];
  const int first = static_cast<int>(blockIdx.x) * sorted_rows, n = min(sorted_rows, A.nx - first);
  rows_of_chunk<Sum, threads>(A, x, first, n, values);
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < n; k += threads) of(first + k, values[k]);
}

/// Lane l of 256 adds the values l, l + 256, ...; the halving tree as sum_lanes_of_block.
template <class C, int threads>
__device__ C sum_of_values(const C* values, int n) {
  const int l = static_cast<int>(threadIdx.x);
  C sum(0);
  if (l < min(n, sum_lanes)) {
    sum = values[l];
    for (int k = l + sum_lanes; k < n; k += sum_lanes) sum = sum + values[k];
  }
  if constexpr (threads == sum_lanes) {
    return sum_lanes_of_block(sum);
  } else {
    __shared__ C lanes[sum_lanes];
    if (l < sum_lanes) lanes[l] = sum;
    __syncthreads();
    for (int half = sum_lanes / 2; half >= 32; half /= 2) {
      if (l < half) lanes[l] = lanes[l] + lanes[l + half];
      __syncthreads();
    }
    if (l < 32) {
      sum = lanes[l];
      for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
    }
    return sum;
  }
}

template <class Sum, int threads, int blocks, class T, class Of, class C>
__global__ void __launch_bounds__(threads, blocks)
    sum_sliced_rows_kernel(const SlicedRows<T> A, const T* x, const Of of, C* partial) {
  static_assert(std::is_same_v<C, Arithmetic<T>>);
  begin_kernel();
  __shared__ C values[sorted_rows];
  const int first = static_cast<int>(blockIdx.x) * sorted_rows, n = min(sorted_rows, A.nx - first);
  rows_of_chunk<Sum, threads>(A, x, first, n, values);
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < n; k += threads) {
    values[k] = of(first + k, values[k]);
  }
  __syncthreads();
  const C sum = sum_of_values<C, threads>(values, n);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

}  // namespace kernels

/// The sums of long rows, into A.longer.products.
template <class Sum, class T>
void sum_long_rows(const Cuda& on, const SparseRows<T>& A, const T* x) {
  const LongRows<T>& longer = A.longer;
  constexpr int rows_of_block = kernels::block_threads / row_lanes;
  if (longer.count > longer.chunked_rows) {
    const int blocks = (longer.count + rows_of_block - 1) / rows_of_block;
    kernels::launch<kernels::laned_rows_kernel<Sum, T>>(on, static_cast<unsigned>(blocks),
                                                        kernels::block_threads, 0, longer, x);
  }
  if (longer.chunked_rows == 0) return;
  kernels::launch<kernels::row_pieces_kernel<Sum, T>>(on, static_cast<unsigned>(longer.pieces),
                                                      sum_lanes, 0, longer, x);
  kernels::launch<kernels::chunked_rows_kernel<T>>(on, static_cast<unsigned>(longer.chunked_rows),
                                                   sum_lanes, 0, longer);
}

/// of(i, row i of A x) for all rows; long ones must be summed.
template <class Sum, class T, class Of>
void for_rows_of(const Cuda& on, const SlicedRows<T>& A, const T* x, const Of& of) {
  constexpr int threads = kernels::chunk_threads<T>, blocks = kernels::chunk_blocks<T>;
  kernels::launch<kernels::sliced_rows_kernel<Sum, threads, blocks, T, Of>>(
      on, static_cast<unsigned>(sum_chunks(A.nx)), threads, 0, A, x, of);
}

/// *result = the sum of of(i, row i of A x); long ones must be summed.
template <class Sum, class T, class Of, class C>
void sum_rows_of(const Cuda& on, const SlicedRows<T>& A, const T* x, const Of& of, C* result) {
  require_scratch(on, A.unknowns, sizeof(C));
  const int chunks = sum_chunks(A.nx);
  C* const partial = chunks == 1 ? result : static_cast<C*>(on.scratch());
  constexpr int threads = kernels::chunk_threads<T>, blocks = kernels::chunk_blocks<T>;
  kernels::launch<kernels::sum_sliced_rows_kernel<Sum, threads, blocks, T, Of, C>>(
      on, static_cast<unsigned>(chunks), threads, 0, A, x, of, partial);
  if (chunks > 1) sum_chunk_sums(on, A.unknowns, result);
}

}  // namespace ninefold
