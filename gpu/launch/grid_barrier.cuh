#pragma once
// Kernels whose blocks wait for each other: all of them are on the device at once.
//
// Method.  A count of arrivals in global memory: a block fences what it has written, counts, and
// waits until as many have arrived as there are blocks, times the waits so far.  The fence behind
// the wait makes its first cache forget what others may have written, so that plain reads see it.
//
// Reference.  CUDA Programming Guide, "Cooperative Groups", whose launch is what keeps all blocks
// on the device, also in recorded graphs.
// Tests.      tests/gpu/device/least_squares_same_bits_test.cpp

#include <cstddef>

#include "gpu/backend/device.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold::kernels {

/// What the blocks of a kernel count that launch_together() has started; zero before and after.
class GridBarrier {
 public:
  __device__ explicit GridBarrier(unsigned* arrived) : arrived_(arrived) {}

  /// Until all blocks have come here; by all threads.
  __device__ void wait() {
    __syncthreads();
    if (threadIdx.x == 0) {
      all_ += gridDim.x;
      __threadfence();
      atomicAdd(arrived_, 1u);
      while (*static_cast<volatile unsigned*>(arrived_) < all_) {
      }
      __threadfence();
    }
    __syncthreads();
  }

  /// After the last wait(), by one thread of each block: the one that comes last sets the count
  /// back, when all others have seen it.
  __device__ void leave() {
    if (atomicAdd(arrived_, 1u) == all_ + gridDim.x - 1) *arrived_ = 0;
  }

 private:
  unsigned* arrived_;
  unsigned all_ = 0;
};

/// The blocks of one for each multiprocessor, or 0 where the device does not keep them together.
inline int blocks_together(const Cuda& on) {
  int multiprocessors = 0, is_possible = 0;
  on.use();
  NINEFOLD_CHECK_CUDA(
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, on.device()));
  NINEFOLD_CHECK_CUDA(
      cudaDeviceGetAttribute(&is_possible, cudaDevAttrCooperativeLaunch, on.device()));
  return is_possible != 0 ? multiprocessors : 0;
}

/// Starts a kernel whose blocks, one for each multiprocessor, wait for each other.
template <auto kernel, class... Arguments>
void launch_together(const Cuda& on, int blocks, int threads, std::size_t shared_bytes,
                     const Arguments&... arguments) {
  on.use();
  on.allow_shared_memory(reinterpret_cast<const void*>(kernel));
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>(blocks));
  configuration.blockDim = dim3(static_cast<unsigned>(threads));
  configuration.dynamicSmemBytes = shared_bytes;
  configuration.stream = stream_of(on);
  configuration.attrs = &together;
  configuration.numAttrs = 1;
  const cudaError_t status = cudaLaunchKernelEx(&configuration, kernel, arguments...);
  if (status != cudaSuccess) cudaGetLastError();  // or a later call would report it again
  check_cuda(status, "cudaLaunchKernelEx");
}

}  // namespace ninefold::kernels
