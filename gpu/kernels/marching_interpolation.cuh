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

#include "gpu/kernels/line_values.cuh"
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
  using Reader = RowReader<T, m, has_next, has_before>;
  using Weights = LineReader<C, 4>;
  /// Coarse rows around the odd row at hand, and those on their way.
  static constexpr int coarse_places = 8;
  static_assert(4 + pairs_ahead + 1 <= coarse_places, "or rows would be overwritten");
  struct Memory {
    Pack<C, 2> x_weights[m][2][warp_lanes];
    typename Reader::Row rows[coarse_places];
    typename Weights::Values weights[staged_pairs];
  };

  /// Of columns from `first` on; `unknown` says which of them are unknowns.  May be made before
  /// earlier kernels have ended.
  __device__ InterpolatedRows(Memory& memory, const Box& unknowns, const bool (&unknown)[n],
                              const Field<const T>& c, const CubicTransfer<C>& cubic, int first,
                              int first_row)
      : unknowns_(unknowns),
        c_(c),
        memory_(memory),
        first_(first),
        fetched_(first_row / 2),
        y_weights_({&cubic.y[0].before + lane_of_warp(), 4}, first_row / 2),
        rows_(c, first / 2, lane_of_warp(), first_row / 2 - 1) {
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const int I = first / 2 + k;
      has_cell_[k] = first + 2 * k >= 0 && I + 1 < c.nx;
      keeps_[k] = !with_zeros || unknown[2 * k];
      CubicWeights<C> w{C(0), C(0), C(0), C(0)};
      if (has_cell_[k] && !(with_zeros && !unknown[2 * k + 1])) w = cubic.x[I];
      memory.x_weights[k][0][lane_of_warp()] = {w.before, w.lower};
      memory.x_weights[k][1][lane_of_warp()] = {w.upper, w.after};
      if (k == 0) before_ = has_cell_[k] ? cubic_before(I, c.nx) - I : -1;
      if (k == m - 1) after_ = has_cell_[k] ? cubic_after(I, c.nx) - I : 2;
    }
  }

  /// Before the first pair is fetched: the coarse row below the first row's, its own and the next.
  __device__ void fetch_before() {
    for (int k = -1; k < 2; ++k) rows_.fetch(row(fetched_ + k));
  }

  /// Begins to copy what two rows need.
  template <bool inside = false>
  __device__ void fetch() {
    rows_.template fetch<inside>(row(fetched_ + 2));
    y_weights_.template fetch<inside>(memory_.weights[fetched_ & (staged_pairs - 1)],
                                      [&] { return fetched_ >= 0 && fetched_ + 1 < c_.ny; });
    ++fetched_;
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
    const typename Weights::Values at = memory_.weights[J & (staged_pairs - 1)];
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
  __device__ CubicWeights<C> x_weights(int k) const {
    const Pack<C, 2> a = memory_.x_weights[k][0][lane_of_warp()],
                     b = memory_.x_weights[k][1][lane_of_warp()];
    return {a.value[0], a.value[1], b.value[0], b.value[1]};
  }
  __device__ typename Reader::Row& row(int J) const {
    return memory_.rows[J & (coarse_places - 1)];
  }

  /// Rounded as if it were stored; zero in rows where nothing would be, unless nobody asks for it
  /// there.
  template <bool inside>
  __device__ void round(int j, const C (&value)[n], C (&row)[n]) const {
    const bool unknowns = inside || (j >= unknowns_.j0 && j < unknowns_.j1);
#pragma unroll
    for (int k = 0; k < n; ++k) {
      row[k] = !with_zeros || (unknowns && (k % 2 != 0 || keeps_[k / 2])) ? C(T(value[k])) : C(0);
    }
  }

  /// What is kept of a coarse row: its odd fine columns, and the even ones, the coarse nodes
  /// themselves, where they are not read again from shared memory.
  static constexpr bool keeps_even = m == 1;
  struct Kept {
    C odd[m], even[keeps_even ? m : 1];
  };

  /// Coarse row J at the fine columns.  The first and the last lane read what lies beside their row
  /// in Memory, for columns that nobody uses.
  __device__ void along(int J, Kept& kept) const {
    const T* const at = row(J).of_all_lanes() + lane_of_warp() * m;
    const Pack<T, m> own = row(J).of(lane_of_warp());
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const C upper = k + 1 < m ? C(own.value[k + 1 < m ? k + 1 : k]) : C(at[k + 1]);
      const C before = k > 0 ? C(own.value[k > 0 ? k - 1 : 0]) : C(at[before_]);
      kept.odd[k] = x_weights(k).combine(before, C(own.value[k]), upper,
                                         C(k + 1 < m ? at[k + 2] : at[k + after_]));
      if constexpr (keeps_even) kept.even[k] = C(own.value[k]);
    }
  }
  __device__ void all_columns(int J, const Kept& kept, C (&value)[n]) const {
    [[maybe_unused]] Pack<T, m> own;
    if constexpr (!keeps_even) own = row(J).of(lane_of_warp());
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
      value[2 * k + 1] = x_weights(k).combine(C(at[cubic_before(I, c_.nx)]), C(at[I]), C(at[I + 1]),
                                              C(at[cubic_after(I, c_.nx)]));
    }
  }

  const Box& unknowns_;
  const Field<const T>& c_;
  Memory& memory_;
  int first_;
  int fetched_;        ///< the pair that is fetched next
  Weights y_weights_;  ///< of the odd rows, by coarse cell
  Reader rows_;
  bool has_cell_[m];
  bool keeps_[m];       ///< the even column's values are not made zero
  int before_, after_;  ///< from the first and the last odd column's cell, in a row of all lanes
  Kept window_[4];      ///< coarse rows J - 1 to J + 2, of the odd row 2 J + 1
};

}  // namespace ninefold::kernels
