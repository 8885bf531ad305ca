#pragma once
// A product by plain loops over compressed rows, in single, on the host.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// Figure 1 of JDS: rows one after the other.
struct PlainRows {
  explicit PlainRows(const SparseMatrix& A)
      : pattern(A.pattern), values(A.values.begin(), A.values.end()) {}

  void product(const float* x, float* y) const {
#pragma omp parallel for
    for (int i = 0; i < pattern.n_rows; ++i) {
      float sum = 0;
      for (std::int64_t k = pattern.start(i); k < pattern.start(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        sum += values[at] * x[pattern.columns[at]];
      }
      y[i] = sum;
    }
  }

  const SparsePattern& pattern;
  std::vector<float> values;
};

}  // namespace ninefold
