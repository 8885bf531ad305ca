#pragma once
// The residual of an interpolated solution, in High, and its restriction, both rounded to Low, in
// one pass of warps that march up a grid (gpu/kernels/marching_strip.cuh).
//
// Shape.  A lane's columns need the residuals of the lane before it, these the interpolated
// solution there and behind, and that coarse nodes one further
// (gpu/kernels/marching_interpolation.cuh): strips overlap by a lane at each side, and have a
// coarse column more.
//
// The meaning of a value comes from gpu/meaning/generic_mixed_operations.hpp and
// grids/transfer.hpp.

#include "gpu/kernels/marching_interpolation.cuh"
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

inline constexpr int nested_frame = 1;  ///< lanes at each side that write nothing
template <class T>
inline constexpr int nested_columns = (warp_lanes - 2 * nested_frame) * lane_columns<T>;
/// True unless the last cell of a line is that of a strip's first lane, which lacks the coarse node
/// that lies furthest from it; 2^k cells are no multiple of 15.
template <class T>
bool has_nested_strips(const FactoredRows<T>& A) {
  return (A.nx - 1) % nested_columns<T> != 0;
}

template <class High, class Low, bool reacts>
__global__ void __launch_bounds__(marching_threads, sizeof(Arithmetic<High>) == 8 ? 6 : 8)
    nested_residual_kernel(const NestedProblem<High, Low> problem, const Parts parts) {
  using C = Arithmetic<High>;
  using D = Arithmetic<Low>;
  constexpr int n = lane_columns<High>;
  using Reader = RowReader<High, n>;
  using Cells = LineReader<C, cell_values>;
  struct Slot {
    typename Reader::Row right[2];
    typename Cells::Values cells;
  };
  __shared__ typename StagedPairs<Slot>::Memory slot_memory[marching_warps];
  using Interpolated = InterpolatedRows<High, n, (n < 4), (n < 4)>;
  __shared__ typename Interpolated::Memory coarse_memory[marching_warps];
  using Restriction = LaneRestriction<Low, n>;
  __shared__ typename Restriction::Memory weights_memory[marching_warps];
  let_next_start();
  const FactoredRows<High>& A = problem.A;
  const int warp = warp_of_grid(), in_block = warp % marching_warps, lane_number = lane_of_warp();
  // A part is so many coarse rows J, and the fine rows 2 J and 2 J + 1.
  const int strip = warp % parts.strips, first_part = A.unknowns.j0 / 2;
  const int j0 = first_part + warp / parts.strips * parts.rows;
  const int j1 = min(j0 + parts.rows, (A.unknowns.j1 + 1) / 2);
  const int first = strip * nested_columns<High> + (lane_number - nested_frame) * n;
  const bool writes = lane_number >= nested_frame && lane_number < warp_lanes - nested_frame;
  const LaneColumns<High> lane(A, first);
  const int begin = 2 * j0 - 2, end = 2 * j1 + 1;
  const StagedPairs<Slot> slots(slot_memory[in_block]);
  Reader b(problem.b, first, lane_number, begin);
  Interpolated x(coarse_memory[in_block], A.unknowns, lane.unknown, problem.c, problem.cubic, first,
                 begin);
  Cells cells(cell_value(A, lane_number), begin / 2);
  Restriction restriction(weights_memory[in_block], problem.transfer, A.unknowns, first, begin);
  wait_for_kernels_before();
  if (warp >= parts.warps) return;
  const C down = problem.state->down;
  int fetched = begin / 2;
  const auto fetch = [&](auto is_inside) {
    constexpr bool inside = decltype(is_inside)::value;
    Slot& to = slots[fetched];
    x.template fetch<inside>();
    b.template fetch<inside>(to.right);
    cells.template fetch<inside>(to.cells, [&] { return has_cell(A, fetched, lane_number); });
    restriction.template fetch<inside>();
    __pipeline_commit();
    ++fetched;
  };
  x.fetch_before();
  for (int k = 0; k < pairs_ahead; ++k) fetch(std::false_type());
  MarchingRows<High> before;
  MarchingFactors<High, 1> y;
  // What is stored of the residual of the row below row j, when row j has come.
  const auto advance = [&](const LaneRow<High>& next, const C& stiffness, const C& mass,
                           const typename Reader::Row& right_below, Pack<Low, n>& stored,
                           D(&r)[n]) {
    y.take(stiffness, mass);
    VisitedRow<High> visited[n];
    before.advance(lane, y.of_row_below(0), reaction_of<reacts>(A), next, visited);
    const Pack<High, n> right = right_below.of(lane_number);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      stored.value[c] = narrowed<Low>(down * (C(right.value[c]) - visited[c].product));
      r[c] = D(stored.value[c]);
    }
  };
  RowWriter<Low, n> fine(problem.r, begin - 1, first, A.unknowns.i0, A.unknowns.i1, writes);
  const Box& box = problem.coarse_box;
  RowWriter<Low, n / 2> b_coarse(problem.b_coarse, begin / 2 - 1, first / 2, box.i0, box.i1,
                                 writes);
  const auto advance_two = [&](auto is_inside, int j) {
    constexpr bool inside = decltype(is_inside)::value;
    fetch(is_inside);
    __pipeline_wait_prior(pairs_ahead);
    __syncwarp();  // coarse rows, and what lies along y, are read across lanes
    const Slot &now = slots[j / 2], &below = slots[j / 2 - 1];
    const CellPair<C> cell = *reinterpret_cast<const CellPair<C>*>(now.cells.value);
    const auto write = [&](int row, const Pack<Low, n>& stored) {
      const bool unknowns = inside || has_unknowns(A, row);
      fine.write(row >= 2 * j0 && row < 2 * j1 && unknowns, stored);
    };
    Pack<Low, n> stored;
    D r[n];
    // Both rows' neighbours at once: lanes then wait for each other less.
    LaneRow<High> even, odd;
    x.template even_row<inside>(j, even.own);
    x.template odd_row<inside>(j + 1, odd.own);
    even.take_neighbours();
    odd.take_neighbours();
    advance(even, cell.stiffness[0], cell.mass[0], below.right[1], stored, r);
    write(j - 1, stored);
    // Two rows must have come before: the first two residuals are none, and nobody asks for them.
    Pack<Low, n / 2> coarse;
    restriction.template add_odd<inside>(j - 1, r, coarse);
    const int J = j / 2 - 1;
    const bool is_coarse = inside || (J >= box.j0 && J < box.j1);
    b_coarse.write(J >= j0 && J < j1 && is_coarse, coarse);
    advance(odd, cell.stiffness[1], cell.mass[1], now.right[0], stored, r);
    write(j, stored);
    restriction.add_even(r);
  };
  __pipeline_wait_prior(pairs_ahead - 1);
  __syncwarp();
  x.begin(begin);
  // Rows of two coarse cells on either side, and those that are fetched.
  for_pairs(begin, end, A.unknowns.j0 + 4, A.unknowns.j1 - 2 * pairs_ahead - 6, advance_two);
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
