// Stands in for gpu/backend/cuda.cu in builds without CUDA.

#include "gpu/backend/backend.hpp"
#include "gpu/backend/cuda_devices.hpp"
#include "gpu/backend/pass_sizes.hpp"
#include "gpu/backend/ranks_by_host.hpp"

namespace ninefold {

CudaDescription describe_cuda(int) {
  CudaDescription none;
  none.reason = "this build has no CUDA (nvcc was not found, or NINEFOLD_CUDA is OFF)";
  return none;
}

void keep_pass_sizes(KeptPassSizes) {}

int multiprocessors_of(int) {
  return 0;
}

int count_cuda_devices() {
  return 0;
}

bool devices_reach_each_other(int) {
  return false;
}

}  // namespace ninefold
