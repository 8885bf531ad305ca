#pragma once
// How kernels are started: each may be put on the device while the one before it still runs.
//
// A launch takes longer than a kernel on a small grid.  From sm_90 on a kernel first lets its
// successor start (programmatic dependent launch; a programmatic edge in a recorded graph) and then
// waits until the kernel before it has ended and what that wrote can be seen.  Before this wait it
// reads no more than what was copied to the device, or written before the host has waited, factors
// of a matrix for example; and it ends only after it: hence when a kernel goes on, *all* work given
// before it is done. Copies and memsets of the stream wait for the end of a kernel as always.
//
// Reference.  CUDA Programming Guide, "Programmatic Dependent Launch and Synchronization".
// Tests.      tests/gpu/device/coarse_cycle_test.cpp, tests/gpu/device/same_bits_test.cpp

#include <cstddef>

#include "gpu/backend/device.cuh"

namespace ninefold {

namespace kernels {

/// Lets the next kernel start.
__device__ inline void let_next_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
/// Until the kernels before have ended; by all threads.
__device__ inline void wait_for_kernels_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
/// The first call of every kernel that `launch` starts, by all of its threads, if it does not call
/// these two.
__device__ inline void begin_kernel() {
  let_next_start();
  wait_for_kernels_before();
}

/// Starts a kernel that begins as they all do, by clusters of so many blocks (from sm_90 on, if
/// more than one).
template <auto kernel, class... Arguments>
void launch_clusters(const Cuda& on, dim3 blocks, unsigned of_cluster, int threads,
                     std::size_t shared_bytes, const Arguments&... arguments) {
  on.use();
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = blocks;
  configuration.blockDim = dim3(static_cast<unsigned>(threads));
  configuration.dynamicSmemBytes = shared_bytes;
  configuration.stream = stream_of(on);
  configuration.attrs = &attributes[0];
  const auto next = [&]() -> cudaLaunchAttribute& { return attributes[configuration.numAttrs++]; };
  if (on.may_overlap(reinterpret_cast<const void*>(kernel))) {
    cudaLaunchAttribute& overlap = next();
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
  }
  if (of_cluster > 1) {
    cudaLaunchAttribute& cluster = next();
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = of_cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  const cudaError_t status = cudaLaunchKernelEx(&configuration, kernel, arguments...);
  if (status != cudaSuccess) cudaGetLastError();  // or a later call would report it again
  check_cuda(status, "cudaLaunchKernelEx");
}

/// The same by blocks alone.
template <auto kernel, class... Arguments>
void launch(const Cuda& on, dim3 blocks, int threads, std::size_t shared_bytes,
            const Arguments&... arguments) {
  launch_clusters<kernel>(on, blocks, 1, threads, shared_bytes, arguments...);
}

}  // namespace kernels

}  // namespace ninefold
