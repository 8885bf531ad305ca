#pragma once
// How kernels are started: each may be put on the device while the one before it still runs.
//
// A launch takes longer than a kernel on a small grid.  From sm_90 on a kernel first lets its
// successor start (programmatic dependent launch; a programmatic edge in a recorded graph) and then
// waits until the kernel before it has ended and what that wrote can be seen.  It touches memory
// only after this wait, and ends only after it: hence when a kernel goes on, *all* work given
// before it is done.  Copies and memsets of the stream wait for the end of a kernel as always.
//
// Reference.  CUDA Programming Guide, "Programmatic Dependent Launch and Synchronization".
// Tests.      tests/gpu/device/coarse_cycle_test.cpp, tests/gpu/device/same_bits_test.cpp

#include <cstddef>

#include "gpu/backend/device.cuh"

namespace ninefold {

namespace kernels {

/// The first call of every kernel that `launch` starts, by all of its threads.
__device__ inline void begin_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Starts a kernel that begins with begin_kernel().
template <auto kernel, class... Arguments>
void launch(const Cuda& on, dim3 blocks, int threads, std::size_t shared_bytes,
            const Arguments&... arguments) {
  on.use();
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = blocks;
  configuration.blockDim = dim3(static_cast<unsigned>(threads));
  configuration.dynamicSmemBytes = shared_bytes;
  configuration.stream = stream_of(on);
  configuration.attrs = &overlap;
  configuration.numAttrs = on.may_overlap(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
  const cudaError_t status = cudaLaunchKernelEx(&configuration, kernel, arguments...);
  if (status != cudaSuccess) cudaGetLastError();  // or a later call would report it again
  check_cuda(status, "cudaLaunchKernelEx");
}

}  // namespace kernels

}  // namespace ninefold
