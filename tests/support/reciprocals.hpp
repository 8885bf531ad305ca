#pragma once
// Counts that a CUDA device makes of what a host cannot call.

#include <cstdint>

namespace ninefold::testing {

/// Of all numbers 2^exponent m in single, 1 <= m < 2, those whose reciprocal(), which is
/// gpu/kernels/quotients.cuh's, has not the bits of 1 / d.  Throws std::runtime_error if the device
/// fails.
std::int64_t differing_reciprocals(int exponent);

}  // namespace ninefold::testing
