#pragma once
// The one order in which values are added, on every backend and for every number of threads.
//
// Mathematics.  A row of m values is cut into chunks of 4096.  Within a chunk, lane l of 256 adds
// the values l, l + 256, l + 512, ... one after the other; the lanes are then added in a halving
// tree (l and l + 128, then l and l + 64, ...).  The chunk sums, row by row, form a new row, and so
// on until one value is left.
//
// Rounding.  At most 16 + 8 additions lie between a value and the sum of its chunk, so with L
// rounds of chunks the error is at most (24 L + 1) u sum|v|, against (n - 1) u sum|v| one by one.
//
// Why rows, and not 4096 consecutive nodes: a row's ends are known to the loop, so neither a
// division nor a test for the boundary stands in the inner loop, and hosts vectorise it.
//
// Tests.  tests/gpu/summation_test.cpp, tests/gpu/same_bits_test.cpp

#include <cstddef>

#include "precision/host_device.hpp"

namespace ninefold {

inline constexpr int sum_lanes = 256;
inline constexpr int sum_chunk = 4096;

/// The number of chunks that n > 0 values are cut into.
HOST_DEVICE constexpr int sum_chunks(int n) {
  return (n + sum_chunk - 1) / sum_chunk;
}

}  // namespace ninefold
