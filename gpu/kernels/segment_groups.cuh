#pragma once
// What the segments of lines leave, in the registers of one warp: a lane has a group of 8 equations
// that follow each other, as gpu/operations/line_systems.hpp cuts them, and what groups leave
// passes from lane to lane.
//
// Why.  Few threads work on these systems while a block waits for them: what counts is how long
// one of them takes, and that is shorter without shared memory and barriers between rounds.
//
// Rounding.  The operations of gpu/operations/line_systems.hpp in their order: the host's bits.

#include "gpu/kernels/quotients.cuh"
#include "gpu/operations/line_systems.hpp"

namespace ninefold::kernels {

inline constexpr unsigned all_lanes = ~0U;

/// The first equations of at most n that follow each other; then what is kept of them: the numbers
/// of an EliminatedRow in the places of those of a LineRow; then solutions in the place of `right`.
template <class D, int n = reduced_segment>
struct SegmentGroup {
  D coupling[n], sum[n], right[n];

  __device__ void set(int k, const LineRow<D>& row) {
    coupling[k] = row.coupling;
    sum[k] = row.sum;
    right[k] = row.right;
  }

  /// Eliminates equation k, of which `matrix` and `rights` are what is left so far.
  __device__ void eliminate(int k, MatrixEnd<D>& matrix, RightEnd<D>& rights) {
    const D pivot = matrix.pivot(coupling[k + 1]);
    const D inverse = has_plain_inverse(pivot) ? reciprocal(pivot) : D(1) / pivot;
    const LineFactor<D> factor = matrix.eliminate(coupling[k + 1], sum[k + 1], inverse);
    const D value = rights.eliminate(factor, right[k + 1]);
    coupling[k] = factor.next;
    sum[k] = factor.separator;
    right[k] = value;
  }
  /// Eliminates all but the last of `size` equations.
  __device__ SegmentEnd<D> eliminate(int size) {
    MatrixEnd<D> matrix{coupling[0], sum[0]};
    RightEnd<D> rights{right[0]};
#pragma unroll
    for (int k = 0; k + 1 < n; ++k) {
      if (k + 1 < size) eliminate(k, matrix, rights);
    }
    return {{matrix.coupling, matrix.sum, rights.right}, matrix.sum_before, rights.before};
  }
  /// The solutions, from those of the last equation and of the one before the first.
  __device__ void substitute(int size, D before, D last) {
    D z = last;
#pragma unroll
    for (int k = n - 1; k >= 0; --k) {
      if (k + 1 < n && k + 1 < size) {
        z = fused(-coupling[k], z, fused(-sum[k], before, right[k]));
      }
      if (k < size) right[k] = z;
    }
  }
};

/// The equation of the next system that a lane's group leaves; `apart` lanes further on is the next
/// group of the same line, if there is one.  By all lanes.
template <class D>
__device__ inline LineRow<D> equation_of_group(const SegmentEnd<D>& end, int apart, bool is_last) {
  const D sum = __shfl_down_sync(all_lanes, end.sum_before, apart);
  const D right = __shfl_down_sync(all_lanes, end.right_before, apart);
  LineRow<D> row = end.row;
  if (!is_last) {
    row.sum = row.sum - sum;
    row.right = row.right - right;
  }
  return row;
}

/// The equation that another lane has.  By all lanes.
template <class D>
__device__ inline LineRow<D> equation_of_lane(const LineRow<D>& row, int lane) {
  return {__shfl_sync(all_lanes, row.coupling, lane), __shfl_sync(all_lanes, row.sum, lane),
          __shfl_sync(all_lanes, row.right, lane)};
}

/// What a group is solved from: the solutions at the last unknown of the group before it, and at
/// its own.
template <class D>
struct GroupEnds {
  D before, last;
};

/// The last system of a line: of the ends of up to four groups, of which lane first_lane + k apart
/// has the one of group k.  Solves it, and returns what group `of` of it takes.  By all lanes.
template <class D>
__device__ inline GroupEnds<D> solve_last_groups(const LineRow<D>& row, int first_lane, int apart,
                                                 int groups, int of) {
  SegmentGroup<D, 4> last;
#pragma unroll
  for (int k = 0; k < 4; ++k) last.set(k, equation_of_lane(row, first_lane + k * apart));
  const SegmentEnd<D> end = last.eliminate(groups);
  last.substitute(groups, D(0), end.row.right / end.row.sum);
  GroupEnds<D> ends{D(0), last.right[0]};
#pragma unroll
  for (int k = 1; k < 4; ++k) {
    if (of == k) ends = {last.right[k - 1], last.right[k]};
  }
  return ends;
}

}  // namespace ninefold::kernels
