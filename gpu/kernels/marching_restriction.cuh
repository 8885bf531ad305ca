#pragma once
// The restricted residual in one pass, of warps that march up a grid
// (gpu/kernels/marching_strip.cuh).
//
// The meaning of a value comes from gpu/meaning/generic_row_operations.hpp and grids/transfer.hpp.

#include <type_traits>

#include "grids/transfer.hpp"

#include "gpu/kernels/marching_launch.cuh"
#include "gpu/kernels/marching_sources.cuh"
#include "gpu/kernels/passes.cuh"
#include "gpu/meaning/generic_row_operations.hpp"

namespace ninefold::kernels {

/// What the residual's rows, one after the other, are for the coarse nodes of a lane: in the order
/// of restrict_at.
template <class T, int columns = lane_columns<T>>
class LaneRestriction {
 public:
  using C = Arithmetic<T>;
  static constexpr int n = columns, m = n / 2;
  using Weights = LineReader<C, 2>;
  using Memory = typename Weights::Values[staged_pairs];

  /// Of columns from `first` on; the first even row is row `begin`.
  __device__ LaneRestriction(Memory& memory, const Transfer<C>& transfer, const Box& fine,
                             int first, int begin)
      : fine_(fine),
        memory_(memory),
        // Of the odd row before each pair.
        weights_({&transfer.y[-1].lower + lane_of_warp(), 4}, begin / 2),
        fetched_(begin / 2) {
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const int i = first + 2 * k;
      has_west_[k] = i - 1 >= fine.i0 && i - 1 < fine.i1;
      has_east_[k] = i + 1 >= fine.i0 && i + 1 < fine.i1;
      west_[k] = has_west_[k] ? transfer.x[i - 1].upper : C(0);
      east_[k] = has_east_[k] ? transfer.x[i + 1].lower : C(0);
      south_[k] = middle_[k] = C(0);
    }
  }

  /// Begins to copy what the odd row before the next two needs.
  template <bool inside>
  __device__ void fetch() {
    weights_.template fetch<inside>(memory_[fetched_ & (staged_pairs - 1)],
                                    [&] { return has_row(2 * fetched_ - 1); });
    ++fetched_;
  }

  /// Of an even row.
  __device__ void add_even(const C (&r)[n]) {
    along(r, middle_);
  }

  /// Of the odd row j above it: the coarse row of that one.
  template <bool inside>
  __device__ void add_odd(int j, const C (&r)[n], Pack<T, m>& coarse) {
    C row[m];
    along(r, row);
    const bool has_south = inside || has_row(j - 2), has_north = inside || has_row(j);
    const typename Weights::Values weights = memory_[(j + 1) / 2 & (staged_pairs - 1)];
    const C lower = weights.value[0], upper = weights.value[1];
#pragma unroll
    for (int k = 0; k < m; ++k) {
      C sum = middle_[k];
      if (has_south) sum = fused(upper_before_, south_[k], sum);
      if (has_north) sum = fused(lower, row[k], sum);
      coarse.value[k] = T(sum);
      south_[k] = row[k];
    }
    upper_before_ = upper;
  }

 private:
  __device__ bool has_row(int j) const {
    return j >= fine_.j0 && j < fine_.j1;
  }

  __device__ void along(const C (&r)[n], C (&row)[m]) const {
    const C before = __shfl_up_sync(all_lanes, r[n - 1], 1);
#pragma unroll
    for (int k = 0; k < m; ++k) {
      row[k] = r[2 * k];
      if (has_west_[k]) row[k] = fused(west_[k], k == 0 ? before : r[2 * k - 1], row[k]);
      if (has_east_[k]) row[k] = fused(east_[k], r[2 * k + 1], row[k]);
    }
  }

  Box fine_;
  Memory& memory_;
  Weights weights_;  ///< lower and upper, of the odd rows
  int fetched_;      ///< the pair that is fetched next
  bool has_west_[m], has_east_[m];
  C west_[m], east_[m];
  C south_[m], middle_[m];  ///< of the last odd and the last even row
  C upper_before_ = C(0);   ///< of the last odd one
};

template <class T, bool reacts>
__global__ void __launch_bounds__(marching_threads, 8)
    marching_restriction_kernel(const RestrictionProblem<T> problem, const Parts parts) {
  using C = Arithmetic<T>;
  constexpr int n = lane_columns<T>;
  using Reader = RowReader<T, n>;
  using Cells = LineReader<C, cell_values>;
  struct Slot {
    typename Reader::Row right[2], x[2];
    typename Cells::Values cells;
  };
  __shared__ typename StagedPairs<Slot>::Memory slot_memory[marching_warps];
  __shared__ typename LaneRestriction<T>::Memory weights_memory[marching_warps];
  let_next_start();
  const FactoredRows<T>& A = problem.A;
  const int warp = warp_of_grid(), in_block = warp % marching_warps, lane_number = lane_of_warp();
  // Its rows are coarse ones.
  const Box& box = problem.coarse_box;
  const WarpPart part = parts.of<T>(warp, lane_number, box.j0, box.j1);
  const LaneColumns<T> lane(A, part.first);
  const int begin = 2 * part.j0 - 2, end = 2 * part.j1 + 1;  // from two rows before
  RowWriter<T, n / 2> b_coarse(problem.b_coarse, begin / 2 - 1, part.first / 2, box.i0, box.i1,
                               part.writes);
  const StagedPairs<Slot> slots(slot_memory[in_block]);
  Reader b(problem.b, part.first, lane_number, begin), x(problem.x, part.first, lane_number, begin);
  Cells cells(cell_value(A, lane_number), begin / 2);
  LaneRestriction<T> restriction(weights_memory[in_block], problem.transfer, A.unknowns, part.first,
                                 begin);
  wait_for_kernels_before();
  if (warp >= parts.warps) return;
  int fetched = begin / 2;
  const auto fetch = [&](auto is_inside) {
    constexpr bool inside = decltype(is_inside)::value;
    Slot& to = slots[fetched];
    x.template fetch<inside>(to.x);
    b.template fetch<inside>(to.right);
    cells.template fetch<inside>(to.cells, [&] { return has_cell(A, fetched, lane_number); });
    restriction.template fetch<inside>();
    __pipeline_commit();
    ++fetched;
  };
  for (int k = 0; k < pairs_ahead; ++k) fetch(std::false_type());
  MarchingRows<T> before;
  MarchingFactors<T, 1> y;
  // The residual of the row below row j.
  const auto advance = [&](const C& stiffness, const C& mass, const typename Reader::Row& row,
                           const typename Reader::Row& right_below, C(&r)[n]) {
    y.take(stiffness, mass);
    LaneRow<T> next;
    const Pack<T, n> values = row.of(lane_number), right = right_below.of(lane_number);
#pragma unroll
    for (int c = 0; c < n; ++c) next.own[c] = values.value[c];
    next.take_neighbours();
    VisitedRow<T> visited[n];
    before.advance(lane, y.of_row_below(0), reaction_of<reacts>(A), next, visited);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      r[c] = Residual<FactoredForm, T, FactoredRows<T>>::value(right.value[c], visited[c]);
    }
  };
  const auto advance_two = [&](auto is_inside, int j) {
    constexpr bool inside = decltype(is_inside)::value;
    fetch(is_inside);
    __pipeline_wait_prior(pairs_ahead);
    __syncwarp();  // what lies along y is read across lanes
    const Slot &now = slots[j / 2], &below = slots[j / 2 - 1];
    const CellPair<C> cell = *reinterpret_cast<const CellPair<C>*>(now.cells.value);
    C r[n];
    advance(cell.stiffness[0], cell.mass[0], now.x[0], below.right[1], r);
    // Two rows must have come before: the first two residuals are none, and nobody asks for them.
    Pack<T, n / 2> coarse;
    restriction.template add_odd<inside>(j - 1, r, coarse);
    const int J = j / 2 - 1;
    b_coarse.write(J >= part.j0 && J < part.j1, coarse);
    advance(cell.stiffness[1], cell.mass[1], now.x[1], now.right[0], r);
    restriction.add_even(r);
  };
  for_pairs(begin, end, A.unknowns.j0 + 3, A.unknowns.j1 - 2 * pairs_ahead - 2, advance_two);
}

template <class T>
void launch_restriction(const Cuda& on, const RestrictionProblem<T>& problem) {
  const Box& box = problem.coarse_box;
  if (box.empty()) return;
  with_reaction(problem.A, [&](auto reacts) {
    launch_marching<marching_restriction_kernel<T, reacts()>, T>(on, 2 * box.i1, box.height(),
                                                                 problem);
  });
}

}  // namespace ninefold::kernels
