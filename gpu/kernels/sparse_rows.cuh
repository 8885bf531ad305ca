#pragma once
// The launch primitives of sparse rows on a CUDA device; gpu/launch/sparse_rows_host.hpp on hosts.
//
// A thread has a row of a slice, or two neighbours, and writes it to its place: rows are sorted
// within chunks of 1024 alone, so that what a chunk writes meets in the cache.  Where rows are
// summed, a block has a chunk, and puts them in their order in shared memory.
//
// Of long rows a warp has a laned one, after all slices or, where rows are summed, before them; a
// block has a chunk of the others, in kernels of their own before all.
//
// Alignment.  Two neighbours are read at once: arrays begin at multiples of 256 bytes, slices at
// multiples of 32 values and columns, and pairs at even lanes.

#include <cstdint>
#include <type_traits>
#include <utility>

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

/// `rows` values that follow each other, read at once and for the last time: caches are left to x.
template <int rows, class V>
__device__ void read_last(const V* from, V (&value)[rows]) {
  constexpr std::size_t bytes = sizeof(value);
  using Word = std::conditional_t<
      bytes == 2, unsigned short,
      std::conditional_t<bytes == 4, unsigned, std::conditional_t<bytes == 8, uint2, uint4>>>;
  static_assert(sizeof(Word) == bytes);
  const Word word = __ldcs(reinterpret_cast<const Word*>(from));
  memcpy(value, &word, bytes);
}

/// What the values of x are compared with in row i; x is a pointer or, where a sum has no use of
/// them, anything else that has values by their columns.
template <class Sum, class T, class X>
__device__ OwnOf<Sum, T> own_of(const SparseRows<T>& A, const X& x, int i) {
  if constexpr (Sum::needs_here) {
    return OwnOf<Sum, T>(A, x, i);
  } else {
    return {};
  }
}

/// x as a kernel reads it, which may be what has been read of it before.
template <class T>
__device__ const T* opened(const T* x) {
  return x;
}

/// How entries are read: so many at once, and of the last batch those that are there or, the last
/// one again, as many as of others.
template <int of_batch, bool again>
struct Reading {
  static constexpr int batch = of_batch;
  static constexpr bool reads_again = again;
};

/// The sums of n > 0 entries of each of `rows` neighbouring lanes, one after the other: the k-th
/// ones lie at k stride, their columns count from column_0 on.  A batch of entries is read before
/// the first is used, and all of x that they meet: a lane waits twice for a batch.  Several
/// lanes read the last entries again, which takes fewer registers.
template <class Sum, int rows, class Reading, int stride, class V, class Column, class T,
          class X = const T*>
class LaneSums {
 public:
  using Own = OwnOf<Sum, T>;

  __device__ LaneSums(const V* values, const Column* columns, int column_0, int n, const X& x,
                      const Own (&own)[rows])
      : values_(values), columns_(columns), x_(x), own_(own), column_0_(column_0), n_(n) {
    if constexpr (Reading::reads_again) {
      add<true, false>(0);
#pragma unroll 1
      for (int k = batch; k < n; k += batch) add<false, false>(k);
    } else if (n < batch) {
      add<true, false>(0);
    } else {
      add<true, true>(0);
      int k = batch;
#pragma unroll 1
      for (; k + batch <= n; k += batch) add<false, true>(k);
      if (k < n) add<false, false>(k);
    }
  }

  __device__ Sum& of(int row) {
    return sums_[row];
  }

 private:
  using C = Arithmetic<T>;
  static constexpr int batch = Reading::batch;

  /// The entries of a batch from the k-th on, all of them or as many as are left.
  template <bool is_first, bool is_whole>
  __device__ void add(int k) {
    constexpr bool reads_all = is_whole || Reading::reads_again;
    V a[batch][rows];
    Column j[batch][rows];
    T x[batch][rows];
#pragma unroll
    for (int e = 0; e < batch; ++e) {
      if (!reads_all && k + e >= n_) break;
      const int at = (is_whole ? k + e : min(k + e, n_ - 1)) * stride;
      read_last(values_ + at, a[e]);
      read_last(columns_ + at, j[e]);
    }
#pragma unroll
    for (int e = 0; e < batch; ++e) {
      if (!reads_all && k + e >= n_) break;
#pragma unroll
      for (int row = 0; row < rows; ++row) x[e][row] = x_[column_0_ + j[e][row]];
    }
#pragma unroll
    for (int e = 0; e < batch; ++e) {
      const bool is_there = is_whole || k + e < n_;
      if (!reads_all && !is_there) break;
#pragma unroll
      for (int row = 0; row < rows; ++row) {
        const C entry = held_value<C>(a[e][row]), value = C(x[e][row]);
        const C here = own_[row].at(column_0_ + j[e][row]);
        if (is_first && e == 0) {
          sums_[row] = Sum(entry, value, here);
        } else if (is_there) {  // no way out of the loop, or reads would wait behind it
          sums_[row].add(entry, value, here);
        }
      }
    }
  }

  const V* values_;
  const Column* columns_;
  X x_;
  const Own (&own_)[rows];
  int column_0_, n_;
  Sum sums_[rows];
};

/// The batch of a lane alone: the best of 2 to 8 on an H200.  Two lanes take as many entries as
/// rows have on a grid in space.
template <class T>
using OfLane = Reading<(sizeof(T) > 8 ? 4 : 6), false>;
using OfPair = Reading<7, true>;

/// The sum of n > 0 terms, this being lane l of `lanes`.
template <class Sum, int lanes, class Reading, class T, class X>
__device__ Arithmetic<T> sum_of_lane(const T* values, const std::int32_t* columns, int n,
                                     const X& x, const OwnOf<Sum, T>& own, int l) {
  if (l >= n) return Arithmetic<T>(0);
  const OwnOf<Sum, T> of_lane[]{own};
  return LaneSums<Sum, 1, Reading, lanes, T, std::int32_t, T, X>(
             values + l, columns + l, 0, (n - l + lanes - 1) / lanes, x, of_lane)
      .of(0)
      .value();
}

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

/// The last round of a sum, and what follows from it.
template <class C, class Then>
__global__ void __launch_bounds__(sum_lanes)
    sum_values_then_kernel(int n, const C* values, C* result, const Then then) {
  begin_kernel();
  C sum = sum_values_of_lane(values, n);  // no more than one block's part
  sum = sum_lanes_of_block(sum);
  if (threadIdx.x != 0) return;
  *result = sum;
  then(0);
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

/// use(row, what it is of A x) for each of `rows` neighbouring lanes, whose rows of A are i.
template <class Sum, int rows, class Reading, class T, class X, class V, class Column, class Use>
__device__ void for_chains(const SlicedRows<T>& A, const V* values, const Column* columns,
                           const Slice& slice, const X& x, const int (&i)[rows], const Use& use) {
  OwnOf<Sum, T> own[rows];
#pragma unroll
  for (int row = 0; row < rows; ++row) own[row] = own_of<Sum>(A, x, i[row]);
  if (slice.width == 0) {
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      use(row, Sum::finished(Arithmetic<T>(0), A, i[row], own[row]));
    }
    return;
  }
  LaneSums<Sum, rows, Reading, slice_rows, V, Column, T, X> sums(
      values, columns, max(slice.column_0, 0), slice.width, x, own);
#pragma unroll
  for (int row = 0; row < rows; ++row) use(row, sums.of(row).finish(A, i[row], own[row]));
}

/// Row i of A x, which is the row of lane `lane` of slice s.
template <class Sum, class T, class X, class Reading = OfLane<T>>
__device__ Arithmetic<T> row_of_slice(const SlicedRows<T>& A, const X& x, int s, int lane, int i) {
  if (const int position = position_of(A.longer, i); position >= 0) {
    return Sum::finished(A.longer.products[position], A, i, own_of<Sum>(A, x, i));
  }
  const Slice slice = A.slices[s];
  const std::uint16_t* const columns = A.columns + slice.columns;
  Arithmetic<T> value;
  A.values.visit([&](const auto* held) {
    const auto* const values = held + slice.values + lane;
    const auto take = [&](int, const Arithmetic<T>& row) { value = row; };
    if (slice.column_0 >= 0) {
      for_chains<Sum, 1, Reading>(A, values, columns + lane, slice, x, {i}, take);
    } else {
      for_chains<Sum, 1, Reading>(A, values, reinterpret_cast<const std::int32_t*>(columns) + lane,
                                  slice, x, {i}, take);
    }
  });
  return value;
}

inline constexpr int slice_threads = 128, pair_threads = 64;

/// of(i, row i of A x) for the rows of a block, where there are no long ones: a thread has two.
template <class Sum, class T, class Of>
__device__ void pairs_of_rows(const SlicedRows<T>& A, const T* x, int block, const Of& of) {
  const int k = 2 * (block * pair_threads + static_cast<int>(threadIdx.x));
  const int s = k / slice_rows, lane = k % slice_rows;
  if (s * slice_rows >= A.nx) return;
  const Slice slice = A.slices[s];
  const std::uint16_t* const columns = A.columns + slice.columns;
  const int first = k / sorted_rows * sorted_rows;
  const int i[]{first + A.places[k], first + A.places[k + 1]};
  // Lanes without a row have entries like all others, and are rows of no number.
  const int numbers[]{min(i[0], A.nx - 1), min(i[1], A.nx - 1)};
  const auto write = [&](int row, const Arithmetic<T>& value) {
    if (i[row] < A.nx) of(i[row], value);
  };
  A.values.visit([&](const auto* held) {
    const auto* const values = held + slice.values + lane;
    if (slice.column_0 >= 0) {
      for_chains<Sum, 2, OfPair>(A, values, columns + lane, slice, x, numbers, write);
    } else {
      for_chains<Sum, 2, OfPair>(A, values, reinterpret_cast<const std::int32_t*>(columns) + lane,
                                 slice, x, numbers, write);
    }
  });
}

template <class Sum, class T, class Of>
__global__ void __launch_bounds__(pair_threads)
    pairs_of_rows_kernel(const SlicedRows<T> A, const T* x, const Of of) {
  begin_kernel();
  pairs_of_rows<Sum>(A, x, static_cast<int>(blockIdx.x), of);
}

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

/// Rows from which on a thread takes two, where those that follow each other meet the same x: half
/// the threads have all that is to be read under way.  Elsewhere each row's wait is its own.
inline constexpr int fewest_paired_rows = 1 << 18;

/// Whether a thread takes two rows.
template <class T>
bool takes_pairs(const SlicedRows<T>& A) {
  return sizeof(T) <= 8 && A.is_near && A.longer.count == 0 && A.nx >= fewest_paired_rows;
}

/// Blocks of so many threads.
inline int blocks_of(std::int64_t threads, int of_block) {
  return static_cast<int>((threads + of_block - 1) / of_block);
}
inline int pair_blocks(int rows) {
  return blocks_of((std::int64_t{rows} + 1) / 2, kernels::pair_threads);
}

/// of(i, row i of A x) for all rows.
template <class Sum, class T, class Of>
void for_rows_of(const Cuda& on, const SlicedRows<T>& A, const T* x, const Of& of) {
  const auto blocks = [](std::int64_t threads) {
    return blocks_of(threads, kernels::slice_threads);
  };
  if constexpr (sizeof(T) <= 8) {
    if (takes_pairs(A)) {
      const int pairs = pair_blocks(A.nx);
      kernels::launch<kernels::pairs_of_rows_kernel<Sum, T, Of>>(
          on, static_cast<unsigned>(pairs), kernels::pair_threads, 0, A, x, of);
      return;
    }
  }
  sum_chunked_rows<Sum>(on, A, x);
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
  const bool is_all = chunks == 1 && on.part() == nullptr;
  C* const partial = is_all ? result : own_chunk_sums<C>(on);
  kernels::launch<kernels::sum_sliced_rows_kernel<Sum, T, Of, C>>(
      on, static_cast<unsigned>(chunks), kernels::chunk_threads, 0, A, x, of, partial);
  if (!is_all) sum_chunk_sums(on, A.unknowns, result);
}

/// *result = the sum of f(i, 0) for the values of a vector, and then(0).
template <class F, class C, class Then>
void sum_nodes_then(const Cuda& on, const Extent& extent, const F& f, C* result, const Then& then) {
  int n = chunk_sums(summed_extent(on, extent));
  if (n == 1) {
    sum_nodes(on, extent, f, result);
    return for_each(on, 1, then);
  }
  require_scratch(on, extent, sizeof(C));
  sum_rows<C>(on, extent, f, 0, extent.box.height());
  gather_chunk_sums<C>(on);
  C* from = static_cast<C*>(on.scratch());
  C* to = from + n;
  for (; n > sum_partial_chunk; n = sum_partial_chunks(n)) {
    kernels::launch<kernels::sum_values_kernel<C>>(on, static_cast<unsigned>(sum_partial_chunks(n)),
                                                   sum_lanes, 0, n, from, to);
    std::swap(from, to);
  }
  kernels::launch<kernels::sum_values_then_kernel<C, Then>>(on, 1, sum_lanes, 0, n, from, result,
                                                            then);
}

}  // namespace ninefold
