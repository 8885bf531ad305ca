#pragma once
// Long rows of sparse matrices on a CUDA device: a warp has a laned one, a block a chunk of the
// others, in kernels of their own.
//
// Tests.  tests/gpu/operations/sparse_operations_test.cpp

#include <cstdint>

#include "fem/sparse/row_order.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "gpu/kernels/lane_sums.cuh"
#include "gpu/launch/launch_cuda.cuh"

namespace ninefold {

static_assert(row_chunk == sum_chunk && chunked_lanes == sum_lanes);

namespace kernels {

/// The sum of a laned row, the k-th of the long ones, in lane 0 of the warp.
template <class Sum, class T, class X, class Reading = OfLane<T>>
__device__ Arithmetic<T> laned_row(const SparseRows<T>& A, const X& x, int k, int lane) {
  const LongRows<T>& longer = A.longer;
  const std::int64_t first = longer.starts[k];
  Arithmetic<T> sum = sum_of_lane<Sum, row_lanes, Reading>(
      longer.values + first, longer.columns + first, longer.lengths[k], x,
      own_of<Sum>(A, x, longer.rows[k]), lane);
  for (int half = row_lanes / 2; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  return sum;
}

template <class Sum, class T>
__global__ void __launch_bounds__(block_threads)
    laned_rows_kernel(const SparseRows<T> A, const T* x) {
  begin_kernel();
  const LongRows<T>& longer = A.longer;
  const int k =
      static_cast<int>(blockIdx.x * (block_threads / row_lanes) + threadIdx.x / row_lanes);
  if (k >= longer.count || row_class(longer.lengths[k]) != RowClass::laned) return;
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  const Arithmetic<T> sum = laned_row<Sum>(A, x, k, lane);
  if (lane == 0) longer.products[k] = sum;
}

template <class Sum, class T, class X>
__global__ void __launch_bounds__(sum_lanes)
    row_pieces_kernel(const SparseRows<T> A, const X gathered) {
  begin_kernel();
  const auto x = opened(gathered);
  const LongRows<T>& longer = A.longer;
  const LongPiece piece = longer.piece[blockIdx.x];
  const Arithmetic<T> sum = sum_lanes_of_block(sum_of_lane<Sum, chunked_lanes, OfLane<T>>(
      longer.values + piece.first, longer.columns + piece.first, piece.count, x,
      own_of<Sum>(A, x, longer.rows[piece.row]), static_cast<int>(threadIdx.x)));
  if (threadIdx.x == 0) longer.piece_sums[blockIdx.x] = sum;
}

/// The later rounds of a sum, by one block, in place: the result is in sums[0].
template <class C>
__device__ void sum_rounds_of_block(C* sums, int n) {
  for (; n > 1; n = sum_partial_chunks(n)) {
    for (int c = 0; c < sum_partial_chunks(n); ++c) {
      const int start = c * sum_partial_chunk, end = min(start + sum_partial_chunk, n);
      int k = start + static_cast<int>(threadIdx.x);
      C sum(0);
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
}

/// The later rounds of each chunked row, by a block.
template <class T>
__global__ void __launch_bounds__(sum_lanes) chunked_rows_kernel(const LongRows<T> longer) {
  begin_kernel();
  const ChunkedRow row = longer.chunked[blockIdx.x];
  Arithmetic<T>* const sums = longer.piece_sums + row.first_piece;
  sum_rounds_of_block(sums, row.pieces);
  if (threadIdx.x == 0) longer.products[row.row] = sums[0];
}

}  // namespace kernels

/// The sums of chunked rows, into A.longer.products.
template <class Sum, class T, class X>
void sum_chunked_rows(const Cuda& on, const SparseRows<T>& A, const X& x) {
  const LongRows<T>& longer = A.longer;
  if (longer.chunked_rows == 0) return;
  kernels::launch<kernels::row_pieces_kernel<Sum, T, X>>(on, static_cast<unsigned>(longer.pieces),
                                                         sum_lanes, 0, A, x);
  kernels::launch<kernels::chunked_rows_kernel<T>>(on, static_cast<unsigned>(longer.chunked_rows),
                                                   sum_lanes, 0, longer);
}

/// Those of all long rows.
template <class Sum, class T>
void sum_long_rows(const Cuda& on, const SparseRows<T>& A, const T* x) {
  const LongRows<T>& longer = A.longer;
  constexpr int rows_of_block = kernels::block_threads / row_lanes;
  if (longer.count > longer.chunked_rows) {
    const int blocks = (longer.count + rows_of_block - 1) / rows_of_block;
    kernels::launch<kernels::laned_rows_kernel<Sum, T>>(on, static_cast<unsigned>(blocks),
                                                        kernels::block_threads, 0, A, x);
  }
  sum_chunked_rows<Sum>(on, A, x);
}

}  // namespace ninefold
