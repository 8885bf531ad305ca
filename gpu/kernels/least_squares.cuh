#pragma once
// A sum and what follows from it in one kernel, for iterations whose kernels are short.
//
// The block that ends last, which it knows from a count, adds the chunk sums of all in their one
// order (gpu/backend/summation.hpp): which one that is changes no bit.

#include "gpu/kernels/sparse_rows.cuh"

namespace ninefold {

namespace kernels {

template <class F, class T, class Then>
__global__ void __launch_bounds__(sum_lanes, sum_blocks<F>())
    sum_nodes_then_kernel(int n, const F f, T* partial, T* result, unsigned* finished,
                          const Then then) {
  begin_kernel();
  const int start = static_cast<int>(blockIdx.x) * sum_chunk, end = min(start + sum_chunk, n);
  T sum = T(0);
  bool first = true;  // as sum_nodes_kernel
  const auto add = [&](T value) {
    sum = first ? value : sum + value;
    first = false;
  };
  for (int i = start + static_cast<int>(threadIdx.x); i < end; i += F::batch * sum_lanes) {
    for_batch(f, i, end, 0, add);
  }
  sum = sum_lanes_of_block(sum);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  sum_rounds_of_block(partial, static_cast<int>(gridDim.x));
  if (threadIdx.x != 0) return;
  *result = partial[0];
  *finished = 0;
  then(0);
}

}  // namespace kernels

/// *result = the sum of f(i, 0) for 0 <= i < n, and then(0); *finished is zero before and after.
template <class F, class T, class Then>
void sum_nodes_then(const Cuda& on, int n, const F& f, T* result, unsigned* finished,
                    const Then& then) {
  if (on.part() != nullptr) {  // what follows waits for the sums of others
    sum_nodes(on, Box{0, n, 0, 1}, f, result);
    return for_each(on, 1, then);
  }
  require_scratch(on, Box{0, n, 0, 1}, sizeof(T));
  kernels::launch<kernels::sum_nodes_then_kernel<F, T, Then>>(
      on, static_cast<unsigned>(sum_chunks(n)), sum_lanes, 0, n, f, static_cast<T*>(on.scratch()),
      result, finished, then);
}

}  // namespace ninefold
