#pragma once
// The operations between two grids by columns: the same operations on the same operands as node by
// node (gpu/meaning/generic_grid_operations.hpp), hence the same bits, with fewer accesses.
//
// A fine row's combination along x serves two coarse rows of a restriction, and a coarse row's up
// to three fine rows of a prolongation.  Who goes up a column computes each once and reads what it
// needs once: about 9 accesses instead of 14 for a coarse value, weights included, and 2 or 3
// instead of 10 for a fine one.  Neighbours along x come from caches, as everywhere.
//
// A batch of rows is read before the first of its results is written: memory answers late, and what
// is under way meanwhile decides the rate (32 to 64 KiB on each multiprocessor).  Nothing in a
// batch asks whether a row is there, or compilers would read it as late as they are told.  What a
// prolongation finds at nodes outside its box is not written; node by node, threads at the sides
// would be the last ones by far.  Rows that fill no batch are taken node by node.
//
// Tests.  tests/gpu/operations/transfer_columns_test.cpp, tests/gpu/device/transfers_test.cpp

#include <cstddef>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"
#include "grids/transfer.hpp"

#include "gpu/meaning/two_values.hpp"

namespace ninefold {

/// Coarse rows of a batch: as many as keep enough bytes under way without filling the registers.
template <class T>
inline constexpr int transfer_batch = sizeof(T) == 2   ? 8
                                      : sizeof(T) <= 8 ? 4
                                                       : 2;

/// b = P^T r at the coarse nodes (I, first), ..., (I, end - 1); r counts as zero outside the box
/// `fine`, in which the fine nodes of all of these must lie.
template <class T>
struct RestrictColumn {
  static constexpr int batch = transfer_batch<T>;
  static constexpr int most_batches = 4;  // one row in 2 * batch * most_batches is read twice
  using C = Arithmetic<T>;
  Transfer<C> transfer;
  Box fine;
  Field<const T> r;
  Field<T> b;

  HOST_DEVICE void operator()(int I, int first, int end) const {
    const int i = 2 * I, south = 2 * first - 1;
    const bool has_west = i - 1 >= fine.i0, has_east = i + 1 < fine.i1,
               has_south = south >= fine.j0;
    const Across across{has_west ? transfer.x[i - 1].upper : C(0),
                        has_east ? transfer.x[i + 1].lower : C(0), has_west, has_east};
    Three start{};
    C share(0), below(0);  // of the row below J
    if (has_south) {
      start = three(r.row(south) + i);
      share = transfer.y[south].upper;
    }
    int J = first;
    for (; J + batch <= end && 2 * (J + batch) <= fine.j1; J += batch) {
      Three rows[2 * batch];
      TransferWeights<C> between[batch];
      const std::ptrdiff_t next = r.row(1) - r.row(0);
      const T* at = r.row(2 * J) + i;
      for (int k = 0; k < 2 * batch; ++k) rows[k] = three(at + k * next);
      for (int k = 0; k < batch; ++k) between[k] = transfer.y[2 * (J + k) + 1];
      if (J == first) below = across(start);  // not earlier: it waits for what it reads
      for (int k = 0; k < batch; ++k) {
        C sum = across(rows[2 * k]);
        const C above = across(rows[2 * k + 1]);
        if (has_south || k > 0 || J > first) sum = fused(share, below, sum);
        b(I, J + k) = T(fused(between[k].lower, above, sum));
        below = above;
        share = between[k].upper;
      }
    }
    for (; J < end; ++J) b(I, J) = T(restrict_at(transfer, r, fine, I, J));
  }

 private:
  struct Three {
    T west, middle, east;
  };
  HOST_DEVICE static Three three(const T* at) { return {at[-1], at[0], at[1]}; }
  /// The sum of a row.
  struct Across {
    C west, east;
    bool has_west, has_east;
    HOST_DEVICE C operator()(const Three& row) const {
      C sum = row.middle;
      if (has_west) sum = fused(west, C(row.west), sum);
      if (has_east) sum = fused(east, C(row.east), sum);
      return sum;
    }
  };
};

/// x = x + P c at the nodes of the `width` fine columns from width I on, from row 2 first up to row
/// 2 end - 1, that lie in the box `fine`.  They share what is read of c; those of x are one access
/// where rows of both begin at whole accesses.
template <class T>
struct ProlongColumns {
  static constexpr int batch = transfer_batch<T>;
  static constexpr int most_batches = 1;  // two take longer
  static constexpr int width = sizeof(T) == 4 ? 4 : 2;
  using C = Arithmetic<T>;
  Transfer<C> transfer;
  Box fine;
  Field<const T> c;
  Field<T> x;
  bool is_aligned = is_aligned_for<width>(x) && is_aligned_for<width / 2>(c);

  /// All I and first to end of a box.
  static Box columns(const Box& fine) {
    return {fine.i0 / width, (fine.i1 + width - 1) / width, fine.j0 / 2, (fine.j1 + 1) / 2};
  }

  HOST_DEVICE void operator()(int I, int first, int end) const {
    for (int J = first; J < end;) {
      if (J + batch > end || 2 * (J + batch) > x.ny) {
        for (int i = width * I; i < width * I + width; ++i) {
          by_node(i, 2 * J);
          by_node(i, 2 * J + 1);
        }
        ++J;
        continue;
      }
      if (is_aligned) {
        add<true>(I, J);
      } else {
        add<false>(I, J);
      }
      J += batch;
    }
  }

 private:
  static constexpr int half = width / 2;
  using Fine = AlignedValues<T, width>;
  struct Coarse {
    T value[half + 1];
  };

  template <int n, bool at_once>
  HOST_DEVICE static AlignedValues<T, n> read(const T* at) {
    if constexpr (at_once) {
      return *reinterpret_cast<const AlignedValues<T, n>*>(at);
    } else {
      AlignedValues<T, n> values;
      for (int k = 0; k < n; ++k) values.value[k] = at[k];
      return values;
    }
  }
  /// From node (i, j) on, as far as nodes lie in the box; `all` do.
  template <bool at_once>
  HOST_DEVICE void write(int i, int j, T* at, const Fine& values, bool all) const {
    if constexpr (at_once) {
      if (all) {
        *reinterpret_cast<Fine*>(at) = values;
        return;
      }
    }
    for (int k = 0; k < width; ++k) {
      if (fine.contains(i + k, j)) at[k] = values.value[k];
    }
  }
  template <bool at_once>
  HOST_DEVICE static Coarse read_coarse(const T* at) {
    const AlignedValues<T, half> first = read<half, at_once>(at);
    Coarse all;
    for (int k = 0; k < half; ++k) all.value[k] = first.value[k];
    all.value[half] = at[half];
    return all;
  }
  HOST_DEVICE static C combined(const TransferWeights<C>& w, const C& lower, const C& upper) {
    return fused(w.upper, upper, w.lower * lower);
  }

  /// A batch of rows, of which nodes outside the box are read, too.
  template <bool at_once>
  HOST_DEVICE void add(int I, int J) const {
    const int i = width * I, j = 2 * J;
    const bool all =
        i >= fine.i0 && i + width <= fine.i1 && j >= fine.j0 && j + 2 * batch <= fine.j1;
    const TransferWeights<C> same{C(1), C(0)};
    TransferWeights<C> between_columns[half], between[batch];
    const std::ptrdiff_t next = x.row(1) - x.row(0), coarse_next = c.row(1) - c.row(0);
    T* const at = x.row(j) + i;
    const T* const coarse = c.row(J) + half * I;
    Fine before[2 * batch];
    Coarse rows[batch + 1];
    for (int k = 0; k < 2 * batch; ++k) before[k] = read<width, at_once>(at + k * next);
    for (int k = 0; k <= batch; ++k) rows[k] = read_coarse<at_once>(coarse + k * coarse_next);
    for (int k = 0; k < half; ++k) {
      const int odd = i + 2 * k + 1;
      between_columns[k] = transfer.x[odd < x.nx ? odd : x.nx - 1];
    }
    for (int k = 0; k < batch; ++k) between[k] = transfer.y[j + 2 * k + 1];
    struct Combined {
      C value[width];
    };
    const auto along = [&](const Coarse& row) {
      Combined found;
      for (int k = 0; k < half; ++k) {
        const C west = row.value[k], east = row.value[k + 1];
        found.value[2 * k] = combined(same, west, west);
        found.value[2 * k + 1] = combined(between_columns[k], west, east);
      }
      return found;
    };
    const auto sum = [&](const Fine& old, const TransferWeights<C>& w, const Combined& lower,
                         const Combined& upper) {
      Fine found;
      for (int k = 0; k < width; ++k) {
        found.value[k] = T(C(old.value[k]) + combined(w, lower.value[k], upper.value[k]));
      }
      return found;
    };
    Combined south = along(rows[0]);
    for (int k = 0; k < batch; ++k) {
      const Combined north = along(rows[k + 1]);
      const int even = 2 * k, odd = even + 1;
      write<at_once>(i, j + even, at + even * next, sum(before[even], same, south, south), all);
      write<at_once>(i, j + odd, at + odd * next, sum(before[odd], between[k], south, north), all);
      south = north;
    }
  }

  HOST_DEVICE void by_node(int i, int j) const {
    if (fine.contains(i, j)) x(i, j) = T(x(i, j) + prolong_at(transfer, c, i, j));
  }
};

}  // namespace ninefold
