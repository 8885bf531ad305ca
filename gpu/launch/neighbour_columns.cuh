#pragma once
// Neighbouring columns of a factored matrix that one thread of a CUDA device climbs
// (gpu/launch/climbing.hpp).
//
// Shape.  A thread begins at a column that n divides.  At the sides of a box it computes columns
// beside it, too, and does not write them.  The factors along y of a block's rows lie in shared
// memory, so that registers hold rows on their way.
//
// Rounding.  The bits of one column at a time, of quotients as well (gpu/kernels/quotients.cuh).

#include <concepts>
#include <type_traits>

#include "precision/number.hpp"

#include "grids/field.hpp"

#include "gpu/kernels/quotients.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/climbing.hpp"
#include "gpu/meaning/two_values.hpp"
#include "gpu/operations/relaxation.hpp"

namespace ninefold::kernels {

template <class F>
inline constexpr bool has_right = requires(const F& f) {
  f.right();
};

/// True of what takes a quotient at each node, or may.
template <class F>
inline constexpr bool divides = requires(const F& f) {
  f.relaxation;
};

/// The first column of a row of blocks, each of so many columns.
HOST_DEVICE inline int first_column(const Box& box, int columns) {
  return box.i0 / columns * columns;
}

/// Of fields whose rows are of one length, true if n neighbours are one access.
template <int n, class F>
bool has_neighbours(const F& f) {
  const auto fits = [&](const auto& field) {
    return field.pitch == f.x.pitch && is_aligned_for<n>(field);
  };
  if constexpr (has_right<F>) {
    if (!fits(f.right())) return false;
  }
  return fits(f.x) && fits(f.result());
}

/// n columns from a row upwards.
template <class F, bool reacts, int n>
class NeighbourColumns {
 public:
  using T = typename decltype(F::A)::Value;
  using C = Arithmetic<T>;
  using Values = AlignedValues<T, n>;

  /// What a row needs from memory; its factors along y come from elsewhere.
  struct RowRead {
    NeighbourNodes<C, n> north;
    std::conditional_t<has_right<F>, Values, NoOperands> right;

    /// The nodes above the row at x, and its own operands at right, if it has any.
    __device__ void read(const T* x, const T* right_at) {
      north = NeighbourNodes<C, n>::around(x);
      if constexpr (has_right<F>) right = *reinterpret_cast<const Values*>(right_at);
    }
  };

  /// Columns i to i + n - 1, n divides i, before row j; `above` has what lies above row j and those
  /// after it.
  __device__ NeighbourColumns(const F& f, const Box& box, int i, int j, const RowAbove<C>* above)
      : f_(f), box_(box), i_(i), above_(above), y_(row_before(f.A, j)) {
    result_ = f.result().row(j) + i;
    const LineFactors<C>& line = f.A.x;
    C stiffness[n + 1], mass[n + 1];
#pragma unroll
    for (int c = 0; c <= n; ++c) {
      // Beside the last node there is one cell, and no other.
      const int cell = c < 2 ? i + c : min(i + c, f.A.nx);
      stiffness[c] = line.stiffness[cell];
      mass[c] = line.mass[cell];
    }
    const auto south = NeighbourNodes<C, n>::around(f.x.row(j - 1) + i),
               here = NeighbourNodes<C, n>::around(f.x.row(j) + i);
    const NodeFactors<C> y{y_.after, C(0), y_.mass_after, C(0)};  // of the cell below alone
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const NodeFactors<C> x{stiffness[c], stiffness[c + 1], mass[c], mass[c + 1]};
      column_[c].start(FactoredEntries<T>{x, y, reaction_of<reacts>(f.A)}, south[c], here[c]);
    }
  }

  /// Finishes the next row.
  __device__ void climb(const RowRead& read) {
    take_row(y_, *above_);
    VisitedRow<T> row[n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
      row[c] = column_[c].climb(f_, y_, reaction_of<reacts>(f_.A), read.north[c]);
    }
    write(values(read.right, row));
    ++above_;
    result_ += f_.result().pitch;
  }

 private:
  template <class Right>
  __device__ Values values(const Right& right, const VisitedRow<T> (&row)[n]) const {
    Values found;
    if constexpr (!has_right<F>) {
#pragma unroll
      for (int c = 0; c < n; ++c) found.value[c] = F::value(row[c]);
      return found;
    } else {
      if constexpr (divides<F>) {
        if (f_.relaxation.divisor == Divisor::diagonal) return divided(right, row);
      }
#pragma unroll
      for (int c = 0; c < n; ++c) found.value[c] = f_.value(right.value[c], row[c]);
      return found;
    }
  }
  /// The values of a step, all quotients at once.
  __device__ Values divided(const Values& right, const VisitedRow<T> (&row)[n]) const {
    using D = Leading<T>;
    D residual[n], diagonal[n], quotient[n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
      residual[c] = F::residual(right.value[c], row[c]);
      diagonal[c] = row[c].diagonal;
    }
    Divisors<D, n>::of(diagonal).quotients(residual, quotient);
    Values found;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      found.value[c] = F::value(f_.relaxation.damping, quotient[c], row[c].x);
    }
    return found;
  }
  __device__ void write(const Values& values) const {
    if (i_ >= box_.i0 && i_ + n <= box_.i1) {
      *reinterpret_cast<Values*>(result_) = values;
      return;
    }
#pragma unroll
    for (int c = 0; c < n; ++c) {
      if (i_ + c >= box_.i0 && i_ + c < box_.i1) result_[c] = values.value[c];
    }
  }

  const F& f_;
  const Box& box_;
  int i_;
  const RowAbove<C>* above_;  ///< of the next row to be finished
  NodeFactors<C> y_;          ///< of the last one
  Climb<T> column_[n];
  T* result_;
};

}  // namespace ninefold::kernels
