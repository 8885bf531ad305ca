#pragma once
// Kernels between the lines of a grid and the arrays of a batched tridiagonal solver; see
// experiments/measure/peers/cusparse_lines.hpp.

#include <cstddef>

#include "fem/matrix/nine_band.hpp"

#include "gpu/operations/lines.hpp"

namespace ninefold {

namespace peers {

/// lower x_k-1 + diagonal x_k + upper x_k+1 = right
template <class T>
struct Equation {
  T lower, diagonal, upper, right;
};

/// The equations of `lines` lines as cuSPARSE has them; n nodes of the grid, m with padding.
template <class T>
struct Batch {
  T *lower, *diagonal, *upper, *right;
  int lines, n, m;
  int pitch;  ///< from one line to the next, or from one node to the next

  template <bool by_line>
  __device__ std::ptrdiff_t at(int line, int k) const {
    return by_line ? static_cast<std::ptrdiff_t>(line) * pitch + k
                   : static_cast<std::ptrdiff_t>(k) * pitch + line;
  }
};

enum class Gather { matrix, right, both };

inline constexpr int tile = 32;  // nodes of a side
inline constexpr int threads = 256;
inline constexpr int rows_at_once = threads / tile;
inline constexpr int rows_of_thread = tile / rows_at_once;

/// The lines of one colour.
template <LineDirection direction, class T>
struct Colour {
  NineBand<const T> A;
  int first;

  __device__ int i(int line, int k) const {
    return A.unknowns.i0 + (direction == LineDirection::x ? k : first + 2 * line);
  }
  __device__ int j(int line, int k) const {
    return A.unknowns.j0 + (direction == LineDirection::x ? first + 2 * line : k);
  }
};

/// Which node is at `fast` in the direction that runs fastest in memory, and `slow` across it:
/// along x the nodes of a line are fast, along y the lines are.
template <LineDirection direction>
struct Place {
  int line, k;
  __device__ Place(int fast, int slow)
      : line(direction == LineDirection::x ? slow : fast),
        k(direction == LineDirection::x ? fast : slow) {}
};

template <LineDirection direction, bool by_line, Gather what, class T>
__global__ void __launch_bounds__(threads)
    gather_kernel(const Colour<direction, T> colour, const Field<const T> b, const Field<const T> x,
                  const Batch<T> to) {
  constexpr bool transposed = (direction == LineDirection::x) != by_line;
  __shared__ T turned[transposed ? 4 : 1][tile][tile + 1];
  const int fast = static_cast<int>(blockIdx.x) * tile, slow = static_cast<int>(blockIdx.y) * tile;
  const int column = static_cast<int>(threadIdx.x) % tile;
  const int row = static_cast<int>(threadIdx.x) / tile;
  const auto put = [&](int line, int k, const Equation<T>& e) {
    const std::ptrdiff_t at = to.template at<by_line>(line, k);
    if constexpr (what != Gather::right) {
      to.lower[at] = e.lower;
      to.diagonal[at] = e.diagonal;
      to.upper[at] = e.upper;
    }
    if constexpr (what != Gather::matrix) to.right[at] = e.right;
  };

  Equation<T> equations[rows_of_thread];
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const Place<direction> p(fast + column, slow + row + r * rows_at_once);
    if (p.k >= to.m || p.line >= to.lines) continue;
    Equation<T>& e = equations[r];
    e = {T(0), T(1), T(0), T(0)};
    if (p.k >= to.n) continue;
    const int i = colour.i(p.line, p.k), j = colour.j(p.line, p.k);
    if constexpr (what != Gather::right) {
      const auto entries = colour.A.row(i, j);
      // The couplings to Dirichlet nodes are stored; cuSPARSE wants zeros.
      if (p.k > 0) e.lower = entries[direction == LineDirection::x ? 3 : 1];
      e.diagonal = entries.diagonal();
      if (p.k + 1 < to.n) e.upper = entries[direction == LineDirection::x ? 5 : 7];
    }
    if constexpr (what != Gather::matrix) {
      e.right = b(i, j) - Row<OperatorForm::plain>::product(colour.A, x, i, j);
    }
  }
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const int own = row + r * rows_at_once;
    const Place<direction> p(fast + column, slow + own);
    if (p.k >= to.m || p.line >= to.lines) continue;
    if constexpr (transposed) {
      turned[0][own][column] = equations[r].lower;
      turned[1][own][column] = equations[r].diagonal;
      turned[2][own][column] = equations[r].upper;
      turned[3][own][column] = equations[r].right;
    } else {
      put(p.line, p.k, equations[r]);
    }
  }
  if constexpr (transposed) {
    __syncthreads();
    for (int own = row; own < tile; own += rows_at_once) {
      const Place<direction> p(fast + own, slow + column);
      if (p.k >= to.m || p.line >= to.lines) continue;
      put(p.line, p.k,
          {turned[0][column][own], turned[1][column][own], turned[2][column][own],
           turned[3][column][own]});
    }
  }
}

/// x += the solutions, which are where the right-hand sides were.
template <LineDirection direction, bool by_line, class T>
__global__ void __launch_bounds__(threads)
    add_kernel(const Colour<direction, T> colour, const Batch<T> from, const Field<T> x) {
  constexpr bool transposed = (direction == LineDirection::x) != by_line;
  __shared__ T turned[transposed ? tile : 1][tile + 1];
  const int fast = static_cast<int>(blockIdx.x) * tile, slow = static_cast<int>(blockIdx.y) * tile;
  const int column = static_cast<int>(threadIdx.x) % tile;
  const int row = static_cast<int>(threadIdx.x) / tile;
  if constexpr (transposed) {
    for (int own = row; own < tile; own += rows_at_once) {
      const Place<direction> p(fast + own, slow + column);
      if (p.k >= from.n || p.line >= from.lines) continue;
      turned[column][own] = from.right[from.template at<by_line>(p.line, p.k)];
    }
    __syncthreads();
  }
  T values[rows_of_thread];
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const int own = row + r * rows_at_once;
    const Place<direction> p(fast + column, slow + own);
    if (p.k >= from.n || p.line >= from.lines) continue;
    T z;
    if constexpr (transposed) {
      z = turned[own][column];
    } else {
      z = from.right[from.template at<by_line>(p.line, p.k)];
    }
    values[r] = x(colour.i(p.line, p.k), colour.j(p.line, p.k)) + z;
  }
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const Place<direction> p(fast + column, slow + row + r * rows_at_once);
    if (p.k >= from.n || p.line >= from.lines) continue;
    x(colour.i(p.line, p.k), colour.j(p.line, p.k)) = values[r];
  }
}

}  // namespace peers

}  // namespace ninefold
