#pragma once
// The operations between two grids by columns: the same operations on the same operands as node by
// node (gpu/meaning/generic_grid_operations.hpp), hence the same bits, with fewer accesses.
//
// A fine row's combination along x serves two coarse rows of a restriction, and a coarse row's up
// to three fine rows of a prolongation.  Who goes up a column computes each once and reads what it
// needs once: about 9 accesses instead of 14 for a coarse value, weights included, and 4 instead of
// 10 for a fine one.  Neighbours along x come from caches, as everywhere.
//
// A batch of rows is read before the first of its results is written: memory answers late, and what
// is under way meanwhile decides the rate (32 to 64 KiB on each multiprocessor).
//
// Tests.  tests/gpu/operations/transfer_columns_test.cpp, tests/gpu/device/transfers_test.cpp

#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"
#include "grids/transfer.hpp"

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
    const int i = 2 * I;
    const bool has_west = i - 1 >= fine.i0, has_east = i + 1 < fine.i1;
    const Across across{has_west ? transfer.x[i - 1].upper : C(0),
                        has_east ? transfer.x[i + 1].lower : C(0), has_west, has_east};
    // Rows outside the box are replaced by some inside: read, and not used.
    const int below_first = 2 * first - 1 >= fine.j0 ? 2 * first - 1 : fine.j0;
    const Three start = three(i, below_first);
    C share = transfer.y[below_first].upper, below(0);
    for (int J = first; J < end; J += batch) {
      Three rows[2 * batch];
      TransferWeights<C> between[batch];
      for (int k = 0; k < 2 * batch; ++k) rows[k] = three(i, inside(2 * J + k));
      for (int k = 0; k < batch; ++k) between[k] = transfer.y[inside(2 * (J + k) + 1)];
      if (J == first) below = across(start);
      for (int k = 0; k < batch; ++k) {
        const int j = 2 * (J + k);
        C sum = across(rows[2 * k]);
        const C above = across(rows[2 * k + 1]);
        if (j - 1 >= fine.j0) sum = fused(share, below, sum);
        if (j + 1 < fine.j1) sum = fused(between[k].lower, above, sum);
        if (J + k < end) b(I, J + k) = T(sum);
        below = above;
        share = between[k].upper;
      }
    }
  }

 private:
  struct Three {
    T west, middle, east;
  };
  /// A row's sum.
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
  HOST_DEVICE Three three(int i, int j) const {
    const T* at = r.row(j) + i;
    return {at[-1], at[0], at[1]};
  }
  HOST_DEVICE int inside(int j) const { return j < fine.j1 ? j : fine.j1 - 1; }
};

/// x = x + P c at the nodes of fine column i between the coarse rows first and end: those of the
/// rows 2 first, ..., 2 end - 1 that lie in the box `fine`, of which each pair (2J, 2J + 1) must
/// have one.
template <class T>
struct ProlongColumn {
  static constexpr int batch = transfer_batch<T>;
  static constexpr int most_batches = 2;
  using C = Arithmetic<T>;
  Transfer<C> transfer;
  Box fine;
  Field<const T> c;
  Field<T> x;

  HOST_DEVICE void operator()(int i, int first, int end) const {
    const TransferWeights<C> wx = transfer.x[i];
    const int I = i / 2, east = I + (i & 1);
    const TransferWeights<C> same{C(1), C(0)};
    for (int J = first; J < end; J += batch) {
      Two rows[batch + 1];
      T before[2 * batch];
      TransferWeights<C> between[batch];
      for (int k = 0; k <= batch; ++k) {
        const T* row = c.row(J + k < c.ny ? J + k : c.ny - 1);
        rows[k] = {row[I], row[east]};
      }
      for (int k = 0; k < 2 * batch; ++k) before[k] = x(i, inside(2 * J + k));
      for (int k = 0; k < batch; ++k) between[k] = transfer.y[inside(2 * (J + k) + 1)];
      C south = combined(wx, C(rows[0].west), C(rows[0].east));
      for (int k = 0; k < batch; ++k) {
        const C north = combined(wx, C(rows[k + 1].west), C(rows[k + 1].east));
        if (J + k < end) {
          add(i, 2 * (J + k), before[2 * k], combined(same, south, south));
          add(i, 2 * (J + k) + 1, before[2 * k + 1], combined(between[k], south, north));
        }
        south = north;
      }
    }
  }

 private:
  struct Two {
    T west, east;
  };
  HOST_DEVICE static C combined(const TransferWeights<C>& w, const C& lower, const C& upper) {
    return fused(w.upper, upper, w.lower * lower);
  }
  HOST_DEVICE void add(int i, int j, const T& before, const C& correction) const {
    if (j >= fine.j0 && j < fine.j1) x(i, j) = T(C(before) + correction);
  }
  HOST_DEVICE int inside(int j) const {
    if (j < fine.j0) return fine.j0;
    return j < fine.j1 ? j : fine.j1 - 1;
  }
};

}  // namespace ninefold
