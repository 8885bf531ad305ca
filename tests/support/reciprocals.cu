#include <stdexcept>
#include <string>

#include "gpu/kernels/quotients.cuh"

#include "tests/support/reciprocals.hpp"

namespace ninefold::testing {
namespace {

constexpr unsigned mantissas = 1U << 23, threads = 256;

__global__ void count_differing(unsigned exponent, unsigned long long* count) {
  const unsigned mantissa = blockIdx.x * threads + threadIdx.x;
  const float d = __uint_as_float((exponent + 127U) << 23 | mantissa);
  const bool differs = __float_as_uint(kernels::reciprocal(d)) != __float_as_uint(1.0F / d);
  if (differs || !kernels::has_plain_inverse(d)) atomicAdd(count, 1ULL);
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

}  // namespace

std::int64_t differing_reciprocals(int exponent) {
  unsigned long long *on_device = nullptr, count = 0;
  check(cudaMalloc(&on_device, sizeof count));
  check(cudaMemset(on_device, 0, sizeof count));
  count_differing<<<mantissas / threads, threads>>>(static_cast<unsigned>(exponent), on_device);
  check(cudaGetLastError());
  check(cudaMemcpy(&count, on_device, sizeof count, cudaMemcpyDeviceToHost));
  check(cudaFree(on_device));
  return static_cast<std::int64_t>(count);
}

}  // namespace ninefold::testing
