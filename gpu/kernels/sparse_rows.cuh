#pragma once
// The launch primitives of sparse rows on a CUDA device; gpu/launch/sparse_rows_host.hpp on hosts.
//
// A thread has a row of a slice, or two neighbours, and writes it to its place: rows are sorted
// within chunks of 1024 alone, so that what a chunk writes meets in the cache.  Where rows are
// summed, a block has a chunk, and puts them in their order in shared memory.
//
// Long rows (gpu/kernels/long_rows.cuh): laned ones come after all slices or, where rows are
// summed, before them; the others before all.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "fem/sparse/row_order.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "gpu/kernels/lane_sums.cuh"
#include "gpu/kernels/long_rows.cuh"
#include "gpu/launch/launch_cuda.cuh"

namespace ninefold {

static_assert(sorted_rows == sum_chunk);

namespace kernels {

/// use(columns) of neighbouring lanes of a slice, `lane` the first, whose rows of A are i.
template <int rows, class T, class Use>
__device__ void with_columns(const SlicedRows<T>& A, const Slice& slice, int lane,
                             const int (&i)[rows], const Use& use) {
  const std::uint16_t* const columns = A.columns + slice.columns;
  const auto* const wide = reinterpret_cast<const std::int32_t*>(columns);
  if (slice.column_0 >= 0) {
    use(OwnColumns<std::uint16_t, rows, slice_rows>{columns + lane, slice.column_0});
  } else if (slice.column_0 == wide_columns) {
    use(OwnColumns<std::int32_t, rows, slice_rows>{wide + lane, 0});
  } else {
    DiagonalColumns<rows> diagonals{wide, {}};
#pragma unroll
    for (int row = 0; row < rows; ++row) diagonals.base[row] = i[row];
    if (A.together > 1) {  // of few entries a division for each row would show
#pragma unroll
      for (int row = 0; row < rows; ++row) diagonals.base[row] = offset_base(A, i[row]);
    }
    use(diagonals);
  }
}

/// use(row, what it is of A x) for each of `rows` neighbouring lanes, whose rows of A are i.
template <class Sum, int rows, class Reading, class T, class X, class V, class Columns, class Use>
__device__ void for_chains(const SlicedRows<T>& A, const V* values, const Columns& columns,
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
  LaneSums<Sum, rows, Reading, slice_rows, V, Columns, T, X> sums(values, columns, slice.width, x,
                                                                  own);
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
  const int rows[]{i};
  Arithmetic<T> value;
  A.values.visit([&](const auto* held) {
    with_columns(A, slice, lane, rows, [&](const auto& columns) {
      for_chains<Sum, 1, Reading>(A, held + slice.values + lane, columns, slice, x, rows,
                                  [&](int, const Arithmetic<T>& row) { value = row; });
    });
  });
  return value;
}

inline constexpr int slice_threads = 128;

/// Of blocks whose threads have so many rows.
template <int rows>
inline constexpr int near_threads = rows == 2 ? 64 : 128;

/// of(i, row i of A x) for the rows of a block, where there are no long ones: a thread has `rows`,
/// neighbours.
template <class Sum, int rows, class T, class Of>
__device__ void near_rows(const SlicedRows<T>& A, const T* x, int block, const Of& of) {
  using Reading = std::conditional_t<rows == 2, OfPair, OfNear>;
  const int k = rows * (block * near_threads<rows> + static_cast<int>(threadIdx.x));
  const int s = k / slice_rows, lane = k % slice_rows;
  if (s * slice_rows >= A.nx) return;
  const Slice slice = A.slices[s];
  const int first = k / sorted_rows * sorted_rows;
  // Lanes without a row have entries like all others, and are rows of no number.
  int i[rows], numbers[rows];
#pragma unroll
  for (int row = 0; row < rows; ++row) {
    i[row] = first + A.places[k + row];
    numbers[row] = min(i[row], A.nx - 1);
  }
  const auto write = [&](int row, const Arithmetic<T>& value) {
    if (i[row] < A.nx) of(i[row], value);
  };
  A.values.visit([&](const auto* held) {
    with_columns(A, slice, lane, numbers, [&](const auto& columns) {
      for_chains<Sum, rows, Reading>(A, held + slice.values + lane, columns, slice, x, numbers,
                                     write);
    });
  });
}

template <class Sum, int rows, class T, class Of>
__global__ void __launch_bounds__(near_threads<rows>)
    near_rows_kernel(const SlicedRows<T> A, const T* x, const Of of) {
  begin_kernel();
  near_rows<Sum, rows>(A, x, static_cast<int>(blockIdx.x), of);
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

}  // namespace kernels

/// Rows from which on those that follow each other, and meet the same x, have kernels of their own:
/// half the threads have all that is to be read under way.  Elsewhere each row's wait is its own.
inline constexpr int fewest_near_rows = 1 << 18;

template <class T>
bool has_near_rows(const SlicedRows<T>& A) {
  return sizeof(T) <= 8 && A.is_near && A.longer.count == 0 && A.nx >= fewest_near_rows;
}

/// use(how many rows a thread has, a constant).
template <class T, class Use>
void with_rows_of_thread(const SlicedRows<T>& A, const Use& use) {
  if (A.suits_pairs) return use(std::integral_constant<int, 2>{});
  use(std::integral_constant<int, 1>{});
}

/// Blocks of so many threads.
inline int blocks_of(std::int64_t threads, int of_block) {
  return static_cast<int>((threads + of_block - 1) / of_block);
}
template <int rows>
int near_blocks(int nx) {
  return blocks_of((std::int64_t{nx} + rows - 1) / rows, kernels::near_threads<rows>);
}

/// of(i, row i of A x) for all rows.
template <class Sum, class T, class Of>
void for_rows_of(const Cuda& on, const SlicedRows<T>& A, const T* x, const Of& of) {
  const auto blocks = [](std::int64_t threads) {
    return blocks_of(threads, kernels::slice_threads);
  };
  if constexpr (sizeof(T) <= 8) {
    if (has_near_rows(A)) {
      return with_rows_of_thread(A, [&](auto rows) {
        kernels::launch<kernels::near_rows_kernel<Sum, rows(), T, Of>>(
            on, static_cast<unsigned>(near_blocks<rows()>(A.nx)), kernels::near_threads<rows()>, 0,
            A, x, of);
      });
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
