#pragma once
// What the kernels of solve_small and its like have in common (gpu/operations/small_inverse.hpp):
// where their right-hand side comes from and their solution goes, and a thread's sums.

#include "grids/transfer.hpp"

#include "gpu/meaning/between_formats.hpp"
#include "gpu/meaning/generic_nested_operations.hpp"
#include "gpu/operations/small_inverse.hpp"

namespace ninefold::kernels {

/// Values of neighbouring columns, in a device's memory one or two accesses.
template <class C>
struct alignas(sizeof(C) < 16 ? 16 : sizeof(C)) SmallColumns {
  static constexpr int n = 4;
  C value[n];
};

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

/// What a thread has of the vectors that lie in `Planes`: their row or column k; `known` is their
/// number, or 0, and `held` that of the products whose factors are in registers before they are
/// needed, 0, 2 or 4.
template <class Planes, int known, int held>
class SmallFactors {
 public:
  using C = typename Planes::Value;
  using Columns = SmallColumns<C>;
  static constexpr int most = Planes::most;

  __device__ SmallFactors(const Planes& plane, int k) : plane_(plane), k_(k) {
    if constexpr (held > 0) {
#pragma unroll
      for (int q = 0; q < held; ++q) read(q, factor_[q]);
    }
  }

  /// Reads the factors of product q, of the last two, in the place of those of product q - 2.
  template <int q>
  __device__ void read_ahead() {
    if constexpr (held > 0 && q >= held) read(q, factor_[q % held]);
  }

  /// The sums of product q over n rows of a plane.
  template <int q>
  __device__ Columns sums(const Columns (&from)[most][Planes::groups], int any, int group) const {
    const int n = known > 0 ? known : any;
    Columns sum = from[0][group];
    if constexpr (held > 0) {
      const C(&factor)[most] = factor_[q % held];
      start(factor[0], sum);
#pragma unroll
      for (int i = 1; i < most; ++i) {
        if (i < n) add(factor[i], from[i][group], sum);
      }
    } else if constexpr (known > 0) {
      start(factor(q, 0), sum);
#pragma unroll
      for (int i = 1; i < known; ++i) add(factor(q, i), from[i][group], sum);
    } else {
      start(factor(q, 0), sum);
#pragma unroll 8
      for (int i = 1; i < n; ++i) add(factor(q, i), from[i][group], sum);
    }
    return sum;
  }

 private:
  __device__ static void start(const C& factor, Columns& sum) {
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) sum.value[c] = factor * sum.value[c];
  }
  __device__ static void add(const C& factor, const Columns& right, Columns& sum) {
#pragma unroll
    for (int c = 0; c < Columns::n; ++c) {
      sum.value[c] = fused(factor, right.value[c], sum.value[c]);
    }
  }
  /// Of vector k, or value k of all of them: along x, along y and, turned, along y and along x.
  __device__ C factor(int q, int i) const {
    const C* const from = q == 0 || q == 3 ? plane_.x_vectors : plane_.y_vectors;
    return q < 2 ? from[k_ * Planes::pitch + i] : from[i * Planes::pitch + k_];
  }
  __device__ void read(int q, C (&to)[most]) const {
#pragma unroll
    for (int i = 0; i < most; ++i) to[i] = factor(q, i);
  }

  const Planes& plane_;
  int k_;
  C factor_[held > 0 ? held : 1][most];
};

}  // namespace ninefold::kernels
