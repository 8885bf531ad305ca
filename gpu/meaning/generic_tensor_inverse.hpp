#pragma once
// The meaning of gpu/operations/tensor_inverse.hpp; see gpu/meaning/generic_vector_operations.hpp.

#include "gpu/meaning/checks.hpp"
#include "gpu/operations/tensor_inverse.hpp"

namespace ninefold {

template <class T>
struct DivideBySums {
  SpectralSums<T> sums;
  Field<T> q;
  HOST_DEVICE void operator()(int i, int j) const { q(i, j) = divided(sums, i, j, q(i, j)); }
};

template <Backend B, Number T>
void divide_by_sums(const B& on, const SpectralSums<T>& sums, const Field<T>& q) {
  const Box all{0, q.nx, 0, q.ny};
  count(on, divide_by_sums_traffic, all, sizeof(T));
  for_nodes(on, all, DivideBySums<T>{sums, q});
}

template <class T>
struct Pad {
  Box box;
  Field<const T> f;
  Field<T> plane;
  HOST_DEVICE void operator()(int i, int j) const {
    const bool is_node = i < box.width() && j < box.height();
    plane(i, j) = is_node ? f(box.i0 + i, box.j0 + j) : T(0);
  }
};

template <Backend B, Number T>
void pad(const B& on, const Box& box, const Field<const T>& f, const Field<T>& plane) {
  require_inside("pad", box, f);
  const Box all{0, plane.nx, 0, plane.ny};
  count(on, pad_traffic, all, sizeof(T));
  for_nodes(on, all, Pad<T>{box, f, plane});
}

template <class T>
struct TakeFrom {
  Box box;
  Field<const T> plane;
  Field<T> u;
  HOST_DEVICE void operator()(int i, int j) const { u(i, j) = plane(i - box.i0, j - box.j0); }
};

template <Backend B, Number T>
void take_from(const B& on, const Box& box, const Field<const T>& plane, const Field<T>& u) {
  require_inside("take_from", box, u);
  count(on, pad_traffic, box, sizeof(T));
  for_nodes(on, box, TakeFrom<T>{box, plane, u});
}

}  // namespace ninefold
