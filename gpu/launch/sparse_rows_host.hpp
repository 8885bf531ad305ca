#pragma once
// The launch primitives of sparse rows on the host; gpu/kernels/sparse_rows.cuh on a device.
//
// The 32 rows of a slice are summed side by side: a chain alone would wait for each of its terms.

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

#include "fem/sparse/row_order.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "gpu/launch/launch_host.hpp"
#include "gpu/operations/sparse_operations.hpp"

namespace ninefold {

static_assert(row_chunk == sum_chunk && chunked_lanes == sum_lanes && sorted_rows == sum_chunk);

/// Sums that are begun one after the other, by assignment: nothing is set before.
template <class Sum, int count>
class BegunSums {
  static_assert(std::is_trivially_copyable_v<Sum> && std::is_trivially_destructible_v<Sum>);

 public:
  /// Outside of loops: behind each call nothing is known of what memory holds.
  Sum* first() { return std::launder(reinterpret_cast<Sum*>(memory_)); }

 private:
  alignas(Sum) unsigned char memory_[count * sizeof(Sum)];
};

/// The sum of n > 0 terms by `lanes` lanes, lane l adding the terms l, l + lanes, ...: side by
/// side, as they lie.
template <class Sum, int lanes, class T>
Arithmetic<T> sum_by_lanes(const T* values, const std::int32_t* columns, int n, const T* x,
                           const OwnOf<Sum, T>& own) {
  using C = Arithmetic<T>;
  BegunSums<Sum, lanes> begun_sums;
  Sum* const sum = begun_sums.first();
  const int begun = std::min(n, lanes);
#pragma omp simd
  for (int l = 0; l < begun; ++l) {
    sum[l] = Sum(C(values[l]), C(x[columns[l]]), own.at(columns[l]));
  }
  const auto add = [&](int k, int count) {
#pragma omp simd
    for (int l = 0; l < count; ++l) {
      sum[l].add(C(values[k + l]), C(x[columns[k + l]]), own.at(columns[k + l]));
    }
  };
  int k = lanes;
  for (; k + lanes <= n; k += lanes) add(k, lanes);
  if (k < n) add(k, n - k);
  C lane[lanes];
  for (int l = 0; l < lanes; ++l) lane[l] = l < begun ? sum[l].value() : C(0);
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
  }
  return lane[0];
}

/// The sums of long rows, into A.longer.products.
template <class Sum, class T>
void sum_long_rows(const Host& on, const SparseRows<T>& A, const T* x) {
  using C = Arithmetic<T>;
  const LongRows<T>& longer = A.longer;
  if (on.only_counts() || longer.count == 0) return;
  const auto own = [&](int k) { return OwnOf<Sum, T>(A, x, longer.rows[k]); };
#pragma omp parallel for schedule(dynamic, 16)
  for (int k = 0; k < longer.count; ++k) {
    if (row_class(longer.lengths[k]) != RowClass::laned) continue;
    const std::int64_t first = longer.starts[k];
    longer.products[k] = sum_by_lanes<Sum, row_lanes>(longer.values + first, longer.columns + first,
                                                      longer.lengths[k], x, own(k));
  }
#pragma omp parallel for schedule(dynamic, 4)
  for (int p = 0; p < longer.pieces; ++p) {
    const LongPiece& piece = longer.piece[p];
    longer.piece_sums[p] = sum_by_lanes<Sum, chunked_lanes>(
        longer.values + piece.first, longer.columns + piece.first, piece.count, x, own(piece.row));
  }
  for (int r = 0; r < longer.chunked_rows; ++r) {
    const ChunkedRow& row = longer.chunked[r];
    C* const sums = longer.piece_sums + row.first_piece;
    longer.products[row.row] = sum_in_place(sums, row.pieces);
  }
}

/// True if what a slice's lanes have follows each other: places, and columns of neighbours on a
/// grid.
template <class Index>
bool follow_each_other(const Index* index) {
  int other = 0;
#pragma omp simd reduction(| : other)
  for (int l = 0; l < slice_rows; ++l) {
    other |= static_cast<Index>(index[l] - index[0]) != static_cast<Index>(l);
  }
  return other == 0;
}

/// The values of the rows of chunk c, into values; `held` are all of the matrix.
template <class Sum, class T, class V>
void rows_of_chunk(const SlicedRows<T>& A, const V* held, const T* x, int c,
                   Arithmetic<T>* values) {
  using C = Arithmetic<T>;
  const int first = c * sorted_rows, n = std::min(sorted_rows, A.nx - first);
  const int slices = (n + slice_rows - 1) / slice_rows;
  for (int s = c * (sorted_rows / slice_rows); s < c * (sorted_rows / slice_rows) + slices; ++s) {
    const Slice slice = A.slices[s];
    const std::uint16_t* const places = A.places + std::int64_t{s} * slice_rows;
    const V* const entries = held + slice.values;
    C here[slice_rows], result[slice_rows];
    // Lanes without a row are those of the last chunk's end.
    const auto row = [&](int l) { return std::min(first + places[l], A.nx - 1); };
#pragma omp simd
    for (int l = 0; l < slice_rows; ++l)
      here[l] = Sum::needs_here ? C(x[A.own_column + row(l)]) : C(0);
    const auto own = [&](int l) { return OwnOf<Sum, T>(A, x, row(l)); };
    // Columns count from column_0 on.
    const auto chains = [&](const auto* columns, std::int32_t column_0) {
      const auto column = [&](int k) { return column_0 + std::int32_t{columns[k]}; };
      if (slice.width == 0 || (Sum::needs_here && A.components > 1)) {
        for (int l = 0; l < slice_rows; ++l) {
          result[l] = chain<Sum>(
              A, x, row(l), slice.width, [&](int k) { return entries[k * slice_rows + l]; },
              [&](int k) { return column(k * slice_rows + l); });
        }
        return;
      }
      BegunSums<Sum, slice_rows> begun;
      Sum* const sum = begun.first();
#pragma omp simd
      for (int l = 0; l < slice_rows; ++l) {
        sum[l] = Sum(held_value<C>(entries[l]), C(x[column(l)]), here[l]);
      }
      for (int k = slice_rows; k < slice.width * slice_rows; k += slice_rows) {
        if (follow_each_other(columns + k)) {  // no need to gather x
          const T* const from = x + column(k);
#pragma omp simd
          for (int l = 0; l < slice_rows; ++l) {
            sum[l].add(held_value<C>(entries[k + l]), C(from[l]), here[l]);
          }
        } else {
#pragma omp simd
          for (int l = 0; l < slice_rows; ++l) {
            sum[l].add(held_value<C>(entries[k + l]), C(x[column(k + l)]), here[l]);
          }
        }
      }
#pragma omp simd
      for (int l = 0; l < slice_rows; ++l) result[l] = sum[l].finish(A, row(l), own(l));
    };
    const std::uint16_t* const columns = A.columns + slice.columns;
    if (slice.column_0 >= 0) {
      chains(columns, slice.column_0);
    } else {
      chains(reinterpret_cast<const std::int32_t*>(columns), 0);
    }
    if (places[slice_rows - 1] < n && follow_each_other(places)) {
      std::copy_n(result, slice_rows, values + places[0]);
    } else {
      for (int l = 0; l < slice_rows; ++l) {
        if (places[l] < n) values[places[l]] = result[l];
      }
    }
  }
  if (A.longer.count == 0) return;
  for (int k = 0; k < n; ++k) {
    const int position = A.longer.position[first + k];
    if (position >= 0) values[k] = long_row<Sum>(A, x, first + k, position);
  }
}

/// of(i, row i of A x) for all rows.
template <class Sum, class T, class Of>
void for_rows_of(const Host& on, const SlicedRows<T>& A, const T* x, const Of& of) {
  sum_long_rows<Sum>(on, A, x);
  if (on.only_counts()) return;
  const int chunks = sum_chunks(A.nx);
#pragma omp parallel for if (A.nx > serial_nodes)
  for (int c = 0; c < chunks; ++c) {
    Arithmetic<T> rows[sorted_rows];
    A.values.visit([&](const auto* held) { rows_of_chunk<Sum>(A, held, x, c, rows); });
    const int first = c * sorted_rows, n = std::min(sorted_rows, A.nx - first);
#pragma omp simd
    for (int k = 0; k < n; ++k) of(first + k, rows[k]);
  }
}

/// Of{y}(i, row i of A x) for each column of x and y, chunk by chunk: the matrix is then in the
/// cache for all of them but the first.  There are no long rows.
template <class Sum, class Of, class T>
void for_columns_of(const Host& on, const SlicedRows<T>& A, const Columns<T>& columns) {
  if (on.only_counts()) return;
  const int chunks = sum_chunks(A.nx);
#pragma omp parallel for if (A.nx > serial_nodes)
  for (int c = 0; c < chunks; ++c) {
    Arithmetic<T> rows[sorted_rows];
    const int first = c * sorted_rows, n = std::min(sorted_rows, A.nx - first);
    for (int column = 0; column < columns.count; ++column) {
      A.values.visit(
          [&](const auto* held) { rows_of_chunk<Sum>(A, held, columns.x[column], c, rows); });
      const Of of{columns.y[column]};
#pragma omp simd
      for (int k = 0; k < n; ++k) of(first + k, rows[k]);
    }
  }
}

/// *result = the sum of of(i, row i of A x); long ones must be summed.
template <class Sum, class T, class Of, class C>
void sum_rows_of(const Host& on, const SlicedRows<T>& A, const T* x, const Of& of, C* result) {
  require_scratch(on, A.unknowns, sizeof(C));
  if (on.only_counts()) return;
  const int chunks = sum_chunks(A.nx);
  C* const partial = own_chunk_sums<C>(on);
#pragma omp parallel for if (A.nx > serial_nodes)
  for (int c = 0; c < chunks; ++c) {
    Arithmetic<T> rows[sorted_rows];
    A.values.visit([&](const auto* held) { rows_of_chunk<Sum>(A, held, x, c, rows); });
    const int first = c * sorted_rows, n = std::min(sorted_rows, A.nx - first);
    partial[c] = sum_of_chunk<C>(n, [&](int k) { return of(first + k, rows[k]); });
  }
  sum_chunk_sums(on, A.unknowns, result);
}

/// *result = the sum of f(i, 0) for the values of a vector, and then(0).
template <class F, class C, class Then>
void sum_nodes_then(const Host& on, const Extent& extent, const F& f, C* result, const Then& then) {
  sum_nodes(on, extent, f, result);
  for_each(on, 1, then);
}

}  // namespace ninefold
