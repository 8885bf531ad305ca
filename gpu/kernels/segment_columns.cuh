#pragma once
// Relaxation by long lines along y, of a device with clusters; see gpu/kernels/line_columns.cuh for
// others.
//
// Shape.  A thread climbs a segment (gpu/kernels/segment_march.cuh) with the values of three
// columns, 8 neighbouring lines of a set side by side; a block has 32 segments of them, and a
// cluster of up to 8 blocks all that their lines have.  A block reduces its own segments; what is
// left of them, 4 unknowns a line, is solved by the first block of the cluster.
//
// Rounding.  See gpu/kernels/segment_march.cuh.

#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "gpu/kernels/segment_march.cuh"
#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold::kernels {

inline constexpr int segment_columns = 8, segments_of_block = 32;
inline constexpr int reduced_of_block = segments_of_block / reduced_segment;
inline constexpr int most_cluster_blocks = 8;  ///< that every device with clusters has
inline constexpr int segment_column_threads = segment_columns * segments_of_block;
/// Shorter lines may begin with a segment that is not full.
inline constexpr int shortest_segment_column = 2 * line_segment;

/// Of a block: what its segments leave, five numbers each as in ReducedSystems, and in one more
/// place what the first one of the next block takes from its last one, then the solution before the
/// first one.
template <class D>
struct BlockEnds {
  D* data;

  static constexpr int values = 5 * (segments_of_block + 1) * segment_columns;

  __device__ D& at(int number, int s, int line) const {
    return data[(number * (segments_of_block + 1) + s) * segment_columns + line];
  }
  __device__ void put(int line, int s, const SegmentEnd<D>& end) const {
    at(0, s, line) = end.row.coupling;
    at(1, s, line) = end.row.sum;
    at(2, s, line) = end.row.right;
    put_before(line, s, end);
  }
  __device__ void put_before(int line, int s, const SegmentEnd<D>& end) const {
    at(3, s, line) = end.sum_before;
    at(4, s, line) = end.right_before;
  }
  __device__ LineRow<D> equation(int line, int s, bool is_last) const {
    LineRow<D> row{at(0, s, line), at(1, s, line), at(2, s, line)};
    if (!is_last) {
      row.sum = row.sum - at(3, s + 1, line);
      row.right = row.right - at(4, s + 1, line);
    }
    return row;
  }
  /// Of the segments first <= s < last, of which the last one may be the line's.
  __device__ SegmentEnd<D> eliminate(int line, int first, int last, bool ends_line) const {
    return eliminate_segment<D>(
        last - first,
        [&](int k) { return equation(line, first + k, ends_line && first + k + 1 == last); },
        [&](int k, const EliminatedRow<D>& row) {
          at(0, first + k, line) = row.next;
          at(1, first + k, line) = row.separator;
          at(2, first + k, line) = row.value;
        });
  }
  /// Then their solutions take the place of number 3.
  __device__ void substitute(int line, int first, int last, D before, D at_last) const {
    substitute_segment(
        last - first, before, at_last,
        [&](int k) {
          return EliminatedRow<D>{at(0, first + k, line), at(1, first + k, line),
                                  at(2, first + k, line)};
        },
        [&](int k, D z) { at(3, first + k, line) = z; });
  }
};

/// Reads three columns of a row, each value once: two by the thread itself, the third from the
/// thread beside it, which has the next line.
template <bool is_odd, class T>
struct ColumnReader {
  unsigned threads;  ///< of the warp that read
  bool is_at_edge;   ///< nobody beside it has the third

  /// Around *at, in an odd column or an even one.
  __device__ ThreeNodes<T> operator()(const T* at) const {
    const Two<T> two = *reinterpret_cast<const Two<T>*>(is_odd ? at - 1 : at);
    T third =
        is_odd ? __shfl_down_sync(threads, two.of[0], 1) : __shfl_up_sync(threads, two.of[1], 1);
    if (is_at_edge) third = is_odd ? at[1] : at[-1];
    return is_odd ? ThreeNodes<T>{two.of[0], two.of[1], third}
                  : ThreeNodes<T>{third, two.of[0], two.of[1]};
  }
};

/// Climbs a segment from row j on, with the column of node i; `pad`, 0 or 1, slots are before its
/// nodes.
template <bool is_odd, class T>
__device__ SegmentEnd<T> climb_segment(const FactoredRows<T>& A, const Field<const T>& b,
                                       const Field<const T>& x, const NodeFactors<T>& fx, int i,
                                       int j, int pad, bool is_first, bool is_last,
                                       const ColumnReader<is_odd, T>& read,
                                       const KeptSlots<T>& kept) {
  constexpr T reaction(0);
  const T* x_at = x.row(j) + i;
  const T* b_at = b.row(j) + i;
  const T* stiffness = A.y.stiffness + j;
  const T* mass = A.y.mass + j;
  NodeFactors<T> fy{T(0), stiffness[0], T(0), mass[0]};
  ThreeNodes<T> here = read(x_at);
  // Only the flow from below takes factors of the row.
  FactoredColumn<T> column = FactoredForm::column(
      FactoredEntries<T>{fx, NodeFactors<T>{fy.after, T(0), T(0), T(0)}, reaction},
      read(x_at - x.pitch), here);
  SegmentElimination<T> elimination;
#pragma unroll 1
  for (int four = 0; four < fours_of_segment; ++four) {
    ThreeNodes<T> north[slots_at_once];
    T right[slots_at_once], stiff[slots_at_once], heavy[slots_at_once];
#pragma unroll
    for (int m = 0; m < slots_at_once; ++m) {
      x_at += x.pitch;
      north[m] = read(x_at);
      right[m] = *b_at;
      b_at += b.pitch;
      stiff[m] = stiffness[m + 1];
      heavy[m] = mass[m + 1];
    }
    stiffness += slots_at_once;
    mass += slots_at_once;
    SlotsOfFour<T> slots;
#pragma unroll
    for (int m = 0; m < slots_at_once; ++m) {
      const int k = four * slots_at_once + m;
      fy = {fy.after, stiff[m], fy.mass_after, heavy[m]};
      const T product =
          FactoredForm::climb(FactoredEntries<T>{fx, fy, reaction}, here, north[m], column);
      here = north[m];
      const InLine<T> row =
          in_line_of<false>(fx, fy, reaction, m == 0 && is_first && four == 0,
                            m + 1 == slots_at_once && is_last && k + 1 == line_segment);
      elimination.add({row.coupling, row.sum, right[m] - product}, m <= 1 && k <= pad, m, slots);
    }
    kept.put(four, slots);
  }
  return elimination.end();
}

template <bool is_odd, class T>
__global__ void __launch_bounds__(segment_column_threads, 3)
    segment_columns_kernel(const __grid_constant__ FactoredRows<T> A, const Field<const T> b,
                           const __grid_constant__ AddLineCorrection<T> add, const Lines lines,
                           int n, int count) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 line_memory_of_block[];
  const auto cluster = cooperative_groups::this_cluster();
  let_next_start();
  cluster.barrier_arrive();
  const int thread = static_cast<int>(threadIdx.x), rank = static_cast<int>(cluster.block_rank());
  const int first = static_cast<int>(blockIdx.x / cluster.num_blocks()) * segment_columns;
  const int own = min(segment_columns, count - first);
  const int line = thread % segment_columns, s = thread / segment_columns;
  const int segments = line_segments(n), first_segment = rank * segments_of_block;
  const int segments_here = min(segments_of_block, segments - first_segment);
  const bool is_there = s < segments_here;
  const bool is_first = first_segment + s == 0, is_last = first_segment + s + 1 == segments;
  const int pad = is_last ? segments * line_segment - n : 0;
  // Beyond the last line it is solved once more, and not written.
  const LineNode start =
      line_node<LineDirection::y>(A.unknowns, lines, first + min(line, own - 1),
                                  is_there ? (first_segment + s) * line_segment - pad : 0);
  const NodeFactors<T> fx = A.x[start.i];

  const KeptSlots<T> kept{reinterpret_cast<Four<T>*>(line_memory_of_block), segment_column_threads};
  T* const memory =
      reinterpret_cast<T*>(line_memory_of_block) + 3 * line_segment * segment_column_threads;
  const BlockEnds<T> ends{memory};
  T* const reduced_memory = memory + BlockEnds<T>::values;
  const ReducedSystems<T> reduced{cluster.map_shared_rank(reduced_memory, 0), segment_columns,
                                  reduced_segments(segments)};
  wait_for_kernels_before();

  SegmentEnd<T> end{};
  const bool is_at_edge =
      is_odd ? line + 1 >= own || line + 1 == segment_columns : line == 0 || line >= own;
  const ColumnReader<is_odd, T> read{__ballot_sync(~0U, is_there), is_at_edge};
  if (is_there) {
    end = climb_segment(A, b, add.x, fx, start.i, start.j, pad, is_first, is_last, read, kept);
    ends.put(line, s, end);
  }
  cluster.barrier_wait();  // all blocks have begun
  if (s == 0 && rank > 0) {
    BlockEnds<T>{cluster.map_shared_rank(memory, rank - 1)}.put_before(line, segments_of_block,
                                                                       end);
  }
  cluster.sync();
  const int reduced_first = s * reduced_segment;
  const bool reduces = reduced_first < segments_here;
  const int reduced_last = min(reduced_first + reduced_segment, segments_here);
  const int of_reduced = rank * reduced_of_block + s;
  if (reduces) {
    reduced.put(line, of_reduced,
                ends.eliminate(line, reduced_first, reduced_last,
                               first_segment + reduced_last == segments));
  }
  cluster.sync();
  if (rank == 0) {
    const ReducedSystems<T> here{reduced_memory, segment_columns, reduced.n};
    solve_reduced<BlockTeam, max_reductions - 2>(here, 0, segment_columns);
  }
  cluster.sync();
  if (reduces) {
    const T before = reduced.solution(line, of_reduced - 1);
    if (s == 0) ends.at(3, segments_of_block, line) = before;
    ends.substitute(line, reduced_first, reduced_last, before, reduced.solution(line, of_reduced));
  }
  cluster.barrier_arrive();
  __syncthreads();
  if (is_there && line < own) {
    const T before = ends.at(3, s == 0 ? segments_of_block : s - 1, line);
    const T* const x = add.x.row(start.j) + start.i;
    T* const y = add.y.row(start.j) + start.i;
    T z = ends.at(3, s, line);
#pragma unroll 1
    for (int four = fours_of_segment - 1; four >= 0; --four) {
      const int begin = four * slots_at_once;
      Four<T> values;
      for (int m = 0; m < slots_at_once; ++m) values.of[m] = x[(begin + m) * add.x.pitch];
      const SlotsOfFour<T> slots = kept.get(four);
#pragma unroll
      for (int m = slots_at_once - 1; m >= 0; --m) {
        if (begin + m >= pad) y[(begin + m) * add.y.pitch] = add.sum(values.of[m], z);
        z = slots.solution_before(m, before, z);
      }
    }
  }
  cluster.barrier_wait();  // others have read what is in this block's memory
#endif
}

/// True if two values from an even column on are aligned.
template <class T>
bool reads_two(const Field<const T>& x) {
  return reinterpret_cast<std::uintptr_t>(x.data) % sizeof(Two<T>) == 0 && x.pitch % 2 == 0;
}

/// All lines of a set along y; false if they are too long or too short, not every other one, or
/// with a reaction, or if the device has no clusters.
template <class T>
bool solve_segment_columns(const Cuda& on, const FactoredRows<T>& A, const Field<const T>& b,
                           const AddLineCorrection<T>& add, const Lines& lines, int n, int count) {
  const int segments = line_segments(n);
  unsigned of_cluster = 1;
  while (static_cast<int>(of_cluster) * segments_of_block < segments) of_cluster *= 2;
  if (of_cluster > most_cluster_blocks || n < shortest_segment_column) return false;
  if (!has_full_segments(n) || A.has_reaction()) return false;
  if (lines.stride != 2 || !reads_two(add.x)) return false;
  const std::size_t memory =
      KeptSlots<T>::bytes(segment_column_threads)
      + (BlockEnds<T>::values + reduced_values(reduced_segments(segments)) * segment_columns)
            * sizeof(T);
  const auto groups = static_cast<unsigned>((count + segment_columns - 1) / segment_columns);
  const auto run = [&]<bool is_odd>() {
    constexpr auto kernel = segment_columns_kernel<is_odd, T>;
    const void* const address = reinterpret_cast<const void*>(kernel);
    if (on.architecture_of(address) < 90) return false;
    if (memory > static_cast<std::size_t>(on.allow_shared_memory(address))) return false;
    launch_clusters<kernel>(on, groups * of_cluster, of_cluster, segment_column_threads, memory, A,
                            b, add, lines, n, count);
    return true;
  };
  return (A.unknowns.i0 + lines.first) % 2 != 0 ? run.template operator()<true>()
                                                : run.template operator()<false>();
}

}  // namespace ninefold::kernels
