#pragma once
// The one order in which values are added, on every backend and for every number of threads.
//
// Mathematics.  A row of m values is cut into chunks of 1024.  Within a chunk, lane l of 256 adds
// the values l, l + 256, l + 512, l + 768 one after the other; the lanes are then added in a
// halving tree (l and l + 128, then l and l + 64, ...).  The chunk sums, row by row, form one
// sequence, which is cut into chunks of 4096 and summed in the same way, and so on until one value
// is left.
//
// Without a grid.  A vector of n values is summed as one row.  It may be held as several rows whose
// lengths, but for the last one's, are multiples of 1024: the chunks and their order are the same.
//
// Slabs.  The chunk sums of a row need that row alone, and those of row j are the values j c, ...,
// j c + c - 1 of the sequence, c being a row's number of chunks.  Rows may therefore be summed in
// pieces, in any order and by several devices: once all chunk sums lie one after the other, the
// rounds that follow give the bits of the whole.
//
// Rounding.  At most 3 + 8 additions lie between a value and the sum of its chunk, and 15 + 8 in
// each later round: with three rounds the error is at most 57 times that of one addition (u, or
// 3u^2 for pairs) of sum|v|, against n - 1 times one by one.
//
// Why chunks of 1024: a device then works on neighbouring parts of memory at any moment, which
// brings sums with long rows near the rate of a plain copy (0.84 to 1.04 of it on an H200); with
// 4096 they reached 0.64 to 0.97 (results/reference/h200_operations_chunk4096.csv).
//
// Why rows, and not 4096 consecutive nodes: a row's ends are known to the loop, so neither a
// division nor a test for the boundary stands in the inner loop, and hosts vectorise it.
//
// Tests.  tests/gpu/backend/summation_test.cpp, tests/gpu/device/slab_sums_test.cpp

#include <cstddef>

#include "precision/host_device.hpp"

namespace ninefold {

/// A functor in two parts, read(i, j) and write(i, j, what was read): see
/// gpu/launch/launch_cuda.cuh.
template <class F>
concept Batched = requires {
  F::batch;
};

inline constexpr int sum_lanes = 256;
inline constexpr int sum_chunk = 1024;          ///< of the values of a row
inline constexpr int sum_partial_chunk = 4096;  ///< of partial sums

/// The number of chunks that a row of n > 0 values is cut into.
HOST_DEVICE constexpr int sum_chunks(int n) {
  return (n + sum_chunk - 1) / sum_chunk;
}

/// The number of chunks that n > 0 partial sums are cut into.
HOST_DEVICE constexpr int sum_partial_chunks(int n) {
  return (n + sum_partial_chunk - 1) / sum_partial_chunk;
}

/// The partial sums of all rounds for an nx x ny grid.
constexpr std::size_t sum_partials(int nx, int ny) {
  const std::size_t first = static_cast<std::size_t>(sum_chunks(nx)) * static_cast<std::size_t>(ny);
  return first + first / sum_partial_chunk + 2;
}

}  // namespace ninefold
