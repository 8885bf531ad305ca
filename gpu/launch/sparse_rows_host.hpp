#pragma once
// The launch primitives of sparse rows on the host; gpu/kernels/sparse_rows.cuh on a device.
//
// The 32 rows of a slice are summed side by side: a chain alone would wait for each of its terms.

#include <algorithm>
#include <cstdint>

#include "fem/sparse/row_order.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "gpu/launch/launch_host.hpp"
#include "gpu/launch/near_sums.hpp"
#include "gpu/operations/sparse_operations.hpp"

namespace ninefold {

static_assert(row_chunk == sum_chunk && chunked_lanes == sum_lanes && sorted_rows == sum_chunk);

/// What `lanes` lanes have of n > 0 terms, lane l adding the terms l, l + lanes, ...
template <class Sum, int lanes, class T>
void sum_in_lanes(const T* values, const std::int32_t* columns, int n, const T* x,
                  const OwnOf<Sum, T>& own, Arithmetic<T>* lane) {
  using C = Arithmetic<T>;
  BegunSums<Sum, lanes> begun_sums;
  Sum* const sum = begun_sums.first();
  const int begun = std::min(n, lanes);
  for (int l = 0; l < begun; ++l) {
    sum[l] = Sum(C(values[l]), C(x[columns[l]]), own.at(columns[l]));
  }
  for (int k = lanes; k < n; k += lanes) {
    const int count = std::min(n - k, lanes);
#pragma omp simd
    for (int l = 0; l < count; ++l) {
      sum[l].add(C(values[k + l]), C(x[columns[k + l]]), own.at(columns[k + l]));
    }
  }
  for (int l = 0; l < lanes; ++l) lane[l] = l < begun ? sum[l].value() : C(0);
}

/// The same of n >= lanes terms that are compared with one value, or none.
template <class Sum, int lanes, class T>
void sum_in_near_lanes(const T* values, const std::int32_t* columns, int n, const T* x,
                       const Arithmetic<T>& own, Arithmetic<T>* lane) {
  using C = Arithmetic<T>;
  C here[near_lanes];
  for (int l = 0; l < near_lanes; ++l) here[l] = own;
  // use(values, those of x) of near lanes' terms from k on, whose columns ascend.
  const auto visit = [&](int k, const auto& use) {
    if (columns[k + near_lanes - 1] - columns[k] == near_lanes - 1) {
      use(values + k, Following<T>{x + columns[k]});
    } else {
      use(values + k, Gathered{x, columns + k});
    }
  };
  for (int near = 0; near < lanes; near += 2 * near_lanes) {
    NearSums<Sum, C> sum(here), other_sum(here);
    visit(near, [&](const T* a, const auto& v) { sum.begin(a, v); });
    visit(near + near_lanes, [&](const T* a, const auto& v) { other_sum.begin(a, v); });
    int k = near + lanes;
    for (; k + 2 * near_lanes <= n; k += lanes) {
      visit(k, [&](const T* a, const auto& v) { sum.add(a, v); });
      visit(k + near_lanes, [&](const T* a, const auto& v) { other_sum.add(a, v); });
    }
    const int left = n - k, others = left - near_lanes;
    if (left > 0) sum.add(values + k, Gathered{x, columns + k}, std::min(left, near_lanes));
    k += near_lanes;
    if (others > 0) other_sum.add(values + k, Gathered{x, columns + k}, others);
    sum.finish([&](int l, const auto& ended) { lane[near + l] = ended.value(); });
    other_sum.finish(
        [&](int l, const auto& ended) { lane[near + near_lanes + l] = ended.value(); });
  }
}

/// The sum of n > 0 terms by `lanes` lanes.
template <class Sum, int lanes, class T>
Arithmetic<T> sum_by_lanes(const T* values, const std::int32_t* columns, int n, const T* x,
                           const OwnOf<Sum, T>& own) {
  Arithmetic<T> lane[lanes];
  if (n < lanes || Sum::compares_kinds) {
    sum_in_lanes<Sum, lanes>(values, columns, n, x, own, lane);
  } else {
    sum_in_near_lanes<Sum, lanes>(values, columns, n, x, own.at(0), lane);
  }
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

/// The columns of a slice's lanes, each with its own, counted from column_0 on.
template <class Column>
struct ColumnsOfSlice {
  const Column* columns;
  std::int32_t column_0;

  std::int32_t of(int k, int l) const {
    return column_0 + std::int32_t{columns[k * slice_rows + l]};
  }
  /// use(values of x) of the k-th entries of near lanes from `near` on.
  template <class T, class Use>
  void visit(const T* x, int k, int near, const Use& use) const {
    const Column* const own = columns + k * slice_rows + near;
    if (follow_each_other(own)) {
      use(Following<T>{x + of(k, near)});
    } else {
      use(Gathered{x + column_0, own});
    }
  }
};

/// The same where one offset tells the columns of all lanes.
struct OffsetsOfSlice {
  const std::int32_t* offsets;
  std::int32_t base[slice_rows];
  bool follow[slice_rows / near_lanes];

  /// row(l): the row of a lane.
  template <class T, class Row>
  OffsetsOfSlice(const SlicedRows<T>& A, const std::uint16_t* columns, const Row& row)
      : offsets(reinterpret_cast<const std::int32_t*>(columns)) {
    for (int l = 0; l < slice_rows; ++l) base[l] = row(l);
    if (A.together > 1) {  // of few entries a division for each row would show
      for (std::int32_t& own : base) own = offset_base(A, own);
    }
    for (int near = 0; near < slice_rows; near += near_lanes) {
      follow[near / near_lanes] = follow_each_other(base + near);
    }
  }
  std::int32_t of(int k, int l) const { return base[l] + offsets[k]; }
  template <class T, class Use>
  void visit(const T* x, int k, int near, const Use& use) const {
    if (follow[near / near_lanes]) {
      use(Following<T>{x + of(k, near)});
    } else {
      use(Gathered{x + offsets[k], base + near});
    }
  }
};

/// The rows of A of slice s, whose lanes have row(l), into result; `held` are all values of the
/// matrix.
template <class Sum, class T, class V, class Columns, class Row>
void rows_of_slice(const SlicedRows<T>& A, const V* held, const T* x, const Slice& slice,
                   const Columns& columns, const Row& row, Arithmetic<T> (&result)[slice_rows]) {
  using C = Arithmetic<T>;
  const V* const entries = held + slice.values;
  if (slice.width == 0 || Sum::compares_kinds) {
    for (int l = 0; l < slice_rows; ++l) {
      result[l] = chain<Sum>(
          A, x, row(l), slice.width, [&](int k) { return entries[k * slice_rows + l]; },
          [&](int k) { return columns.of(k, l); });
    }
    return;
  }
  if constexpr (!Sum::compares_kinds) {
    C here[Sum::needs_here ? slice_rows : 1];
    if constexpr (Sum::needs_here) {
#pragma omp simd
      for (int l = 0; l < slice_rows; ++l) here[l] = x[A.own_column + row(l)];
    }
    const auto here_of = [&](int l) { return Sum::needs_here ? here + l : nullptr; };
    // Two at a time: one chain would wait for itself, and four are more than can be foretold of
    // whose columns follow each other.
    for (int near = 0; near < slice_rows; near += 2 * near_lanes) {
      const int other = near + near_lanes;
      NearSums<Sum, C> sum(here_of(near)), other_sum(here_of(other));
      columns.visit(x, 0, near, [&](const auto& v) { sum.begin(entries + near, v); });
      columns.visit(x, 0, other, [&](const auto& v) { other_sum.begin(entries + other, v); });
      for (int k = 1; k < slice.width; ++k) {
        const V* const a = entries + k * slice_rows;
        columns.visit(x, k, near, [&](const auto& v) { sum.add(a + near, v); });
        columns.visit(x, k, other, [&](const auto& v) { other_sum.add(a + other, v); });
      }
      const auto put = [&](int l, auto ended) {
        result[l] = ended.finish(A, row(l), OwnOf<Sum, T>(A, x, row(l)));
      };
      sum.finish([&](int l, auto ended) { put(near + l, ended); });
      other_sum.finish([&](int l, auto ended) { put(other + l, ended); });
    }
  }
}

/// The values of the rows of chunk c, into values; `held` are all of the matrix.
template <class Sum, class T, class V>
void rows_of_chunk(const SlicedRows<T>& A, const V* held, const T* x, int c,
                   Arithmetic<T>* values) {
  const int first = c * sorted_rows, n = std::min(sorted_rows, A.nx - first);
  const int slices = (n + slice_rows - 1) / slice_rows;
  for (int s = c * (sorted_rows / slice_rows); s < c * (sorted_rows / slice_rows) + slices; ++s) {
    const Slice slice = A.slices[s];
    const std::uint16_t* const places = A.places + std::int64_t{s} * slice_rows;
    const std::uint16_t* const columns = A.columns + slice.columns;
    Arithmetic<T> result[slice_rows];
    // Lanes without a row are those of the last chunk's end.
    const auto row = [&](int l) { return std::min(first + places[l], A.nx - 1); };
    const auto by = [&](const auto& own) {
      rows_of_slice<Sum>(A, held, x, slice, own, row, result);
    };
    if (slice.column_0 >= 0) {
      by(ColumnsOfSlice<std::uint16_t>{columns, slice.column_0});
    } else if (slice.column_0 == wide_columns) {
      by(ColumnsOfSlice<std::int32_t>{reinterpret_cast<const std::int32_t*>(columns), 0});
    } else {
      by(OffsetsOfSlice(A, columns, row));
    }
    for (int near = 0; near < slice_rows; near += near_lanes) {
      const std::uint16_t* const to = places + near;
      if (to[near_lanes - 1] < n && follow_each_other(to)) {
        std::copy_n(result + near, near_lanes, values + to[0]);
      } else {
        for (int l = 0; l < near_lanes; ++l) {
          if (to[l] < n) values[to[l]] = result[near + l];
        }
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
