#pragma once
// The meaning of each operation on vectors: one named functor, launched by the primitives of the
// backend.
//
// Included by the instantiation files (after their launch header) and by tests only.
//
// Functors check nothing: they rely on the shapes that the operations check before launching. Those
// with a `batch` are in two parts, read and write, for the reason given in
// gpu/launch/launch_cuda.cuh; the numbers are the best of those measured on an H200.

#include "precision/double_word.hpp"

#include "gpu/meaning/checks.hpp"
#include "gpu/meaning/divided.hpp"

namespace ninefold {

template <class T>
struct SetZero {
  Field<T> x;
  HOST_DEVICE void operator()(int i, int j) const { x(i, j) = T(0); }
};

template <Backend B, Number T>
void set_zero(const B& on, const Field<T>& x) {
  count(on, set_zero_traffic, Box{0, x.nx, 0, x.ny}, sizeof(T));
  for_nodes(on, own_part(on, x.ny, Box{0, x.nx, 0, x.ny}), SetZero<T>{x});
}

template <class T>
struct Copy {
  Field<const T> x;
  Field<T> y;
  HOST_DEVICE void operator()(int i, int j) const { y(i, j) = x(i, j); }
};

template <Backend B, Number T>
void copy(const B& on, In<Field, T> x, const Field<T>& y) {
  require_shape("copy", y, x);
  count(on, copy_traffic, Box{0, y.nx, 0, y.ny}, sizeof(T));
  const Box own = own_part(on, y.ny, Box{0, y.nx, 0, y.ny}).box;
  if (x.pitch == y.pitch) {
    // What lies between rows is zero in both.
    const std::size_t all = static_cast<std::size_t>(y.pitch) * (own.height() - 1) + y.nx;
    on.copy_within(y.row(own.j0), x.row(own.j0), all * sizeof(T));
  } else {
    for_nodes(on, own, Copy<T>{x, y});
  }
}

template <class T>
struct Pair {
  T first, second;
};

template <class T>
struct Dot {
  static constexpr int batch = 4;
  Field<const T> x, y;
  HOST_DEVICE Pair<T> read(int i, int j) const { return {x(i, j), y(i, j)}; }
  HOST_DEVICE Arithmetic<T> write(int, int, const Pair<T>& v) const { return v.first * v.second; }
};

template <Backend B, Number T>
void dot(const B& on, const Extent& extent, In<Field, T> x, In<Field, T> y, Scalar<T>* result) {
  require_shape("dot", x, y);
  require_inside_and_some("dot", extent, x);
  count(on, dot_traffic, extent, sizeof(T));
  sum_own(on, x.ny, extent, Dot<T>{x, y}, result);
}

template <Backend B, Number T>
void dot_rows(const B& on, const Extent& extent, In<Field, T> x, In<Field, T> y, int first,
              int last) {
  require_shape("dot_rows", x, y);
  count(on, dot_traffic, rows_inside("dot_rows", extent, first, last, x), sizeof(T));
  sum_rows<Scalar<T>>(on, extent, Dot<T>{x, y}, first, last);
}

template <Backend B, Computable T>
void finish_sum(const B& on, const Extent& extent, T* result) {
  if (extent.box.empty()) throw std::invalid_argument("finish_sum: the box is empty");
  require_scratch(on, extent, sizeof(T));
  sum_chunk_sums(on, extent, result);
}

template <class T>
struct Xpby {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  const Arithmetic<T>* beta;
  Field<const T> x;
  Field<T> y;
  HOST_DEVICE T read(int i, int j) const { return T(fused(*beta, y(i, j), x(i, j))); }
  HOST_DEVICE T write(int i, int j, T value) const { return y(i, j) = value; }
};

template <Backend B, Number T>
void xpby(const B& on, const Extent& extent, const Scalar<T>* beta, In<Field, T> x,
          const Field<T>& y) {
  require_shape("xpby", y, x);
  require_inside("xpby", extent, x);
  count(on, xpby_traffic, extent, sizeof(T));
  for_nodes(on, own_part(on, x.ny, extent), Xpby<T>{beta, x, y});
}

template <class T>
struct Rescale {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  const Arithmetic<T>* factor;
  Field<T> p;
  HOST_DEVICE T read(int i, int j) const { return T(*factor * p(i, j)); }
  HOST_DEVICE T write(int i, int j, T value) const { return p(i, j) = value; }
};

template <Backend B, Number T>
void rescale(const B& on, const Extent& extent, const Scalar<T>* factor, const Field<T>& p) {
  require_inside("rescale", extent, p);
  count(on, rescale_traffic, extent, sizeof(T));
  for_nodes(on, own_part(on, p.ny, extent), Rescale<T>{factor, p});
}

template <class T>
struct NodeValue {
  static constexpr int batch = 4;
  Field<const T> x;
  HOST_DEVICE T read(int i, int j) const { return x(i, j); }
  HOST_DEVICE Arithmetic<T> write(int, int, const T& v) const { return v; }
};

template <class T>
struct SubtractShare {
  static constexpr int batch = sizeof(T) < 8 ? 4 : 2;
  const Arithmetic<T>* sum;
  Arithmetic<T> share;
  Field<T> x;
  HOST_DEVICE T read(int i, int j) const { return T(fused(-share, *sum, Arithmetic<T>(x(i, j)))); }
  HOST_DEVICE T write(int i, int j, T value) const { return x(i, j) = value; }
};

template <Backend B, Number T>
void remove_mean(const B& on, const Extent& extent, const Field<T>& x, Scalar<T>* sum) {
  require_inside_and_some("remove_mean", extent, x);
  count(on, remove_mean_traffic, extent, sizeof(T));
  sum_own(on, x.ny, extent, NodeValue<T>{x}, sum);
  using C = Arithmetic<T>;
  const C share = C(1) / static_cast<C>(static_cast<double>(extent.values()));
  for_nodes(on, own_part(on, x.ny, extent), SubtractShare<T>{sum, share, x});
}

template <class T>
struct Magnitude {
  static constexpr int batch = 4;
  Field<const T> x;
  HOST_DEVICE double read(int i, int j) const {
    return static_cast<double>(static_cast<Arithmetic<T>>(x(i, j)));
  }
  HOST_DEVICE Largest write(int, int, double v) const { return Largest(v < 0 ? -v : v); }
};

template <Backend B, Number T>
void largest(const B& on, const Extent& extent, In<Field, T> x, Largest* result) {
  require_inside_and_some("largest", extent, x);
  count(on, largest_traffic, extent, sizeof(T));
  sum_own(on, x.ny, extent, Magnitude<T>{x}, result);
}

}  // namespace ninefold
