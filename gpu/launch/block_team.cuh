#pragma once
// The threads of one block as a team; see gpu/launch/team.hpp.

#include <cuda_pipeline.h>

#include "precision/host_device.hpp"

namespace ninefold {

namespace kernels {

/// Of a block whose threads are whole warps.
struct WarpTeam {
  HOST_DEVICE static int index() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x % 32);
#else
    return 0;
#endif
  }
  HOST_DEVICE static constexpr int size() {
    return 32;
  }
  static constexpr int most_turns = 1;  ///< as in OneWorker
  HOST_DEVICE static void wait() {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
};

struct BlockTeam {
  HOST_DEVICE static int index() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x);
#else
    return 0;
#endif
  }
  HOST_DEVICE static int size() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(blockDim.x);
#else
    return 1;
#endif
  }
  HOST_DEVICE static void wait() {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }

  using Group = WarpTeam;
  HOST_DEVICE static int group() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x / 32);
#else
    return 0;
#endif
  }
  HOST_DEVICE static int groups() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(blockDim.x / 32);
#else
    return 1;
#endif
  }

  /// Begins to copy a value from a device's memory to the block's, for which wait_for_copies()
  /// waits before wait().
  template <class V>
  HOST_DEVICE static void copy(V* to, const V* from) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(V) >= 4) {
      __pipeline_memcpy_async(to, from, sizeof(V));
      return;
    }
#endif
    *to = *from;
  }
  HOST_DEVICE static void wait_for_copies() {
#ifdef __CUDA_ARCH__
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
  }
};

}  // namespace kernels

}  // namespace ninefold
