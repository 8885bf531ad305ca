#pragma once
// What all CUDA sources share: checked calls and the state behind a Cuda backend.

#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// Throws std::runtime_error, where memory is what lacks OutOfMemory, with the call's text and
/// CUDA's message unless status is success.
inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  const std::string words = std::string(call) + " failed: " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(words);
  throw std::runtime_error(words);
}

#define NINEFOLD_CHECK_CUDA(call) ::ninefold::check_cuda((call), #call)

inline cudaStream_t stream_of(const Cuda& on) {
  return static_cast<cudaStream_t>(on.stream());
}

}  // namespace ninefold
