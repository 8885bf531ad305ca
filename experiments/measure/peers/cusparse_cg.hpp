#pragma once
// A peer to measure conjugate gradients against: Jacobi's preconditioner, the product by cuSPARSE,
// vectors by cuBLAS, scalars on the device, as the libraries' own samples have it, with CSR.
// Nothing but measurements uses it.
//
// Cost.  Beside the product 19 values per unknown: dot products 2 + 2 + 1, x and r 3 + 3, z 3, p 2
// + 3.
//
// Reference.  CUDA Samples, NVIDIA: conjugateGradientCudaGraphs.
// Tests.      experiments/measure/sparse_cg compares its residuals with ours.

#include <memory>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

#include "gpu/backend/backend.hpp"

#include "experiments/measure/peers/cusparse_matrix.hpp"

namespace ninefold {

/// T is float or double.
template <class T>
class CusparseCg {
 public:
  /// Throws std::runtime_error if a library refuses or memory does not suffice.
  CusparseCg(const Cuda& on, const SparseMatrix& A, const std::vector<double>& b,
             CusparseFormat format);

  /// r = b, as for x = 0, which is left as it is.
  void start() const;
  // Both are asynchronous and may be recorded.
  void iterate() const;
  /// |r|; waits for it.
  double residual_norm() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ninefold
