#pragma once
// Rows of a cubic interpolation (grids/cubic.hpp) for warps that march up a grid
// (gpu/kernels/marching_strip.cuh).
//
// Shape.  A lane's odd columns need coarse nodes of the lane before it and of one or two behind it;
// beside an end, where the fourth node lies within, as many more on the other side.  With one
// coarse column in a lane, the last cell must not be that of lane 1: lines have a multiple of 4
// cells. Coarse rows lie in shared memory, where lanes read each other's.  Four of them,
// interpolated along x, are kept: those around the odd row that comes next.

#include "grids/cubic.hpp"

#include "gpu/kernels/line_ring.cuh"
#include "gpu/kernels/marching_sources.cuh"
#include "gpu/kernels/marching_strip.cuh"

namespace ninefold::kernels {

/// Rows of the interpolated solution, of one warp, upwards from an even row.  Where a lane has one
/// coarse column, the last lane but one needs that of a lane behind the last: `has_next`; and the
/// first lane, where its odd column counts, that of a lane before it: `has_before`.  `with_zeros`:
/// what is no unknown is zero.
template <class T, int columns, bool has_next = false, bool has_before = false,
          bool with_zeros = true>
class InterpolatedRows {
 public:
  using C = Arithmetic<T>;
  static constexpr int n = columns, m = n / 2;
  using Weights = LineRing<C, 4>;
  struct Memory {
    typename RowRing<T, m, has_next, has_before>::Memory rows;
    typename Weights::Memory weights;
  };

  /// Of columns from `first` on; `unknown` says which of them are unknowns.
  __device__ InterpolatedRows(Memory& memory, const Box& unknowns, const bool (&unknown)[n],
                              const Field<const T>& c, const CubicTransfer<C>& cubic, int first,
                              int first_row)
      : unknowns_(unknowns),
        unknown_(unknown),
        c_(c),
        first_(first),
        y_weights_(memory.weights, first_row / 2, &cubic.y[first_row / 2].before + lane_of_warp(),
                   4),
        rows_(memory.rows, c, first / 2, lane_of_warp(), first_row / 2 - 1) {
    constexpr int begin = has_before ? -m : 0, last = (warp_lanes + (has_next ? 1 : 0)) * m - 1;
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const int I = first / 2 + k, at = lane_of_warp() * m + k;
      has_cell_[k] = first + 2 * k >= 0 && I + 1 < c.nx;
      if (has_cell_[k]) weights_[k] = cubic.x[I];
      const auto place = [&](int node) { return min(max(at + node - I, begin), last); };
      before_[k] = place(has_cell_[k] ? cubic_before(I, c.nx) : I);
      upper_[k] = place(I + 1);
      after_[k] = place(has_cell_[k] ? cubic_after(I, c.nx) : I);
    }
    for (int k = 0; k < 3; ++k) rows_.fetch();  // that below the first row's, its own and the next
  }

  /// Begins to copy what two rows need.
  template <bool inside = false>
  __device__ void fetch() {
    rows_.template fetch<inside>();
    y_weights_.template fetch<inside>(y_weights_.pair() >= 0 && y_weights_.pair() + 1 < c_.ny);
  }

  /// Before the first two rows, when their copies have come.
  __device__ void begin(int j) {
    along(j / 2 - 1, window_[0]);
    along(j / 2, window_[1]);
    along(j / 2 + 1, window_[2]);
  }

  /// Row j, an even one.
  template <bool inside>
  __device__ void even_row(int j, C (&row)[n]) {
    along(j / 2 + 2, window_[3]);
    C value[n];
    all_columns(j / 2, window_[1], value);
    round<inside>(j, value, row);
  }

  /// Row j, the odd one above it.
  template <bool inside>
  __device__ void odd_row(int j, C (&row)[n]) {
    const int J = (j - 1) / 2;
    const typename Weights::Values at = y_weights_[J];
    const CubicWeights<C> y{at.value[0], at.value[1], at.value[2], at.value[3]};
    C value[n], before[n], lower[n], upper[n], after[n];
    all_columns(J - 1, window_[0], before);
    all_columns(J, window_[1], lower);
    all_columns(J + 1, window_[2], upper);
    all_columns(J + 2, window_[3], after);
    if (!inside && J == 0) from_memory(cubic_before(J, c_.ny), before);
    if (!inside && J == c_.ny - 2) from_memory(cubic_after(J, c_.ny), after);
#pragma unroll
    for (int k = 0; k < n; ++k) value[k] = y.combine(before[k], lower[k], upper[k], after[k]);
#pragma unroll
    for (int k = 0; k < 3; ++k) window_[k] = window_[k + 1];
    round<inside>(j, value, row);
  }

 private:
  /// Rounded as if it were stored; zero where nothing would be, unless nobody asks for it there.
  template <bool inside>
  __device__ void round(int j, const C (&value)[n], C (&row)[n]) const {
    const bool unknowns = inside || (j >= unknowns_.j0 && j < unknowns_.j1);
#pragma unroll
    for (int k = 0; k < n; ++k) {
      row[k] = !with_zeros || (unknowns && unknown_[k]) ? C(T(value[k])) : C(0);
    }
  }

  /// What is kept of a coarse row: its odd fine columns, and the even ones, the coarse nodes
  /// themselves, where they are not read again from shared memory.
  static constexpr bool keeps_even = m == 1;
  struct Kept {
    C odd[m], even[keeps_even ? m : 1];
  };

  /// Coarse row J at the fine columns.
  __device__ void along(int J, Kept& kept) const {
    const T* const at = rows_.of_all_lanes(J);
    const Pack<T, m> own = rows_[J];
#pragma unroll
    for (int k = 0; k < m; ++k) {
      kept.odd[k] = weights_[k].combine(C(at[before_[k]]), C(own.value[k]), C(at[upper_[k]]),
                                        C(at[after_[k]]));
      if constexpr (keeps_even) kept.even[k] = C(own.value[k]);
    }
  }
  __device__ void all_columns(int J, const Kept& kept, C (&value)[n]) const {
    [[maybe_unused]] Pack<T, m> own;
    if constexpr (!keeps_even) own = rows_[J];
#pragma unroll
    for (int k = 0; k < m; ++k) {
      if constexpr (keeps_even) {
        value[2 * k] = kept.even[k];
      } else {
        value[2 * k] = C(own.value[k]);
      }
      value[2 * k + 1] = kept.odd[k];
    }
  }
  /// All fine columns of a row that is not on its way.
  __device__ void from_memory(int J, C (&value)[n]) const {
    const T* const at = c_.row(J);
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const int I = first_ / 2 + k;
      if (!has_cell_[k]) {
        const bool is_node = first_ + 2 * k >= 0 && I < c_.nx;
        value[2 * k] = is_node ? C(at[I]) : C(0);
        value[2 * k + 1] = C(0);
        continue;
      }
      value[2 * k] = C(at[I]);
      value[2 * k + 1] = weights_[k].combine(C(at[cubic_before(I, c_.nx)]), C(at[I]), C(at[I + 1]),
                                             C(at[cubic_after(I, c_.nx)]));
    }
  }

  const Box& unknowns_;
  const bool (&unknown_)[n];
  const Field<const T>& c_;
  int first_;
  Weights y_weights_;  ///< of the odd rows, by coarse cell
  RowRing<T, m, has_next, has_before> rows_;
  bool has_cell_[m];
  int before_[m], upper_[m], after_[m];  ///< places in a row of all lanes
  CubicWeights<C> weights_[m]{};
  Kept window_[4];  ///< coarse rows J - 1 to J + 2, of the odd row 2 J + 1
};

}  // namespace ninefold::kernels
