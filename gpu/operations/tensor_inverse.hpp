#pragma once
// What is left of a tensor-product matrix among its eigenvectors: a division.
//
// Mathematics.  With A = Kx (x) My + Mx (x) Ky and Kx v = lx Mx v, Ky w = ly My w,
//
//     A^-1 f = sum of v w (v w, f) / ((lx + ly) (v, Mx v) (w, My w)).
//
// Where the sum of both is zero, a constant is free: its part is dropped, and the solution has mean
// zero.
//
// Tests.  tests/gpu/operations/tensor_inverse_test.cpp, tests/gpu/device/direct_test.cpp

#include "gpu/direct/spectral_sums.hpp"
#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// The part of one pair of eigenvectors: wave i in x and j in y.
template <class T>
HOST_DEVICE inline T divided(const SpectralSums<T>& sums, int i, int j, T value) {
  const T sum = sums.x[i] + sums.y[j];
  return sum == T(0) ? T(0) : value * (sums.x_weight[i] * sums.y_weight[j]) / sum;
}

/// q(i, j) becomes its part of the solution, at all i and j
inline constexpr Traffic divide_by_sums_traffic{1, 1};
template <Backend B, Number T>
void divide_by_sums(const B& on, const SpectralSums<T>& sums, const Field<T>& q);

}  // namespace ninefold
