#pragma once
// A peer to measure sparse products against: cuSPARSE's, in each of its formats and algorithms.
// Nothing but measurements uses it; built if the CUDA toolkit has cuSPARSE.
//
// Preparation.  Buffers are allocated and cusparseSpMV_preprocess is called before the first
// product; neither counts.
//
// Reference.  cuSPARSE Library, NVIDIA: cusparseSpMV.
// Tests.      experiments/measure/sparse_product compares each result with ours.

#include <memory>
#include <string_view>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

enum class CusparseFormat { csr, csr_1, csr_2, coo_1, coo_2, sell, bsr_2, bsr_3, bsr_4 };

/// "CSR", "CSR, algorithm 1", ..., "SELL", "BSR, blocks of 2", ...
std::string_view to_string(CusparseFormat format);
const std::vector<CusparseFormat>& cusparse_formats();

/// T is float or double.
template <class T>
class CusparseMatrix {
 public:
  /// Throws std::runtime_error if cuSPARSE refuses or memory does not suffice.
  CusparseMatrix(const Cuda& on, const SparseMatrix& A, CusparseFormat format);

  /// y = A x, asynchronous; vectors have padded_rows() values.
  void product(const T* x, T* y) const;
  int padded_rows() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ninefold
