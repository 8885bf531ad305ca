#include <vector>

#include "gpu/backend/device.cuh"
#include "gpu/backend/vector.hpp"

#include "experiments/measure/probe/number_judge.hpp"
#include "experiments/measure/probe/number_repetition.hpp"

namespace ninefold {

namespace kernels {

inline constexpr int probe_threads = 256;
inline constexpr int survey_blocks = 4096;

template <PairOperation operation, class F>
__global__ void __launch_bounds__(probe_threads)
    apply_kernel(int n, const PairOperands<F>* operands, ProbedWords* result) {
  const int k = static_cast<int>(blockIdx.x) * probe_threads + static_cast<int>(threadIdx.x);
  if (k < n) result[k] = applied<operation>(operands[k]);
}

template <PairOperation operation, class F>
__global__ void __launch_bounds__(probe_threads)
    survey_kernel(std::uint64_t seed, std::uint64_t first, std::uint64_t count, Survey* parts) {
  // Plain memory, since shared variables have no constructors.
  __shared__ alignas(Survey) unsigned char memory[probe_threads * sizeof(Survey)];
  Survey* const of_thread = reinterpret_cast<Survey*>(memory);
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * probe_threads;
  Survey survey;
  for (std::uint64_t k = static_cast<std::uint64_t>(blockIdx.x) * probe_threads + threadIdx.x;
       k < count; k += stride) {
    survey_sample<operation, F>(survey, seed, first + k);
  }
  of_thread[threadIdx.x] = survey;
  __syncthreads();
  for (unsigned half = probe_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) merge(of_thread[threadIdx.x], of_thread[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = of_thread[0];
}

template <TimedOperation operation, class T>
__global__ void __launch_bounds__(probe_threads) repeat_kernel(Repetition repetition, T* result) {
  const int k = static_cast<int>(blockIdx.x) * probe_threads + static_cast<int>(threadIdx.x);
  if (k >= repetition.workers) return;
  const RepetitionOperands<T> with(k / 8);
  T x[Repetition::chains];
#pragma unroll
  for (int c = 0; c < Repetition::chains; ++c) {
    x[c] = with.start((k % 8) * Repetition::chains + c);
  }
#pragma unroll 8
  for (int step = 0; step < repetition.steps; ++step) {
#pragma unroll
    for (int c = 0; c < Repetition::chains; ++c) {
      x[c] = timed<operation>(x[c], with.factor, with.summand);
    }
  }
  T sum = x[0];
#pragma unroll
  for (int c = 1; c < Repetition::chains; ++c) sum = sum + x[c];
  result[k] = sum;
}

}  // namespace kernels

template <Backend B, Word F>
void apply(const B& on, PairOperation operation, int n, const PairOperands<F>* operands,
           ProbedWords* result) {
  if (n == 0) return;
  const int blocks = (n + kernels::probe_threads - 1) / kernels::probe_threads;
  with_operation(operation, [&]<PairOperation which>() {
    kernels::apply_kernel<which, F>
        <<<blocks, kernels::probe_threads, 0, stream_of(on)>>>(n, operands, result);
  });
  NINEFOLD_CHECK_CUDA(cudaGetLastError());
}

template <Backend B, Word F>
Survey survey(const B& on, PairOperation operation, std::uint64_t seed, std::uint64_t first,
              std::uint64_t count) {
  require_surveyed(operation);
  const Array<B, Survey> parts(on, kernels::survey_blocks);
  with_operation(operation, [&]<PairOperation which>() {
    if constexpr (facts_of(which).surveyed) {
      kernels::survey_kernel<which, F>
          <<<kernels::survey_blocks, kernels::probe_threads, 0, stream_of(on)>>>(seed, first, count,
                                                                                 parts.data());
    }
  });
  NINEFOLD_CHECK_CUDA(cudaGetLastError());
  std::vector<Survey> found(kernels::survey_blocks);
  on.read(found.data(), parts.data(), found.size() * sizeof(Survey));
  Survey all;
  for (const Survey& part : found) merge(all, part);
  return all;
}

template <Backend B, Computable T>
void repeat(const B& on, TimedOperation operation, const Repetition& repetition, T* result) {
  require_timed<T>(operation);
  const int blocks = (repetition.workers + kernels::probe_threads - 1) / kernels::probe_threads;
  with_timed<T>(operation, [&]<TimedOperation which>() {
    kernels::repeat_kernel<which, T>
        <<<blocks, kernels::probe_threads, 0, stream_of(on)>>>(repetition, result);
  });
  NINEFOLD_CHECK_CUDA(cudaGetLastError());
}

NINEFOLD_INSTANTIATE_PROBE(Cuda, float);
NINEFOLD_INSTANTIATE_PROBE(Cuda, double);

}  // namespace ninefold
