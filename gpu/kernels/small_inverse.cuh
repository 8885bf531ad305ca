#pragma once
// solve_small and its like (gpu/operations/small_inverse.hpp) on a device: one block, all planes in
// shared memory.
//
// Shape.  A thread has a row k of each product's result and a few neighbouring columns of it; the
// vectors' values that it multiplies by are in its registers before other kernels have ended, those
// of all four products where there is room.
//
// The meaning of a value comes from gpu/meaning/generic_small_inverse.hpp.

#include "grids/transfer.hpp"

#include "gpu/launch/launch.cuh"
#include "gpu/meaning/between_formats.hpp"
#include "gpu/meaning/generic_nested_operations.hpp"
#include "gpu/meaning/generic_small_inverse.hpp"

namespace ninefold {

namespace kernels {

inline constexpr int small_threads =
    (SmallPlanes<float>::groups * max_small_unknowns + 31) / 32 * 32;

/// Vectors of most grids, with Dirichlet sides all around: numbers that the compiler is to know.
inline constexpr int usual_unknowns = max_small_unknowns - 2;

/// What a thread has of the vectors; `known` is their number, or 0, and `held` that of the products
/// for which it reads them at once.
template <class C, int known, int held>
class SmallFactors {
 public:
  static constexpr int most = max_small_unknowns;

  __device__ SmallFactors(const SmallPlanes<C>& plane, int k) : plane_(plane), k_(k) {
#pragma unroll
    for (int q = 0; q < held; ++q) read(q, factor_[q]);
  }

  /// The sums of product q over n rows of a plane.
  template <int q>
  __device__ SmallColumns<C> sums(const SmallColumns<C> (&from)[most][SmallPlanes<C>::groups],
                                  int any, int group) {
    const int n = known > 0 ? known : any;
    constexpr int place = held > 0 ? q % held : 0;
    if constexpr (q >= held) read(q, factor_[place]);
    const C(&factor)[most] = factor_[place];
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
  C factor_[held > 0 ? held : 1][most];
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

/// Where b comes from, n values of neighbouring columns with zeros after them, and x goes: vectors
/// that are there ...
template <class T>
struct SmallEnds {
  using Value = T;
  static constexpr int held = 4;
  Field<const T> b;
  Field<T> x;
  template <class C>
  __device__ void right(int i, int j, int n, SmallColumns<C>& to) const {
#pragma unroll
    for (int c = 0; c < SmallColumns<C>::n; ++c) to.value[c] = c < n ? C(b(i, j + c)) : C(0);
  }
  template <class C>
  __device__ T left(const C& value) const {
    return T(value);
  }
};
/// ... the restricted b of the next finer grid, whose values take the registers of two products ...
template <class T>
struct SmallRestrictedEnds {
  using Value = T;
  static constexpr int held = 2;
  Transfer<Arithmetic<T>> transfer;
  Field<const T> b_fine;
  Box fine;
  Field<T> x;
  /// In the order of restrict_at, whose calls would wait a dozen times for what they read; here all
  /// is read at once.
  template <class C>
  __device__ void right(int I, int J, int n, SmallColumns<C>& to) const {
    using D = Arithmetic<T>;
    constexpr int columns = SmallColumns<C>::n, rows = 2 * columns + 1;
    const int i = 2 * I, south = 2 * J - 1;
    const bool has_west = i - 1 >= fine.i0, has_east = i + 1 < fine.i1;
    const int west = has_west ? i - 1 : i, east = has_east ? i + 1 : i;
    T value[rows][3];
    TransferWeights<D> across[2] = {transfer.x[west], transfer.x[east]}, up[rows];
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      const int y = min(max(south + q, fine.j0), fine.j1 - 1);  // what is not there does not count
      value[q][0] = b_fine(west, y);
      value[q][1] = b_fine(i, y);
      value[q][2] = b_fine(east, y);
      if (q % 2 == 0) up[q] = transfer.y[y];
    }
    D sum[rows];
#pragma unroll
    for (int q = 0; q < rows; ++q) {
      sum[q] = D(value[q][1]);
      if (has_west) sum[q] = fused(across[0].upper, D(value[q][0]), sum[q]);
      if (has_east) sum[q] = fused(across[1].lower, D(value[q][2]), sum[q]);
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const int q = 2 * c + 1;
      D b = sum[q];
      if (south + q - 1 >= fine.j0) b = fused(up[q - 1].upper, sum[q - 1], b);
      if (south + q + 1 < fine.j1) b = fused(up[q + 1].lower, sum[q + 1], b);
      to.value[c] = c < n ? C(T(b)) : C(0);
    }
  }
  template <class C>
  __device__ T left(const C& value) const {
    return T(value);
  }
};
/// ... or a wider format's vectors, by the factors of a residual.
template <class High, class Low>
struct SmallNarrowedEnds {
  using Value = High;
  static constexpr int held = 4;
  const RefinementState<Arithmetic<High>>* state;
  Field<const High> b;
  Field<High> x;
  template <class C>
  __device__ void right(int i, int j, int n, SmallColumns<C>& to) const {
    const Arithmetic<High> down = state->down;
#pragma unroll
    for (int c = 0; c < SmallColumns<C>::n; ++c) {
      to.value[c] = c < n ? C(narrowed<Low>(down * Arithmetic<High>(b(i, j + c)))) : C(0);
    }
  }
  template <class C>
  __device__ High left(const C& value) const {
    return InterpolatedAndCorrected<High, Low>::value(state->up, Low(value),
                                                      High(Arithmetic<High>(0)));
  }
};

template <class C, class Ends>
struct SmallProblem {
  SmallInverse<C> inverse;
  Ends ends;
};

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
  const int k = static_cast<int>(threadIdx.x) % max_small_unknowns,
            group = static_cast<int>(threadIdx.x) / max_small_unknowns, j0 = group * Columns::n;
  const bool is_group = group < Planes::groups, in_x = is_group && k < nx,
             in_y = is_group && k < ny;
  SmallFactors<C, known, sizeof(C) <= 4 ? Ends::held : 0> factors(plane, k);
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
  if (box.width() == kernels::usual_unknowns && box.height() == kernels::usual_unknowns) {
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
