#pragma once
// The launch primitives on the host: plain loops, shared among OpenMP threads.
//
// The workers of one call are independent of each other, which `omp simd` tells the compiler; it
// does not allow it to reorder the arithmetic inside one worker.
//
// On a Host that only counts they return at once.

#include <algorithm>
#include <cstddef>

#include "grids/field.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/summation.hpp"

namespace ninefold {

/// Below this many nodes a loop runs on one thread: starting a team costs more.
inline constexpr int serial_nodes = 4096;

/// f(k) for 0 <= k < n.
template <class F>
void for_each(const Host& on, int n, const F& f) {
  if (on.only_counts()) return;
#pragma omp parallel for simd if (n > serial_nodes)
  for (int k = 0; k < n; ++k) f(k);
}

/// f at one node, also of a functor in two parts.
template <class F>
auto call_at(const F& f, int i, int j) {
  if constexpr (Batched<F>) {
    return f.write(i, j, f.read(i, j));
  } else {
    return f(i, j);
  }
}

/// Of a row that is longer, threads take such pieces.
inline constexpr int row_piece = 16 * sum_chunk;

/// f(i, j) for the values of an extent.
template <class F>
void for_nodes(const Host& on, const Extent& extent, const F& f) {
  if (on.only_counts()) return;
  const Box& box = extent.box;
  const int pieces = (box.width() + row_piece - 1) / row_piece;
  const bool parallel = extent.values() > serial_nodes;
#pragma omp parallel for collapse(2) if (parallel)
  for (int row = 0; row < box.height(); ++row) {
    for (int piece = 0; piece < pieces; ++piece) {
      const int j = box.j0 + row, first = box.i0 + piece * row_piece;
      const int last = std::min(first + row_piece, box.i0 + extent.width(row));
#pragma omp simd
      for (int i = first; i < last; ++i) call_at(f, i, j);
    }
  }
}

/// The sum of one chunk of values, value(k) with 0 <= k < n, in the order of
/// gpu/backend/summation.hpp.
template <class T, class Value>
T sum_of_chunk(int n, const Value& value) {
  T lane[sum_lanes];
  const int first = std::min(n, sum_lanes);
#pragma omp simd
  for (int l = 0; l < first; ++l) lane[l] = value(l);
  for (int l = first; l < sum_lanes; ++l) lane[l] = T(0);
  for (int start = sum_lanes; start < n; start += sum_lanes) {
    const int count = std::min(n - start, sum_lanes);
#pragma omp simd
    for (int l = 0; l < count; ++l) lane[l] = lane[l] + value(start + l);
  }
  for (int half = sum_lanes / 2; half > 0; half /= 2) {
#pragma omp simd
    for (int l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
  }
  return lane[0];
}

/// The first round of a sum, for the rows first <= row < last of the extent, counted from its own
/// first: one value per chunk of a row, in the backend's scratch, where all rows have their places.
template <class T, class F>
void sum_rows(const Host& on, const Extent& extent, const F& f, int first, int last) {
  require_scratch(on, extent, sizeof(T));
  if (on.only_counts()) return;
  const Box& box = extent.box;
  const int chunks = sum_chunks(box.width());
  T* const partial = static_cast<T*>(on.scratch());
  const bool parallel = extent.rows(first, last).values() > serial_nodes;
#pragma omp parallel for collapse(2) if (parallel)
  for (int row = first; row < last; ++row) {
    for (int c = 0; c < chunks; ++c) {
      const int i = box.i0 + c * sum_chunk, j = box.j0 + row;
      const int n = std::min(sum_chunk, extent.width(row) - c * sum_chunk);
      if (n <= 0) continue;  // of a last row that is shorter
      partial[row * chunks + c] = sum_of_chunk<T>(n, [&](int k) { return call_at(f, i + k, j); });
    }
  }
}

/// The later rounds, when the chunk sums of all rows are there.
template <class T>
void sum_chunk_sums(const Host& on, const Extent& extent, T* result) {
  if (on.only_counts()) return;
  T* partial = static_cast<T*>(on.scratch());
  int n = chunk_sums(extent);
  while (n > 1) {
    // Chunk c reads at and behind c * sum_partial_chunk and writes at c: a sum in place is safe.
    const int partial_chunks = sum_partial_chunks(n);
    for (int c = 0; c < partial_chunks; ++c) {
      const T* values = partial + c * sum_partial_chunk;
      partial[c] = sum_of_chunk<T>(std::min(sum_partial_chunk, n - c * sum_partial_chunk),
                                   [&](int k) { return values[k]; });
    }
    n = partial_chunks;
  }
  *result = partial[0];
}

/// *result = sum of f(i, j) over the values of an extent that is not empty; f may also write to its
/// node.
template <class F, class T>
void sum_nodes(const Host& on, const Extent& extent, const F& f, T* result) {
  sum_rows<T>(on, extent, f, 0, extent.box.height());
  sum_chunk_sums(on, extent, result);
}

}  // namespace ninefold
