#pragma once
// Relaxation by long lines along x; see gpu/kernels/line_step.cuh for others.
//
// Shape.  A thread goes along a segment (gpu/kernels/segment_march.cuh) with the values of three
// rows, a block along a line.  Rows are read and written by 16 bytes: unknowns begin one node after
// such a place, so that a thread writes, of 16 nodes, the last one of the segment before its own.
//
// Rounding.  See gpu/kernels/segment_march.cuh.

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/segment_march.cuh"
#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold::kernels {

inline constexpr int segment_row_threads = 256;  ///< at most, and the most segments of a line
inline constexpr int nodes_along = 8;            ///< that a thread goes along at once

/// Values around that many nodes: of the node before the first one to the one behind the last one.
template <class T>
struct AlongRow {
  T of[nodes_along + 2];

  /// `from` is aligned to 16.
  __device__ explicit AlongRow(const T* from) {
#pragma unroll
    for (int k = 0; k < nodes_along; k += 4) {
      const Four<T> four = *reinterpret_cast<const Four<T>*>(from + k);
      for (int m = 0; m < 4; ++m) of[k + m] = four.of[m];
    }
    of[nodes_along] = from[nodes_along];
    of[nodes_along + 1] = from[nodes_along + 1];
  }
  __device__ ThreeNodes<T> around(int m) const {
    return {of[m], of[m + 1], of[m + 2]};
  }
};

/// Goes along a segment of 15 or 16 nodes; `i` is the node before its first one.
template <bool reacts, class T>
__device__ SegmentEnd<T> follow_segment(const FactoredRows<T>& A, const Field<const T>& b,
                                        const Field<const T>& x, int i, int j, int size,
                                        bool is_first, bool is_last, const KeptSlots<T>& kept) {
  const T reaction = reacts ? A.reaction : T(0);
  const NodeFactors<T> fy = A.y[j];
  const T* x_at = x.row(j) + i;
  const T* b_at = b.row(j) + i;
  const T* stiffness = A.x.stiffness + i;
  const T* mass = A.x.mass + i;
  SegmentElimination<T> elimination;
#pragma unroll 1
  for (int begin = 0; begin < line_segment; begin += nodes_along) {
    const AlongRow<T> south(x_at - x.pitch), here(x_at), north(x_at + x.pitch), right(b_at);
    T stiff[nodes_along + 1], heavy[nodes_along + 1];
#pragma unroll
    for (int m = 0; m <= nodes_along; ++m) {
      stiff[m] = stiffness[m + 1];
      heavy[m] = mass[m + 1];
    }
    x_at += nodes_along;
    b_at += nodes_along;
    stiffness += nodes_along;
    mass += nodes_along;
#pragma unroll
    for (int four = 0; four < nodes_along; four += slots_at_once) {
      SlotsOfFour<T> slots;
#pragma unroll
      for (int n = 0; n < slots_at_once; ++n) {
        const int m = four + n, k = begin + m;
        const NodeFactors<T> fx{stiff[m], stiff[m + 1], heavy[m], heavy[m + 1]};
        const FactoredEntries<T> a{fx, fy, reaction};
        FactoredColumn<T> column = FactoredForm::column(a, south.around(m), here.around(m));
        const T product = FactoredForm::climb(a, here.around(m), north.around(m), column);
        const InLine<T> row = in_line_of<true>(fx, fy, reaction, m == 0 && is_first && begin == 0,
                                               m >= nodes_along - 2 && is_last && k + 1 == size);
        const LineRow<T> equation{row.coupling, row.sum, right.of[m + 1] - product};
        if (m + 1 < nodes_along) {
          elimination.add(equation, m == 0 && begin == 0, n, slots);
        } else {
          elimination.add_if(k < size, equation, n, slots);
        }
      }
      const int at = (begin + four) / slots_at_once;
      kept.put(at, slots);
    }
  }
  return elimination.end();
}

template <bool reacts, class T>
__global__ void __launch_bounds__(segment_row_threads, 2)
    segment_rows_kernel(const __grid_constant__ FactoredRows<T> A, const Field<const T> b,
                        const __grid_constant__ AddLineCorrection<T> add, const Lines lines,
                        int n) {
  extern __shared__ uint4 line_memory_of_block[];
  begin_kernel();
  const int s = static_cast<int>(threadIdx.x), segments = line_segments(n);
  const bool is_there = s < segments, is_last = s + 1 == segments;
  const int size = is_there ? segment_size(n, s * line_segment, line_segment) : 0;
  const LineNode start = line_node<LineDirection::x>(
      A.unknowns, lines, static_cast<int>(blockIdx.x), s * line_segment);
  const int i = start.i - 1, j = start.j, threads = static_cast<int>(blockDim.x);
  const KeptSlots<T> kept{reinterpret_cast<Four<T>*>(line_memory_of_block), threads};
  const ReducedSystems<T> ends{
      reinterpret_cast<T*>(line_memory_of_block) + 3 * line_segment * threads, 1, segments};
  if (is_there) {
    ends.put(0, s, follow_segment<reacts>(A, b, add.x, i, j, size, s == 0, is_last, kept));
  }
  __syncthreads();
  solve_reduced<BlockTeam, max_reductions - 3>(ends, 0, 1);
  if (!is_there) return;
  const T before = ends.solution(0, s - 1), last = ends.solution(0, s);
  const T* const x = add.x.row(j) + i;
  T* const y = add.y.row(j) + i;
  T z = last;
#pragma unroll 1
  for (int four = fours_of_segment - 1; four >= 0; --four) {
    const Four<T> values = *reinterpret_cast<const Four<T>*>(x + four * slots_at_once);
    const SlotsOfFour<T> slots = kept.get(four);
    Four<T> solution;
#pragma unroll
    for (int m = slots_at_once - 1; m >= 0; --m) {
      const int k = four * slots_at_once + m;
      const T of_slot = slots.solution_before(m, before, z);
      if (k < size) z = m == 0 && four == 0 ? before : of_slot;
      solution.of[m] = add.sum(values.of[m], z);
    }
    const int begin = four * slots_at_once;
    if (begin + slots_at_once <= size && (s > 0 || four > 0)) {
      *reinterpret_cast<Four<T>*>(y + begin) = solution;
    } else {
#pragma unroll
      for (int m = 0; m < slots_at_once; ++m) {
        if (begin + m <= size && (s > 0 || begin + m > 0)) y[begin + m] = solution.of[m];
      }
    }
  }
  if (is_last && size == line_segment) y[size] = add.sum(x[size], last);
}

/// All lines of a set along x; false if they are too long, or do not begin one node behind a
/// multiple of 16 bytes.
template <class T>
bool solve_segment_rows(const Cuda& on, const FactoredRows<T>& A, const Field<const T>& b,
                        const AddLineCorrection<T>& add, const Lines& lines, int n, int count) {
  const auto is_aligned = [](const auto& field) {
    return reinterpret_cast<std::uintptr_t>(field.data) % 16 == 0
           && field.pitch % (16 / static_cast<int>(sizeof(T))) == 0;
  };
  const int segments = line_segments(n), threads = (segments + 31) / 32 * 32;
  if (A.unknowns.i0 != 1 || threads > segment_row_threads || !has_full_segments(n)) return false;
  if (!is_aligned(b) || !is_aligned(add.x) || !is_aligned(add.y)) return false;
  const std::size_t memory = KeptSlots<T>::bytes(threads) + reduced_values(segments) * sizeof(T);
  const auto run = [&]<bool reacts>() {
    constexpr auto kernel = segment_rows_kernel<reacts, T>;
    const void* const address = reinterpret_cast<const void*>(kernel);
    if (memory > static_cast<std::size_t>(on.allow_shared_memory(address))) return false;
    launch<kernel>(on, static_cast<unsigned>(count), threads, memory, A, b, add, lines, n);
    return true;
  };
  return A.has_reaction() ? run.template operator()<true>() : run.template operator()<false>();
}

}  // namespace ninefold::kernels
