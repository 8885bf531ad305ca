#pragma once
// Rows of a factored matrix that climb (gpu/launch/climbing.hpp) on a CUDA device: one thread for
// two neighbouring columns of some rows of a large grid (gpu/launch/neighbour_columns.cuh).
//
// Why.  What is under way decides the rate, and a multiprocessor has room for so many requests,
// whatever each of them moves: two values of single at once reach the rate of a copy, one does not.

#include <concepts>
#include <cstdint>

#include "precision/number.hpp"

#include "grids/field.hpp"

#include "gpu/backend/device.cuh"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/launch/neighbour_columns.cuh"

namespace ninefold::kernels {

/// Columns of a thread, and rows of a block at most.
inline constexpr int neighbours = 2, neighbour_rows = 16;

/// True where neighbours pay: of what is computed in single, and in double of what does not divide.
template <class F>
constexpr bool climbs_neighbours() {
  if constexpr (ClimbingWriter<F>) {
    using C = Arithmetic<typename decltype(F::A)::Value>;
    return std::same_as<C, float> || (std::same_as<C, double> && !divides<F>);
  }
  return false;
}

/// With one block as the least of a multiprocessor the compiler keeps a batch together; with more
/// in mind it reads some of it late.
template <class F, bool reacts>
__global__ void __launch_bounds__(climb_threads, 1)
    climb_neighbours_kernel(const Box box, const F f, int rows) {
  using Columns = NeighbourColumns<F, reacts, neighbours>;
  using Row = typename Columns::RowRead;
  using T = typename Columns::T;
  using C = typename Columns::C;
  // In double fewer rows at once fill the registers; those ahead take less time where they fit.
  constexpr bool is_single = std::same_as<C, float>;
  constexpr bool reads_ahead = !is_single && requires {
    F::reads_ahead;
  };
  constexpr int batch = is_single ? 4 : 2;
  __shared__ RowAbove<C> above[neighbour_rows];
  begin_kernel();
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (first >= end) return;
  const int thread = static_cast<int>(threadIdx.x);
  static_assert(neighbour_rows <= climb_threads);
  if (thread < end - first) above[thread] = row_above(f.A, first + thread);
  __syncthreads();
  const int i = first_column(box, 32 * neighbours)  // warps begin at multiples of their columns
                + neighbours * (static_cast<int>(blockIdx.x) * climb_threads + thread);
  if (i >= box.i1) return;
  Columns columns(f, box, i, first, above);
  const T *x = f.x.row(first + 1) + i, *right = nullptr;
  if constexpr (has_right<F>) right = f.right().row(first) + i;
  const auto read = [&]<int count>(Row(&row)[count]) {
#pragma unroll
    for (int k = 0; k < count; ++k) row[k].read(x + k * f.x.pitch, right + k * f.x.pitch);
    x += count * f.x.pitch;
    if constexpr (has_right<F>) right += count * f.x.pitch;
  };
  const auto climb = [&]<int count>(const Row(&row)[count]) {
#pragma unroll
    for (int k = 0; k < count; ++k) columns.climb(row[k]);
  };
  int j = first;
  if constexpr (!reads_ahead) {
    for (; j + batch <= end; j += batch) {
      Row row[batch];
      read(row);
      climb(row);
    }
  } else {
    Row row[batch];
    if (j + batch <= end) read(row);
    for (; j + batch <= end; j += batch) {
      Row next[batch];
      if (j + 2 * batch <= end) read(next);
      climb(row);
#pragma unroll
      for (int k = 0; k < batch; ++k) row[k] = next[k];
    }
  }
  for (; j < end; ++j) {
    Row row[1];
    read(row);
    climb(row);
  }
}

template <class F>
void climb_neighbours(const Cuda& on, const Box& box, const F& f) {
  // With fewer nodes more blocks keep a device busy.
  const std::int64_t nodes = std::int64_t{box.width()} * box.height();
  const int rows = nodes / 4 >= on.pass_sizes().columns ? neighbour_rows : neighbour_rows / 2;
  constexpr int columns = neighbours * climb_threads;
  const dim3 blocks =
      grid_of_rows((box.i1 - first_column(box, 32 * neighbours) + columns - 1) / columns,
                   (box.height() + rows - 1) / rows);
  with_reaction(f.A, [&](auto reacts) {
    launch<climb_neighbours_kernel<F, reacts()>>(on, blocks, climb_threads, 0, box, f, rows);
  });
}

}  // namespace ninefold::kernels
