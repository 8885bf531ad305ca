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
  /// Finishes them; y has the factors of the row before.
  __device__ void climb(const F& f, Climb<T>& column, NodeFactors<C>& y, int i, int j) const {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      take_row(y, above[k]);
      f.finish(i, j + k, operands[k], column.climb(f, y, f.A.reaction, north[k]));
    }
  }
};

/// The reaction, which the compiler is to know if there is none.
template <bool reacts, class T>
__device__ Arithmetic<T> reaction_of(const FactoredRows<T>& A) {
  if constexpr (reacts) return A.reaction;
  return Arithmetic<T>(0);
}

/// Calls run(std::true_type{}) for a matrix with a reaction, run(std::false_type{}) for others.
template <class T, class Run>
void with_reaction(const FactoredRows<T>& A, const Run& run) {
  if (A.has_reaction()) {
    run(std::true_type{});
  } else {
    run(std::false_type{});
  }
}

/// The factors along y of the row before row j.
template <class T>
__device__ NodeFactors<Arithmetic<T>> row_before(const FactoredRows<T>& A, int j) {
  using C = Arithmetic<T>;
  return {C(0), A.y.stiffness[j], C(0), A.y.mass[j]};
}

/// Each thread climbs `rows` rows of one column.
template <class F>
__global__ void __launch_bounds__(climb_threads) climb_kernel(const Box box, const F f, int rows) {
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
  int j = first;
  if constexpr (requires { F::reads_ahead; }) {
    // The next rows are on their way while these are computed.
    RowsRead<batch, F> rows;
    if (j + batch <= end) rows.read(f, i, j);
    for (; j + batch <= end; j += batch) {
      RowsRead<batch, F> next;
      if (j + 2 * batch <= end) next.read(f, i, j + batch);
      rows.climb(f, column, y, i, j);
      rows = next;
    }
  } else {
    for (; j + batch <= end; j += batch) {
      RowsRead<batch, F> rows;
      rows.read(f, i, j);
      rows.climb(f, column, y, i, j);
    }
  }
  for (; j < end; ++j) {
    RowsRead<1, F> row;
    row.read(f, i, j);
    row.climb(f, column, y, i, j);
  }
}

/// Four columns of pairs do not fit into registers.
template <class F>
constexpr bool climbs_in_sums() {
  if constexpr (Climbing<F>) return !is_double_word<Arithmetic<typename decltype(F::A)::Value>>;
  return false;
}

/// Rows whose sums a block finishes together.
inline constexpr int climb_sum_rows = 4;

/// As sum_lanes_of_block for each of climb_sum_rows values, in `lane`; warp k returns the sum of
/// the k-th in its lane 0.
template <class T>
__device__ T sum_rows_of_block(const T (&values)[climb_sum_rows],
                               T (&lane)[climb_sum_rows][sum_lanes]) {
  const int l = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int k = 0; k < climb_sum_rows; ++k) lane[k][l] = values[k];
  __syncthreads();
  for (int half = sum_lanes / 2; half >= 32; half /= 2) {
    if (l < half) {
#pragma unroll
      for (int k = 0; k < climb_sum_rows; ++k) lane[k][l] = lane[k][l] + lane[k][l + half];
    }
    __syncthreads();
  }
  const int row = l / 32;
  T sum = lane[row < climb_sum_rows ? row : 0][l % 32];
  for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  __syncthreads();  // before the lanes are written again
  return sum;
}

/// Each thread climbs up to four columns, those that a lane of a chunk sums, `rows` rows, a
/// multiple of climb_sum_rows.
template <class F, class S>
__global__ void __launch_bounds__(sum_lanes)
    climb_sums_kernel(const Box box, const F f, int rows, S* partial) {
  using T = typename decltype(F::A)::Value;
  using C = Arithmetic<T>;
  constexpr int columns = sum_chunk / sum_lanes;
  __shared__ S lane[climb_sum_rows][sum_lanes];
  begin_kernel();
  const int start =
      box.i0 + static_cast<int>(blockIdx.x) * sum_chunk + static_cast<int>(threadIdx.x);
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (first >= end) return;
  const auto node = [&](int c) { return start + c * sum_lanes; };
  Climb<T> column[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    if (node(c) < box.i1) column[c].start(f.A, f.x, node(c), first);
  }
  NodeFactors<C> y = row_before(f.A, first);
  for (int j = first; j < end; j += climb_sum_rows) {
    S sums[climb_sum_rows];
#pragma unroll
    for (int k = 0; k < climb_sum_rows; ++k) {
      sums[k] = S(0);
      if (j + k >= end) continue;
      take_row(y, row_above(f.A, j + k));
      ThreeNodes<C> north[columns];
      decltype(f.operands(0, 0)) operands[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        if (node(c) >= box.i1) continue;
        north[c] = Climb<T>::around(f.x, node(c), j + k + 1);
        operands[c] = f.operands(node(c), j + k);
      }
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        if (node(c) >= box.i1) continue;
        const VisitedRow<T> row = column[c].climb(f, y, f.A.reaction, north[c]);
        const S value = f.finish(node(c), j + k, operands[c], row);
        sums[k] = c == 0 ? value : sums[k] + value;
      }
    }
    const S sum = sum_rows_of_block(sums, lane);
    const int k = static_cast<int>(threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0 && k < climb_sum_rows && j + k < end) {
      partial[static_cast<std::size_t>(j + k - box.j0) * gridDim.x + blockIdx.x] = sum;
    }
  }
}

}  // namespace ninefold::kernels
