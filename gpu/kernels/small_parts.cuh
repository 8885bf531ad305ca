#pragma once
// solve_small and its like (gpu/operations/small_inverse.hpp) of more unknowns than a block has
// threads and registers for: by parts of neighbouring columns, which are blocks of a cluster.
//
// Shape.  The columns of the right-hand side are divided among parts, then the eigenvectors of x,
// then the columns of the solution: a product takes a part from its own columns alone.  What the
// first product and the third leave, a part writes into the planes of the parts whose columns it is
// then, and all wait twice.  Before sm_90, which has no clusters, one block does all of it, with
// one plane in shared memory and, in formats of 32 bits, the vectors of one direction at a time.
//
// Sums that the compiler unrolls have as many terms as there is room for: those behind the last one
// are -0 times 0, which changes no sum.
//
// The meaning of a value comes from gpu/meaning/generic_small_inverse.hpp.

#include <algorithm>
#include <cstddef>

#include <cooperative_groups.h>

#include "gpu/kernels/small_ends.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold::kernels {

inline constexpr int small_parts = 8;  ///< as many blocks as every device with clusters has in one

/// What a block holds: the vectors, and the planes of its columns, of at most most_ unknowns in a
/// direction.
template <class C, int most_>
struct SmallPart {
  using Value = C;
  using Columns = SmallColumns<C>;
  static constexpr int most = most_;
  static constexpr int width =
      (most + small_parts * Columns::n - 1) / (small_parts * Columns::n) * Columns::n;
  static constexpr int groups = width / Columns::n;
  static constexpr int pitch = most | 1;  ///< odd: threads side by side read in different banks
  static constexpr int threads = (most * groups + 31) / 32 * 32;  ///< a row of a group for each
  /// Factors of two products are in registers: those of all four leave no room.
  static constexpr int held = sizeof(C) <= 4 ? 2 : 0;
  using Plane = Columns[most][groups];

  Plane first, second, third;
  C x_vectors[most * pitch], y_vectors[most * pitch], x_sums[most], y_sums[most];

  __device__ static C& at(Plane& plane, int row, int column) {
    return plane[row][column / Columns::n].value[column % Columns::n];
  }

  __device__ static Columns no_columns() {
    Columns none;
    for (int c = 0; c < Columns::n; ++c) none.value[c] = C(0);
    return none;
  }

  /// What the planes hold that nobody computes; by all threads of the block, which then wait for
  /// each other.
  __device__ void load(const SmallInverse<C>& inverse) {
    const int thread = static_cast<int>(threadIdx.x);
    const int nx = inverse.unknowns.width(), ny = inverse.unknowns.height();
    // Many at once: to read one value takes as long.
    constexpr int turns = (most * most + threads - 1) / threads, at_once = 16;
    for (int t = 0; t < turns; t += at_once) {
      C x[at_once], y[at_once];
#pragma unroll
      for (int m = 0; m < at_once; ++m) {
        const int k = thread + (t + m) * threads, p = k / most, i = k % most;
        x[m] = p < nx && i < nx ? inverse.x_vectors[p * nx + i] : -C(0);
        y[m] = p < ny && i < ny ? inverse.y_vectors[p * ny + i] : -C(0);
      }
#pragma unroll
      for (int m = 0; m < at_once; ++m) {
        const int k = thread + (t + m) * threads, p = k / most, i = k % most;
        if (p < most) x_vectors[p * pitch + i] = x[m];
        if (p < most) y_vectors[p * pitch + i] = y[m];
      }
    }
    for (int k = thread; k < most * groups; k += threads) {
      const int row = k / groups, group = k % groups;
      if (row >= ny) first[row][group] = no_columns();
      if (row >= nx) third[row][group] = no_columns();
    }
    for (int k = thread; k < most; k += threads) {
      x_sums[k] = k < nx ? inverse.x_sums[k] : C(0);
      y_sums[k] = k < ny ? inverse.y_sums[k] : C(0);
    }
    __syncthreads();
  }
};

template <class C, class Ends, int most>
__global__ void __launch_bounds__(SmallPart<C, most>::threads)
    solve_small_parts_kernel(const __grid_constant__ SmallProblem<C, Ends> small) {
#if __CUDA_ARCH__ >= 900
  using Part = SmallPart<C, most>;
  using Columns = SmallColumns<C>;
  extern __shared__ uint4 memory[];
  Part& part = *reinterpret_cast<Part*>(memory);
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();
  let_next_start();
  part.load(small.inverse);

  const Box& box = small.inverse.unknowns;
  const int nx = box.width(), ny = box.height();
  const int k = static_cast<int>(threadIdx.x) % most,
            any_group = static_cast<int>(threadIdx.x) / most;
  const bool is_group = any_group < Part::groups;
  const int group = is_group ? any_group : 0;
  const int column = static_cast<int>(cluster.block_rank()) * Part::width + group * Columns::n;
  const bool in_x = is_group && k < nx && column < ny, in_y = is_group && k < ny && column < nx;
  const auto part_of_row = [&]() -> Part& {
    return *cluster.map_shared_rank(&part, k / Part::width);
  };
  SmallFactors<Part, most, Part::held> factors(part, k);

  wait_for_kernels_before();
  if (is_group) {
    Columns b = Part::no_columns();
    if (in_x) small.ends.right(box.i0 + k, box.j0 + column, ny - column, b);
    part.second[k][group] = b;
  }
  __syncthreads();
  cluster.barrier_wait();  // all blocks have begun
  // Planes hold b[i][j], P[j][p], Q[q][p] and R[p][j], in turn.
  if (in_x) {
    const Columns sum = factors.template sums<0>(part.second, nx, group);
    Part& to = part_of_row();
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      if (column + c < ny) Part::at(to.first, column + c, k % Part::width) = sum.value[c];
    }
  }
  factors.template read_ahead<2>();
  cluster.sync();
  if (is_group) {
    Columns sum = Part::no_columns();
    if (in_y) sum = factors.template sums<1>(part.first, ny, group);
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      const C by = in_y && column + c < nx ? part.x_sums[column + c] + part.y_sums[k] : C(0);
      sum.value[c] = by == C(0) ? C(0) : sum.value[c] / by;
    }
    part.second[k][group] = sum;
  }
  factors.template read_ahead<3>();
  __syncthreads();
  if (in_y) {
    const Columns sum = factors.template sums<2>(part.second, ny, group);
    Part& to = part_of_row();
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      if (column + c < nx) Part::at(to.third, column + c, k % Part::width) = sum.value[c];
    }
  }
  cluster.sync();
  if (in_x) {
    const Columns sum = factors.template sums<3>(part.third, nx, group);
    // All of them first: what they are made of would be read again after each one stored.
    typename Ends::Value x[Columns::n];
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) x[c] = small.ends.left(sum.value[c]);
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      if (column + c < ny) small.ends.x(box.i0 + k, box.j0 + column + c) = x[c];
    }
  }
#endif
}

inline constexpr int whole_threads = 1024;

/// The plane of all columns, in which a product takes the place of what it was made of, and the
/// vectors that it is made with, where there is room.
template <class C>
struct SmallWhole {
  using Columns = SmallColumns<C>;
  static constexpr int most = max_small_unknowns;
  static constexpr int groups = (most + Columns::n - 1) / Columns::n;
  static constexpr int turns = (most * groups + whole_threads - 1) / whole_threads;

  static constexpr bool holds_vectors = sizeof(C) <= 4;
  static constexpr int pitch = most | 1;  ///< odd: threads side by side read in different banks

  Columns plane[most][groups];
  C vectors[holds_vectors ? most * pitch : 1];

  /// By all threads, none of which uses others any more; seen by all after the next wait.
  __device__ void load(const C* from, int n) {
    if constexpr (holds_vectors) {
      for (int k = static_cast<int>(threadIdx.x); k < n * n; k += whole_threads) {
        vectors[k / n * pitch + k % n] = from[k];
      }
    }
  }
  /// Value i of vector p of those loaded.
  __device__ const C& value(const C* from, int n, int p, int i) const {
    return holds_vectors ? vectors[p * pitch + i] : from[p * n + i];
  }

  __device__ C& at(int row, int column) {
    return plane[row][column / Columns::n].value[column % Columns::n];
  }
  /// to(k, j, the sums over i of a(i, k) plane[i][j]), of n values each, for columns j, j + 1, ...
  template <class A, class To>
  __device__ void sums(int n, int columns, const A& a, const To& to) {
    const int pieces = n * ((columns + Columns::n - 1) / Columns::n);
    Columns sum[turns];
#pragma unroll
    for (int t = 0; t < turns; ++t) {
      const int at = static_cast<int>(threadIdx.x) + t * whole_threads;
      if (at >= pieces) break;
      const int k = at % n, group = at / n;
      sum[t] = plane[0][group];
      const C first = a(0, k);
#pragma unroll
      for (int c = 0; c < Columns::n; ++c) sum[t].value[c] = first * sum[t].value[c];
#pragma unroll 4
      for (int i = 1; i < n; ++i) {
        const Columns right = plane[i][group];
        const C factor = a(i, k);
#pragma unroll
        for (int c = 0; c < Columns::n; ++c) {
          sum[t].value[c] = fused(factor, right.value[c], sum[t].value[c]);
        }
      }
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < turns; ++t) {
      const int at = static_cast<int>(threadIdx.x) + t * whole_threads;
      if (at < pieces) to(at % n, at / n * Columns::n, sum[t]);
    }
    __syncthreads();
  }
};

template <class C, class Ends>
__global__ void __launch_bounds__(whole_threads)
    solve_small_whole_kernel(const __grid_constant__ SmallProblem<C, Ends> small) {
  using Columns = SmallColumns<C>;
  __shared__ SmallWhole<C> whole;
  begin_kernel();
  const SmallInverse<C>& inverse = small.inverse;
  const Box& box = inverse.unknowns;
  const int nx = box.width(), ny = box.height();
  const int groups = (ny + Columns::n - 1) / Columns::n;
  for (int at = static_cast<int>(threadIdx.x); at < nx * groups; at += whole_threads) {
    const int i = at % nx, group = at / nx, j = group * Columns::n;
    small.ends.right(box.i0 + i, box.j0 + j, ny - j, whole.plane[i][group]);
  }
  whole.load(inverse.x_vectors, nx);
  __syncthreads();
  const auto v = [&](int i, int p) { return whole.value(inverse.x_vectors, nx, p, i); };
  const auto v_turned = [&](int p, int i) { return whole.value(inverse.x_vectors, nx, p, i); };
  const auto w = [&](int j, int q) { return whole.value(inverse.y_vectors, ny, q, j); };
  const auto w_turned = [&](int q, int j) { return whole.value(inverse.y_vectors, ny, q, j); };
  // The plane holds b[i][j], P[j][p], Q[q][p] and R[p][j], in turn.
  whole.sums(nx, ny, v, [&](int p, int j, const Columns& sum) {
    for (int c = 0; c < Columns::n && j + c < ny; ++c) whole.at(j + c, p) = sum.value[c];
  });
  whole.load(inverse.y_vectors, ny);
  __syncthreads();
  whole.sums(ny, nx, w, [&](int q, int p, Columns sum) {
    for (int c = 0; c < Columns::n; ++c) {
      const C by = p + c < nx ? inverse.x_sums[p + c] + inverse.y_sums[q] : C(0);
      sum.value[c] = by == C(0) ? C(0) : sum.value[c] / by;
    }
    whole.plane[q][p / Columns::n] = sum;
  });
  whole.sums(ny, nx, w_turned, [&](int j, int p, const Columns& sum) {
    for (int c = 0; c < Columns::n && p + c < nx; ++c) whole.at(p + c, j) = sum.value[c];
  });
  whole.load(inverse.x_vectors, nx);
  __syncthreads();
  whole.sums(nx, ny, v_turned, [&](int i, int j, const Columns& sum) {
    for (int c = 0; c < Columns::n && j + c < ny; ++c) {
      small.ends.x(box.i0 + i, box.j0 + j + c) = small.ends.left(sum.value[c]);
    }
  });
}

template <class C, class Ends>
void launch_small_parts(const Cuda& on, const SmallProblem<C, Ends>& small) {
  // Most grids have a Dirichlet side in each direction.
  constexpr int usual = max_small_unknowns - 1;
  const Box& box = small.inverse.unknowns;
  const auto by_parts = [&]<int most>() {
    constexpr auto kernel = solve_small_parts_kernel<C, Ends, most>;
    using Part = SmallPart<C, most>;
    const void* const address = reinterpret_cast<const void*>(kernel);
    if (on.architecture_of(address) < 90) return false;
    if (sizeof(Part) > static_cast<std::size_t>(on.allow_shared_memory(address))) return false;
    launch_clusters<kernel>(on, small_parts, small_parts, Part::threads, sizeof(Part), small);
    return true;
  };
  const bool is_usual = std::max(box.width(), box.height()) <= usual;
  if (is_usual ? by_parts.template operator()<usual>()
               : by_parts.template operator()<max_small_unknowns>()) {
    return;
  }
  launch<solve_small_whole_kernel<C, Ends>>(on, 1, whole_threads, 0, small);
}

}  // namespace ninefold::kernels
