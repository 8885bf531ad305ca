#pragma once
// Iterations of CGLS in one kernel that stays on a CUDA device, where a fit is small: the starts of
// kernels would take most of the time (gpu/operations/cgls_iteration.hpp).
//
// Method.  Each block has a chunk of rows, whose r and q stay in registers, a part of x, likewise,
// and all of p and s in shared memory, where its entries of both matrices stay, too, as far as it
// holds them: then nothing of a row waits for the second-level cache but, of A', what is gathered.
// An iteration waits twice for all blocks: for the chunk sums of (q, q), beside which r and q lie
// in pairs, and for s = c + A'(r - alpha q), which gathers these.  Scalars are computed by each
// block for itself, from the same values, and sums by one warp, which waits for no other.
//
// Sums.  In their one order (gpu/backend/summation.hpp).
//
// Tests.  tests/gpu/device/least_squares_same_bits_test.cpp

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/kernels/least_squares.cuh"
#include "gpu/launch/grid_barrier.cuh"
#include "gpu/meaning/generic_cgls_iteration.hpp"

namespace ninefold {

namespace kernels {

inline constexpr int resident_threads = 1024;
static_assert(resident_threads == sorted_rows && resident_threads == sum_chunk);

inline constexpr int resident_warps = resident_threads / 32;

/// What a block has beside p, s and entries.
template <class C>
struct ResidentBlock {
  static constexpr int most_chunks = 8;  ///< of s
  C squares[sum_chunk], of_chunks[most_chunks];
  TwoSums<C> gradient;
  CgState<C> state;
  /// Of A, where the block keeps its entries: values and columns count from the block's first.
  Slice slices[resident_warps];
  int values, columns;       ///< in the block's memory: of these entries, or -1
  int rows[resident_warps];  ///< of the laned row of A' that a warp keeps, or -1
};

/// Entries that a thread reads at once: all of a usual row, as far as registers hold them.
template <class T, bool is_kept = false>
using OfResident = Reading<(sizeof(T) > 8    ? 3
                            : sizeof(T) == 8 ? 7
                                             : 10),
                           true, is_kept>;

/// The next multiple of 16, to which what lies in shared memory is aligned.
__host__ __device__ constexpr int aligned(int bytes) {
  return (bytes + 15) / 16 * 16;
}

/// Bytes of a block, whose vectors have n values.
template <class T>
std::size_t resident_bytes(int n) {
  const std::size_t block = aligned(sizeof(ResidentBlock<Arithmetic<T>>));
  return block + 2 * static_cast<std::size_t>(aligned(n * static_cast<int>(sizeof(T))));
}

/// The sum of n <= sum_chunk values read(k) by one warp, in its lane 0: lane l of 32 does the work
/// of lanes l, l + 32, ... of the one order of sums.
template <class C, class Read>
__device__ C sum_by_warp(int n, const Read& read) {
  constexpr int of_lane = sum_lanes / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  C sums[of_lane];
#pragma unroll
  for (int e = 0; e < of_lane; ++e) {
    const int l = lane + 32 * e;
    sums[e] = l < n ? C(read(l)) : C(0);
    for (int k = l + sum_lanes; k < n; k += sum_lanes) sums[e] = sums[e] + read(k);
  }
#pragma unroll
  for (int half = of_lane / 2; half > 0; half /= 2) {
    for (int e = 0; e < half; ++e) sums[e] = sums[e] + sums[e + half];
  }
  C sum = sums[0];
  for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  return sum;
}

/// r - alpha q by its rows.
template <class T>
struct SteppedPairs {
  const BesideEachOther<T>* pairs;
  Arithmetic<T> alpha;
  __device__ T operator[](int k) const {
    const BesideEachOther<T> pair = pairs[k];
    return T(fused(-alpha, pair.q, pair.r));
  }
};

/// (s, s) into block.gradient, in thread 0 alone.
template <class T>
__device__ void sum_gradient(int n, const T* s, ResidentBlock<Arithmetic<T>>& block) {
  using C = Arithmetic<T>;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int chunks = (n + sum_chunk - 1) / sum_chunk, first = warp * sum_chunk;
  if (warp < chunks) {
    const C sum = sum_by_warp<C>(min(sum_chunk, n - first),
                                 [&](int k) { return C(s[first + k]) * C(s[first + k]); });
    if (thread % 32 == 0) block.of_chunks[warp] = sum;
  }
  __syncthreads();
  if (warp > 0) return;
  const C all = chunks == 1 ? block.of_chunks[0]
                            : sum_by_warp<C>(chunks, [&](int k) { return block.of_chunks[k]; });
  if (thread == 0) block.gradient = {all, C(0)};
}

/// So many bytes, a multiple of 16, as places are, by all threads of a block.
__device__ inline void copy_to_block(const void* from, void* to, int bytes) {
  for (int k = static_cast<int>(threadIdx.x); 16 * k < bytes; k += resident_threads) {
    static_cast<uint4*>(to)[k] = static_cast<const uint4*>(from)[k];
  }
}

/// What a block keeps lies in its memory, which begins with what it has: functions of both return
/// where what they have kept ends.

/// Keeps the entries of the slices of A that a block has, so many from the first one on, if there
/// is room; by all its threads.
template <class T>
__device__ int keep_slices(const SlicedRows<T>& A, int first, int slices, unsigned char* memory,
                           int from, int end, ResidentBlock<Arithmetic<T>>& block) {
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) block.values = -1;
  if (slices <= 0) return from;
  const Slice begin = A.slices[first], last = A.slices[first + slices - 1];
  const std::int64_t width = std::int64_t{last.width} * slice_rows;
  const std::int64_t values = last.values + width - begin.values;
  const std::int64_t columns = last.columns + width * (last.column_0 >= 0 ? 1 : 2) - begin.columns;
  int to = from;
  A.values.visit([&]<class V>(const V* held) {
    const std::int64_t of_values = values * std::int64_t{sizeof(V)}, of_columns = 2 * columns;
    if (from + of_values + of_columns > end) return;
    to = from + static_cast<int>(of_values);
    copy_to_block(held + begin.values, memory + from, static_cast<int>(of_values));
    copy_to_block(A.columns + begin.columns, memory + to, static_cast<int>(of_columns));
    if (thread == 0) {
      block.values = from;
      block.columns = to;
    }
    to += static_cast<int>(of_columns);
    if (thread >= slices) return;
    Slice slice = A.slices[first + thread];
    slice.values -= begin.values;
    slice.columns -= begin.columns;
    block.slices[thread] = slice;
  });
  return to;
}

/// Row i of A x, of this lane of a warp's slice, from what is kept.
template <class Sum, class T>
__device__ Arithmetic<T> kept_row_of_slice(const SlicedRows<T>& A, const T* x,
                                           const unsigned char* memory,
                                           const ResidentBlock<Arithmetic<T>>& block, int i) {
  const int lane = static_cast<int>(threadIdx.x) % slice_rows;
  const Slice& slice = block.slices[threadIdx.x / slice_rows];
  const auto* const columns =
      reinterpret_cast<const std::uint16_t*>(memory + block.columns) + slice.columns;
  Arithmetic<T> value;
  const auto take = [&](int, const Arithmetic<T>& sum) { value = sum; };
  A.values.visit([&]<class V>(const V*) {
    const V* const values = reinterpret_cast<const V*>(memory + block.values) + slice.values + lane;
    if (slice.column_0 >= 0) {
      for_chains<Sum, 1, OfResident<T, true>>(A, values, columns + lane, slice, x, {i}, take);
    } else {
      for_chains<Sum, 1, OfResident<T, true>>(
          A, values, reinterpret_cast<const std::int32_t*>(columns) + lane, slice, x, {i}, take);
    }
  });
  return value;
}

// The rows of A' that warps have, in units: slices, without their long rows, and then laned rows.
// Neighbouring units go to different blocks, which are all to have as many.

__device__ inline int first_unit() {
  return static_cast<int>(threadIdx.x / 32 * gridDim.x + blockIdx.x);
}
template <class T>
__device__ int slices_of(const SlicedRows<T>& rows) {
  return (rows.nx + slice_rows - 1) / slice_rows;
}
/// Bytes of the columns of a row that is kept, before its values.
__device__ inline int bytes_of_columns(int n) {
  return aligned(4 * n);
}

/// Keeps the first laned rows of all warps of a block, if there is room; by all its threads.
template <class T>
__device__ int keep_laned_rows(const SlicedRows<T>& transposed, unsigned char* memory, int from,
                               int end, ResidentBlock<Arithmetic<T>>& block) {
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const LongRows<T>& longer = transposed.longer;
  const int k = first_unit() - slices_of(transposed);
  const bool is_laned = k >= 0 && k < longer.count;
  const int n = is_laned ? longer.lengths[k] : 0;
  const int bytes = bytes_of_columns(n) + aligned(n * static_cast<int>(sizeof(T)));
  if (lane == 0) block.rows[warp] = bytes;
  __syncthreads();
  int place = from, to = from;
  for (int w = 0; w < resident_warps; ++w) {
    place += w < warp ? block.rows[w] : 0;
    to += block.rows[w];
  }
  __syncthreads();
  const bool is_kept = is_laned && to <= end;
  if (lane == 0) block.rows[warp] = is_kept ? place : -1;
  if (is_kept) {
    auto* const columns = reinterpret_cast<std::int32_t*>(memory + place);
    auto* const values = reinterpret_cast<T*>(memory + place + bytes_of_columns(n));
    for (int e = lane; e < n; e += 32) {
      columns[e] = longer.columns[longer.starts[k] + e];
      values[e] = longer.values[longer.starts[k] + e];
    }
  }
  return to <= end ? to : from;
}

/// s = c + A'r.
template <class T>
__device__ void gradient_rows(const SlicedRows<T>& transposed, const CglsSystem<T>& of,
                              const SteppedPairs<T>& r, const unsigned char* memory,
                              const ResidentBlock<Arithmetic<T>>& block) {
  using Sum = TermSum<OperatorForm::plain, Arithmetic<T>>;
  const StoreGradient<T> store{of.bounds, of.c, of.s.data};
  const LongRows<T>& longer = transposed.longer;
  const int lane = static_cast<int>(threadIdx.x) % 32, slices = slices_of(transposed);
  for (int unit = first_unit(); unit < slices + longer.count;
       unit += static_cast<int>(gridDim.x) * resident_warps) {
    if (unit < slices) {
      const int k = unit * slice_rows + lane;
      const int i = k / sorted_rows * sorted_rows + transposed.places[k];
      if (i < transposed.nx && position_of(longer, i) < 0) {
        store(i,
              row_of_slice<Sum, T, SteppedPairs<T>, OfResident<T>>(transposed, r, unit, lane, i));
      }
      continue;
    }
    const int k = unit - slices;
    const int kept = unit == first_unit() ? block.rows[threadIdx.x / 32] : -1;
    Arithmetic<T> sum;
    if (kept >= 0) {
      const int n = longer.lengths[k];
      sum = sum_of_lane<Sum, row_lanes, OfResident<T, true>>(
          reinterpret_cast<const T*>(memory + kept + bytes_of_columns(n)),
          reinterpret_cast<const std::int32_t*>(memory + kept), n, r, OwnOf<Sum, T>{}, lane);
      for (int half = row_lanes / 2; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
    } else {
      sum = laned_row<Sum, T, SteppedPairs<T>, OfResident<T>>(transposed, r, k, lane);
    }
    const int i = longer.rows[k];
    if (lane == 0) store(i, Sum::finished(sum, transposed, i, own_of<Sum>(transposed, r, i)));
  }
}

/// Up to so many iterations; `chunk_sums` are as many as A has chunks of rows, and a block has
/// `shared_bytes` of memory.
template <class T>
__global__ void __launch_bounds__(resident_threads)
    resident_cgls_kernel(const SlicedRows<T> A, const SlicedRows<T> transposed,
                         const __grid_constant__ CglsSystem<T> of, int iterations,
                         Arithmetic<T>* chunk_sums, int shared_bytes) {
  using C = Arithmetic<T>;
  using Sum = TermSum<OperatorForm::plain, C>;
  wait_for_kernels_before();
  extern __shared__ __align__(16) unsigned char memory[];
  auto& block = *reinterpret_cast<ResidentBlock<C>*>(memory);
  const int m = A.nx, n = transposed.nx, chunks = (m + sum_chunk - 1) / sum_chunk;
  const int of_vector = aligned(n * static_cast<int>(sizeof(T)));
  const int vectors = aligned(sizeof(block));
  T* const p = reinterpret_cast<T*>(memory + vectors);
  T* const s = reinterpret_cast<T*>(memory + vectors + of_vector);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int first = static_cast<int>(blockIdx.x) * sum_chunk, k = first + thread;
  const bool has_chunk = static_cast<int>(blockIdx.x) < chunks;

  if (thread == 0) block.state = *of.state;
  for (int j = thread; j < n; j += resident_threads) p[j] = of.p.data[j];
  const int place_of_row =
      has_chunk && k < (m + slice_rows - 1) / slice_rows * slice_rows ? A.places[k] : sum_chunk;
  const int i = first + place_of_row;
  const bool has_row = place_of_row < sum_chunk && i < m, has_unknown = k < n;
  T r = has_row ? of.r.data[i] : T(0), q = T(0), x = has_unknown ? of.x.data[k] : T(0);
  __syncthreads();
  if (!block.state.active) return;

  const int kept =
      keep_laned_rows(transposed, memory, vectors + 2 * of_vector, shared_bytes, block);
  const int slices = (min(m - first, sum_chunk) + slice_rows - 1) / slice_rows;
  keep_slices(A, first / slice_rows, slices, memory, kept, shared_bytes, block);
  __syncthreads();

  GridBarrier all(&of.sums->finished);
  for (int iteration = 0; iteration < iterations && block.state.active; ++iteration) {
    if (has_row) {
      q = T(block.values >= 0 ? kept_row_of_slice<Sum>(A, p, memory, block, i)
                              : row_of_slice<Sum, T, const T*, OfResident<T>>(A, p, k / slice_rows,
                                                                              k % slice_rows, i));
      block.squares[place_of_row] = C(q) * C(q);
      of.places.pairs[i] = {r, q};
    }
    __syncthreads();
    if (has_chunk && warp == 0) {
      const C sum =
          sum_by_warp<C>(min(sum_chunk, m - first), [&](int l) { return block.squares[l]; });
      if (thread == 0) chunk_sums[blockIdx.x] = sum;
    }
    all.wait();
    if (warp == 0) {
      const C sum =
          chunks == 1 ? *chunk_sums : sum_by_warp<C>(chunks, [&](int l) { return chunk_sums[l]; });
      if (thread == 0) {
        block.state.pq = sum;
        CgAlpha<C>{&block.state}(0);
      }
    }
    __syncthreads();
    const C alpha = block.state.alpha;
    gradient_rows(transposed, of, SteppedPairs<T>{of.places.pairs, alpha}, memory, block);
    if (has_row) r = T(fused(-alpha, q, r));
    if (has_unknown) x = T(fused(alpha, p[k], x));
    all.wait();
    for (int j = thread; j < n; j += resident_threads) s[j] = of.s.data[j];
    __syncthreads();
    sum_gradient(n, s, block);
    if (thread == 0) CglsNext<C>{&block.gradient, &block.state}(0);
    __syncthreads();
    if (block.state.active) {
      const C beta = block.state.beta;
      for (int j = thread; j < n; j += resident_threads) p[j] = T(fused(beta, p[j], s[j]));
    }
    __syncthreads();
  }

  if (has_row) {
    of.r.data[i] = r;
    of.q.data[i] = q;
  }
  if (has_unknown) {
    of.x.data[k] = x;
    of.p.data[k] = p[k];
  }
  if (thread != 0) return;
  if (blockIdx.x == 0) {
    *of.state = block.state;
    of.sums->gradient = block.gradient;
  }
  all.leave();
}

/// Bytes of both matrices that stay in a device's second cache, and in whose time no kernel starts.
inline constexpr std::int64_t most_resident_bytes = std::int64_t{32} << 20;

}  // namespace kernels

/// Up to so many iterations of a system, or false where other kernels do them.
template <class T>
bool iterate_in_one_kernel(const Cuda& on, const SlicedRows<T>& A, const SlicedRows<T>& transposed,
                           const CglsSystem<T>& of, int iterations) {
  using Block = kernels::ResidentBlock<Arithmetic<T>>;
  const int blocks = kernels::blocks_together(on), n = transposed.nx;
  const std::size_t bytes = kernels::resident_bytes<T>(n);
  const bool is_small = A.moved_bytes + transposed.moved_bytes <= kernels::most_resident_bytes
                        && sum_chunks(A.nx) <= std::min(blocks, sum_lanes)
                        && sum_chunks(n) <= std::min<int>(blocks, Block::most_chunks)
                        && bytes <= static_cast<std::size_t>(on.shared_memory());
  if (!is_small || of.places.pairs == nullptr || of.bounds.used() || A.longer.count > 0
      || transposed.longer.chunked_rows > 0) {
    return false;
  }
  require_scratch(on, Box{0, A.nx, 0, 1}, sizeof(Arithmetic<T>));
  for (int k = 0; k < iterations; ++k) {  // as the operations that it stands for
    on.count({0, A.moved_bytes + transposed.moved_bytes});
    count(on, Traffic{5, 3}, Box{0, n, 0, 1}, sizeof(T));
    count(on, Traffic{3, 2}, Box{0, A.nx, 0, 1}, sizeof(T));
    if (of.c != nullptr) count(on, Traffic{1, 0}, Box{0, n, 0, 1}, sizeof(T));
  }
  // All that there is, for what a block keeps beside its vectors.
  const int shared_bytes = static_cast<int>(on.shared_memory());
  kernels::launch_together<kernels::resident_cgls_kernel<T>>(
      on, blocks, kernels::resident_threads, static_cast<std::size_t>(shared_bytes), A, transposed,
      of, iterations, static_cast<Arithmetic<T>*>(on.scratch()), shared_bytes);
  return true;
}

}  // namespace ninefold
