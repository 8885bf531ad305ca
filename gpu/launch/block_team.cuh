#pragma once
// The threads of one block as a team; see gpu/launch/team.hpp.

#include "precision/host_device.hpp"

namespace ninefold {

namespace kernels {

/// Of a block whose threads are whole warps.
struct WarpTeam {
  HOST_DEVICE static int index() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x) % warpSize;
#else
    return 0;
#endif
  }
  HOST_DEVICE static int size() {
    return 32;
  }
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
    return index() / Group::size();
  }
  HOST_DEVICE static int groups() {
    return size() / Group::size();
  }
};

}  // namespace kernels

}  // namespace ninefold
