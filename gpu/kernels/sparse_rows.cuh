#pragma once
// The launch primitives of sparse rows on a CUDA device; gpu/launch/sparse_rows_host.hpp on hosts.
//
// A thread has a row, a warp a slice, and writes it to its place: rows are sorted within chunks of
// 1024 alone, so that what a chunk writes meets in the cache.  Where rows are summed, a block has a
// chunk, and puts them in their order in shared memory.
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

/// Entries that a thread reads before it uses the first: the best of 2, 4, 6, 8 on an H200.
template <class T>
inline constexpr int entries_in_flight = sizeof(T) > 4 ? 4 : 6;

/// `count` entries, `stride` apart, at most as many as fly at once, from the k-th on.
template <bool all, int stride, class Sum, class V, class T, class Column>
__device__ void add_entries(Sum& sum, const V* entries, int k, int count, const T* x,
                            const OwnOf<Sum, T>& own, const Column& column) {
  using C = Arithmetic<T>;
  constexpr int most = entries_in_flight<T>;
  V a[most];
  T value[most];
  int j[most];
#pragma unroll
  for (int e = 0; e < most; ++e) {
    if (!all && e >= count) break;
    a[e] = entries[(k + e) * stride];
    j[e] = column((k + e) * stride);
  }
#pragma unroll
  for (int e = 0; e < most; ++e) {
    if (!all && e >= count) break;
    value[e] = x[j[e]];
  }
#pragma unroll
  for (int e = 0; e < most; ++e) {
    if (!all && e >= count) break;
    sum.add(held_value<C>(a[e]), C(value[e]), own.at(j[e]));
  }
}

/// `n` > 0 entries, `stride` apart, one after the other.
template <class Sum, int stride, class V, class T, class Column>
__device__ Sum sum_of_entries(const V* entries, int n, const T* x, const OwnOf<Sum, T>& own,
                              const Column& column) {
  using C = Arithmetic<T>;
  constexpr int most = entries_in_flight<T>;
  Sum sum(held_value<C>(entries[0]), C(x[column(0)]), own.at(column(0)));
  int k = 1;
  for (; k + most <= n; k += most) {
    add_entries<true, stride>(sum, entries, k, most, x, own, column);
  }
  if (k < n) add_entries<false, stride>(sum, entries, k, n - k, x, own, column);
  return sum;
}

/// The sum of n > 0 terms, this being lane l of `lanes`.
template <class Sum, int lanes, class T>
__device__ Arithmetic<T> sum_of_lane(const T* values, const std::int32_t* columns, int n,
                                     const T* x, const OwnOf<Sum, T>& own, int l) {
  if (l >= n) return Arithmetic<T>(0);
  const std::int32_t* const from = columns + l;
  return sum_of_entries<Sum, lanes>(values + l, (n - l + lanes - 1) / lanes, x, own,
                                    [&](int m) { return from[m]; })
      .value();
}

/// The sum of a laned row, the k-th of the long ones, in lane 0 of the warp.
template <class Sum, class T>
__device__ Arithmetic<T> laned_row(const SparseRows<T>& A, const T* x, int k, int lane) {
  const LongRows<T>& longer = A.longer;
  const std::int64_t first = longer.starts[k];
  Arithmetic<T> sum =
      sum_of_lane<Sum, row_lanes>(longer.values + first, longer.columns + first, longer.lengths[k],
                                  x, OwnOf<Sum, T>(A, x, longer.rows[k]), lane);
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

template <class Sum, class T>
__global__ void __launch_bounds__(sum_lanes) row_pieces_kernel(const SparseRows<T> A, const T* x) {
  begin_kernel();
  const LongRows<T>& longer = A.longer;
  const LongPiece piece = longer.piece[blockIdx.x];
  const Arithmetic<T> sum = sum_lanes_of_block(sum_of_lane<Sum, chunked_lanes>(
      longer.values + piece.first, longer.columns + piece.first, piece.count, x,
      OwnOf<Sum, T>(A, x, longer.rows[piece.row]), static_cast<int>(threadIdx.x)));
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
template <class Sum, class T, class V, class Column>
__device__ Arithmetic<T> chain_of_slice(const SlicedRows<T>& A, const V* entries, int width,
                                        const T* x, int i, const Column& column) {
  const OwnOf<Sum, T> own(A, x, i);
  if (width == 0) return Sum::finished(Arithmetic<T>(0), A, i, own);
  return sum_of_entries<Sum, slice_rows>(entries, width, x, own, column).finish(A, i, own);
}

/// Row i of A x, which is the row of lane `lane` of slice s.
template <class Sum, class T>
__device__ Arithmetic<T> row_of_slice(const SlicedRows<T>& A, const T* x, int s, int lane, int i) {
  if (const int position = position_of(A.longer, i); position >= 0) {
    return long_row<Sum>(A, x, i, position);
  }
  const Slice slice = A.slices[s];
  const std::uint16_t* const columns = A.columns + slice.columns;
  return A.values.visit([&](const auto* held) {
    const auto* const entries = held + slice.values + lane;
    if (slice.column_0 >= 0) {
      const std::uint16_t* const from = columns + lane;
      return chain_of_slice<Sum>(A, entries, slice.width, x, i,
                                 [&](int m) { return slice.column_0 + from[m]; });
    }
    const auto* const from = reinterpret_cast<const std::int32_t*>(columns) + lane;
    return chain_of_slice<Sum>(A, entries, slice.width, x, i, [&](int m) { return from[m]; });
  });
}

inline constexpr int slice_threads = 128;

/// of(i, row i of A x): first the slices, a thread a row, then laned rows, a warp a row; chunked
/// ones must be summed.
template <class Sum, class T, class Of>
__global__ void __launch_bounds__(slice_threads)
    sliced_rows_kernel(const SlicedRows<T> A, const T* x, int slice_blocks, const Of of) {
  begin_kernel();
  const LongRows<T>& longer = A.longer;
  const int block = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  if (block >= slice_blocks) {
    const int k = ((block - slice_blocks) * slice_threads + thread) / row_lanes;
    if (k >= longer.count) return;
    const int i = longer.rows[k], lane = thread % row_lanes;
    const Arithmetic<T> sum = row_class(longer.lengths[k]) == RowClass::laned
                                  ? laned_row<Sum>(A, x, k, lane)
                                  : longer.products[k];
    if (lane == 0) of(i, Sum::finished(sum, A, i, OwnOf<Sum, T>(A, x, i)));
    return;
  }
  const int k = block * slice_threads + thread;
  const int s = k / slice_rows, lane = k % slice_rows;
  if (s * slice_rows >= A.nx) return;
  const int i = k / sorted_rows * sorted_rows + A.places[k];
  if (i < A.nx && position_of(longer, i) < 0) of(i, row_of_slice<Sum>(A, x, s, lane, i));
}

/// Threads of a block that sums a chunk of rows.
inline constexpr int chunk_threads = 512;

/// The sum of of(i, row i of A x) over a chunk of rows, a block's: rows go back to their places in
/// shared memory, lane l of 256 adds the values l, l + 256, ...
template <class Sum, class T, class Of, class C>
__global__ void __launch_bounds__(chunk_threads)
    sum_sliced_rows_kernel(const SlicedRows<T> A, const T* x, const Of of, C* partial) {
  static_assert(std::is_same_v<C, Arithmetic<T>>);
  begin_kernel();
  __shared__ C values[sorted_rows];
  __shared__ C lanes[sum_lanes];
  const int first = static_cast<int>(blockIdx.x) * sorted_rows, n = min(sorted_rows, A.nx - first);
  const int l = static_cast<int>(threadIdx.x);
  for (int k = l; k < (n + slice_rows - 1) / slice_rows * slice_rows; k += chunk_threads) {
    const int place = A.places[first + k];
    if (place >= n) continue;  // a lane without a row
    const int i = first + place;
    values[place] = of(i, row_of_slice<Sum>(A, x, (first + k) / slice_rows, k % slice_rows, i));
  }
  __syncthreads();
  C sum(0);
  if (l < min(n, sum_lanes)) {
    sum = values[l];
    for (int k = l + sum_lanes; k < n; k += sum_lanes) sum = sum + values[k];
  }
  if (l < sum_lanes) lanes[l] = sum;
  __syncthreads();
  for (int half = sum_lanes / 2; half >= 32; half /= 2) {
    if (l < half) lanes[l] = lanes[l] + lanes[l + half];
    __syncthreads();
  }
  if (l >= 32) return;
  sum = lanes[l];
  for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  if (l == 0) partial[blockIdx.x] = sum;
}

}  // namespace kernels

/// The sums of chunked rows, into A.longer.products.
template <class Sum, class T>
void sum_chunked_rows(const Cuda& on, const SparseRows<T>& A, const T* x) {
  const LongRows<T>& longer = A.longer;
  if (longer.chunked_rows == 0) return;
  kernels::launch<kernels::row_pieces_kernel<Sum, T>>(on, static_cast<unsigned>(longer.pieces),
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

/// of(i, row i of A x) for all rows.
template <class Sum, class T, class Of>
void for_rows_of(const Cuda& on, const SlicedRows<T>& A, const T* x, const Of& of) {
  sum_chunked_rows<Sum>(on, A, x);
  const auto blocks = [](std::int64_t threads) {
    return static_cast<int>((threads + kernels::slice_threads - 1) / kernels::slice_threads);
  };
  const int slices = blocks(A.nx);
  const int all = slices + blocks(std::int64_t{A.longer.count} * row_lanes);
  kernels::launch<kernels::sliced_rows_kernel<Sum, T, Of>>(
      on, static_cast<unsigned>(all), kernels::slice_threads, 0, A, x, slices, of);
}

/// *result = the sum of of(i, row i of A x); long ones must be summed.
template <class Sum, class T, class Of, class C>
void sum_rows_of(const Cuda& on, const SlicedRows<T>& A, const T* x, const Of& of, C* result) {
  require_scratch(on, A.unknowns, sizeof(C));
  const int chunks = sum_chunks(A.nx);
  C* const partial = chunks == 1 ? result : static_cast<C*>(on.scratch());
  kernels::launch<kernels::sum_sliced_rows_kernel<Sum, T, Of, C>>(
      on, static_cast<unsigned>(chunks), kernels::chunk_threads, 0, A, x, of, partial);
  if (chunks > 1) sum_chunk_sums(on, A.unknowns, result);
}

}  // namespace ninefold
