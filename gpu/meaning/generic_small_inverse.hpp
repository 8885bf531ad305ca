#pragma once
// The meaning of solve_small: gpu/operations/small_inverse.hpp.

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "gpu/meaning/checks.hpp"
#include "gpu/operations/small_inverse.hpp"

namespace ninefold {

/// By one worker, several columns of a plane at once.
template <class T, class C>
class SolveSmall {
 public:
  SolveSmall(const SmallInverse<C>& inverse, const Field<const T>& b, const Field<T>& x)
      : inverse_(inverse), b_(b), x_(x), planes_(std::make_unique<Planes>()) {}

  void solve() const {
    const Box& box = inverse_.unknowns;
    const int nx = box.width(), ny = box.height();
    Plane &first = planes_->first, &second = planes_->second;
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) second[i][j] = C(b_(box.i0 + i, box.j0 + j));
    }
    const auto v = [&](int i, int p) { return inverse_.x_vectors[p * nx + i]; };
    const auto v_turned = [&](int p, int i) { return inverse_.x_vectors[p * nx + i]; };
    const auto w = [&](int j, int q) { return inverse_.y_vectors[q * ny + j]; };
    const auto w_turned = [&](int q, int j) { return inverse_.y_vectors[q * ny + j]; };
    // Planes hold b[i][j], P[j][p], Q[q][p] and R[p][j], in turn.
    sums(nx, ny, v, second, [&](int p, int j, const C& sum) { first[j][p] = sum; });
    sums(ny, nx, w, first, [&](int q, int p, const C& sum) {
      const C by = inverse_.x_sums[p] + inverse_.y_sums[q];
      second[q][p] = by == C(0) ? C(0) : sum / by;
    });
    sums(ny, nx, w_turned, second, [&](int j, int p, const C& sum) { first[p][j] = sum; });
    sums(nx, ny, v_turned, first,
         [&](int i, int j, const C& sum) { x_(box.i0 + i, box.j0 + j) = T(sum); });
  }

 private:
  static constexpr int at_once = 16;
  using Plane = C[max_small_unknowns][(max_small_unknowns + at_once - 1) / at_once * at_once];
  struct Planes {
    Plane first{}, second{};  // zeros: sums of columns that do not count are formed, too
  };

  /// to(k, j, sum over i of a(i, k) from[i][j]), of n values each, for `columns` j.
  template <class A, class To>
  static void sums(int n, int columns, const A& a, const Plane& from, const To& to) {
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < columns; j += at_once) {
        C sum[at_once];
        for (int c = 0; c < at_once; ++c) sum[c] = a(0, k) * from[0][j + c];
        for (int i = 1; i < n; ++i) {
          const C factor = a(i, k);
          for (int c = 0; c < at_once; ++c) sum[c] = fused(factor, from[i][j + c], sum[c]);
        }
        for (int c = 0; c < at_once && j + c < columns; ++c) to(k, j + c, sum[c]);
      }
    }
  }

  SmallInverse<C> inverse_;
  Field<const T> b_;
  Field<T> x_;
  std::unique_ptr<Planes> planes_;
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
    if (!on.only_counts()) SolveSmall<T, C>(inverse, b, x).solve();
  } else {
    launch_small<T>(on, inverse, b, x);  // gpu/kernels/small_inverse.cuh
  }
}

}  // namespace ninefold
