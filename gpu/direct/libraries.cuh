#pragma once
// Calls of CUDA's libraries as their headers declare them: NINEFOLD_CUBLAS(cublasCreate) is that
// function, found when it is called.

#include <stdexcept>
#include <string>

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "gpu/backend/device.cuh"
#include "gpu/direct/libraries.hpp"

namespace ninefold {

// In two steps: headers replace names, cublasDgemm by cublasDgemm_v2.
#define NINEFOLD_FIND(library, version, function) \
  reinterpret_cast<decltype(&function)>(          \
      ::ninefold::find_function(::ninefold::CudaLibrary::library, version, #function))
#define NINEFOLD_CUBLAS(function) NINEFOLD_FIND_CUBLAS(function)
#define NINEFOLD_FIND_CUBLAS(function) NINEFOLD_FIND(cublas, CUBLAS_VER_MAJOR, function)
#define NINEFOLD_CUSOLVER(function) NINEFOLD_FIND(cusolver, CUSOLVER_VER_MAJOR, function)

/// Throws std::runtime_error with the call's text unless a library's status is success, zero in all
/// of them.
template <class Status>
void check_library(Status status, const char* call) {
  if (static_cast<int>(status) != 0) {
    throw std::runtime_error(std::string(call) + " failed with status "
                             + std::to_string(static_cast<int>(status)));
  }
}

}  // namespace ninefold
