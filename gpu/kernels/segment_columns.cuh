#pragma once
// Relaxation by long lines along y, of a device with clusters; see gpu/kernels/line_columns.cuh for
// others.
//
// Shape.  A block has 8 lines of a set, every other one of 16 columns of the grid, in 32 segments
// (gpu/kernels/segment_march.cuh), and a cluster of up to 8 blocks all that these lines have; a
// thread climbs one segment.  The 16 columns of x and of b are copied to shared memory while nobody
// waits (gpu/kernels/column_tile.cuh).  What is kept of a node takes the place of what has been
// read there: of b in its two columns, and of x in the one between lines; so that three blocks are
// on a multiprocessor.
//
// What segments leave is solved in the registers of each block's first warp
// (gpu/kernels/segment_groups.cuh): groups of its own segments, then, when all blocks of the
// cluster have told each other what theirs leave, the system of the groups, which each block solves
// for itself.  The last equation of a block lacks what the segment behind it subtracts, which
// another block has: until then its last elimination is pending.
//
// Rounding.  See gpu/kernels/segment_march.cuh.

#include <cstddef>

#include <cooperative_groups.h>

#include "gpu/kernels/column_tile.cuh"
#include "gpu/kernels/segment_groups.cuh"
#include "gpu/kernels/segment_march.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold::kernels {

/// Shorter lines may begin with a segment that is not full.
inline constexpr int shortest_segment_column = 2 * line_segment;

/// Three columns of a row of x around a line: two that the thread reads, the third from the thread
/// beside it, which has the next line.
template <bool is_odd>
struct ColumnReader {
  unsigned lanes;   ///< of the warp that read
  bool is_at_edge;  ///< nobody beside it has the third

  template <class T>
  __device__ ThreeNodes<T> operator()(T* at, const T* beside) const {
    const Two<T> two = *ColumnTile<T>::two(at);
    T third = is_odd ? __shfl_down_sync(lanes, two.of[0], 1) : __shfl_up_sync(lanes, two.of[1], 1);
    if (is_at_edge) third = *beside;
    return is_odd ? ThreeNodes<T>{two.of[0], two.of[1], third}
                  : ThreeNodes<T>{third, two.of[0], two.of[1]};
  }
};

/// Climbs segment s from row j on; `below` and `here` are the rows before and of its first slot,
/// and `pad`, 0 or 1, slots are before its nodes.
template <bool is_odd, class T>
__device__ SegmentEnd<T> climb_segment(const FactoredRows<T>& A, const NodeFactors<T>& fx, int j,
                                       int pad, bool is_first, bool is_last,
                                       const ColumnReader<is_odd>& read, const ColumnTile<T>& tile,
                                       int s, int line, const ThreeNodes<T>& below,
                                       ThreeNodes<T> here) {
  constexpr T reaction(0);
  const T* stiffness = A.y.stiffness + j;
  const T* mass = A.y.mass + j;
  NodeFactors<T> last_fy{T(0), stiffness[0], T(0), mass[0]};
  // Only the flow from below takes factors of the row.
  FactoredColumn<T> column = FactoredForm::column(
      FactoredEntries<T>{fx, NodeFactors<T>{last_fy.after, T(0), T(0), T(0)}, reaction}, below,
      here);
  MatrixEnd<T> matrix{T(0), T(1)};
  RightEnd<T> rights{T(0)};
  T* x_at = tile.x(s, 0, line);
  const T* beside = tile.beside(s);
#pragma unroll 1
  for (int c = 0; c < fours_of_segment; ++c) {
    NodeFactors<T> fy[nodes_at_once];
    InLine<T> row[nodes_at_once];
#pragma unroll
    for (int m = 0; m < nodes_at_once; ++m) {
      fy[m] = {last_fy.after, stiffness[m + 1], last_fy.mass_after, mass[m + 1]};
      last_fy = fy[m];
      row[m] = in_line_of<false>(fx, fy[m], reaction, m == 0 && is_first && c == 0,
                                 m + 1 == nodes_at_once && is_last && c + 1 == fours_of_segment);
    }
    stiffness += nodes_at_once;
    mass += nodes_at_once;
    LineFactor<T> factor[nodes_at_once];
    eliminate_matrix(row, {c == 0, c == 0 && pad == 1}, true, matrix, factor);
#pragma unroll
    for (int m = 0; m < nodes_at_once; ++m) {
      T* const x_here = x_at + m * tile_columns;
      T* const b_here = x_here + ColumnTile<T>::vector;
      const bool is_top = m + 1 == nodes_at_once && c + 1 == fours_of_segment;
      const ThreeNodes<T> above =
          read(x_here + tile_columns, is_top ? tile.beside_ends(s) : beside + m + 1);
      const T product =
          FactoredForm::climb(FactoredEntries<T>{fx, fy[m], reaction}, here, above, column);
      here = above;
      const T r = b_here[is_odd ? 1 : 0] - product;
      const T value = rights.eliminate(factor[m], r);
      if (m <= 1 && c == 0 && m <= pad) {
        rights = {r};
      } else {
        *ColumnTile<T>::two(b_here) = {{factor[m].next, factor[m].separator}};
        x_here[is_odd ? 0 : 1] = value;
      }
    }
    x_at += nodes_at_once * tile_columns;
    beside += nodes_at_once;
  }
  return {{matrix.coupling, matrix.sum, rights.right}, matrix.sum_before, rights.before};
}

/// Solves for the ends of a cluster's segments; by all threads of all its blocks, when those of
/// their own are in their tiles.
template <class Cluster, class T>
__device__ void solve_cluster(const Cluster& cluster, const ColumnPlace& place,
                              const ColumnTile<T>& tile) {
  static_assert(groups_of_block * segment_columns == 32, "a warp has all groups of a block");
  static_assert(segment_column_threads / 32 >= most_cluster_blocks, "a warp for each that is told");
  static_assert(ClusterEnds<T>::groups <= 4 * reduced_segment, "as solve_last_groups has them");
  const int block = static_cast<int>(cluster.block_rank());
  const int thread = static_cast<int>(threadIdx.x), line = place.line;
  const int own_group = thread / segment_columns, group = block * groups_of_block + own_group;
  const int groups = reduced_segments(place.segments), last_groups = reduced_segments(groups);
  const int size = min(reduced_segment, place.own - reduced_segment * own_group);
  const bool has_group = thread < 32 && size > 0;
  const ClusterEnds<T> ends = tile.ends();
  SegmentGroup<T> own{};
  if (has_group) {
#pragma unroll
    for (int k = 0; k < reduced_segment; ++k) {
      const int s = reduced_segment * own_group + k;
      if (k < size) own.set(k, tile.equation(s, line, s + 1 == place.own));
    }
    const bool is_pending = own_group + 1 == groups_of_block && group + 1 < groups;
    const LineRow<T> last{T(0), own.sum[reduced_segment - 1], own.right[reduced_segment - 1]};
    MatrixEnd<T> matrix{own.coupling[0], own.sum[0]};
    RightEnd<T> rights{own.right[0]};
    T sum(0), right(0);
#pragma unroll
    for (int k = 0; k + 1 < reduced_segment; ++k) {
      if (k + 1 < size) {
        sum = matrix.sum;
        right = rights.right;
        own.eliminate(k, matrix, rights);
      }
    }
    if (!is_pending) {
      sum = matrix.sum;
      right = rights.right;
    }
    ends.put(group, line, {{matrix.coupling, sum, right}, matrix.sum_before, rights.before});
    if (is_pending) ends.put_pending(block, line, own.coupling[reduced_segment - 2], last);
    if (own_group == 0) {
      ends.put_first(block, line, tile.sum_before(0, line), tile.right_before(0, line));
    }
  }
  __syncthreads();
  const int other = thread / 32;  // each warp tells one of them
  if (other < static_cast<int>(cluster.num_blocks()) && other != block) {
    ends.tell({cluster.map_shared_rank(ends.data, other)}, block, thread % 32);
  }
  cluster.sync();
  if (thread >= 32) return;
  SegmentGroup<T> second{};
  const int size_of = min(reduced_segment, groups - reduced_segment * own_group);
#pragma unroll
  for (int k = 0; k < reduced_segment; ++k) {
    if (k < size_of) second.set(k, ends.equation(reduced_segment * own_group + k, line, groups));
  }
  const LineRow<T> last_row =
      equation_of_group(second.eliminate(size_of), segment_columns, own_group + 1 >= last_groups);
  const GroupEnds<T> of_second =
      solve_last_groups(last_row, line, segment_columns, last_groups, own_group);
  second.substitute(size_of, of_second.before, of_second.last);
  __syncwarp();  // all have read their equations
#pragma unroll
  for (int k = 0; k < reduced_segment; ++k) {
    if (k < size_of) ends.put_solution(reduced_segment * own_group + k, line, second.right[k]);
  }
  __syncwarp();
  if (!has_group) return;
  const T before = ends.solution(group - 1, line);
  if (own_group == 0) tile.put_solution_before(line, before);
  own.substitute(size, before, ends.solution(group, line));
#pragma unroll
  for (int k = 0; k < reduced_segment; ++k) {
    if (k < size) tile.put_solution(reduced_segment * own_group + k, line, own.right[k]);
  }
}

template <bool is_odd, class T>
__global__ void __launch_bounds__(segment_column_threads, 3)
    segment_columns_kernel(const __grid_constant__ FactoredRows<T> A, const Field<const T> b,
                           const __grid_constant__ AddLineCorrection<T> add, int first, int n) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 line_memory_of_block[];
  const auto cluster = cooperative_groups::this_cluster();
  let_next_start();
  cluster.barrier_arrive();
  const int thread = static_cast<int>(threadIdx.x);
  const int blocks = static_cast<int>(cluster.num_blocks());
  const int s = thread / segment_columns, segments = line_segments(n);
  ColumnPlace place{};
  place.first_column =
      (first / tile_columns + static_cast<int>(blockIdx.x) / blocks) * tile_columns;
  place.line = thread % segment_columns;
  place.segments = segments;
  place.first_segment = static_cast<int>(cluster.block_rank()) * segments_of_block;
  place.own = min(segments_of_block, segments - place.first_segment);
  place.short_by = segments * line_segment - n;
  place.j0 = A.unknowns.j0;
  const bool is_there = s < place.own;
  const int pad = place.pad(s), j = is_there ? place.row(s) : place.j0;
  // Beside the set the line next to it is solved once more, or one of others, and not written.
  const int i = place.first_column + 2 * place.line + (is_odd ? 1 : 0);
  const bool is_line = i >= first && i < A.unknowns.i1;
  const NodeFactors<T> fx = A.x[min(max(i, A.unknowns.i0), A.unknowns.i1 - 1)];
  const ColumnTile<T> tile{reinterpret_cast<T*>(line_memory_of_block)};
  wait_for_kernels_before();

  stage_columns(place, add.x, b, place.first_column + (is_odd ? tile_columns : -1), tile);
  __syncthreads();
  const ColumnReader<is_odd> read{__ballot_sync(all_lanes, is_there),
                                  place.line == (is_odd ? segment_columns - 1 : 0)};
  T* const x_at = tile.x(s, 0, place.line);
  ThreeNodes<T> below{}, here{};
  if (is_there) {
    // The segment before this one ends in its row 15.
    below = read(s == 0 ? tile.below() + 2 * place.line : x_at - (2 + pad) * tile_columns,
                 tile.beside_ends(s) + 1);
    here = read(x_at, tile.beside(s));
  }
  __syncthreads();  // that segment keeps its numbers there
  if (is_there) {
    const SegmentEnd<T> end =
        climb_segment(A, fx, j, pad, place.first_segment + s == 0, place.is_last(s), read, tile, s,
                      place.line, below, here);
    __syncwarp(read.lanes);  // the lanes of this segment have read its last row
    tile.put(s, place.line, end);
  }
  cluster.barrier_wait();  // all blocks have begun
  __syncthreads();
  solve_cluster(cluster, place, tile);
  __syncthreads();
  if (!is_there || !is_line) return;
  const T before = tile.solution(s - 1, place.line);
  T z = tile.solution(s, place.line);
#pragma unroll 1
  for (int c = fours_of_segment - 1; c >= 0; --c) {
    T x[nodes_at_once], value[nodes_at_once];
    Two<T> matrix[nodes_at_once];
#pragma unroll
    for (int m = 0; m < nodes_at_once; ++m) {
      T* const at = x_at + (c * nodes_at_once + m) * tile_columns;
      x[m] = at[is_odd ? 1 : 0];
      value[m] = at[is_odd ? 0 : 1];
      matrix[m] = *tile.two(at + tile.vector);
    }
    T* const y = add.y.row(j + c * nodes_at_once) + i;
#pragma unroll
    for (int m = nodes_at_once - 1; m >= 0; --m) {
      if (c * nodes_at_once + m >= pad) y[m * add.y.pitch] = add.sum(x[m], z);
      z = fused(-matrix[m].of[0], z, fused(-matrix[m].of[1], before, value[m]));
    }
  }
#endif
}

/// All lines of a set along y; false if they are too long or too short, not every other one, or
/// with a reaction, or if the device has no clusters, or rows do not begin at tiles.
template <class T>
bool solve_segment_columns(const Cuda& on, const FactoredRows<T>& A, const Field<const T>& b,
                           const AddLineCorrection<T>& add, const Lines& lines, int n, int count) {
  const int segments = line_segments(n);
  unsigned of_cluster = 1;
  while (static_cast<int>(of_cluster) * segments_of_block < segments) of_cluster *= 2;
  if (of_cluster > most_cluster_blocks || n < shortest_segment_column) return false;
  if (!has_full_segments(n) || A.has_reaction()) return false;
  if (lines.stride != 2) return false;
  if (!reads_together(add.x, tile_columns) || !reads_together(b, tile_columns)) return false;
  const std::size_t memory = ColumnTile<T>::values * sizeof(T);
  const int first = A.unknowns.i0 + lines.first, last = first + 2 * (count - 1);
  const auto tiles = static_cast<unsigned>(last / tile_columns - first / tile_columns + 1);
  const auto run = [&]<bool is_odd>() {
    constexpr auto kernel = segment_columns_kernel<is_odd, T>;
    const void* const address = reinterpret_cast<const void*>(kernel);
    if (on.architecture_of(address) < 90) return false;
    if (memory > static_cast<std::size_t>(on.allow_shared_memory(address))) return false;
    launch_clusters<kernel>(on, tiles * of_cluster, of_cluster, segment_column_threads, memory, A,
                            b, add, first, n);
    return true;
  };
  return first % 2 != 0 ? run.template operator()<true>() : run.template operator()<false>();
}

}  // namespace ninefold::kernels
