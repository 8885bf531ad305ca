#pragma once
// q = A p with (p, q) in one pass on a CUDA device, where a thread has two rows: q and p are then
// not read a second time, a tenth of what an iteration of conjugate gradients moves.
//
// Method.  The chunk sums of (p, q) take values in the order of rows, while rows are sorted within
// their chunk.  The blocks of a chunk are a cluster: each puts its products into the shared memory
// of the first one and is done; only the first waits, for the others, and sums the chunk.
// (Elsewhere each chunk would have to wait for its slowest row.)
//
// Sums.  In their one order (gpu/backend/summation.hpp).
//
// Tests.  tests/gpu/device/sparse_same_bits_test.cpp

#include <cooperative_groups.h>

#include "gpu/kernels/sparse_rows.cuh"

namespace ninefold {

namespace kernels {

inline constexpr int chunk_blocks = sorted_rows / (2 * pair_threads);
static_assert(chunk_blocks * 2 * pair_threads == sorted_rows && chunk_blocks <= 8);

/// The sum of at most a chunk's values, in thread 0 of 64, each of which has four lanes.
template <class C>
__device__ C sum_by_pair_block(const C* values, int n) {
  static_assert(4 * pair_threads == sum_lanes && pair_threads == 64);
  const int t = static_cast<int>(threadIdx.x);
  const auto lane = [&](int l) {
    C sum(0);
    if (l < n) {
      sum = values[l];
      for (int k = l + sum_lanes; k < n; k += sum_lanes) sum = sum + values[k];
    }
    return sum;
  };
  C sum = (lane(t) + lane(t + 128)) + (lane(t + 64) + lane(t + 192));
  __shared__ C upper[32];
  if (t >= 32) upper[t - 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = sum + upper[t];
    for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  }
  return sum;
}

template <class Sum, class T, class C>
__global__ void __launch_bounds__(pair_threads)
    pairs_of_rows_dot_kernel(const SlicedRows<T> A, const T* x, const T* p, T* q, C* partial) {
#if __CUDA_ARCH__ >= 900
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();
  begin_kernel();
  __shared__ C values[sorted_rows];  // of a chunk, in the first block
  C* const of_chunk = cluster.map_shared_rank(values, 0);
  cluster.barrier_wait();  // all blocks have begun
  pairs_of_rows<Sum>(A, x, static_cast<int>(blockIdx.x), [&](int i, const C& row) {
    const T value = T(row);
    q[i] = value;
    of_chunk[i % sorted_rows] = C(p[i]) * C(value);
  });
  cluster.barrier_arrive();
  if (cluster.block_rank() != 0) return;
  cluster.barrier_wait();
  const int chunk = static_cast<int>(blockIdx.x) / chunk_blocks;
  const C sum = sum_by_pair_block(values, min(sorted_rows, A.nx - chunk * sorted_rows));
  if (threadIdx.x == 0) partial[chunk] = sum;
#endif
}

}  // namespace kernels

/// q = A p and *result = (p, q), x being p with what else A meets of it; or false where two passes
/// do it.
template <class Sum, class T, class C>
bool dot_of_pairs(const Cuda& on, const SlicedRows<T>& A, const T* x, const T* p, T* q, C* result) {
  if constexpr (sizeof(T) <= 8) {
    constexpr auto kernel = kernels::pairs_of_rows_dot_kernel<Sum, T, C>;
    const auto* const address = reinterpret_cast<const void*>(kernel);
    if (!takes_pairs(A) || on.architecture_of(address) < 90) return false;
    require_scratch(on, A.unknowns, sizeof(C));
    kernels::launch_clusters<kernel>(
        on, static_cast<unsigned>(sum_chunks(A.nx) * kernels::chunk_blocks), kernels::chunk_blocks,
        kernels::pair_threads, 0, A, x, p, q, own_chunk_sums<C>(on));
    sum_chunk_sums(on, A.unknowns, result);
    return true;
  } else {
    return false;
  }
}

}  // namespace ninefold
