#pragma once
// Why a CUDA device cannot be used, as one line for who asked for it.
//
// It needs no CUDA, so that it is tested where there is none.
//
// Tests.  tests/gpu/backend/cuda_reason_test.cpp

#include <string>
#include <vector>

namespace ninefold {

/// What keeps a build from using a device.
enum class CudaProblem {
  no_device,
  old_driver,  ///< for this runtime, or to compile the build's PTX; or there is none
  no_code,     ///< of the build runs on the device
  other,
};

/// What is known of both when that shows; versions as CUDA gives them, 12040 for 12.4.
struct CudaFacts {
  int driver = 0, runtime = 0;     ///< a driver of 0: none is installed
  std::string name;                ///< of the device
  int capability = 0;              ///< 75 for 7.5
  std::vector<int> architectures;  ///< of the build, as 750 for 7.5
  std::string message;             ///< CUDA's own
};

/// Why, and what helps, in one line.
std::string cuda_reason(CudaProblem problem, const CudaFacts& facts);

/// 12040 as "12.4".
std::string cuda_version(int version);

}  // namespace ninefold
