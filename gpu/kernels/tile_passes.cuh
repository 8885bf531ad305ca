#pragma once
// The fused passes on grids that are too small for warps that march
// (gpu/kernels/marching_strip.cuh) to be many: a block does the steps of a tile of nodes, one after
// the other, in shared memory.
//
// Shape.  Each step is computed on as much around the tile as the steps after it need, so that
// blocks do not wait for each other: of two steps, a frame of one node in the first.
//
// The meaning of a value comes from gpu/meaning/generic_row_operations.hpp and grids/transfer.hpp;
// a tile in shared memory is a Field whose nodes have the numbers of the grid.

#include <type_traits>

#include "gpu/kernels/marching_sources.cuh"
#include "gpu/kernels/passes.cuh"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_row_operations.hpp"

namespace ninefold::kernels {

inline constexpr int tile_columns = 32, tile_rows = 8;
/// A tile and its frame for two steps are 432 nodes: each has a thread.
inline constexpr int tile_threads = 448;
/// Coarse nodes of a tile of the restriction.
inline constexpr int coarse_tile_columns = 16, coarse_tile_rows = 4;

/// The box with `frame` nodes more at all sides.
HOST_DEVICE inline Box grown(const Box& box, int frame) {
  return {box.i0 - frame, box.i1 + frame, box.j0 - frame, box.j1 + frame};
}

/// The part of a box that is a block's.
template <int columns, int rows>
__device__ Box tile_of_block(const Box& box) {
  const int i = box.i0 + static_cast<int>(blockIdx.x) * columns;
  const int j = box.j0 + row_of_block() * rows;
  return {i, min(i + columns, box.i1), j, min(j + rows, box.j1)};
}

/// Values of the nodes of a tile and a frame around it, in shared memory.
template <class T, int columns, int rows>
struct Tile {
  T value[rows][columns];

  /// As a field of a grid, of which the tile's first node is (i0, j0).
  __device__ Field<T> at(int i0, int j0, int nx, int ny) {
    return {&value[0][0] - (j0 * columns + i0), nx, ny, columns};
  }
};

/// The factors of a tile's nodes in shared memory, which a kernel may read before others have
/// ended.
template <class T, int columns, int rows>
struct NearFactors {
  using C = Arithmetic<T>;
  C x_stiffness[columns + 1], x_mass[columns + 1], y_stiffness[rows + 1], y_mass[rows + 1];

  /// Of the nodes from (i0, j0) on.
  __device__ void load(const FactoredRows<T>& A, int i0, int j0) {
    load_line(A.x, A.nx, i0, columns, x_stiffness, x_mass);
    load_line(A.y, A.ny, j0, rows, y_stiffness, y_mass);
  }
  __device__ FactoredRows<T> of(const FactoredRows<T>& A, int i0, int j0) const {
    FactoredRows<T> near = A;
    near.x = {x_stiffness - i0, x_mass - i0};
    near.y = {y_stiffness - j0, y_mass - j0};
    return near;
  }

 private:
  __device__ static void load_line(const LineFactors<C>& line, int nodes, int first, int count,
                                   C* stiffness, C* mass) {
    for (int k = static_cast<int>(threadIdx.x); k <= count; k += tile_threads) {
      const bool is_cell = first + k >= 0 && first + k <= nodes;
      stiffness[k] = is_cell ? line.stiffness[first + k] : C(0);
      mass[k] = is_cell ? line.mass[first + k] : C(0);
    }
  }
};

/// The same of the weights of a prolongation.
template <class C, int columns, int rows>
struct NearTransfer {
  TransferWeights<C> x[columns], y[rows];

  __device__ void load(const Transfer<C>& transfer, int nx, int ny, int i0, int j0) {
    load_line(transfer.x, nx, i0, columns, x);
    load_line(transfer.y, ny, j0, rows, y);
  }
  __device__ Transfer<C> of(int i0, int j0) const { return {x - i0, y - j0}; }

 private:
  __device__ static void load_line(const TransferWeights<C>* weights, int nodes, int first,
                                   int count, TransferWeights<C>* near) {
    for (int k = static_cast<int>(threadIdx.x); k < count; k += tile_threads) {
      const bool is_node = first + k >= 0 && first + k < nodes;
      near[k] = is_node ? weights[first + k] : TransferWeights<C>{C(0), C(0)};
    }
  }
};

/// do_at(i, j) for all nodes of a box of at most `columns` columns, by all threads of a block.
template <int columns, class DoAt>
__device__ void for_tile(const Box& box, const DoAt& do_at) {
  const int nodes = columns * box.height();
  for (int k = static_cast<int>(threadIdx.x); k < nodes; k += tile_threads) {
    const int i = box.i0 + k % columns, j = box.j0 + k / columns;
    if (i < box.i1) do_at(i, j);
  }
}

/// True of the nodes of a vector and of those around them.
template <class T>
__device__ bool has_memory(const Field<T>& x, int i, int j) {
  return i >= -1 && i <= x.nx && j >= -1 && j <= x.ny;
}

template <class Source>
inline constexpr bool is_sum = false;
template <class T, bool x_is_zero>
inline constexpr bool is_sum<FromSum<T, x_is_zero>> = true;

/// What steps from a sum have in shared memory besides: b, and the weights of the prolongation.
template <class T, int columns, int rows, bool from_sum>
struct TileSum {
  Tile<T, columns, rows> right;
  NearTransfer<Arithmetic<T>, columns, rows> transfer;
};
template <class T, int columns, int rows>
struct TileSum<T, columns, rows, false> {};

/// Steps on a tile: what lies in shared memory for them.
template <class T, int steps, class Source>
struct TileSteps {
  static constexpr int columns = tile_columns + 2 * steps, rows = tile_rows + 2 * steps;
  Tile<T, columns, rows> before, after;
  NearFactors<T, columns, rows> factors;
  TileSum<T, columns, rows, is_sum<Source>> of_sum;

  __device__ Field<T> field(Tile<T, columns, rows>& tile, const Box& box,
                            const FactoredRows<T>& A) const {
    return tile.at(box.i0 - steps, box.j0 - steps, A.nx, A.ny);
  }

  /// The first call, by a kernel that has not begun otherwise.
  __device__ void begin(const FactoredRows<T>& A, const Source& source, const Box& box) {
    let_next_start();
    factors.load(A, box.i0 - steps, box.j0 - steps);
    if constexpr (is_sum<Source>) {
      of_sum.transfer.load(source.transfer, A.nx, A.ny, box.i0 - steps, box.j0 - steps);
    }
    __syncthreads();
    wait_for_kernels_before();
  }

  /// `last` at the nodes of the box; after two steps from a sum it may be `before`.
  __device__ void run(StepsProblem<T> problem, const Source& source, const Box& box,
                      const Field<T>& last) {
    using C = Arithmetic<T>;
    problem.A = factors.of(problem.A, box.i0 - steps, box.j0 - steps);
    const FactoredRows<T>& A = problem.A;
    Field<const T> x = field(before, box, A);
    int done = 0;
    if constexpr (std::is_same_v<Source, FromVector<T>>) {
      x = source.x;
    } else if constexpr (std::is_same_v<Source, FromZero<T>>) {
      using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
      done = 1;
      const Field<T> y = steps == 1 ? last : field(before, box, A);
      for_tile<columns>(grown(box, steps - 1), [&](int i, int j) {
        if (A.unknowns.contains(i, j)) {
          const Start start{A, problem.b, problem.relaxations[0], y};
          start(i, j);
        } else {
          y(i, j) = T(C(0));
        }
      });
    } else {
      // What steps read of b comes with what the prolongation reads: nobody waits twice.
      const Field<T> sum = field(before, box, A), b = field(of_sum.right, box, A);
      const Transfer<C> near = of_sum.transfer.of(box.i0 - steps, box.j0 - steps);
      for_tile<columns>(grown(box, steps), [&](int i, int j) {
        C value = !Source::x_is_zero && has_memory(source.x, i, j) ? C(source.x(i, j)) : C(0);
        if (A.unknowns.contains(i, j)) {
          const T right_value = problem.b(i, j);
          value = value + prolong_at(near, source.c, i, j);
          b(i, j) = right_value;
        }
        sum(i, j) = T(value);
      });
      problem.b = b;
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      if (s < done) continue;
      if (s > 0 || is_sum<Source>) __syncthreads();
      const bool is_last = s + 1 == steps;
      // Of a vector the first step fills what the second one reads; of a sum, the other tile.
      const bool first_is_free = std::is_same_v<Source, FromVector<T>>;
      const Field<T> y = is_last ? last : field(first_is_free ? before : after, box, A);
      using Step = JacobiStep<FactoredForm, T, FactoredRows<T>>;
      const Step step{A, problem.b, x, problem.relaxations[s], y};
      for_tile<columns>(grown(box, steps - 1 - s), [&](int i, int j) {
        if (A.unknowns.contains(i, j)) {
          step(i, j);
        } else {
          y(i, j) = has_memory(x, i, j) ? x(i, j) : T(C(0));
        }
      });
      x = y;
    }
  }
};

/// y after `steps` steps.
template <class T, int steps, class Source>
__global__ void __launch_bounds__(tile_threads)
    tile_steps_kernel(const StepsProblem<T> problem, const Source source) {
  __shared__ TileSteps<T, steps, Source> tile;
  const Box box = tile_of_block<tile_columns, tile_rows>(problem.A.unknowns);
  tile.begin(problem.A, source, box);
  if (!box.empty()) tile.run(problem, source, box, problem.y);
}

template <class T>
__global__ void __launch_bounds__(tile_threads)
    tile_restriction_kernel(const RestrictionProblem<T> problem) {
  constexpr int columns = 2 * coarse_tile_columns + 1, rows = 2 * coarse_tile_rows + 1;
  __shared__ Tile<T, columns, rows> memory;
  begin_kernel();
  const FactoredRows<T>& A = problem.A;
  const Box coarse = tile_of_block<coarse_tile_columns, coarse_tile_rows>(problem.coarse_box);
  if (coarse.empty()) return;
  const Box fine{2 * coarse.i0 - 1, 2 * coarse.i1, 2 * coarse.j0 - 1, 2 * coarse.j1};
  const Field<T> r = memory.at(fine.i0, fine.j0, A.nx, A.ny);
  const Residual<FactoredForm, T, FactoredRows<T>> residual{A, problem.b, problem.x, r};
  for_tile<columns>(fine, [&](int i, int j) {
    if (A.unknowns.contains(i, j)) residual(i, j);
  });
  __syncthreads();
  for_tile<coarse_tile_columns>(coarse, [&](int i, int j) {
    problem.b_coarse(i, j) =
        T(restrict_at<T>(problem.transfer, Field<const T>(r), A.unknowns, i, j));
  });
}

/// Blocks for the tiles of a box.
template <int columns, int rows>
dim3 tiles_of(const Box& box) {
  return grid_of_rows((box.width() + columns - 1) / columns, (box.height() + rows - 1) / rows);
}

template <class T, class Source>
void launch_tile_steps(const Cuda& on, const StepsProblem<T>& problem, const Source& source,
                       int steps) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  const dim3 blocks = tiles_of<tile_columns, tile_rows>(box);
  if (steps == 1) {
    launch<tile_steps_kernel<T, 1, Source>>(on, blocks, tile_threads, 0, problem, source);
  } else {
    launch<tile_steps_kernel<T, 2, Source>>(on, blocks, tile_threads, 0, problem, source);
  }
}

template <class T>
void launch_tile_restriction(const Cuda& on, const RestrictionProblem<T>& problem) {
  const Box& box = problem.coarse_box;
  if (box.empty()) return;
  launch<tile_restriction_kernel<T>>(on, tiles_of<coarse_tile_columns, coarse_tile_rows>(box),
                                     tile_threads, 0, problem);
}

}  // namespace ninefold::kernels
