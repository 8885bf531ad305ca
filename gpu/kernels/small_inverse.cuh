#pragma once
// solve_small (gpu/operations/small_inverse.hpp) on a device: one block, all planes in shared
// memory.
//
// Shape.  A thread has a row k of each product's result and a few neighbouring columns of it; the
// vectors' values that it multiplies by are in its registers before other kernels have ended, those
// of all four products where there is room.
//
// The meaning of a value comes from gpu/meaning/generic_small_inverse.hpp.

#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_small_inverse.hpp"

namespace ninefold {

namespace kernels {

inline constexpr int small_threads =
    (SmallPlanes<float>::groups * max_small_unknowns + 31) / 32 * 32;

/// Vectors of most grids, with Dirichlet sides all around: numbers that the compiler is to know.
inline constexpr int usual_unknowns = max_small_unknowns - 2;

/// What a thread has of the vectors; `known` is their number, or 0.
template <class C, int known>
class SmallFactors {
 public:
  static constexpr int most = max_small_unknowns;

  __device__ SmallFactors(const SmallPlanes<C>& plane, int k) : plane_(plane), k_(k) {
    if constexpr (holds_all) {
#pragma unroll
      for (int q = 0; q < 4; ++q) read(q, factor_[q]);
    }
  }

  /// The sums of product q over n rows of a plane.
  template <int q>
  __device__ SmallColumns<C> sums(const SmallColumns<C> (&from)[most][SmallPlanes<C>::groups],
                                  int any, int group) {
    const int n = known > 0 ? known : any;
    if constexpr (!holds_all) read(q, factor_[0]);
    const C(&factor)[most] = factor_[holds_all ? q : 0];
    SmallColumns<C> sum = from[0][group];
#pragma unroll
    for (int c = 0; c < SmallColumns<C>::n; ++c) sum.value[c] = factor[0] * sum.value[c];
#pragma unroll
    for (int i = 1; i < most; ++i) {
      if (i < n) {
        const SmallColumns<C> right = from[i][group];
#pragma unroll
        for (int c = 0; c < SmallColumns<C>::n; ++c) {
          sum.value[c] = fused(factor[i], right.value[c], sum.value[c]);
        }
      }
    }
    return sum;
  }

 private:
  static constexpr bool holds_all = sizeof(C) <= 4;

  /// Vector k, or value k of all of them: along x, along y and, turned, along y and along x.
  __device__ void read(int q, C (&factor)[most]) const {
    const C* const from = q == 0 || q == 3 ? plane_.x_vectors : plane_.y_vectors;
#pragma unroll
    for (int i = 0; i < most; ++i) {
      factor[i] = q < 2 ? from[k_ * plane_.pitch + i] : from[i * plane_.pitch + k_];
    }
  }

  const SmallPlanes<C>& plane_;
  int k_;
  C factor_[holds_all ? 4 : 1][most];
};

/// The vectors and zeros; by all threads of a block, which then wait for each other.
template <class C>
__device__ void load_small(const SmallInverse<C>& inverse, SmallPlanes<C>& plane) {
  using Planes = SmallPlanes<C>;
  constexpr int most = max_small_unknowns, pitch = Planes::pitch;
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

template <class T, class C, int known>
__global__ void __launch_bounds__(small_threads)
    solve_small_kernel(const __grid_constant__ SolveSmall<T, C, BlockTeam> small) {
  using Planes = SmallPlanes<C>;
  using Columns = SmallColumns<C>;
  __shared__ Planes plane;
  let_next_start();
  load_small(small.inverse, plane);
  const Box& box = small.inverse.unknowns;
  const int nx = box.width(), ny = box.height();
  const int k = static_cast<int>(threadIdx.x) % max_small_unknowns,
            group = static_cast<int>(threadIdx.x) / max_small_unknowns, j0 = group * Columns::n;
  const bool is_group = group < Planes::groups, in_x = is_group && k < nx,
             in_y = is_group && k < ny;
  SmallFactors<C, known> factors(plane, k);
  C by[Columns::n];
#pragma unroll
  for (int c = 0; c < Columns::n; ++c) {
    const bool is_sum = in_y && j0 + c < nx;
    by[c] = is_sum ? small.inverse.x_sums[j0 + c] + small.inverse.y_sums[k] : C(0);
  }
  wait_for_kernels_before();
  if (in_x) {
    Columns b;
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      b.value[c] = j0 + c < ny ? C(small.b(box.i0 + k, box.j0 + j0 + c)) : C(0);
    }
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
  __syncthreads();
  if (in_y) {
    Columns sum = factors.template sums<1>(plane.first, ny, group);
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      sum.value[c] = by[c] == C(0) ? C(0) : sum.value[c] / by[c];
    }
    plane.second[k][group] = sum;
  }
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
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      if (j0 + c < ny) small.x(box.i0 + k, box.j0 + j0 + c) = T(sum.value[c]);
    }
  }
}

}  // namespace kernels

template <class T, class C>
void launch_small(const Cuda& on, const SmallInverse<C>& inverse, const Field<const T>& b,
                  const Field<T>& x) {
  const SolveSmall<T, C, kernels::BlockTeam> small{inverse, b, x};
  const Box& box = inverse.unknowns;
  if (box.width() == kernels::usual_unknowns && box.height() == kernels::usual_unknowns) {
    kernels::launch<kernels::solve_small_kernel<T, C, kernels::usual_unknowns>>(
        on, 1, kernels::small_threads, 0, small);
  } else {
    kernels::launch<kernels::solve_small_kernel<T, C, 0>>(on, 1, kernels::small_threads, 0, small);
  }
}

}  // namespace ninefold
