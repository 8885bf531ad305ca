#pragma once
// The only way to contract: fused(a, b, c) = a b + c with one rounding.
//
// Rounding.  Both compilers are told never to contract `a * b + c` on their own (the target
// ninefold_rounding), so what is written is what is computed, on host and device alike.

#include <cmath>

#include "precision/host_device.hpp"

namespace ninefold {

/// a b + c, rounded once to nearest even.
HOST_DEVICE inline float fused(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

/// a b + c, rounded once to nearest even.
HOST_DEVICE inline double fused(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

}  // namespace ninefold
