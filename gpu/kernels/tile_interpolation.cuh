#pragma once
// A cubic interpolation (grids/cubic.hpp) at the nodes of a tile (gpu/kernels/tile_rows.cuh).
//
// Shape.  The coarse nodes that a tile asks for go to shared memory, are interpolated along x there
// and then, by each thread, along y.

#include "grids/cubic.hpp"

#include "gpu/kernels/tile_rows.cuh"

namespace ninefold::kernels {

template <class T>
class TileInterpolation {
 public:
  using C = Arithmetic<T>;
  /// Coarse nodes in each direction: two before and behind those of the tile, since beside an end
  /// of the grid the fourth node of a cell lies on its other side.
  static constexpr int side = tile_inner / 2 + 6;
  struct Memory {
    T coarse[side][side + 1];
    C along[side][warp_lanes];
  };

  /// Before other kernels have ended.
  __device__ TileInterpolation(Memory& memory, const Field<const T>& c,
                               const CubicTransfer<C>& cubic, const TilePlace& at)
      : memory_(memory),
        c_(c),
        lane_(at.lane),
        warp_(at.warp),
        I0_(static_cast<int>(blockIdx.x) * (tile_inner / 2) - 3),
        J0_(row_of_block() * (tile_inner / 2) - 3) {
    const int I = at.i >> 1, J = at.j >> 1;
    x_ = places(I, I0_, c.nx);
    y_ = places(J, J0_, c.ny);
    is_between_ = (at.i & 1) != 0 && I >= 0 && I + 1 < c.nx;
    if (is_between_) x_weights_ = cubic.x[I];
    if (J >= 0 && J + 1 < c.ny) y_weights_ = cubic.y[J];
  }

  /// Reads the coarse nodes, when they have.
  __device__ void read() {
    static_assert(side * side <= tile_threads);
    const int k = static_cast<int>(threadIdx.x), row = k / side, column = k - row * side;
    if (row < side) {
      const int I = I0_ + column, J = J0_ + row;
      const bool is_node = I >= 0 && I < c_.nx && J >= 0 && J < c_.ny;
      memory_.coarse[row][column] = is_node ? c_(I, J) : T(C(0));
    }
  }
  /// By all threads of a block: rounded as if it were stored; zero where nothing would be.
  __device__ void values(const bool (&unknown)[2], C (&x)[2]) const {
    __syncthreads();
    for (int row = warp_; row < side; row += tile_warps) {
      const T* const at = memory_.coarse[row];
      const C own = C(at[x_.own]);
      memory_.along[row][lane_] =
          is_between_ ? x_weights_.combine(C(at[x_.before]), own, C(at[x_.upper]), C(at[x_.after]))
                      : own;
    }
    __syncthreads();
    const auto row = [&](int k) { return memory_.along[k][lane_]; };
    const C even = row(y_.own),
            odd = y_weights_.combine(row(y_.before), even, row(y_.upper), row(y_.after));
    x[0] = unknown[0] ? C(T(even)) : C(0);
    x[1] = unknown[1] ? C(T(odd)) : C(0);
  }

 private:
  /// The nodes around cell I on a line, counted from `first`.
  struct Places {
    int before, own, upper, after;
  };
  __device__ static Places places(int I, int first, int nodes) {
    const auto place = [&](int node) { return min(max(node - first, 0), side - 1); };
    return {place(cubic_before(I, nodes)), place(I), place(I + 1), place(cubic_after(I, nodes))};
  }

  Memory& memory_;
  const Field<const T>& c_;
  int lane_, warp_, I0_, J0_;
  Places x_, y_;
  bool is_between_;
  CubicWeights<C> x_weights_{C(0), C(0), C(0), C(0)}, y_weights_{C(0), C(0), C(0), C(0)};
};

}  // namespace ninefold::kernels
