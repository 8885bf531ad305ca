#include <memory>

#include "gpu/backend/branches.hpp"
#include "gpu/backend/device.cuh"

namespace ninefold {

void follow(const Cuda& later, const Cuda& earlier) {
  const std::shared_ptr<void> mark = earlier.mark();
  later.use();
  NINEFOLD_CHECK_CUDA(cudaStreamWaitEvent(static_cast<cudaStream_t>(later.stream()),
                                          static_cast<cudaEvent_t>(mark.get()), 0));
}

}  // namespace ninefold
