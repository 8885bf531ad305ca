#pragma once
// Relaxation by long lines along x; see gpu/kernels/line_step.cuh for others.
//
// Shape.  A block has a line, a thread a segment of it (gpu/kernels/segment_march.cuh).  The rows
// below, of and above the line and its right-hand sides are copied to shared memory in the order of
// memory, while nobody waits, 16 bytes at a time: unknowns begin one node behind such a place.
// What is kept of four nodes takes the place of the four of which the thread has read all but the
// row itself, 4 nodes further on; so that more blocks are on a multiprocessor, and a line is
// written in the order of memory again.  What segments leave is solved in the registers of the
// first warp (gpu/kernels/segment_groups.cuh).
//
// Rounding.  See gpu/kernels/segment_march.cuh.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_pipeline.h>

#include "gpu/kernels/segment_groups.cuh"
#include "gpu/kernels/segment_march.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold::kernels {

inline constexpr int segment_row_threads = 256;  ///< at most, and the most segments of a line

/// A view of rows in shared memory by fours of nodes.  Their places are swizzled, so that lanes who
/// read the same four of their segments find them in different banks.
template <class T>
struct StagedFours {
  enum Row { south, north, right, here, count };
  enum Kept { next = south, separator = north, value = right };

  Four<T>* data;
  int pitch;  ///< places of a row, a multiple of 32

  /// Four q of a row.
  __device__ Four<T>& at(int row, int q) const { return data[row * pitch + (q ^ ((q >> 3) & 3))]; }
  /// For the fours of n segments and one behind them.
  static int pitch_of(int segments) { return (fours_of_segment * segments + 1 + 31) / 32 * 32; }
};

/// Eight values of a row, of which the next four are read when the first four are done.
template <class T>
struct RowWindow {
  Four<T> first, behind;

  __device__ T operator[](int m) const { return m < 4 ? first.of[m] : behind.of[m - 4]; }
  __device__ ThreeNodes<T> around(int m) const {
    return {(*this)[m], (*this)[m + 1], (*this)[m + 2]};
  }
  __device__ void move_on() { first = behind; }
};

/// Goes along segment s, of 15 or 16 nodes, of the line along row j: the node before its first one
/// is the first of four q.
template <bool reacts, bool from_zero, class T>
__device__ SegmentEnd<T> follow_segment(const FactoredRows<T>& A, const StagedFours<T>& rows, int q,
                                        int j, int size, bool is_first, bool is_last,
                                        RowWindow<T> south, RowWindow<T> here, RowWindow<T> north,
                                        RowWindow<T> right) {
  using Rows = StagedFours<T>;
  const T reaction = reacts ? A.reaction : T(0);
  const NodeFactors<T> fy = A.y[j];
  const auto* stiffness = reinterpret_cast<const Four<T>*>(A.x.stiffness) + q;
  const auto* mass = reinterpret_cast<const Four<T>*>(A.x.mass) + q;
  RowWindow<T> stiff{*stiffness, {}}, heavy{*mass, {}};
  MatrixEnd<T> matrix{T(0), T(1)};
  RightEnd<T> rights{T(0)};
#pragma unroll 2
  for (int c = 0; c < fours_of_segment; ++c) {
    stiff.behind = *++stiffness;
    heavy.behind = *++mass;
    if constexpr (!from_zero) {
      south.behind = rows.at(Rows::south, q + c + 1);
      here.behind = rows.at(Rows::here, q + c + 1);
      north.behind = rows.at(Rows::north, q + c + 1);
    }
    right.behind = rows.at(Rows::right, q + c + 1);
    const auto factors_of = [&](int m) {
      return NodeFactors<T>{stiff[m + 1], stiff[m + 2], heavy[m + 1], heavy[m + 2]};
    };
    InLine<T> row[nodes_at_once];
#pragma unroll
    for (int m = 0; m < nodes_at_once; ++m) {
      row[m] = in_line_of<true>(factors_of(m), fy, reaction, m == 0 && is_first && c == 0,
                                m >= 2 && is_last && c * nodes_at_once + m + 1 == size);
    }
    const bool has_last = c + 1 < fours_of_segment || size == line_segment;
    LineFactor<T> factor[nodes_at_once];
    eliminate_matrix(row, {c == 0, false}, has_last, matrix, factor);
    Four<T> next, separator, value;
#pragma unroll
    for (int m = 0; m < nodes_at_once; ++m) {
      T r = right[m + 1];
      if constexpr (!from_zero) {
        const FactoredEntries<T> a{factors_of(m), fy, reaction};
        FactoredColumn<T> column = FactoredForm::column(a, south.around(m), here.around(m));
        r = r - FactoredForm::climb(a, here.around(m), north.around(m), column);
      }
      const RightEnd<T> before = rights;
      next.of[m] = factor[m].next;
      separator.of[m] = factor[m].separator;
      value.of[m] = rights.eliminate(factor[m], r);
      if (m == 0 && c == 0) rights = {r};
      if (m + 1 == nodes_at_once && !has_last) rights = before;
    }
    rows.at(Rows::next, q + c + 1) = next;
    rows.at(Rows::separator, q + c + 1) = separator;
    rows.at(Rows::value, q + c + 1) = value;
    for (RowWindow<T>* window : {&stiff, &heavy, &south, &here, &north, &right}) window->move_on();
  }
  return {{matrix.coupling, matrix.sum, rights.right}, matrix.sum_before, rights.before};
}

/// What the segments of a line leave, five numbers of each, in shared memory; then the solutions at
/// their last nodes.
template <class T>
struct RowEnds {
  T* data;

  static constexpr int values = 5 * segment_row_threads;

  __device__ void put(int s, const SegmentEnd<T>& end) const {
    T* const p = data + place(s);
    p[0] = end.row.coupling;
    p[segment_row_threads] = end.row.sum;
    p[2 * segment_row_threads] = end.row.right;
    p[3 * segment_row_threads] = end.sum_before;
    p[4 * segment_row_threads] = end.right_before;
  }
  __device__ LineRow<T> equation(int s, bool is_last) const {
    const T* const p = data + place(s);
    LineRow<T> row{p[0], p[segment_row_threads], p[2 * segment_row_threads]};
    if (!is_last) {
      const T* const behind = data + place(s + 1);
      row.sum = row.sum - behind[3 * segment_row_threads];
      row.right = row.right - behind[4 * segment_row_threads];
    }
    return row;
  }
  /// The solution at the end of segment s, zero before the first one.
  __device__ T solution(int s) const { return s < 0 ? T(0) : data[place(s)]; }
  __device__ void put_solution(int s, T z) const { data[place(s)] = z; }

  /// Solves for them, by the first warp.
  __device__ void solve(int segments) const {
    const int lane = static_cast<int>(threadIdx.x);
    const int groups = reduced_segments(segments), last_groups = reduced_segments(groups);
    const int size = min(reduced_segment, segments - reduced_segment * lane);
    SegmentGroup<T> group{};
#pragma unroll
    for (int k = 0; k < reduced_segment; ++k) {
      const int s = reduced_segment * lane + k;
      if (k < size) group.set(k, equation(s, s + 1 == segments));
    }
    const LineRow<T> row = equation_of_group(group.eliminate(size), 1, lane + 1 >= groups);
    // Of these each lane has the group of lane % 4.
    const int of = lane % 4, size_of = groups - reduced_segment * of;
    SegmentGroup<T> second{};
#pragma unroll
    for (int k = 0; k < reduced_segment; ++k) {
      second.set(k, equation_of_lane(row, reduced_segment * of + k));
    }
    const LineRow<T> last_row =
        equation_of_group(second.eliminate(size_of), 1, of + 1 >= last_groups);
    const GroupEnds<T> of_second = solve_last_groups(last_row, 0, 1, last_groups, of);
    second.substitute(size_of, of_second.before, of_second.last);
    T z(0);
#pragma unroll
    for (int k = 0; k < reduced_segment; ++k) {
      const T of_lane = __shfl_sync(all_lanes, second.right[k], lane / reduced_segment);
      if (lane % reduced_segment == k) z = of_lane;
    }
    const T before = __shfl_up_sync(all_lanes, z, 1);
    group.substitute(size, lane == 0 ? T(0) : before, z);
#pragma unroll
    for (int k = 0; k < reduced_segment; ++k) {
      if (k < size) put_solution(reduced_segment * lane + k, group.right[k]);
    }
  }

 private:
  /// Lanes with groups of eight find theirs in different banks.
  __device__ static int place(int s) {
    return s % reduced_segment * (segment_row_threads / reduced_segment) + s / reduced_segment;
  }
};
static_assert(segment_row_threads == 32 * reduced_segment);

/// Four p of a row, of which the first node of the first is no unknown.
template <class T>
__device__ inline void put_four(T* row, int p, const Four<T>& values) {
  if (p > 0) {
    *reinterpret_cast<Four<T>*>(row + 4 * p) = values;
  } else {
    for (int m = 1; m < 4; ++m) row[m] = values.of[m];
  }
}

/// A step, or the one from zero, which sets the lines between to zero.
template <bool reacts, bool from_zero, class T>
__global__ void __launch_bounds__(segment_row_threads, 2)
    segment_rows_kernel(const __grid_constant__ FactoredRows<T> A, const Field<const T> b,
                        const __grid_constant__ AddLineCorrection<T> add, const Lines lines, int n,
                        int pitch) {
  using Rows = StagedFours<T>;
  extern __shared__ uint4 line_memory_of_block[];
  begin_kernel();
  const int s = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int segments = line_segments(n), fours = fours_of_segment * segments;
  const bool is_there = s < segments, is_last = s + 1 == segments;
  const int size = is_there ? segment_size(n, s * line_segment, line_segment) : 0;
  const int j = line_node<LineDirection::x>(A.unknowns, lines, static_cast<int>(blockIdx.x), 0).j;
  const Rows rows{reinterpret_cast<Four<T>*>(line_memory_of_block), pitch};
  const RowEnds<T> ends{reinterpret_cast<T*>(rows.data + Rows::count * pitch)};

  const auto stage = [&](int row, const T* from) {
    for (int q = s; q <= fours; q += threads) {
      __pipeline_memcpy_async(&rows.at(row, q), from + 4 * q, sizeof(Four<T>));
    }
  };
  if constexpr (!from_zero) {
    stage(Rows::south, add.x.row(j - 1));
    stage(Rows::here, add.x.row(j));
    stage(Rows::north, add.x.row(j + 1));
  }
  stage(Rows::right, b.row(j));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();

  const int q = fours_of_segment * s;
  RowWindow<T> south{}, here{}, north{}, right{};
  if (is_there) {
    if constexpr (!from_zero) {
      south.first = rows.at(Rows::south, q);
      here.first = rows.at(Rows::here, q);
      north.first = rows.at(Rows::north, q);
    }
    right.first = rows.at(Rows::right, q);
  }
  __syncthreads();  // the segment before keeps the last of its own there
  if (is_there) {
    ends.put(s, follow_segment<reacts, from_zero>(A, rows, q, j, size, s == 0, is_last, south, here,
                                                  north, right));
  }
  __syncthreads();
  if (s < 32) ends.solve(segments);
  __syncthreads();

  T* const y = add.y.row(j);
  if (is_there) {
    const T before = ends.solution(s - 1), last = ends.solution(s);
    T z = last;
#pragma unroll 1
    for (int c = fours_of_segment - 1; c >= 0; --c) {
      const Four<T> next = rows.at(Rows::next, q + c + 1);
      const Four<T> separator = rows.at(Rows::separator, q + c + 1);
      const Four<T> value = rows.at(Rows::value, q + c + 1);
      Four<T> x{};
      if constexpr (!from_zero) x = rows.at(Rows::here, q + c);
#pragma unroll
      for (int m = nodes_at_once - 1; m >= 0; --m) {
        const int k = c * nodes_at_once + m;  // of the node behind the one that is written
        const T of_place = fused(-next.of[m], z, fused(-separator.of[m], before, value.of[m]));
        if (k < size) z = m == 0 && c == 0 ? before : of_place;
        x.of[m] = add.sum(x.of[m], z);
      }
      rows.at(Rows::here, q + c) = x;
    }
    if (is_last && size == line_segment) {
      y[4 * fours] = add.sum(from_zero ? T(0) : rows.at(Rows::here, fours).of[0], last);
    }
  }
  __syncthreads();
  for (int p = s; p < fours; p += threads) put_four(y, p, rows.at(Rows::here, p));
  if constexpr (from_zero) {
    if (j + 1 >= A.unknowns.j1) return;
    T* const between = add.y.row(j + 1);
    for (int p = s; p < fours; p += threads) put_four(between, p, Four<T>{});
    if (s == 0 && n == 4 * fours) between[n] = T(0);
  }
}

/// All lines of a set along x; false if they are too long, or do not begin one node behind a
/// multiple of 16 bytes, or if factors do not begin at one.
template <bool from_zero, class T>
bool run_segment_rows(const Cuda& on, const FactoredRows<T>& A, const Field<const T>& b,
                      const AddLineCorrection<T>& add, const Lines& lines, int n, int count) {
  const auto begins_at_four = [](const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(Four<T>) == 0;
  };
  const int segments = line_segments(n), threads = (segments + 31) / 32 * 32;
  if (A.unknowns.i0 != 1 || threads > segment_row_threads || !has_full_segments(n)) return false;
  if (!reads_together(b, 4) || !reads_together(add.x, 4) || !reads_together(add.y, 4)) return false;
  // The last four of a line ends in its row.
  if (std::min(b.pitch, add.x.pitch) < 4 * (fours_of_segment * segments + 1)) return false;
  if (!begins_at_four(A.x.stiffness) || !begins_at_four(A.x.mass)) return false;
  const int pitch = StagedFours<T>::pitch_of(segments);
  const std::size_t memory =
      StagedFours<T>::count * static_cast<std::size_t>(pitch) * sizeof(Four<T>)
      + RowEnds<T>::values * sizeof(T);
  const auto run = [&]<bool reacts>() {
    constexpr auto kernel = segment_rows_kernel<reacts, from_zero, T>;
    const void* const address = reinterpret_cast<const void*>(kernel);
    if (memory > static_cast<std::size_t>(on.allow_shared_memory(address))) return false;
    launch<kernel>(on, static_cast<unsigned>(count), threads, memory, A, b, add, lines, n, pitch);
    return true;
  };
  return A.has_reaction() ? run.template operator()<true>() : run.template operator()<false>();
}

template <class T>
bool solve_segment_rows(const Cuda& on, const FactoredRows<T>& A, const Field<const T>& b,
                        const AddLineCorrection<T>& add, const Lines& lines, int n, int count) {
  return run_segment_rows<false>(on, A, b, add, lines, n, count);
}
/// The step from zero of every other line, the first one included.
template <class T>
bool start_segment_rows(const Cuda& on, const FactoredRows<T>& A, const Field<const T>& b,
                        const AddLineCorrection<T>& add, const Lines& lines, int n, int count) {
  return run_segment_rows<true>(on, A, b, add, lines, n, count);
}

}  // namespace ninefold::kernels
