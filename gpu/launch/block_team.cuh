#pragma once
// The threads of one block as a team; see gpu/launch/team.hpp.

#include "precision/host_device.hpp"

namespace ninefold {

namespace kernels {

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
};

}  // namespace kernels

}  // namespace ninefold
