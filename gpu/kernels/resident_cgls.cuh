#pragma once
// Iterations of CGLS in one kernel that stays on a CUDA device, where a fit is small: the starts of
// kernels would take most of the time (gpu/operations/cgls_iteration.hpp).
//
// Method.  Each block has a chunk of rows, whose r and q stay in registers, a part of x, likewise,
// and all of p and s in shared memory.  An iteration waits twice for all blocks: for the chunk sums
// of (q, q), beside which r and q lie in pairs, and for s = c + A'(r - alpha q), which gathers
// these.  Scalars are computed by each block for itself, from the same values.
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

/// What a block has beside p and s.
template <class C>
struct ResidentBlock {
  static constexpr int most_chunks = 8;  ///< of s
  static constexpr int side_by_side = resident_threads / sum_lanes;
  C values[sum_chunk], lanes[resident_threads];
  C sums[side_by_side], of_chunks[most_chunks];
  TwoSums<C> gradient;
  CgState<C> state;
};

/// Entries that a thread reads at once: all of a usual row, as far as registers hold them.
template <class T>
using OfResident = Reading<(sizeof(T) > 8    ? 3
                            : sizeof(T) == 8 ? 7
                                             : 10),
                           true>;

/// Bytes of a block, whose vectors have n values.
template <class T>
std::size_t resident_bytes(int n) {
  const std::size_t block = (sizeof(ResidentBlock<Arithmetic<T>>) + 15) / 16 * 16;
  return block + 2 * sizeof(T) * static_cast<std::size_t>(n);
}

/// The sums of sequences of at most a chunk's values, each by 256 threads of the block: read(k) is
/// value k of n of the thread's own.  They are in block.sums, where all see them.
template <class C, class Read>
__device__ void sum_side_by_side(int n, const Read& read, ResidentBlock<C>& block) {
  const int thread = static_cast<int>(threadIdx.x), l = thread % sum_lanes;
  C* const own = block.lanes + (thread - l);
  C sum(0);
  if (l < n) {
    sum = read(l);
    for (int k = l + sum_lanes; k < n; k += sum_lanes) sum = sum + read(k);
  }
  own[l] = sum;
  __syncthreads();
  for (int half = sum_lanes / 2; half >= 32; half /= 2) {
    if (l < half) own[l] = own[l] + own[l + half];
    __syncthreads();
  }
  if (l < 32) {
    sum = own[l];
    for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
    if (l == 0) block.sums[thread / sum_lanes] = sum;
  }
  __syncthreads();
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

/// (s, s), into block.gradient.
template <class T>
__device__ void sum_gradient(int n, const T* s, ResidentBlock<Arithmetic<T>>& block) {
  using C = Arithmetic<T>;
  constexpr int side_by_side = ResidentBlock<C>::side_by_side;
  const int thread = static_cast<int>(threadIdx.x), chunks = (n + sum_chunk - 1) / sum_chunk;
  for (int chunk = 0; chunk < chunks; chunk += side_by_side) {
    const int first = (chunk + thread / sum_lanes) * sum_chunk;
    const auto square = [&](int k) { return C(s[first + k]) * C(s[first + k]); };
    sum_side_by_side(max(0, min(sum_chunk, n - first)), square, block);
    if (thread < min(side_by_side, chunks - chunk)) {
      block.of_chunks[chunk + thread] = block.sums[thread];
    }
    __syncthreads();
  }
  if (chunks > 1) {
    const auto of_chunk = [&](int k) { return block.of_chunks[k]; };
    sum_side_by_side(thread < sum_lanes ? chunks : 0, of_chunk, block);
  }
  if (thread == 0) block.gradient = {chunks > 1 ? block.sums[0] : block.of_chunks[0], C(0)};
}

/// s = c + A'r: a warp for each slice, without its long rows, and for each laned row.
template <class T>
__device__ void gradient_rows(const SlicedRows<T>& transposed, const CglsSystem<T>& of,
                              const SteppedPairs<T>& r) {
  using Sum = TermSum<OperatorForm::plain, Arithmetic<T>>;
  const StoreGradient<T> store{of.bounds, of.c, of.s.data};
  const LongRows<T>& longer = transposed.longer;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % slice_rows;
  const int slices = (transposed.nx + slice_rows - 1) / slice_rows;
  const int blocks = static_cast<int>(gridDim.x), warps = blocks * (resident_threads / slice_rows);
  // Neighbouring units go to different blocks, which are all to have as many.
  int unit = thread / slice_rows * blocks + static_cast<int>(blockIdx.x);
  for (; unit < slices + longer.count; unit += warps) {
    if (unit < slices) {
      const int k = unit * slice_rows + lane;
      const int i = k / sorted_rows * sorted_rows + transposed.places[k];
      if (i < transposed.nx && position_of(longer, i) < 0) {
        store(i,
              row_of_slice<Sum, T, SteppedPairs<T>, OfResident<T>>(transposed, r, unit, lane, i));
      }
    } else {
      const int k = unit - slices;
      const Arithmetic<T> sum =
          laned_row<Sum, T, SteppedPairs<T>, OfResident<T>>(transposed, r, k, lane);
      const int i = longer.rows[k];
      if (lane == 0) store(i, Sum::finished(sum, transposed, i, own_of<Sum>(transposed, r, i)));
    }
  }
}

/// Up to so many iterations; `chunk_sums` are as many as A has chunks of rows.
template <class T>
__global__ void __launch_bounds__(resident_threads)
    resident_cgls_kernel(const SlicedRows<T> A, const SlicedRows<T> transposed,
                         const __grid_constant__ CglsSystem<T> of, int iterations,
                         Arithmetic<T>* chunk_sums) {
  using C = Arithmetic<T>;
  using Sum = TermSum<OperatorForm::plain, C>;
  wait_for_kernels_before();
  extern __shared__ __align__(16) unsigned char memory[];
  auto& block = *reinterpret_cast<ResidentBlock<C>*>(memory);
  const int m = A.nx, n = transposed.nx, chunks = (m + sum_chunk - 1) / sum_chunk;
  T* const p = reinterpret_cast<T*>(memory + (sizeof(block) + 15) / 16 * 16);
  T* const s = p + n;
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * sum_chunk, k = first + thread;
  const bool has_chunk = static_cast<int>(blockIdx.x) < chunks;

  if (thread == 0) block.state = *of.state;
  for (int j = thread; j < n; j += resident_threads) p[j] = of.p.data[j];
  const int place =
      has_chunk && k < (m + slice_rows - 1) / slice_rows * slice_rows ? A.places[k] : sum_chunk;
  const int i = first + place;
  const bool has_row = place < sum_chunk && i < m, has_unknown = k < n;
  T r = has_row ? of.r.data[i] : T(0), q = T(0), x = has_unknown ? of.x.data[k] : T(0);
  __syncthreads();
  if (!block.state.active) return;

  GridBarrier all(&of.sums->finished);
  for (int iteration = 0; iteration < iterations && block.state.active; ++iteration) {
    if (has_row) {
      q = T(row_of_slice<Sum, T, const T*, OfResident<T>>(A, p, k / slice_rows, k % slice_rows, i));
      block.values[place] = C(q) * C(q);
      of.places.pairs[i] = {r, q};
    }
    __syncthreads();
    if (has_chunk) {
      const int rows = thread < sum_lanes ? min(sum_chunk, m - first) : 0;
      sum_side_by_side(
          rows, [&](int l) { return block.values[l]; }, block);
      if (thread == 0) chunk_sums[blockIdx.x] = block.sums[0];
    }
    all.wait();
    if (chunks > 1) {
      sum_side_by_side(
          thread < sum_lanes ? chunks : 0, [&](int l) { return chunk_sums[l]; }, block);
    }
    if (thread == 0) {
      block.state.pq = chunks > 1 ? block.sums[0] : *chunk_sums;
      CgAlpha<C>{&block.state}(0);
    }
    __syncthreads();
    const C alpha = block.state.alpha;
    gradient_rows(transposed, of, SteppedPairs<T>{of.places.pairs, alpha});
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
  kernels::launch_together<kernels::resident_cgls_kernel<T>>(
      on, blocks, kernels::resident_threads, bytes, A, transposed, of, iterations,
      static_cast<Arithmetic<T>*>(on.scratch()));
  return true;
}

}  // namespace ninefold
