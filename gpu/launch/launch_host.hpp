#pragma once
// The launch primitives on the host: plain loops, shared among OpenMP threads.
//
// The workers of one call are independent of each other, which `omp simd` tells the compiler; it
// does not allow it to reorder the arithmetic inside one worker.
//
// On a Host that only counts they return at once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <omp.h>

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

/// A functor that writes what another one, f.before(), computes: the latter is compiled once for
/// all that share it.
template <class F>
concept WritesAfter = Batched<F> && requires(const F& f) {
  f.before();
};

/// What computes the values that f is to write, or f itself.
template <class F>
auto before(const F& f) {
  if constexpr (WritesAfter<F>) {
    return f.before();
  } else {
    return f;
  }
}
template <class F>
using Before = decltype(before(std::declval<const F&>()));

/// f at the nodes of a row from (i, j) on.
template <class F>
struct NodesOfRow {
  F f;
  int i, j;
  auto operator()(int k) const { return call_at(f, i + k, j); }
};

/// to[k] = value(first + k) for 0 <= k < n.
template <class Value, class V>
[[gnu::noinline]] void put_values(Value& value, int first, int n, V* __restrict to) {
#pragma omp simd
  for (int k = 0; k < n; ++k) to[k] = value(first + k);
}

/// Of a row that is longer, threads take such pieces.
inline constexpr int row_piece = 16 * sum_chunk;

/// Columns that climb side by side, the nodes of a box no wider than `most`, so that what their
/// rows share stays in the nearest caches.
template <class F, int most>
class HostClimb {
 public:
  using T = typename decltype(F::A)::Value;
  using C = Arithmetic<T>;

  HostClimb(const Box& box, const F& f) : box_(box), f_(f) {
    const NodeFactors<C> y = f.A.y[box.j0];
#pragma omp simd
    for (int i = box.i0; i < box.i1; ++i) {
      keep(i - box.i0, FactoredForm::column(FactoredEntries<T>{f_.A.x[i], y, f_.A.reaction},
                                            around(i, box.j0 - 1), around(i, box.j0)));
    }
  }

  /// Takes the factors of row j, the next one to be climbed.
  void take_row(int j) {
    j_ = j;
    y_ = f_.A.y[j];
  }

  /// What f finishes at the k-th node of the row, which is then climbed.
  auto operator()(int k) {
    const int i = box_.i0 + k;
    const FactoredEntries<T> row{f_.A.x[i], y_, f_.A.reaction};
    FactoredColumn<C> column{below_[k], here_[k], flow_[k]};
    const C product = FactoredForm::climb(row, around(i, j_), around(i, j_ + 1), column);
    keep(k, column);
    return f_.finish(i, j_, f_.operands(i, j_), {product, diagonal_for(f_, row), C(f_.x(i, j_))});
  }

 private:
  ThreeNodes<C> around(int i, int j) const {
    return ThreeNodes<C>::around(f_.x.row(j) + i);
  }
  void keep(int k, const FactoredColumn<C>& column) {
    below_[k] = column.below;
    here_[k] = column.here;
    flow_[k] = column.flow;
  }

  Box box_;
  const F f_;  // a copy: what lay behind a reference would be read again after each store
  int j_ = 0;
  NodeFactors<C> y_{};
  C below_[most], here_[most], flow_[most];
};

/// f at n nodes of a row from (i, j) on, where value(k) is what before(f) computes at the k-th.
template <class F, class Value>
void write_row(const F& f, Value& value, int i, int j, int n) {
  if constexpr (WritesAfter<F>) {
    for (int first = 0; first < n; first += sum_lanes) {
      const int count = std::min(n - first, sum_lanes);
      decltype(value(0)) computed[sum_lanes];
      put_values(value, first, count, computed);
#pragma omp simd
      for (int k = 0; k < count; ++k) f.write(i + first + k, j, computed[k]);
    }
  } else {
#pragma omp simd
    for (int k = 0; k < n; ++k) value(k);
  }
}

inline constexpr int climb_columns = 256;

/// Rows of a block that climbs at once, of so many in all in so many pieces: few enough for all
/// threads to have some, and enough to share much.
inline int climb_rows(int rows, int pieces) {
  constexpr int fewest = 8, most = 64;
  return std::clamp(rows * pieces / (4 * omp_get_max_threads()), fewest, most);
}

/// A functor whose rows may be climbed, at the nodes of a box.
template <class F>
void climb_box(const Box& box, const F& f) {
  const int pieces = (box.width() + climb_columns - 1) / climb_columns;
  const int rows = climb_rows(box.height(), pieces);
  const int blocks = (box.height() + rows - 1) / rows;
  const bool parallel = std::int64_t{box.width()} * box.height() > serial_nodes;
#pragma omp parallel for collapse(2) if (parallel)
  for (int block = 0; block < blocks; ++block) {
    for (int piece = 0; piece < pieces; ++piece) {
      const int first_i = box.i0 + piece * climb_columns, first_j = box.j0 + block * rows;
      const Box part{first_i, std::min(first_i + climb_columns, box.i1), first_j,
                     std::min(first_j + rows, box.j1)};
      HostClimb<Before<F>, climb_columns> climb(part, before(f));
      for (int j = part.j0; j < part.j1; ++j) {
        climb.take_row(j);
        write_row(f, climb, part.i0, j, part.width());
      }
    }
  }
}

/// f(i, j) for the values of an extent.
template <class F>
void for_nodes(const Host& on, const Extent& extent, const F& f) {
  if (on.only_counts()) return;
  const Box& box = extent.box;
  if constexpr (Climbing<F>) {
    climb_box(box, f);
  } else {
    const int pieces = (box.width() + row_piece - 1) / row_piece;
    const bool parallel = extent.values() > serial_nodes;
#pragma omp parallel for collapse(2) if (parallel)
    for (int row = 0; row < box.height(); ++row) {
      for (int piece = 0; piece < pieces; ++piece) {
        const int j = box.j0 + row, first = box.i0 + piece * row_piece;
        const int last = std::min(first + row_piece, box.i0 + extent.width(row));
        const NodesOfRow<Before<F>> value{before(f), first, j};
        write_row(f, value, first, j, last - first);
      }
    }
  }
}

/// f(i, j) for the nodes of a box.  Columns, to the same effect, are for devices: here neighbours
/// along a row are computed together, which columns would keep apart.
template <class F, class Columns>
void for_nodes_or_columns(const Host& on, const Box& box, const F& f, const Box&, const Columns&) {
  for_nodes(on, box, f);
}

/// What the lanes of a chunk leave, which it overwrites.
template <class T>
T sum_of_lanes(T* lane) {
  for (int half = sum_lanes / 2; half > 0; half /= 2) {
#pragma omp simd
    for (int l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
  }
  return lane[0];
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
  return sum_of_lanes(lane);
}

/// The same of values that put(first, count, to) puts, `count` of them from the first on, at most
/// sum_lanes.
template <class T, class Put>
T sum_of_put(int n, const Put& put) {
  T lane[sum_lanes], term[sum_lanes];
  for (int start = 0; start < n; start += sum_lanes) {
    const int count = std::min(n - start, sum_lanes);
    put(start, count, start == 0 ? lane : term);
    if (start == 0) continue;
#pragma omp simd
    for (int l = 0; l < count; ++l) lane[l] = lane[l] + term[l];
  }
  for (int l = std::min(n, sum_lanes); l < sum_lanes; ++l) lane[l] = T(0);
  return sum_of_lanes(lane);
}

/// The same of f at nodes of a row from (i, j) on, where value(k) is what before(f) computes at the
/// k-th.  A row of a matrix is compiled in one place alone.
template <class T, class F, class Value>
T sum_of_row(const F& f, Value& value, int i, int j, int n) {
  // A term of a wider type would be rounded before it is added.
  if constexpr (WritesAfter<F>) {
    static_assert(std::is_same_v<decltype(f.write(i, j, value(0))), T>);
    return sum_of_put<T>(n, [&](int first, int count, T* to) {
      decltype(value(0)) computed[sum_lanes];
      put_values(value, first, count, computed);
#pragma omp simd
      for (int l = 0; l < count; ++l) to[l] = f.write(i + first + l, j, computed[l]);
    });
  } else if constexpr (requires { typename F::RowForm; }) {
    static_assert(std::is_same_v<decltype(value(0)), T>);
    return sum_of_put<T>(n, [&](int first, int count, T* to) {
#pragma omp simd
      for (int l = 0; l < count; ++l) to[l] = value(first + l);
    });
  } else {
    return sum_of_chunk<T>(n, value);
  }
}

/// The first round of a sum, for the rows first <= row < last of the extent, counted from its own
/// first: one value per chunk of a row, in the backend's scratch, where all rows have their places.
template <class T, class F>
void sum_rows(const Host& on, const Extent& extent, const F& f, int first, int last) {
  require_scratch(on, extent, sizeof(T));
  if (on.only_counts()) return;
  const Box& box = extent.box;
  const int chunks = sum_chunks(box.width());
  T* const partial = own_chunk_sums<T>(on);
  const bool parallel = extent.rows(first, last).values() > serial_nodes;
  if constexpr (Climbing<F>) {
    const int rows = climb_rows(last - first, chunks);
    const int blocks = (last - first + rows - 1) / rows;
#pragma omp parallel for collapse(2) if (parallel)
    for (int block = 0; block < blocks; ++block) {
      for (int c = 0; c < chunks; ++c) {
        const int begin = first + block * rows, end = std::min(begin + rows, last);
        const int i = box.i0 + c * sum_chunk;
        const Box part{i, std::min(i + sum_chunk, box.i1), box.j0 + begin, box.j0 + end};
        HostClimb<Before<F>, sum_chunk> climb(part, before(f));
        for (int row = begin; row < end; ++row) {
          climb.take_row(box.j0 + row);
          partial[row * chunks + c] = sum_of_row<T>(f, climb, i, box.j0 + row, part.width());
        }
      }
    }
  } else {
#pragma omp parallel for collapse(2) if (parallel)
    for (int row = first; row < last; ++row) {
      for (int c = 0; c < chunks; ++c) {
        const int i = box.i0 + c * sum_chunk, j = box.j0 + row;
        const int n = std::min(sum_chunk, extent.width(row) - c * sum_chunk);
        if (n <= 0) continue;  // of a last row that is shorter
        const NodesOfRow<Before<F>> value{before(f), i, j};
        partial[row * chunks + c] = sum_of_row<T>(f, value, i, j, n);
      }
    }
  }
}

/// The sum of n > 0 chunk sums, which it overwrites: the later rounds.
template <class T>
T sum_in_place(T* partial, int n) {
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
  return partial[0];
}

/// The later rounds, when the chunk sums of all rows are there.
template <class T>
void sum_chunk_sums(const Host& on, const Extent& extent, T* result) {
  if (on.only_counts()) return;
  gather_chunk_sums<T>(on);
  *result = sum_in_place(static_cast<T*>(on.scratch()), chunk_sums(summed_extent(on, extent)));
}

/// *result = sum of f(i, j) over the values of an extent that is not empty; f may also write to its
/// node.
template <class F, class T>
void sum_nodes(const Host& on, const Extent& extent, const F& f, T* result) {
  sum_rows<T>(on, extent, f, 0, extent.box.height());
  sum_chunk_sums(on, extent, result);
}

}  // namespace ninefold
