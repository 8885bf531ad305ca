#pragma once
// solve_small and its like (gpu/operations/small_inverse.hpp) on a device: of up to 33 unknowns in
// a direction one block, all planes in its shared memory; of more a cluster of blocks
// (gpu/kernels/small_parts.cuh).
//
// Shape.  A thread has a row k of each product's result and a few neighbouring columns of it; the
// vectors' values that it multiplies by are in its registers before other kernels have ended, those
// of all four products where there is room.
//
// The meaning of a value comes from gpu/meaning/generic_small_inverse.hpp.

#include "grids/transfer.hpp"

#include "gpu/kernels/small_ends.cuh"
#include "gpu/kernels/small_parts.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_small_inverse.hpp"

namespace ninefold {

namespace kernels {

inline constexpr int most_of_block = 33;  ///< unknowns in a direction

/// The planes that a block works in.
template <class C>
struct SmallPlanes {
  using Value = C;
  using Columns = SmallColumns<C>;
  static constexpr int most = most_of_block;
  static constexpr int groups = (most + Columns::n - 1) / Columns::n;  ///< of columns
  using Plane = Columns[most][groups];
  /// Of one vector after the other; odd, so that threads side by side read in different banks.
  static constexpr int pitch = most | 1;

  Plane first, second;
  C x_vectors[most * pitch], y_vectors[most * pitch];

  __device__ static C& at(Plane& plane, int row, int column) {
    return plane[row][column / Columns::n].value[column % Columns::n];
  }
};

inline constexpr int small_threads = (SmallPlanes<float>::groups * most_of_block + 31) / 32 * 32;

/// Vectors of most grids, with Dirichlet sides all around: numbers that the compiler is to know.
inline constexpr int usual_unknowns = most_of_block - 2;

/// The vectors and zeros; by all threads of a block, which then wait for each other.
template <class C>
__device__ void load_small(const SmallInverse<C>& inverse, SmallPlanes<C>& plane) {
  using Planes = SmallPlanes<C>;
  constexpr int most = Planes::most, pitch = Planes::pitch;
  constexpr int turns = (most * most + small_threads - 1) / small_threads;
  const int nx = inverse.unknowns.width(), ny = inverse.unknowns.height();
  const int thread = static_cast<int>(threadIdx.x);
  C x_vector[turns], y_vector[turns];
#pragma unroll
  for (int t = 0; t < turns; ++t) {
    const int k = thread + t * small_threads;
    x_vector[t] = k < nx * nx ? inverse.x_vectors[k] : C(0);
    y_vector[t] = k < ny * ny ? inverse.y_vectors[k] : C(0);
  }
  // Sums of columns that do not count are formed, too.
  SmallColumns<C> none;
  for (int c = 0; c < SmallColumns<C>::n; ++c) none.value[c] = C(0);
  for (int k = thread; k < most * Planes::groups; k += small_threads) {
    plane.first[k / Planes::groups][k % Planes::groups] = none;
    plane.second[k / Planes::groups][k % Planes::groups] = none;
  }
#pragma unroll
  for (int t = 0; t < turns; ++t) {
    const int k = thread + t * small_threads;
    if (k < nx * nx) plane.x_vectors[k / nx * pitch + k % nx] = x_vector[t];
    if (k < ny * ny) plane.y_vectors[k / ny * pitch + k % ny] = y_vector[t];
  }
  __syncthreads();
}

template <class C, class Ends, int known>
__global__ void __launch_bounds__(small_threads)
    solve_small_kernel(const __grid_constant__ SmallProblem<C, Ends> small) {
  using Planes = SmallPlanes<C>;
  using Columns = SmallColumns<C>;
  __shared__ Planes plane;
  let_next_start();
  load_small(small.inverse, plane);
  const Box& box = small.inverse.unknowns;
  const int nx = box.width(), ny = box.height();
  const int k = static_cast<int>(threadIdx.x) % most_of_block,
            group = static_cast<int>(threadIdx.x) / most_of_block, j0 = group * Columns::n;
  const bool is_group = group < Planes::groups, in_x = is_group && k < nx,
             in_y = is_group && k < ny;
  SmallFactors<Planes, known, sizeof(C) <= 4 ? Ends::held : 0> factors(plane, k);
  C by[Columns::n];
#pragma unroll
  for (int c = 0; c < Columns::n; ++c) {
    const bool is_sum = in_y && j0 + c < nx;
    by[c] = is_sum ? small.inverse.x_sums[j0 + c] + small.inverse.y_sums[k] : C(0);
  }
  wait_for_kernels_before();
  if (in_x) {
    Columns b;
    small.ends.right(box.i0 + k, box.j0 + j0, ny - j0, b);
    plane.second[k][group] = b;
  }
  __syncthreads();
  // Planes hold b[i][j], P[j][p], Q[q][p] and R[p][j], in turn.
  if (in_x) {
    const Columns sum = factors.template sums<0>(plane.second, nx, group);
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      if (j0 + c < ny) Planes::at(plane.first, j0 + c, k) = sum.value[c];
    }
  }
  factors.template read_ahead<2>();
  __syncthreads();
  if (in_y) {
    Columns sum = factors.template sums<1>(plane.first, ny, group);
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      sum.value[c] = by[c] == C(0) ? C(0) : sum.value[c] / by[c];
    }
    plane.second[k][group] = sum;
  }
  factors.template read_ahead<3>();
  __syncthreads();
  if (in_y) {
    const Columns sum = factors.template sums<2>(plane.second, ny, group);
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      if (j0 + c < nx) Planes::at(plane.first, j0 + c, k) = sum.value[c];
    }
  }
  __syncthreads();
  if (in_x) {
    const Columns sum = factors.template sums<3>(plane.first, nx, group);
    // All of them first: what they are made of would be read again after each one stored.
    typename Ends::Value x[Columns::n];
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) x[c] = small.ends.left(sum.value[c]);
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      if (j0 + c < ny) small.ends.x(box.i0 + k, box.j0 + j0 + c) = x[c];
    }
  }
}

}  // namespace kernels

template <class C, class Ends>
void launch_small_between(const Cuda& on, const SmallInverse<C>& inverse, const Ends& ends) {
  const kernels::SmallProblem<C, Ends> small{inverse, ends};
  const Box& box = inverse.unknowns;
  if (std::max(box.width(), box.height()) > kernels::most_of_block) {
    kernels::launch_small_parts(on, small);
  } else if (box.width() == kernels::usual_unknowns && box.height() == kernels::usual_unknowns) {
    kernels::launch<kernels::solve_small_kernel<C, Ends, kernels::usual_unknowns>>(
        on, 1, kernels::small_threads, 0, small);
  } else {
    kernels::launch<kernels::solve_small_kernel<C, Ends, 0>>(on, 1, kernels::small_threads, 0,
                                                             small);
  }
}

template <class T, class C>
void launch_small(const Cuda& on, const SmallInverse<C>& inverse, const Field<const T>& b,
                  const Field<T>& x) {
  launch_small_between(on, inverse, kernels::SmallEnds<T>{b, x});
}

template <Number T, SmallInverseOf<T> C>
void solve_small_restricted(const Cuda& on, const SmallInverse<C>& inverse, const Box& fine,
                            const Transfer<Scalar<T>>& transfer, In<Field, T> b_fine,
                            const Field<T>& x) {
  require_shape("solve_small_restricted", Field<const T>{nullptr, 2 * x.nx - 1, 2 * x.ny - 1},
                b_fine);
  require_inside("solve_small_restricted", fine, b_fine);
  require_small("solve_small_restricted", inverse.unknowns, x);
  count(on, Traffic{1, 0}, fine, sizeof(T));
  count(on, Traffic{0, 1}, inverse.unknowns, sizeof(T));
  launch_small_between(on, inverse, kernels::SmallRestrictedEnds<T>{transfer, b_fine, fine, x});
}

template <Number High, Number Low, SmallInverseOf<Low> C>
void solve_small_narrowed(const Cuda& on, const SmallInverse<C>& inverse, In<Field, High> b,
                          const RefinementState<Scalar<High>>* state, const Field<High>& x) {
  require_shape("solve_small_narrowed", x, b);
  require_small("solve_small_narrowed", inverse.unknowns, x);
  count(on, Traffic{1, 1}, inverse.unknowns, sizeof(High));
  launch_small_between(on, inverse, kernels::SmallNarrowedEnds<High, Low>{state, b, x});
}

}  // namespace ninefold
