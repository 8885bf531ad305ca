#pragma once
// What the eigenvectors of both directions contribute to an inverse
// (gpu/operations/tensor_inverse.hpp, gpu/direct/wave_lines.hpp).

namespace ninefold {

/// One value for each eigenvector of a direction: of pair (i, j) those at x[i] and y[j].
template <class T>
struct SpectralSums {
  const T *x, *y;                ///< the terms of the sum that is divided by
  const T *x_weight, *y_weight;  ///< 1 / (v, M v)
};

}  // namespace ninefold
