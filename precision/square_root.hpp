#pragma once
// The root of a machine number, rounded once on host and device.
//
// Tests.  tests/experiments/measure/number_probe_test.cpp

#include <cmath>

#include "precision/host_device.hpp"

namespace ninefold {

/// The root of x, rounded to nearest even.
HOST_DEVICE inline float square_root(float x) {
#ifdef __CUDA_ARCH__
  return __fsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

/// The root of x, rounded to nearest even.
HOST_DEVICE inline double square_root(double x) {
#ifdef __CUDA_ARCH__
  return __dsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

}  // namespace ninefold
