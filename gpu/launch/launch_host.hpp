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
#include "gpu/launch/climbing.hpp"

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

/// The columns that climb side by side, so that what they share stays in the nearest cache, and the
/// rows that they climb.
inline constexpr int climb_columns = 256;
inline constexpr int climb_rows = 64;

/// A functor whose rows may be climbed, at the nodes of a box no wider than climb_columns.
template <class F>
void climb_box(const Box& box, const F& f) {
  using T = typename decltype(F::A)::Value;
  using C = Arithmetic<T>;
  C below[climb_columns], here[climb_columns], flow[climb_columns];
  const auto around = [&](int i, int j) { return ThreeNodes<C>::around(f.x.row(j) + i); };
  NodeFactors<C> y = f.A.y[box.j0];
#pragma omp simd
  for (int i = box.i0; i < box.i1; ++i) {
    const FactoredColumn<C> column = FactoredForm::column(
        FactoredEntries<T>{f.A.x[i], y, f.A.reaction}, around(i, box.j0 - 1), around(i, box.j0));
    below[i - box.i0] = column.below;
    here[i - box.i0] = column.here;
    flow[i - box.i0] = column.flow;
  }
  for (int j = box.j0; j < box.j1; ++j) {
    y = f.A.y[j];
#pragma omp simd
    for (int i = box.i0; i < box.i1; ++i) {
      const int k = i - box.i0;
      const FactoredEntries<T> row{f.A.x[i], y, f.A.reaction};
      FactoredColumn<C> column{below[k], here[k], flow[k]};
      const C product = FactoredForm::climb(row, around(i, j), around(i, j + 1), column);
      f.finish(i, j, f.read(i, j),
               {product, FactoredForm::diagonal_in<Leading<T>>(row), C(f.x(i, j))});
      below[k] = column.below;
      here[k] = column.here;
      flow[k] = column.flow;
    }
  }
}

template <class F>
void climb(const Box& box, const F& f) {
  const int pieces = (box.width() + climb_columns - 1) / climb_columns;
  const int blocks = (box.height() + climb_rows - 1) / climb_rows;
  const bool parallel = std::int64_t{box.width()} * box.height() > serial_nodes;
#pragma omp parallel for collapse(2) if (parallel)
  for (int block = 0; block < blocks; ++block) {
    for (int piece = 0; piece < pieces; ++piece) {
      const int i = box.i0 + piece * climb_columns, j = box.j0 + block * climb_rows;
      climb_box({i, std::min(i + climb_columns, box.i1), j, std::min(j + climb_rows, box.j1)}, f);
    }
  }
}

/// f(i, j) for the values of an extent.
template <class F>
void for_nodes(const Host& on, const Extent& extent, const F& f) {
  if (on.only_counts()) return;
  const Box& box = extent.box;
  if constexpr (Climbing<F>) {
    climb(box, f);
  } else {
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
