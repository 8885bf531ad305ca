#pragma once
// Rows of a factored matrix that climb (gpu/launch/climbing.hpp) on a CUDA device: one thread per
// column of some rows; two columns of large grids are in gpu/launch/climbing_neighbours.cuh.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "precision/double_word.hpp"

#include "grids/field.hpp"

#include "gpu/backend/summation.hpp"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/climbing.hpp"
#include "gpu/launch/launch.cuh"

namespace ninefold::kernels {

inline constexpr int climb_threads = 64;

/// Rows that a thread reads before it computes the first: as many as registers hold.
template <class T>
inline constexpr int climb_batch = is_double_word<Arithmetic<T>> ? 1 : 4;

/// What `count` rows of a column from row j on need from memory.
template <int count, class F>
struct RowsRead {
  using T = typename decltype(F::A)::Value;
  using C = Arithmetic<T>;

  RowAbove<C> above[count];
  ThreeNodes<C> north[count];
  decltype(std::declval<const F&>().operands(0, 0)) operands[count];

  __device__ void read(const F& f, int i, int j) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      above[k] = row_above(f.A, j + k);
      north[k] = Climb<T>::around(f.x, i, j + k + 1);
      operands[k] = f.operands(i, j + k);
    }
  }
  /// Finishes them; y has the factors of the row before.  use(k, value) takes what is summed.
  template <class Use>
  __device__ void climb(const F& f, Climb<T>& column, NodeFactors<C>& y, int i, int j,
                        const Use& use) const {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      take_row(y, above[k]);
      use(k, f.finish(i, j + k, operands[k], column.climb(f, y, f.A.reaction, north[k])));
    }
  }
  __device__ void climb(const F& f, Climb<T>& column, NodeFactors<C>& y, const C& reaction, int i,
                        int j) const {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      take_row(y, above[k]);
      f.finish(i, j + k, operands[k], column.climb(f, y, reaction, north[k]));
    }
  }
};

/// The reaction, which the compiler is to know if there is none.
template <bool reacts, class T>
__device__ Arithmetic<T> reaction_of(const FactoredRows<T>& A) {
  if constexpr (reacts) return A.reaction;
  return Arithmetic<T>(0);
}

/// run(std::true_type{}) for a matrix with a reaction, run(std::false_type{}) for others.
template <class T, class Run>
auto with_reaction(const FactoredRows<T>& A, const Run& run) {
  return A.has_reaction() ? run(std::true_type{}) : run(std::false_type{});
}

/// The factors along y of the row before row j.
template <class T>
__device__ NodeFactors<Arithmetic<T>> row_before(const FactoredRows<T>& A, int j) {
  using C = Arithmetic<T>;
  return {C(0), A.y.stiffness[j], C(0), A.y.mass[j]};
}

/// Blocks that a multiprocessor is to hold at least: what is not read ahead wants more threads,
/// which leave their registers to them.
template <class F>
constexpr int climb_blocks() {
  using C = Arithmetic<typename decltype(F::A)::Value>;
  return std::is_same_v<C, double> && !requires {
    F::reads_ahead;
  }
  ? 10 : 1;
}

/// Each thread climbs `rows` rows of one column.
template <class F, bool reacts>
__global__ void __launch_bounds__(climb_threads, climb_blocks<F>())
    climb_kernel(const Box box, const F f, int rows) {
  using T = typename decltype(F::A)::Value;
  constexpr int batch = climb_batch<T>;
  begin_kernel();
  const int i =
      box.i0 + static_cast<int>(blockIdx.x) * climb_threads + static_cast<int>(threadIdx.x);
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (i >= box.i1 || first >= end) return;
  Climb<T> column;
  column.start(f.A, f.x, i, first);
  NodeFactors<Arithmetic<T>> y = row_before(f.A, first);
  const Arithmetic<T> reaction = reaction_of<reacts>(f.A);
  int j = first;
  if constexpr (requires { F::reads_ahead; }) {
    // The next rows are on their way while these are computed.
    RowsRead<batch, F> rows;
    if (j + batch <= end) rows.read(f, i, j);
    for (; j + batch <= end; j += batch) {
      RowsRead<batch, F> next;
      if (j + 2 * batch <= end) next.read(f, i, j + batch);
      rows.climb(f, column, y, reaction, i, j);
      rows = next;
    }
  } else {
    for (; j + batch <= end; j += batch) {
      RowsRead<batch, F> rows;
      rows.read(f, i, j);
      rows.climb(f, column, y, reaction, i, j);
    }
  }
  for (; j < end; ++j) {
    RowsRead<1, F> row;
    row.read(f, i, j);
    row.climb(f, column, y, reaction, i, j);
  }
}

/// The state of a column of pairs leaves no registers for sums.
template <class F>
constexpr bool climbs_in_sums() {
  if constexpr (Climbing<F>) return !is_double_word<Arithmetic<typename decltype(F::A)::Value>>;
  return false;
}

/// The sum of the lanes of a row of values, one for each lane of a chunk, by a warp; its lane 0 has
/// it.
template <class T>
__device__ T sum_lanes_of_warp(const T (&lane)[sum_lanes]) {
  constexpr int held = sum_lanes / 32;
  T values[held];
#pragma unroll
  for (int m = 0; m < held; ++m) values[m] = lane[threadIdx.x % 32 + 32 * m];
#pragma unroll
  for (int half = held / 2; half > 0; half /= 2) {
#pragma unroll
    for (int m = 0; m < half; ++m) values[m] = values[m] + values[m + half];
  }
  T sum = values[0];
  for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  return sum;
}

/// Each thread climbs the columns that a lane of a chunk sums, one after the other, all of `rows`
/// rows: what they add lies in its registers, which hold no more than one column besides.
template <int rows, int blocks, class F, class S>
__global__ void __launch_bounds__(sum_lanes, blocks)
    climb_sums_kernel(const Box box, const F f, S* partial) {
  using T = typename decltype(F::A)::Value;
  constexpr int batch = climb_batch<T>;
  static_assert(rows % batch == 0);
  __shared__ S lane[rows][sum_lanes];
  begin_kernel();
  const int thread = static_cast<int>(threadIdx.x);
  const int start = box.i0 + static_cast<int>(blockIdx.x) * sum_chunk + thread;
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (first >= end) return;
  S sums[rows];
#pragma unroll
  for (int k = 0; k < rows; ++k) sums[k] = S(0);
#pragma unroll 1
  for (int i = start; i < min(start + sum_chunk, box.i1); i += sum_lanes) {
    // The first value is taken, not added to zero: -0 stays -0.
    const auto add = [&](int k, const S& value) { sums[k] = i == start ? value : sums[k] + value; };
    Climb<T> column;
    column.start(f.A, f.x, i, first);
    NodeFactors<Arithmetic<T>> y = row_before(f.A, first);
    if (end - first == rows) {
#pragma unroll
      for (int k = 0; k < rows; k += batch) {
        RowsRead<batch, F> read;
        read.read(f, i, first + k);
        read.climb(f, column, y, i, first + k, [&](int m, const S& value) { add(k + m, value); });
      }
    } else {
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        if (first + k >= end) continue;
        RowsRead<1, F> read;
        read.read(f, i, first + k);
        read.climb(f, column, y, i, first + k, [&](int, const S& value) { add(k, value); });
      }
    }
  }
#pragma unroll
  for (int k = 0; k < rows; ++k) lane[k][thread] = sums[k];
  __syncthreads();
  for (int k = thread / 32; k < end - first; k += sum_lanes / 32) {
    const S sum = sum_lanes_of_warp(lane[k]);
    if (thread % 32 == 0) {
      partial[static_cast<std::size_t>(first + k - box.j0) * gridDim.x + blockIdx.x] = sum;
    }
  }
}

}  // namespace ninefold::kernels
