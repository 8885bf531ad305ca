#pragma once
// What a block of gpu/kernels/segment_columns.cuh has in shared memory: 16 columns of x and of b
// along 32 segments, and what the segments of its cluster leave.
//
// Shape.  Segment by segment 17 rows of 16 columns, the last row being the first of the next
// segment once more, so that lanes with four segments meet different banks; the same of b, but for
// the last row, in which there is the column of x beside the tile.

#include <cstddef>

#include <cuda_pipeline.h>

#include "gpu/kernels/segment_march.cuh"

namespace ninefold::kernels {

inline constexpr int tile_columns = 16, segment_columns = tile_columns / 2;
inline constexpr int segments_of_block = 32;
inline constexpr int groups_of_block = segments_of_block / reduced_segment;
inline constexpr int most_cluster_blocks = 8;  ///< that every device with clusters has
inline constexpr int segment_column_threads = segment_columns * segments_of_block;
/// Of what a segment reads: its rows, and the one above them.
inline constexpr int tile_rows = line_segment + 1;

/// What the segments of a cluster leave, in the shared memory of each of its blocks.
template <class D>
struct ClusterEnds {
  static constexpr int groups = most_cluster_blocks * groups_of_block;
  static constexpr int number = groups * segment_columns;  ///< values from a number to the next
  static constexpr int of_blocks = most_cluster_blocks * segment_columns;
  static constexpr int values = 5 * number + 5 * of_blocks;

  D* data;

  /// Lanes with groups of eight find theirs in different banks.
  __device__ static int place(int group, int line) {
    constexpr int apart = groups / reduced_segment;
    return (group % reduced_segment * apart + group / reduced_segment) * segment_columns + line;
  }
  __device__ void put(int group, int line, const SegmentEnd<D>& end) const {
    D* const p = data + place(group, line);
    p[0] = end.row.coupling;
    p[number] = end.row.sum;
    p[2 * number] = end.row.right;
    p[3 * number] = end.sum_before;
    p[4 * number] = end.right_before;
  }
  /// Of a group whose last elimination is pending, `sum` and `right` being those before it: the
  /// factor `next`, and the last equation.
  __device__ void put_pending(int block, int line, D next, const LineRow<D>& last) const {
    D* const p = of_block(block, line);
    p[0] = next;
    p[of_blocks] = last.sum;
    p[2 * of_blocks] = last.right;
  }
  /// What the first segment of a block subtracts from the equation before it.
  __device__ void put_first(int block, int line, D sum_before, D right_before) const {
    D* const p = of_block(block, line);
    p[3 * of_blocks] = sum_before;
    p[4 * of_blocks] = right_before;
  }
  __device__ LineRow<D> equation(int group, int line, int all_groups) const {
    const D* const p = data + place(group, line);
    LineRow<D> row{p[0], p[number], p[2 * number]};
    if (group + 1 == all_groups) return row;
    if (group % groups_of_block + 1 == groups_of_block) {
      const D* const own = of_block(group / groups_of_block, line);
      const D* const behind = own + segment_columns;
      row.sum = fused(-own[0], row.sum, own[of_blocks] - behind[3 * of_blocks]);
      row.right = fused(-own[0], row.right, own[2 * of_blocks] - behind[4 * of_blocks]);
    }
    const D* const next = data + place(group + 1, line);
    row.sum = row.sum - next[3 * number];
    row.right = row.right - next[4 * number];
    return row;
  }
  /// Copies what `block` has put into its own memory to another block's.
  __device__ void tell(const ClusterEnds& other, int block, int lane) const {
    const int line = lane % segment_columns;
    const int at = place(block * groups_of_block + lane / segment_columns, line);
#pragma unroll
    for (int k = 0; k < 5; ++k) other.data[k * number + at] = data[k * number + at];
    if (lane >= segment_columns) return;
    const D* const own = of_block(block, line);
    D* const to = other.of_block(block, line);
#pragma unroll
    for (int k = 0; k < 5; ++k) to[k * of_blocks] = own[k * of_blocks];
  }

  /// When all equations have been read: the solutions at the ends of groups, zero before the first.
  __device__ void put_solution(int group, int line, D z) const {
    data[group * segment_columns + line] = z;
  }
  __device__ D solution(int group, int line) const {
    return group < 0 ? D(0) : data[group * segment_columns + line];
  }

 private:
  __device__ D* of_block(int block, int line) const {
    return data + 5 * number + block * segment_columns + line;
  }
};

/// A view of a block's shared memory.
template <class D>
struct ColumnTile {
  static constexpr int segment = tile_rows * tile_columns;  ///< values from a segment to the next
  static constexpr int vector = segments_of_block * segment;
  static constexpr int values =
      2 * vector + tile_columns + 2 * segments_of_block + ClusterEnds<D>::values;

  D* data;

  /// Of x, then of b, at a row of a segment and the two columns of a line; b has no last row.
  __device__ D* x(int s, int row, int line) const {
    return data + s * segment + row * tile_columns + 2 * line;
  }
  __device__ D* b(int s, int row, int line) const { return x(s, row, line) + vector; }
  /// The row of x before the block's first segment.
  __device__ D* below() const { return data + 2 * vector; }
  /// Of x in the column beside the tile: of a segment's own rows, in the place of the last of b;
  /// then of the row above them and of the one below.
  __device__ D* beside(int s) const {
    return data + vector + s * segment + line_segment * tile_columns;
  }
  __device__ D* beside_ends(int s) const { return data + 2 * vector + tile_columns + 2 * s; }
  __device__ ClusterEnds<D> ends() const {
    return {data + 2 * vector + tile_columns + 2 * segments_of_block};
  }

  /// What a segment has left, and then the solution at its end, in rows that are done with.
  __device__ void put(int s, int line, const SegmentEnd<D>& end) const {
    *two(b(s, 0, line)) = {{end.row.coupling, end.row.sum}};
    *two(b(s, line_segment, line)) = {{end.row.right, end.sum_before}};
    *x(s, line_segment, line) = end.right_before;
  }
  __device__ LineRow<D> equation(int s, int line, bool is_last) const {
    const Two<D> matrix = *two(b(s, 0, line));
    LineRow<D> row{matrix.of[0], matrix.of[1], *b(s, line_segment, line)};
    if (!is_last) {
      row.sum = row.sum - sum_before(s + 1, line);
      row.right = row.right - right_before(s + 1, line);
    }
    return row;
  }
  __device__ D sum_before(int s, int line) const { return b(s, line_segment, line)[1]; }
  __device__ D right_before(int s, int line) const { return *x(s, line_segment, line); }
  __device__ void put_solution(int s, int line, D z) const { *b(s, line_segment, line) = z; }
  /// Of the segment before the block's first one: s = -1.
  __device__ D solution(int s, int line) const {
    return s < 0 ? below()[line] : *b(s, line_segment, line);
  }
  __device__ void put_solution_before(int line, D z) const { below()[line] = z; }

  __device__ static Two<D>* two(D* p) { return reinterpret_cast<Two<D>*>(p); }
};

/// Where a block's lines are, and what of them it has.
struct ColumnPlace {
  int first_column, line;            ///< of the tile; of the thread, in the block
  int segments, first_segment, own;  ///< of a line; of the block, and how many
  int short_by;                      ///< nodes that the last segment of a line lacks, 0 or 1
  int j0;                            ///< of the unknowns

  __device__ bool is_last(int s) const { return first_segment + s + 1 == segments; }
  __device__ int pad(int s) const { return is_last(s) ? short_by : 0; }
  /// The row of the first slot of a segment.
  __device__ int row(int s) const { return j0 + (first_segment + s) * line_segment - pad(s); }
};

/// Copies what a block reads of x and b to its tile; `beside` is the column of x that is read
/// beside it.
template <class T>
__device__ void stage_columns(const ColumnPlace& place, const Field<const T>& x,
                              const Field<const T>& b, int beside, const ColumnTile<T>& tile) {
  const int quarter = static_cast<int>(threadIdx.x) % 4, column = place.first_column + 4 * quarter;
  constexpr int rows_at_once = segment_column_threads / 4, bytes = 4 * sizeof(T);
  for (int r = static_cast<int>(threadIdx.x) / 4; r < place.own * tile_rows; r += rows_at_once) {
    const int s = r / tile_rows, m = r % tile_rows, j = place.row(s) + m;
    const T* const row = x.row(j);
    __pipeline_memcpy_async(tile.x(s, m, 2 * quarter), row + column, bytes);
    if (m < line_segment) {
      __pipeline_memcpy_async(tile.b(s, m, 2 * quarter), b.row(j) + column, bytes);
    }
    if (quarter == 0) {
      __pipeline_memcpy_async(m < line_segment ? tile.beside(s) + m : tile.beside_ends(s),
                              row + beside, sizeof(T));
    }
  }
  const int s = static_cast<int>(threadIdx.x);
  if (s < 4 && place.own > 0)
    __pipeline_memcpy_async(tile.below() + 4 * s, x.row(place.row(0) - 1) + column, bytes);
  if (s < place.own) {
    __pipeline_memcpy_async(tile.beside_ends(s) + 1, x.row(place.row(s) - 1) + beside, sizeof(T));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

}  // namespace ninefold::kernels
