#pragma once
// Tiles of a grid, one for a block: what the passes by tiles (gpu/kernels/tile_passes.cuh,
// gpu/kernels/tile_nested_residual.cuh) have in common.
//
// Shape.  A tile is 32 x 32 nodes: a lane has a column, a warp two rows, the first one even; those
// of the frame, two at each side, only serve the others.  Values stay in registers; neighbours come
// through shared memory, for which a block waits once a step.
//
// Why.  On such grids a kernel takes as long as what it waits for: its start, memory, the other
// warps. So all that no kernel writes is read before the kernels before have ended, all else at
// once, and nothing is asked between.
//
// The meaning of a value comes from fem/matrix/factored_rows.hpp and grids/transfer.hpp.

#include "grids/field.hpp"
#include "grids/transfer.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/kernels/marching_strip.cuh"
#include "gpu/launch/blocks.cuh"

namespace ninefold::kernels {

inline constexpr int tile_side = 32, tile_frame = 2;
inline constexpr int tile_inner = tile_side - 2 * tile_frame;
inline constexpr int tile_warps = tile_side / 2, tile_threads = tile_warps * warp_lanes;

/// Blocks for the tiles that cover a box.
inline dim3 tiles_of(const Box& box) {
  return grid_of_rows((box.i1 + tile_inner - 1) / tile_inner,
                      (box.j1 + tile_inner - 1) / tile_inner);
}

/// The nodes of a thread: (i, j) and (i, j + 1), j even; before and behind the grid, too.
struct TilePlace {
  int lane, warp;
  int i, j;

  __device__ static TilePlace of_thread() {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes,
              warp = static_cast<int>(threadIdx.x) / warp_lanes;
    return {lane, warp, static_cast<int>(blockIdx.x) * tile_inner - tile_frame + lane,
            row_of_block() * tile_inner - tile_frame + 2 * warp};
  }
  /// What lies within the frame.
  __device__ bool writes() const {
    return lane >= tile_frame && lane < tile_side - tile_frame && 2 * warp >= tile_frame
           && 2 * warp < tile_side - tile_frame;
  }
};

/// x at a thread's nodes where there is memory of it, zero elsewhere.
template <class T>
__device__ void read_tile(const Field<const T>& x, const TilePlace& at, T (&values)[2]) {
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int j = at.j + k;
    const bool is_there = at.i >= -1 && at.i <= x.nx && j >= -1 && j <= x.ny;
    values[k] = is_there ? x(at.i, j) : T(Arithmetic<T>(0));
  }
}
/// The same at unknowns.
template <class T>
__device__ void read_unknowns(const Field<const T>& x, const TilePlace& at,
                              const bool (&unknown)[2], T (&values)[2]) {
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    values[k] = unknown[k] ? x(at.i, at.j + k) : T(Arithmetic<T>(0));
  }
}
template <class T>
__device__ void write_tile(const Field<T>& x, const TilePlace& at, const bool (&unknown)[2],
                           const T (&values)[2]) {
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    if (at.writes() && unknown[k]) x(at.i, at.j + k) = values[k];
  }
}

/// A thread's nodes and their neighbours.
template <class C>
struct TileNeighbours {
  ThreeNodes<C> below, row[2], above;
};

/// Rows of a tile in shared memory, for one exchange.
template <class C>
class TileRows {
 public:
  /// What lies around the tile: it is asked for, and counts for nothing.
  __device__ void clear_sides() {
    for (int k = static_cast<int>(threadIdx.x); k < tile_side + 2; k += tile_threads) {
      value_[0][k] = value_[tile_side + 1][k] = value_[k][0] = value_[k][tile_side + 1] = C(0);
    }
  }
  /// By all threads of a block, each with its own values.
  __device__ TileNeighbours<C> around(const TilePlace& at, const C (&own)[2]) {
    C(*const rows)[tile_side + 2] = value_ + 2 * at.warp;
    const int column = at.lane;
    rows[1][column + 1] = own[0];
    rows[2][column + 1] = own[1];
    __syncthreads();
    const auto three = [&](int row) {
      return ThreeNodes<C>{rows[row][column], rows[row][column + 1], rows[row][column + 2]};
    };
    return {three(0),
            {{rows[1][column], own[0], rows[1][column + 2]},
             {rows[2][column], own[1], rows[2][column + 2]}},
            three(3)};
  }

 private:
  C value_[tile_side + 2][tile_side + 2];
};

/// The factors of a thread's nodes; zero where there are none.
template <class T>
struct TileFactors {
  using C = Arithmetic<T>;
  NodeFactors<C> x, y[2];
  C reaction;
  bool unknown[2];

  __device__ TileFactors(const FactoredRows<T>& A, const TilePlace& at) : reaction(A.reaction) {
    C stiffness[3], mass[3];
    read<2>(A.x, A.nx, at.i, stiffness, mass);
    x = {stiffness[0], stiffness[1], mass[0], mass[1]};
    read<3>(A.y, A.ny, at.j, stiffness, mass);
    y[0] = {stiffness[0], stiffness[1], mass[0], mass[1]};
    y[1] = {stiffness[1], stiffness[2], mass[1], mass[2]};
#pragma unroll
    for (int k = 0; k < 2; ++k) unknown[k] = A.unknowns.contains(at.i, at.j + k);
  }

  __device__ FactoredEntries<T> row(int k) const {
    return {x, y[k], reaction};
  }

  /// The rows of A times what lies around.
  __device__ void products(const TileNeighbours<C>& at, C (&product)[2]) const {
    FactoredColumn<C> column = FactoredForm::column(row(0), at.below, at.row[0]);
    product[0] = FactoredForm::climb(row(0), at.row[0], at.row[1], column);
    product[1] = FactoredForm::climb(row(1), at.row[1], at.above, column);
  }

 private:
  template <int cells>
  __device__ static void read(const LineFactors<C>& line, int nodes, int first, C (&stiffness)[3],
                              C (&mass)[3]) {
#pragma unroll
    for (int k = 0; k < cells; ++k) {
      const bool is_cell = first + k >= 0 && first + k <= nodes;
      stiffness[k] = is_cell ? line.stiffness[first + k] : C(0);
      mass[k] = is_cell ? line.mass[first + k] : C(0);
    }
  }
};

/// The restriction of what a tile's threads have, at the coarse nodes of the even lanes.
template <class T>
class TileRestriction {
 public:
  using C = Arithmetic<T>;
  using Memory = C[tile_warps + 1][warp_lanes];

  __device__ TileRestriction(const Transfer<C>& transfer, const Box& fine, const TilePlace& at) {
    const auto in_x = [&](int i) { return i >= fine.i0 && i < fine.i1; };
    const auto in_y = [&](int j) { return j >= fine.j0 && j < fine.j1; };
    has_west_ = in_x(at.i - 1);
    has_east_ = in_x(at.i + 1);
    has_south_ = in_y(at.j - 1);
    has_north_ = in_y(at.j + 1);
    west_ = has_west_ ? transfer.x[at.i - 1].upper : C(0);
    east_ = has_east_ ? transfer.x[at.i + 1].lower : C(0);
    south_ = has_south_ ? transfer.y[at.j - 1].upper : C(0);
    north_ = has_north_ ? transfer.y[at.j + 1].lower : C(0);
  }

  /// By all threads of a block: b at the nodes of a box, in the order of restrict_at.
  __device__ void write(Memory& memory, const TilePlace& at, const C (&r)[2], const Box& coarse,
                        const Field<T>& b) const {
    C row[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const C west = __shfl_up_sync(all_lanes, r[k], 1);
      const C east = __shfl_down_sync(all_lanes, r[k], 1);
      row[k] = r[k];
      if (has_west_) row[k] = fused(west_, west, row[k]);
      if (has_east_) row[k] = fused(east_, east, row[k]);
    }
    memory[at.warp + 1][at.lane] = row[1];
    __syncthreads();
    if (!at.writes()) return;
    C sum = row[0];
    if (has_south_) sum = fused(south_, memory[at.warp][at.lane], sum);
    if (has_north_) sum = fused(north_, row[1], sum);
    if (at.i % 2 == 0 && coarse.contains(at.i / 2, at.j / 2)) b(at.i / 2, at.j / 2) = T(sum);
  }

 private:
  bool has_west_, has_east_, has_south_, has_north_;
  C west_, east_, south_, north_;
};

}  // namespace ninefold::kernels
