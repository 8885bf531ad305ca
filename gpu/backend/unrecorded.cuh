#pragma once
// Calls of the runtime that are no work of a stream, while one's work is recorded.

#include <cuda_runtime.h>

namespace ninefold {

/// As long as it is there, this thread may make calls that a recording would refuse.
class Unrecorded {
 public:
  Unrecorded() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;
  ~Unrecorded() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace ninefold
