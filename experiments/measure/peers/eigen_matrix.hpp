#pragma once
// A peer to measure sparse products against on the host: Eigen's, by rows, which its own threads
// share.  Nothing but measurements uses it; built where Eigen is found.
//
// Reference.  Eigen 3, Sparse matrix manipulations.
// Tests.      experiments/measure/sparse_product compares each result with ours.

#include <memory>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// T is float or double.
template <class T>
class EigenMatrix {
 public:
  /// Of fewer than 2^31 entries.
  explicit EigenMatrix(const SparseMatrix& A);

  /// y = A x
  void product(const T* x, T* y) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ninefold
