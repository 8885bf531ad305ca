#pragma once
// The meaning of solve_small: gpu/operations/small_inverse.hpp, by a team of workers.

#include <memory>
#include <stdexcept>
#include <type_traits>

#include "gpu/launch/team.hpp"
#include "gpu/meaning/checks.hpp"
#include "gpu/operations/small_inverse.hpp"

namespace ninefold {

/// The planes that it works in.
template <class C>
struct SmallPlanes {
  static constexpr int values = max_small_unknowns * max_small_unknowns;
  C first[values], second[values];
  C x_vectors[values], y_vectors[values];
  C x_sums[max_small_unknowns], y_sums[max_small_unknowns];
};

template <class T, class Team>
struct SolveSmall {
  using C = Arithmetic<T>;
  SmallInverse<C> inverse;
  Field<const T> b;
  Field<T> x;

  /// to(k, j) = sum over i of a(i, k) from(i, j), of n values each, for `columns` j.
  template <class A, class From, class To>
  HOST_DEVICE static void sums(int n, int columns, const A& a, const From& from, const To& to) {
    for_workers<Team>(n * columns, [&](int at) {
      const int k = at % n, j = at / n;
      C sum = a(0, k) * from(0, j);
#ifdef __CUDA_ARCH__
#pragma unroll 8
#endif
      for (int i = 1; i < n; ++i) sum = fused(a(i, k), from(i, j), sum);
      to(k, j, sum);
    });
    Team::wait();
  }

  HOST_DEVICE void operator()(SmallPlanes<C>& plane) const {
    const Box& box = inverse.unknowns;
    const int nx = box.width(), ny = box.height();
    // All at once, or a worker would wait for one after the other.
    const int most = nx > ny ? nx : ny;
    for_workers<Team>(most * most, [&](int k) {
      C x_vector(0), y_vector(0), right(0), x_sum(0), y_sum(0);
      const int j = k / nx, i = k - j * nx;
      if (k < nx * nx) x_vector = inverse.x_vectors[k];
      if (k < ny * ny) y_vector = inverse.y_vectors[k];
      if (j < ny) right = C(b(box.i0 + i, box.j0 + j));
      if (k < nx) x_sum = inverse.x_sums[k];
      if (k < ny) y_sum = inverse.y_sums[k];
      if (k < nx * nx) plane.x_vectors[k] = x_vector;
      if (k < ny * ny) plane.y_vectors[k] = y_vector;
      if (j < ny) plane.second[k] = right;
      if (k < nx) plane.x_sums[k] = x_sum;
      if (k < ny) plane.y_sums[k] = y_sum;
    });
    Team::wait();
    const auto v = [&](int i, int p) { return plane.x_vectors[p * nx + i]; };
    const auto v_turned = [&](int p, int i) { return plane.x_vectors[p * nx + i]; };
    const auto w = [&](int j, int q) { return plane.y_vectors[q * ny + j]; };
    const auto w_turned = [&](int q, int j) { return plane.y_vectors[q * ny + j]; };
    // first(p, j), p fastest; second(q, p), q fastest.
    const auto first = [&](int p, int j) { return plane.first[j * nx + p]; };
    const auto second = [&](int q, int p) { return plane.second[p * ny + q]; };
    sums(
        nx, ny, v, [&](int i, int j) { return plane.second[j * nx + i]; },
        [&](int p, int j, const C& sum) { plane.first[j * nx + p] = sum; });
    sums(
        ny, nx, w, [&](int j, int p) { return first(p, j); },
        [&](int q, int p, const C& sum) {
          const C by = plane.x_sums[p] + plane.y_sums[q];
          plane.second[p * ny + q] = by == C(0) ? C(0) : sum / by;
        });
    sums(ny, nx, w_turned, second,
         [&](int j, int p, const C& sum) { plane.first[j * nx + p] = sum; });
    sums(nx, ny, v_turned, first,
         [&](int i, int j, const C& sum) { x(box.i0 + i, box.j0 + j) = T(sum); });
  }
};

template <Backend B, Number T>
void solve_small(const B& on, const SmallInverse<Scalar<T>>& inverse, In<Field, T> b,
                 const Field<T>& x) {
  const Box& box = inverse.unknowns;
  require_shape("solve_small", x, b);
  require_inside("solve_small", box, x);
  if (box.width() > max_small_unknowns || box.height() > max_small_unknowns) {
    throw std::invalid_argument("solve_small: too many unknowns in a direction");
  }
  count(on, Traffic{1, 1}, inverse.unknowns, sizeof(T));
  if constexpr (std::is_same_v<B, Host>) {
    if (on.only_counts()) return;
    const auto planes = std::make_unique<SmallPlanes<Arithmetic<T>>>();
    SolveSmall<T, OneWorker>{inverse, b, x}(*planes);
  } else {
    launch_small<T>(on, inverse, b, x);  // gpu/kernels/small_inverse.cuh
  }
}

}  // namespace ninefold
