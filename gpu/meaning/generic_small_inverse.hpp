#pragma once
// The meaning of solve_small: gpu/operations/small_inverse.hpp, by a team of workers.

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "gpu/launch/team.hpp"
#include "gpu/meaning/checks.hpp"
#include "gpu/operations/small_inverse.hpp"

namespace ninefold {

/// Values of neighbouring columns, in a device's memory one or two accesses.
template <class C>
struct alignas(sizeof(C) < 16 ? 16 : sizeof(C)) SmallColumns {
  static constexpr int n = 4;
  C value[n];
};

/// The planes that it works in.
template <class C>
struct SmallPlanes {
  using Columns = SmallColumns<C>;
  static constexpr int groups = (max_small_unknowns + Columns::n - 1) / Columns::n;  ///< of columns
  using Plane = Columns[max_small_unknowns][groups];
  /// Of one vector after the other; odd, so that workers side by side read in different banks.
  static constexpr int pitch = max_small_unknowns | 1;

  Plane first, second;
  C x_vectors[max_small_unknowns * pitch], y_vectors[max_small_unknowns * pitch];
  C x_sums[max_small_unknowns], y_sums[max_small_unknowns];

  HOST_DEVICE static C& at(Plane& plane, int row, int column) {
    return plane[row][column / Columns::n].value[column % Columns::n];
  }
};

template <class T, class C, class Team>
struct SolveSmall {
  using Planes = SmallPlanes<C>;
  using Columns = SmallColumns<C>;
  SmallInverse<C> inverse;
  Field<const T> b;
  Field<T> x;

  /// to(k, j, sum over i of a(i, k) from[i][j]), of n values each, for `columns` j.  A worker has a
  /// few neighbouring j, for which it reads a(i, k) once.
  template <class A, class To>
  HOST_DEVICE static void sums(int n, int columns, const A& a, const typename Planes::Plane& from,
                               const To& to) {
    const int groups = (columns + Columns::n - 1) / Columns::n;
    for_workers<Team>(n * groups, [&](int at) {
      const int k = at % n, group = at / n;
      Columns sum = from[0][group];
      const C first = a(0, k);
      for (int c = 0; c < Columns::n; ++c) sum.value[c] = first * sum.value[c];
#ifdef __CUDA_ARCH__
#pragma unroll 8
#endif
      for (int i = 1; i < n; ++i) {
        const Columns right = from[i][group];
        const C factor = a(i, k);
        for (int c = 0; c < Columns::n; ++c) {
          sum.value[c] = fused(factor, right.value[c], sum.value[c]);
        }
      }
      for (int c = 0; c < Columns::n; ++c) {
        const int j = group * Columns::n + c;
        if (j < columns) to(k, j, sum.value[c]);
      }
    });
    Team::wait();
  }

  /// What the inverse is made of, which nobody writes; the first call.
  HOST_DEVICE void load(Planes& plane) const {
    const int nx = inverse.unknowns.width(), ny = inverse.unknowns.height();
    // Sums of columns that do not count are formed, too.
    for_workers<Team>(max_small_unknowns * Planes::groups, [&](int k) {
      Columns none;
      for (int c = 0; c < Columns::n; ++c) none.value[c] = C(0);
      plane.first[k / Planes::groups][k % Planes::groups] = none;
      plane.second[k / Planes::groups][k % Planes::groups] = none;
    });
    // All at once, or a worker would wait for one after the other.
    const int most = nx > ny ? nx : ny;
    for_workers<Team>(most * most, [&](int k) {
      C x_vector(0), y_vector(0), x_sum(0), y_sum(0);
      const int p = k / nx, i = k - p * nx, q = k / ny, j = k - q * ny;
      if (p < nx) x_vector = inverse.x_vectors[k];
      if (q < ny) y_vector = inverse.y_vectors[k];
      if (k < nx) x_sum = inverse.x_sums[k];
      if (k < ny) y_sum = inverse.y_sums[k];
      if (p < nx) plane.x_vectors[p * Planes::pitch + i] = x_vector;
      if (q < ny) plane.y_vectors[q * Planes::pitch + j] = y_vector;
      if (k < nx) plane.x_sums[k] = x_sum;
      if (k < ny) plane.y_sums[k] = y_sum;
    });
    Team::wait();
  }

  HOST_DEVICE void solve(Planes& plane) const {
    const Box& box = inverse.unknowns;
    const int nx = box.width(), ny = box.height();
    for_workers<Team>(nx * ny, [&](int k) {
      const int j = k / nx, i = k - j * nx;
      Planes::at(plane.second, i, j) = C(b(box.i0 + i, box.j0 + j));
    });
    Team::wait();
    const auto v = [&](int i, int p) { return plane.x_vectors[p * Planes::pitch + i]; };
    const auto v_turned = [&](int p, int i) { return plane.x_vectors[p * Planes::pitch + i]; };
    const auto w = [&](int j, int q) { return plane.y_vectors[q * Planes::pitch + j]; };
    const auto w_turned = [&](int q, int j) { return plane.y_vectors[q * Planes::pitch + j]; };
    // Planes hold b[i][j], P[j][p], Q[q][p] and R[p][j], in turn.
    sums(nx, ny, v, plane.second,
         [&](int p, int j, const C& sum) { Planes::at(plane.first, j, p) = sum; });
    sums(ny, nx, w, plane.first, [&](int q, int p, const C& sum) {
      const C by = plane.x_sums[p] + plane.y_sums[q];
      Planes::at(plane.second, q, p) = by == C(0) ? C(0) : sum / by;
    });
    sums(ny, nx, w_turned, plane.second,
         [&](int j, int p, const C& sum) { Planes::at(plane.first, p, j) = sum; });
    sums(nx, ny, v_turned, plane.first,
         [&](int i, int j, const C& sum) { x(box.i0 + i, box.j0 + j) = T(sum); });
  }
};

template <class T>
void require_small(const char* operation, const Box& box, const Field<T>& x) {
  require_inside(operation, box, x);
  if (box.width() > max_small_unknowns || box.height() > max_small_unknowns) {
    throw std::invalid_argument(std::string(operation) + ": too many unknowns in a direction");
  }
}

template <Backend B, Number T, SmallInverseOf<T> C>
void solve_small(const B& on, const SmallInverse<C>& inverse, In<Field, T> b, const Field<T>& x) {
  require_shape("solve_small", x, b);
  require_small("solve_small", inverse.unknowns, x);
  count(on, Traffic{1, 1}, inverse.unknowns, sizeof(T));
  if constexpr (std::is_same_v<B, Host>) {
    if (on.only_counts()) return;
    const auto planes = std::make_unique<SmallPlanes<C>>();
    const SolveSmall<T, C, OneWorker> small{inverse, b, x};
    small.load(*planes);
    small.solve(*planes);
  } else {
    launch_small<T>(on, inverse, b, x);  // gpu/kernels/small_inverse.cuh
  }
}

}  // namespace ninefold
