#pragma once
// What is made of cuSPARSE's answers.

#include <stdexcept>
#include <string>

#include <cusparse.h>

#include "gpu/backend/device.cuh"

namespace ninefold::peers {

/// Throws std::runtime_error, with the call and cuSPARSE's words, unless it has succeeded.
inline void check(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  cudaGetLastError();  // or a later call would report it again
  throw std::runtime_error(std::string(call) + ": " + cusparseGetErrorString(status));
}

}  // namespace ninefold::peers
