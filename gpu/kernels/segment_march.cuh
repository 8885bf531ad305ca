#pragma once
// Segments of lines that a thread works off by itself, four nodes at a time; see
// gpu/kernels/segment_columns.cuh and gpu/kernels/segment_rows.cuh.
//
// Why.  Where each number of a node's equation passes through shared memory, its places there take
// as many instructions as its arithmetic.  All 16 nodes in a row would be more instructions than a
// multiprocessor keeps.  The matrix of four nodes is eliminated first, whose quotients wait for
// each other, but for nothing that is read of vectors.
//
// Shape.  A segment has 16 slots; the nodes of a shorter one are the last of them along y, and the
// first along x.  What is kept in the slot of a node belongs to the node before it, which is
// eliminated when the node's own equation is there.
//
// Rounding.  The operations of gpu/operations/line_systems.hpp and fem/matrix/factored_rows.hpp in
// their order: the host's bits.

#include <cstddef>
#include <cstdint>

#include "fem/matrix/factored_rows.hpp"

#include "gpu/kernels/quotients.cuh"
#include "gpu/operations/coarse_lines.hpp"
#include "gpu/operations/line_systems.hpp"

namespace ninefold::kernels {

inline constexpr int nodes_at_once = 4;
inline constexpr int fours_of_segment = line_segment / nodes_at_once;

/// On an H200 shorter lines take less time with what is kept of them
/// (gpu/operations/kept_lines.hpp).
inline constexpr int shortest_segmented_line = 513;

/// True if a row's nodes may be read by `together`, all of which lie in the row.
template <class T>
bool reads_together(const Field<T>& field, int together) {
  return reinterpret_cast<std::uintptr_t>(field.data) % sizeof(Four<T>) == 0
         && field.pitch % together == 0;
}

/// Two neighbours, read at once.
template <class V>
struct alignas(2 * sizeof(V)) Two {
  V of[2];
};

/// True if no segment of a line of n unknowns lacks more than one node: on halved grids always.
inline bool has_full_segments(int n) {
  return (n + 1) % line_segment <= 1;
}

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

/// Which of four nodes begin a segment: what was eliminated before them is forgotten.
struct Beginnings {
  bool first, second;
  __device__ bool operator[](int m) const { return m == 0 ? first : m == 1 && second; }
};

/// Eliminates the matrix of four nodes with plain or exact quotients (gpu/kernels/quotients.cuh);
/// false if plain ones are not the operator's.  The last node is there if `has_last`.
template <bool are_plain, class D>
__device__ inline bool eliminate_four(const InLine<D> (&row)[nodes_at_once], Beginnings begins,
                                      bool has_last, MatrixEnd<D>& end,
                                      LineFactor<D> (&factor)[nodes_at_once]) {
  bool are_right = true;
#pragma unroll
  for (int m = 0; m < nodes_at_once; ++m) {
    const MatrixEnd<D> before = end;
    const D pivot = before.pivot(row[m].coupling);
    are_right = are_right && has_plain_inverse(pivot);
    factor[m] =
        end.eliminate(row[m].coupling, row[m].sum, are_plain ? reciprocal(pivot) : D(1) / pivot);
    if (begins[m]) {
      end = {row[m].coupling, row[m].sum};
      are_right = true;
    }
    if (m + 1 == nodes_at_once && !has_last) end = before;
  }
  return are_right;
}
template <class D>
__device__ inline void eliminate_matrix(const InLine<D> (&row)[nodes_at_once], Beginnings begins,
                                        bool has_last, MatrixEnd<D>& end,
                                        LineFactor<D> (&factor)[nodes_at_once]) {
  const MatrixEnd<D> before = end;
  if (eliminate_four<true>(row, begins, has_last, end, factor)) return;
  end = before;
  eliminate_four<false>(row, begins, has_last, end, factor);
}

}  // namespace ninefold::kernels
