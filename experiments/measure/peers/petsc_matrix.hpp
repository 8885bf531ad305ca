#pragma once
// A peer to measure sparse products against on the host: PETSc's MatMult with MATSEQAIJ, in double,
// by one thread.  Nothing but measurements uses it; built where a PETSc of real doubles is found.
//
// Reference.  PETSc/TAO Users Manual, Argonne National Laboratory: MATSEQAIJ.
// Tests.      experiments/measure/sparse_product compares each result with ours.

#include <memory>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

class PetscMatrix {
 public:
  /// Throws std::runtime_error if PETSc refuses.
  explicit PetscMatrix(const SparseMatrix& A);

  /// y = A x
  void product(const double* x, double* y) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ninefold
