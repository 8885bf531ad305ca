#pragma once
// Segments of lines that a thread works off by itself, four nodes at a time; see
// gpu/kernels/segment_columns.cuh and gpu/kernels/segment_rows.cuh.
//
// Why.  Where a node's equation passes through shared memory, its places there take as many
// instructions as its arithmetic.  All 16 nodes in a row would be more instructions than a
// multiprocessor keeps.
//
// Shape.  A segment has 16 slots; the nodes of a shorter one are the last of them.  What slot k
// keeps is of the node before it, which is eliminated when the equation of node k is there.
//
// Rounding.  The operations of gpu/operations/line_systems.hpp and fem/matrix/factored_rows.hpp in
// their order: the host's bits.

#include <cstddef>

#include "fem/matrix/factored_rows.hpp"

#include "gpu/operations/coarse_lines.hpp"
#include "gpu/operations/line_systems.hpp"

namespace ninefold::kernels {

inline constexpr int slots_at_once = 4;
inline constexpr int fours_of_segment = line_segment / slots_at_once;

/// Two neighbours, read at once.
template <class V>
struct alignas(2 * sizeof(V)) Two {
  V of[2];
};

/// True if no segment of a line of n unknowns lacks more than one node: on halved grids always.
inline bool has_full_segments(int n) {
  return (n + 1) % line_segment <= 1;
}

/// What four slots keep.
template <class D>
struct SlotsOfFour {
  Four<D> next, separator, value;

  /// At the node of slot m, from those of the separator before the segment and of the next slot.
  __device__ D solution_before(int m, D before, D z) const {
    return fused(-next.of[m], z, fused(-separator.of[m], before, value.of[m]));
  }
};

/// A view of what a block's threads keep, each of its own segment.
template <class D>
struct KeptSlots {
  Four<D>* data;
  int threads;

  static constexpr std::size_t bytes(int threads) {
    return static_cast<std::size_t>(3 * line_segment) * threads * sizeof(D);
  }
  __device__ void put(int four, const SlotsOfFour<D>& slots) const {
    at(four, 0) = slots.next;
    at(four, 1) = slots.separator;
    at(four, 2) = slots.value;
  }
  __device__ SlotsOfFour<D> get(int four) const { return {at(four, 0), at(four, 1), at(four, 2)}; }

 private:
  __device__ Four<D>& at(int four, int number) const {
    return data[(four * 3 + number) * threads + static_cast<int>(threadIdx.x)];
  }
};

/// Eliminates a segment, node by node.
template <class D>
struct SegmentElimination {
  MatrixEnd<D> matrix{D(0), D(1)};
  RightEnd<D> right{D(0)};

  /// Equation `row` in slot m of four; the node before it is in the same segment unless `begins`.
  __device__ void add(const LineRow<D>& row, bool begins, int m, SlotsOfFour<D>& slots) {
    const LineFactor<D> factor = matrix.eliminate(row.coupling, row.sum);
    slots.next.of[m] = factor.next;
    slots.separator.of[m] = factor.separator;
    slots.value.of[m] = right.eliminate(factor, row.right);
    if (begins) {
      matrix = {row.coupling, row.sum};
      right = {row.right};
    }
  }
  /// The same of an equation that has one before it, if there is this one.
  __device__ void add_if(bool is_there, const LineRow<D>& row, int m, SlotsOfFour<D>& slots) {
    const SegmentElimination before = *this;
    add(row, false, m, slots);
    if (!is_there) *this = before;
  }
  __device__ SegmentEnd<D> end() const {
    return {{matrix.coupling, matrix.sum, right.right}, matrix.sum_before, right.before};
  }
};

/// The row of a line's matrix at a node with factors that are in registers; see
/// FactoredForm::in_line.
template <bool along_x, class T>
__device__ inline InLine<T> in_line_of(const NodeFactors<T>& x, const NodeFactors<T>& y, T reaction,
                                       bool is_first, bool is_last) {
  const T stiffness[] = {x.before, x.after, y.before, y.after};
  const T mass[] = {x.mass_before, x.mass_after, y.mass_before, y.mass_after};
  FactoredRows<T> row{};
  row.x = {stiffness, mass};
  row.y = {stiffness + 2, mass + 2};
  row.reaction = reaction;
  return FactoredForm::in_line<along_x>(row, T(0), 0, 0, is_first, is_last);
}

}  // namespace ninefold::kernels
