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

}  // namespace ninefold
