#pragma once
// Calls of the runtime that are no work of a stream, and a stream whose work is recorded.

#include <cuda_runtime.h>

#include "gpu/backend/device.cuh"

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

/// Waits for a stream's work; or returns false, where that is recorded.
inline bool end_unless_recorded(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  NINEFOLD_CHECK_CUDA(cudaStreamIsCapturing(stream, &status));
  if (status != cudaStreamCaptureStatusNone) return false;
  NINEFOLD_CHECK_CUDA(cudaStreamSynchronize(stream));
  return true;
}

}  // namespace ninefold
