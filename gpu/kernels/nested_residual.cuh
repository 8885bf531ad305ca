#pragma once
// The residual of an interpolated solution, in High, and its restriction, both rounded to Low, in
// one pass of warps that march up a grid (gpu/kernels/marching_strip.cuh).
//
// Shape.  A lane's odd columns need coarse nodes of the lane before it and of one or two behind it,
// their residuals those of another one, and the restriction one more: strips overlap by three lanes
// at each side.  Coarse rows lie in shared memory, where lanes read each other's.  Four of them,
// interpolated along x, are kept: those around the odd row that comes next.
//
// The meaning of a value comes from grids/cubic.hpp, gpu/meaning/generic_mixed_operations.hpp and
// grids/transfer.hpp.

#include "grids/cubic.hpp"

#include "gpu/kernels/marching_launch.cuh"
#include "gpu/kernels/marching_restriction.cuh"
#include "gpu/meaning/between_formats.hpp"
#include "gpu/operations/refinement_state.hpp"

namespace ninefold::kernels {

template <class High, class Low>
struct NestedProblem {
  FactoredRows<High> A;
  Field<const High> b, c;
  CubicTransfer<Arithmetic<High>> cubic;
  const RefinementState<Arithmetic<High>>* state;
  Field<Low> r;
  Box coarse_box;
  Transfer<Arithmetic<Low>> transfer;
  Field<Low> b_coarse;
};

inline constexpr int nested_frame = 3;  ///< lanes at each side that write nothing
template <class T>
inline constexpr int nested_columns = (warp_lanes - 2 * nested_frame) * lane_columns<T>;

/// Rows of the interpolated solution, of one warp, upwards from an even row.
template <class T>
class InterpolatedRows {
 public:
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>, m = n / 2;
  using Memory = typename RowRing<T, m>::Memory;

  __device__ InterpolatedRows(Memory& memory, const FactoredRows<T>& A, const Field<const T>& c,
                              const CubicTransfer<C>& cubic, const LaneColumns<T>& lane,
                              int first_row)
      : A_(A),
        c_(c),
        lane_(lane),
        y_weights_(cubic.y),
        rows_(memory, c, lane.first / 2, lane_of_warp(), first_row / 2 - 1) {
    const int columns = warp_lanes * m;
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const int I = lane.first / 2 + k, at = lane_of_warp() * m + k;
      has_cell_[k] = lane.first + 2 * k >= 0 && I + 1 < c.nx;
      if (has_cell_[k]) weights_[k] = cubic.x[I];
      const auto place = [&](int node) { return min(max(at + node - I, 0), columns - 1); };
      before_[k] = place(has_cell_[k] ? cubic_before(I, c.nx) : I);
      upper_[k] = place(I + 1);
      after_[k] = place(has_cell_[k] ? cubic_after(I, c.nx) : I);
    }
    read_weights(first_row / 2);
    for (int k = 0; k < 3; ++k) rows_.fetch();  // that below the first row's, its own and the next
  }

  /// Begins to copy what two rows need.
  __device__ void fetch() {
    rows_.fetch();
  }

  /// Before the first two rows, when their copies have come.
  __device__ void begin(int j) {
    along(j / 2 - 1, window_[0]);
    along(j / 2, window_[1]);
    along(j / 2 + 1, window_[2]);
  }

  /// Row j, an even one.
  __device__ LaneRow<T> even_row(int j) {
    along(j / 2 + 2, window_[3]);
    return row(j, window_[1]);
  }

  /// Row j, the odd one above it.
  __device__ LaneRow<T> odd_row(int j) {
    const int J = (j - 1) / 2;
    const CubicWeights<C> y = next_weights_;
    read_weights(J + 1);
    C value[n], before[n], after[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      before[k] = window_[0][k];
      after[k] = window_[3][k];
    }
    if (J == 0) from_memory(cubic_before(J, c_.ny), before);
    if (J == c_.ny - 2) from_memory(cubic_after(J, c_.ny), after);
#pragma unroll
    for (int k = 0; k < n; ++k) {
      value[k] = y.combine(before[k], window_[1][k], window_[2][k], after[k]);
      window_[0][k] = window_[1][k];
      window_[1][k] = window_[2][k];
      window_[2][k] = window_[3][k];
    }
    return row(j, value);
  }

 private:
  /// Of the odd row in coarse cell J, for its use two rows later.
  __device__ void read_weights(int J) {
    next_weights_ = J >= 0 && J + 1 < c_.ny ? y_weights_[J] : CubicWeights<C>{};
  }

  /// Rounded as if it were stored; zero where nothing would be.
  __device__ LaneRow<T> row(int j, const C (&value)[n]) const {
    const bool unknowns = has_unknowns(A_, j);
    LaneRow<T> row;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      row.own[k] = unknowns && lane_.unknown[k] ? C(T(value[k])) : C(0);
    }
    return row;
  }

  /// Coarse row J at the fine columns.
  __device__ void along(int J, C (&value)[n]) const {
    const T* const at = rows_.of_all_lanes(J);
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const C own = C(at[lane_of_warp() * m + k]);
      value[2 * k] = own;
      value[2 * k + 1] =
          weights_[k].combine(C(at[before_[k]]), own, C(at[upper_[k]]), C(at[after_[k]]));
    }
  }
  /// The same of a row that is not on its way.
  __device__ void from_memory(int J, C (&value)[n]) const {
    const T* const at = c_.row(J);
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const int I = lane_.first / 2 + k;
      if (!has_cell_[k]) {
        const bool is_node = lane_.first + 2 * k >= 0 && I < c_.nx;
        value[2 * k] = is_node ? C(at[I]) : C(0);
        value[2 * k + 1] = C(0);
        continue;
      }
      value[2 * k] = C(at[I]);
      value[2 * k + 1] = weights_[k].combine(C(at[cubic_before(I, c_.nx)]), C(at[I]), C(at[I + 1]),
                                             C(at[cubic_after(I, c_.nx)]));
    }
  }

  const FactoredRows<T>& A_;
  const Field<const T>& c_;
  const LaneColumns<T>& lane_;
  const CubicWeights<C>* y_weights_;
  RowRing<T, m> rows_;
  bool has_cell_[m];
  int before_[m], upper_[m], after_[m];  ///< places in a row of all lanes
  CubicWeights<C> weights_[m]{};
  CubicWeights<C> next_weights_{};  ///< of the next odd row
  C window_[4][n];                  ///< coarse rows J - 1 to J + 2, of the odd row 2 J + 1
};

template <class High, class Low, bool reacts>
__global__ void __launch_bounds__(marching_threads, 3)  // with 4 blocks registers would spill
    nested_residual_kernel(const NestedProblem<High, Low> problem, const Parts parts) {
  using C = Arithmetic<High>;
  using D = Arithmetic<Low>;
  constexpr int n = lane_columns<High>;
  __shared__ typename RowRing<High, n>::Memory right_memory[marching_warps];
  __shared__ typename InterpolatedRows<High>::Memory coarse_memory[marching_warps];
  begin_kernel();
  const FactoredRows<High>& A = problem.A;
  const int warp = warp_of_grid(), in_block = warp % marching_warps, lane_number = lane_of_warp();
  if (warp >= parts.warps) return;
  // A part is so many coarse rows J, and the fine rows 2 J and 2 J + 1.
  const int strip = warp % parts.strips, first_part = A.unknowns.j0 / 2;
  const int j0 = first_part + warp / parts.strips * parts.rows;
  const int j1 = min(j0 + parts.rows, (A.unknowns.j1 + 1) / 2);
  const int first = strip * nested_columns<High> + (lane_number - nested_frame) * n;
  const bool writes = lane_number >= nested_frame && lane_number < warp_lanes - nested_frame;
  const LaneColumns<High> lane(A, first);
  const int begin = 2 * j0 - 2, end = 2 * j1 + 1;
  RowRing<High, n> b(right_memory[in_block], problem.b, first, lane_number, begin);
  InterpolatedRows<High> x(coarse_memory[in_block], A, problem.c, problem.cubic, lane, begin);
  const auto fetch = [&] {
    x.fetch();
    b.fetch();
    b.fetch();
    __pipeline_commit();
  };
  for (int k = 0; k < pairs_ahead; ++k) fetch();
  const C down = problem.state->down;
  CellPair<High> cells(A, begin);
  MarchingRows<High> before;
  MarchingFactors<High, 1> y;
  LaneRestriction<Low, n> restriction(problem.transfer, A.unknowns, first);
  // What is stored of the residual of the row below row j, when row j has come.
  const auto advance = [&](int j, LaneRow<High> next, const C& stiffness, const C& mass,
                           Pack<Low, n>& stored, D(&r)[n]) {
    y.take(stiffness, mass);
    next.take_neighbours();
    VisitedRow<High> visited[n];
    before.advance(lane, y.of_row_below(0), reaction_of<reacts>(A), next, visited);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      stored.value[c] = narrowed<Low>(down * (C(b[j - 1].value[c]) - visited[c].product));
      r[c] = D(stored.value[c]);
    }
  };
  const auto write = [&](int j, const Pack<Low, n>& stored) {
    if (writes && j >= 2 * j0 && j < 2 * j1 && has_unknowns(A, j)) {
      store(problem.r, j, first, A.unknowns.i0, A.unknowns.i1, stored);
    }
  };
  for (int j = begin; j < end; j += 2) {
    fetch();
    const CellPair<High> now = cells;
    cells = CellPair<High>(A, j + 2);
    __pipeline_wait_prior(pairs_ahead);
    __syncwarp();  // coarse rows are read across lanes
    if (j == begin) x.begin(j);
    Pack<Low, n> stored;
    D r[n];
    advance(j, x.even_row(j), now.stiffness[0], now.mass[0], stored, r);
    write(j - 1, stored);
    // Two rows must have come before: the first two residuals are none, and nobody asks for them.
    Pack<Low, n / 2> coarse;
    restriction.add_odd(j - 1, r, coarse);
    const int J = j / 2 - 1;
    if (writes && J >= j0 && J < j1 && J >= problem.coarse_box.j0 && J < problem.coarse_box.j1) {
      store(problem.b_coarse, J, first / 2, problem.coarse_box.i0, problem.coarse_box.i1, coarse);
    }
    advance(j + 1, x.odd_row(j + 1), now.stiffness[1], now.mass[1], stored, r);
    write(j, stored);
    restriction.add_even(r);
  }
}

template <class High, class Low>
void launch_nested_residual(const Cuda& on, const NestedProblem<High, Low>& problem) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  with_reaction(problem.A, [&](auto reacts) {
    launch_strips<nested_residual_kernel<High, Low, reacts()>, nested_columns<High>>(
        on, box.i1, (box.j1 + 1) / 2 - box.j0 / 2, problem);
  });
}

}  // namespace ninefold::kernels
