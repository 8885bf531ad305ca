#pragma once
// The launch primitives of sparse rows on the host; gpu/kernels/sparse_rows.cuh on a device.
//
// The 32 rows of a slice are summed side by side: a chain alone would wait for each of its terms.

#include <algorithm>
#include <cstdint>
#include <utility>

#include <omp.h>

#include "fem/sparse/row_order.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "gpu/launch/launch_host.hpp"
#include "gpu/launch/near_sums.hpp"
#include "gpu/operations/sparse_operations.hpp"

namespace ninefold {
inline namespace NINEFOLD_VECTORS {

static_assert(row_chunk == sum_chunk && chunked_lanes == sum_lanes && sorted_rows == sum_chunk);

/// How many times near lanes are summed side by side: one chain would wait for itself.
template <int times>
using Times = std::make_integer_sequence<int, times>;

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

/// The same of n >= lanes terms that are compared with one value, or none: use(near, sums) of those
/// of near lanes from `near` on, and of others behind them.
template <class Sum, int lanes, class T, class Use, int... g>
void sum_in_near_lanes(const T* values, const std::int32_t* columns, int n, const T* x,
                       const Arithmetic<T>& own, const Use& use_sums,
                       std::integer_sequence<int, g...>) {
  using C = Arithmetic<T>;
  constexpr int together = static_cast<int>(sizeof...(g)) * near_lanes;
  C here[near_lanes];
  for (int l = 0; l < near_lanes; ++l) here[l] = own;
  // use(values, those of x) of near lanes' terms from k on, whose columns ascend.
  const auto visit = [&](int k, const auto& use) {
    if (!gathers_at_once && columns[k + near_lanes - 1] - columns[k] == near_lanes - 1) {
      use(values + k, Following<T>{x + columns[k]});
    } else {
      use(values + k, Gathered{x, columns + k});
    }
  };
  for (int near = 0; near < lanes; near += together) {
    NearSums<Sum, C> sums[] = {(static_cast<void>(g), NearSums<Sum, C>(here))...};
    (visit(near + g * near_lanes, [&](const T* a, const auto& v) { sums[g].begin(a, v); }), ...);
    int k = near + lanes;
    for (; k + together <= n; k += lanes) {
      (visit(k + g * near_lanes, [&](const T* a, const auto& v) { sums[g].add(a, v); }), ...);
    }
    const auto add_left = [&](auto& sum, int from) {
      const int left = n - from;
      if (left >= near_lanes) {
        visit(from, [&](const T* a, const auto& v) { sum.add(a, v); });
      } else if (left > 0) {
        sum.add(values + from, Gathered{x, columns + from}, left);
      }
    };
    (add_left(sums[g], k + g * near_lanes), ...);
    use_sums(near, sums);
  }
}

/// The sum of n > 0 terms by `lanes` lanes.
template <class Sum, int lanes, class T>
Arithmetic<T> sum_by_lanes(const T* values, const std::int32_t* columns, int n, const T* x,
                           const OwnOf<Sum, T>& own) {
  using C = Arithmetic<T>;
  using Near = NearSums<Sum, C>;
  constexpr int together = 4;
  C lane[lanes];
  int left = lanes;
  if (n < lanes || Sum::compares_kinds) {
    sum_in_lanes<Sum, lanes>(values, columns, n, x, own, lane);
  } else {
    const auto use = [&](int near, Near(&sums)[together]) {
      int kept = together;
      if constexpr (lanes == together * near_lanes && requires { sums[0].add_lanes_of(sums[1]); }) {
        sums[0].add_lanes_of(sums[2]);
        sums[1].add_lanes_of(sums[3]);
        sums[0].add_lanes_of(sums[1]);
        left = near_lanes;
        kept = 1;
      }
      for (int g = 0; g < kept; ++g) {
        sums[g].finish(
            [&](int l, const auto& ended) { lane[near + g * near_lanes + l] = ended.value(); });
      }
    };
    sum_in_near_lanes<Sum, lanes>(values, columns, n, x, own.at(0), use, Times<together>());
  }
  for (int half = left / 2; half > 0; half /= 2) {
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
  if (longer.pieces == 0) return;
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
  /// sum(near, times, visit) for all lanes; visit(k, near, use) calls use(values of x) of the k-th
  /// entries of near lanes from `near` on.
  template <class T, class Sum>
  void read(const T* x, const Sum& sum) const {
    const auto visit = [&](int k, int near, const auto& use) {
      const Column* const own = columns + k * slice_rows + near;
      if (!gathers_at_once && follow_each_other(own)) {
        use(Following<T>{x + of(k, near)});
      } else {
        use(Gathered{x, own, column_0});
      }
    };
    // Four are more than can be foretold of whose columns follow each other.
    constexpr int times = gathers_at_once ? 4 : 2;
    for (int near = 0; near < slice_rows; near += times * near_lanes)
      sum(near, Times<times>(), visit);
  }
};

/// The same where one offset tells the columns of all lanes.
class OffsetsOfSlice {
 public:
  /// places: the rows of its lanes, behind the first row of their chunk.
  template <class T>
  OffsetsOfSlice(const SlicedRows<T>& A, const Slice& slice, const std::uint16_t* columns,
                 std::int32_t first_row, const std::uint16_t* places)
      : offsets_(reinterpret_cast<const std::int32_t*>(columns)) {
    for (int l = 0; l < slice_rows; ++l) base_[l] = first_row + places[l];
    count_from_nodes(A.together);
    const std::int64_t last_window = std::int64_t{A.met} - near_window - offsets_[slice.width - 1];
    for (int g = 0; g < groups; ++g) {
      const std::int32_t* const own = base_ + g * near_lanes;
      lie_[g] = lie_of(own, places_[g]);
      if (own[0] <= last_window) continue;
      all_windows_fit_ = false;
      if (lie_[g] == Lie::within_window) lie_[g] = Lie::apart;
    }
  }
  std::int32_t of(int k, int l) const { return base_[l] + offsets_[k]; }

  template <class T, class Sum>
  void read(const T* x, const Sum& sum) const {
    const Lie worst = *std::max_element(lie_, lie_ + groups);
    if (worst == Lie::behind_each_other || (worst == Lie::within_window && all_windows_fit_)) {
      sum_lying(worst, 0, Times<groups>(), x, sum);
      return;
    }
    for (int g = 0; g < groups; ++g) sum_lying(lie_[g], g * near_lanes, Times<1>(), x, sum);
  }

 private:
  static constexpr int groups = slice_rows / near_lanes;

  template <class Sequence, class T, class Sum>
  void sum_lying(Lie lie, int near, Sequence times, const T* x, const Sum& sum) const {
    if (lie == Lie::behind_each_other) {
      sum(near, times, [&](int k, int own, const auto& use) { use(Following<T>{x + of(k, own)}); });
      return;
    }
    if constexpr (reads_windows) {
      if (lie == Lie::within_window) {
        sum(near, times, [&](int k, int own, const auto& use) {
          use(Windowed<T>{x + of(k, own), places_[own / near_lanes]});
        });
        return;
      }
    }
    sum(near, times, [&](int k, int own, const auto& use) {
      use(Gathered{x, base_ + own, offsets_[k]});
    });
  }

  /// Rows become the first ones of their nodes.
  void count_from_nodes(int together) {
    if (together == 2) count_from<2>();
    if (together == 3) count_from<3>();
    if (together == 4) count_from<4>();
    if (together == 6) count_from<6>();
  }
  template <int together>  // a constant: no division
  void count_from() {
    for (std::int32_t& row : base_) row = first_of_node(row, together);
  }

  const std::int32_t* offsets_;
  std::int32_t base_[slice_rows];
  Lie lie_[groups];
  NearPlaces places_[groups];
  bool all_windows_fit_ = true;
};

/// The rows of near lanes from `near` on, side by side; visit() as of ColumnsOfSlice::read(),
/// here(l): what lane l compares with, put(l, its sum).
template <class Sum, class C, class V, class Visit, class Here, class Put, int... g>
void sum_side_by_side(const V* entries, int width, int near, const Visit& visit, const Here& here,
                      const Put& put, std::integer_sequence<int, g...>) {
  NearSums<Sum, C> sums[] = {NearSums<Sum, C>(here(near + g * near_lanes))...};
  entries += near;
  (visit(0, near + g * near_lanes,
         [&](const auto& v) { sums[g].begin(entries + g * near_lanes, v); }),
   ...);
  for (int k = 1; k < width; ++k) {
    entries += slice_rows;
    (visit(k, near + g * near_lanes,
           [&](const auto& v) { sums[g].add(entries + g * near_lanes, v); }),
     ...);
  }
  (sums[g].finish([&](int l, auto ended) { put(near + g * near_lanes + l, ended); }), ...);
}

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
    const auto put = [&](int l, auto ended) {
      result[l] = ended.finish(A, row(l), OwnOf<Sum, T>(A, x, row(l)));
    };
    columns.read(x, [&](int near, auto times, const auto& visit) {
      sum_side_by_side<Sum, C>(entries, slice.width, near, visit, here_of, put, times);
    });
  }
}

/// A chunk's rows in slices `begin` to `end`, into values, by their places in the chunk; `held` are
/// all values of the matrix.
template <class Sum, class T, class V>
void rows_of_slices(const SlicedRows<T>& A, const V* held, const T* x, int begin, int end,
                    Arithmetic<T>* values) {
  const int first = begin * slice_rows / sorted_rows * sorted_rows;
  const int n = std::min(sorted_rows, A.nx - first);
  for (int s = begin; s < end; ++s) {
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
      by(OffsetsOfSlice(A, slice, columns, first, places));
    }
    for (int l = 0; A.longer.count > 0 && l < slice_rows; ++l) {
      const int position = A.longer.position[row(l)];
      if (position >= 0) result[l] = long_row<Sum>(A, x, row(l), position);
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
}

/// The same of all rows of chunk c.
template <class Sum, class T, class V>
void rows_of_chunk(const SlicedRows<T>& A, const V* held, const T* x, int c,
                   Arithmetic<T>* values) {
  const int slices = (A.nx + slice_rows - 1) / slice_rows;
  rows_of_slices<Sum>(A, held, x, c * chunk_slices, std::min((c + 1) * chunk_slices, slices),
                      values);
}

/// Of fewer chunks some threads would have a good deal more than others, or have none.
inline constexpr int chunks_of_thread = 4;

/// True where several threads take less time than one.
template <class T>
bool is_parallel(const SlicedRows<T>& A) {
  constexpr std::int64_t serial_bytes = 1 << 17;
  return A.nx > serial_nodes || A.moved_bytes > serial_bytes;
}

/// of(i, row i of A x) for all rows.
template <class Sum, class T, class Of>
void for_rows_of(const Host& on, const SlicedRows<T>& A, const T* x, const Of& of) {
  sum_long_rows<Sum>(on, A, x);
  if (on.only_counts()) return;
  const int chunks = sum_chunks(A.nx);
  if (chunks >= chunks_of_thread * omp_get_max_threads()) {
#pragma omp parallel for
    for (int c = 0; c < chunks; ++c) {
      Arithmetic<T> rows[sorted_rows];
      A.values.visit([&](const auto* held) { rows_of_chunk<Sum>(A, held, x, c, rows); });
      const int first = c * sorted_rows, n = std::min(sorted_rows, A.nx - first);
#pragma omp simd
      for (int k = 0; k < n; ++k) of(first + k, rows[k]);
    }
    return;
  }
  // Cut into pieces, or threads would have a chunk more, or none.
  const int slices = (A.nx + slice_rows - 1) / slice_rows;
#pragma omp parallel for if (is_parallel(A)) schedule(static)
  for (int s = 0; s < slices; ++s) {
    Arithmetic<T> rows[sorted_rows];
    A.values.visit([&](const auto* held) { rows_of_slices<Sum>(A, held, x, s, s + 1, rows); });
    const int first = s / chunk_slices * sorted_rows, n = std::min(sorted_rows, A.nx - first);
    const std::uint16_t* const places = A.places + std::int64_t{s} * slice_rows;
    for (int l = 0; l < slice_rows; ++l) {
      if (places[l] < n) of(first + places[l], rows[places[l]]);
    }
  }
}

/// Of{y}(i, row i of A x) for each column of x and y, chunk by chunk: the matrix is then in the
/// cache for all of them but the first.  There are no long rows.
template <class Sum, class Of, class T>
void for_columns_of(const Host& on, const SlicedRows<T>& A, const Columns<T>& columns) {
  if (on.only_counts()) return;
  const int chunks = sum_chunks(A.nx);
#pragma omp parallel for if (is_parallel(A))
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
#pragma omp parallel for if (is_parallel(A))
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

}  // namespace NINEFOLD_VECTORS
}  // namespace ninefold
