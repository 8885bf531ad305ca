#pragma once
// Norms of residuals on large grids, in double: blocks march up the columns of a chunk
// (gpu/backend/summation.hpp), and sum its rows on their way.
//
// Why.  Who has the columns of a lane one after the other (gpu/launch/climbing.cuh) climbs few rows
// of each, since their sums stay in registers, and begins anew with each column; rows of two
// neighbouring columns that follow each other (gpu/launch/climbing_neighbours.cuh) come at the rate
// of a copy, but what a lane adds lies 256 columns apart.  So a block's threads tell their squares
// to each other through shared memory, and one warp sums a row while the others go on.
//
// Shape.  A thread has two neighbouring columns, and a block those of a chunk.  Where chunks begin
// at an odd column, as beside a Dirichlet side, the nodes around a thread's columns are two
// accesses of two values, and what is written is exchanged with the next lane.  The next two rows
// are on their way while two are computed.
//
// Rounding.  The order of gpu/backend/summation.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "grids/field.hpp"

#include "gpu/backend/device.cuh"
#include "gpu/backend/summation.hpp"
#include "gpu/kernels/marching_launch.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/climbing.hpp"
#include "gpu/launch/climbing_neighbours.cuh"
#include "gpu/launch/launch_cuda.cuh"
#include "gpu/meaning/generic_mixed_operations.hpp"
#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/meaning/two_values.hpp"

namespace ninefold {

namespace kernels {

/// What a sum leaves at its nodes, in the columns of a thread: nothing ...
template <class F>
struct LeftBySum {
  static constexpr bool is_residual = false;
};
template <class Rows>
struct LeftBySum<ResidualSquare<FactoredForm, double, Rows>> {
  static constexpr bool is_residual = true;
  __device__ explicit LeftBySum(const ResidualSquare<FactoredForm, double, Rows>&) {}
  template <bool odd>
  __device__ void write(int, int, int, const double (&)[neighbours]) const {}
};
/// ... or the residual, rounded.
template <class Low, class Rows>
struct LeftBySum<ResidualRounded<FactoredForm, double, Low, Rows>> {
  using F = ResidualRounded<FactoredForm, double, Low, Rows>;
  static constexpr bool is_residual = true;
  const Field<Low>& r;
  double down;

  __device__ explicit LeftBySum(const F& f) : r(f.r), down(f.state->down) {}
  /// Of columns i and i + 1, as far as they lie before `end`; by all lanes of a warp.
  template <bool odd>
  __device__ void write(int i, int end, int j, const double (&value)[neighbours]) const {
    using Two = AlignedValues<Low, 2>;
    const Two own{narrowed<Low>(down * value[0]), narrowed<Low>(down * value[1])};
    Low* const to = r.row(j) + i;
    if constexpr (!odd) {
      if (i + 1 < end) {
        *reinterpret_cast<Two*>(to) = own;
      } else if (i < end) {
        to[0] = own.value[0];
      }
      return;
    }
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const Two aligned{own.value[1], of_next_lane(own.value[0])};
    if (lane == 0 && i < end) to[0] = own.value[0];
    if (lane < warp_lanes - 1 && i + 2 < end) {
      *reinterpret_cast<Two*>(to + 1) = aligned;
    } else if (i + 1 < end) {
      to[1] = own.value[1];
    }
  }

 private:
  __device__ static Low of_next_lane(const Low& value) {
    using Bits = std::conditional_t<sizeof(Low) == 8, double,
                                    std::conditional_t<sizeof(Low) == 4, float, unsigned short>>;
    static_assert(sizeof(Bits) == sizeof(Low));
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits = static_cast<Bits>(__shfl_down_sync(all_lanes, bits, 1));
    Low next;
    std::memcpy(&next, &bits, sizeof bits);
    return next;
  }
};

template <class F>
concept SummedResidual = LeftBySum<F>::is_residual;

inline constexpr int march_threads = sum_chunk / neighbours;
/// Rows that are summed at once, and those of a block at most.
inline constexpr int march_batch = 2, most_march_rows = 256;
/// The nodes around columns i and i + 1 of a row, i odd or even.
template <bool odd>
__device__ NeighbourNodes<double, neighbours> nodes_around(const double* at) {
  if constexpr (odd) {
    using Two = AlignedValues<double, 2>;
    const Two west = *reinterpret_cast<const Two*>(at - 1),
              east = *reinterpret_cast<const Two*>(at + 1);
    return {{west.value[0], west.value[1], east.value[0], east.value[1]}};
  } else {
    return NeighbourNodes<double, neighbours>::around(at);
  }
}

/// The sum of a row's squares, of which a chunk has `count`, by a warp; its lane 0 has it.
__device__ inline double sum_chunk_of_warp(const double (&square)[sum_chunk], int count) {
  constexpr int held = sum_lanes / warp_lanes;
  double lanes[held];
#pragma unroll
  for (int m = 0; m < held; ++m) {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes + m * warp_lanes;
    lanes[m] = lane < count ? square[lane] : 0.0;
#pragma unroll
    for (int k = sum_lanes; k < sum_chunk; k += sum_lanes) {
      if (lane + k < count) lanes[m] = lanes[m] + square[lane + k];
    }
  }
#pragma unroll
  for (int half = held / 2; half > 0; half /= 2) {
#pragma unroll
    for (int m = 0; m < half; ++m) lanes[m] = lanes[m] + lanes[m + half];
  }
  double sum = lanes[0];
#pragma unroll
  for (int half = warp_lanes / 2; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  return sum;
}

/// The sums of the chunks of rows, each block's `rows` of them.
template <SummedResidual F, bool reacts, bool odd>
__global__ void __launch_bounds__(march_threads, 1)
    march_sums_kernel(const Box box, const F f, int rows, double* partial) {
  constexpr int n = neighbours, batch = march_batch;
  constexpr int warps = march_threads / warp_lanes;
  using Nodes = NeighbourNodes<double, n>;
  struct Read {
    Nodes north[batch];
    double right[batch][n];
  };
  __shared__ RowAbove<double> above[most_march_rows + batch];
  __shared__ alignas(16) double square[2][batch][sum_chunk];
  begin_kernel();
  const int thread = static_cast<int>(threadIdx.x);
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (first >= end) return;
  for (int k = thread; k < rows + batch; k += march_threads) {
    above[k] = row_above(f.A, min(first + k, box.j1 - 1));
  }
  const int begin = box.i0 + static_cast<int>(blockIdx.x) * sum_chunk;
  const int last = min(begin + sum_chunk, box.i1);
  // Threads that have no column read those of the first, for nobody.
  const int own = begin + n * thread, i = own < last ? own : begin;
  const LeftBySum<F> left(f);

  // Rows from `first` on; those above the last one, for nobody, are the last one.
  const double *x = f.x.row(first + 1) + i, *b = f.b.row(first) + i;
  int next = first;
  const auto read = [&](Read& rows_read) {
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      rows_read.north[k] = nodes_around<odd>(x);
      if constexpr (odd) {
#pragma unroll
        for (int c = 0; c < n; ++c) rows_read.right[k][c] = b[c];
      } else {
        const auto two = *reinterpret_cast<const AlignedValues<double, n>*>(b);
#pragma unroll
        for (int c = 0; c < n; ++c) rows_read.right[k][c] = two.value[c];
      }
      if (++next < box.j1) {
        x += f.x.pitch;
        b += f.b.pitch;
      }
    }
  };
  const double reaction = reaction_of<reacts>(f.A);
  NodeFactors<double> y = row_before(f.A, first);
  Climb<double> climb[n];
  {
    const Nodes south = nodes_around<odd>(f.x.row(first - 1) + i),
                here = nodes_around<odd>(f.x.row(first) + i);
    const LineFactors<double>& line = f.A.x;
    // Beside the last node there is one cell, and no other.
    const int beside = min(i + n, f.A.nx);
    const double stiffness[n + 1]{line.stiffness[i], line.stiffness[i + 1], line.stiffness[beside]};
    const double mass[n + 1]{line.mass[i], line.mass[i + 1], line.mass[beside]};
    const NodeFactors<double> below{y.after, 0, y.mass_after, 0};
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const NodeFactors<double> x{stiffness[c], stiffness[c + 1], mass[c], mass[c + 1]};
      climb[c].start(FactoredEntries<double>{x, below, reaction}, south[c], here[c]);
    }
  }
  Read one, other;
  read(one);
  __syncthreads();  // for `above`
  int turn = 0;
  const auto advance = [&](int j, const Read& rows_read) {
    double(&squares)[batch][sum_chunk] = square[turn % 2];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      take_row(y, above[j - first + k]);
      double value[n];
#pragma unroll
      for (int c = 0; c < n; ++c) {
        const VisitedRow<double> row = climb[c].climb(f, y, reaction, rows_read.north[k][c]);
        value[c] = rows_read.right[k][c] - row.product;
        squares[k][n * thread + c] = value[c] * value[c];
      }
      if (j + k < end) left.template write<odd>(own, last, j + k, value);
    }
    __syncthreads();
    // Who sums has done so when the others want this place again.
    const int row = (thread / warp_lanes - batch * turn) & (warps - 1);
    if (row < batch && j + row < end) {
      const double sum = sum_chunk_of_warp(squares[row], last - begin);
      if (thread % warp_lanes == 0) {
        partial[static_cast<std::size_t>(j + row - box.j0) * gridDim.x + blockIdx.x] = sum;
      }
    }
    ++turn;
  };
  for (int j = first; j < end; j += 2 * batch) {
    read(other);
    advance(j, one);
    if (j + batch >= end) break;
    read(one);
    advance(j + batch, other);
  }
}

/// True where blocks are enough, and rows are read two values at a time.
template <SummedResidual F>
bool marches(const Extent& extent, const F& f) {
  const Box& box = extent.box;
  const bool is_large = std::int64_t{box.width()} * box.height() >= fewest_neighbour_nodes;
  if (!is_large || !extent.is_box()) return false;
  if constexpr (requires { f.r; }) {
    if (!is_aligned_for<neighbours>(f.r)) return false;
  }
  return is_aligned_for<neighbours>(f.x) && is_aligned_for<neighbours>(f.b);
}

template <SummedResidual F>
void march_sums(const Cuda& on, const Box& box, const F& f, double* partial) {
  const auto march = [&](auto reacts, auto odd) {
    constexpr auto kernel = march_sums_kernel<F, reacts(), odd()>;
    const int at_once = on.resident_blocks(reinterpret_cast<const void*>(kernel), march_threads);
    const int rows = parts_of(box.width(), box.height(), at_once, sum_chunk).rows;
    launch<kernel>(on, grid_of_rows(sum_chunks(box.width()), (box.height() + rows - 1) / rows),
                   march_threads, 0, box, f, rows, partial);
  };
  with_reaction(f.A, [&](auto reacts) {
    if (box.i0 % 2 != 0) {
      march(reacts, std::true_type());
    } else {
      march(reacts, std::false_type());
    }
  });
}

}  // namespace kernels

/// The first round of the sums that march where they can.
template <class T, kernels::SummedResidual F>
requires std::same_as<T, double>
void sum_rows(const Cuda& on, const Extent& extent, const F& f, int first, int last) {
  require_scratch(on, extent, sizeof(double));
  const Extent rows = extent.rows(first, last);
  double* const partial = static_cast<double*>(on.scratch())
                          + static_cast<std::ptrdiff_t>(first) * sum_chunks(extent.box.width());
  if (kernels::marches(rows, f)) {
    kernels::march_sums(on, rows.box, f, partial);
  } else {  // residuals are of a grid's box
    kernels::sum_box(on, rows.box, f, partial);
  }
}

/// The sums that march where they can; else as all others.
template <kernels::SummedResidual F>
void sum_nodes(const Cuda& on, const Extent& extent, const F& f, double* result) {
  if (chunk_sums(extent) == 1 || !kernels::marches(extent, f)) {
    return sum_nodes<F, double>(on, extent, f, result);
  }
  require_scratch(on, extent, sizeof(double));
  kernels::march_sums(on, extent.box, f, static_cast<double*>(on.scratch()));
  sum_chunk_sums(on, extent, result);
}

}  // namespace ninefold
