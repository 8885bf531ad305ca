#pragma once
// CGLS as the steps of conjugate gradients (solvers/krylov/conjugate_gradients.hpp): the vectors
// are x, s = A'r in the place of z, p, and of A's rows r and q.
//
// Cost.  Of an iteration two products, and beside the matrices 3 values of each row (q and r; one
// more on a device) and 9 of each unknown.
//
// Tests.  tests/solvers/least_squares/least_squares_test.cpp

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_least_squares_rows.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"

namespace ninefold {

template <Backend B, Number T>
class CglsSteps {
  using C = Arithmetic<T>;

 public:
  /// Of matrices, a vector c (or null) and bounds that outlive it.
  /// Where vectors are divided, rows and columns are so each in its own way.
  CglsSteps(const B& on_rows, const B& on_columns, const SparseOperator<T>& A,
            const SparseOperator<T>& transposed, const T* c, const BoundRows<T>& bounds)
      : on_rows_(on_rows),
        on_columns_(on_columns),
        A_(A),
        transposed_(transposed),
        c_(c),
        bounds_(bounds),
        sums_(on_columns, 1) {}

  /// s, p and the scalars of x and r that are there.
  void start(const CgVectors<T>& v, CgState<C>* state) const {
    const int inactive = 0;  // nothing is counted
    on_columns_.copy_in(&state->active, &inactive, sizeof inactive);
    gradient(v, state);
    on_columns_.copy_within(&state->rz, &state->rr, sizeof(C));
    copy(on_columns_, v.z, v.p);
  }

  void iterate(const CgVectors<T>& v, CgState<C>* state) const {
    cgls_product<B, T>(on_rows_, A_, v.p, bounds_, v.q, sums_.data(), state);
    cgls_update<B, T>(on_columns_, v.p, v.q, bounds_, v.x, v.r, state);
    gradient(v, state);
    cg_direction<B, T>(on_columns_, Box{0, v.x.nx, 0, 1}, v.z, state, v.p);
  }

 private:
  void gradient(const CgVectors<T>& v, CgState<C>* state) const {
    cgls_gradient<B, T>(on_columns_, transposed_, v.r, c_, bounds_, v.z, sums_.data(), state);
  }

  B on_rows_, on_columns_;
  SparseOperator<T> A_, transposed_;
  const T* c_;
  BoundRows<T> bounds_;
  Array<B, CglsSums<C>> sums_;
};

template <Backend B, Number T>
using Cgls = ConjugateGradients<B, T, CglsSteps<B, T>, SparseOperator<T>>;

}  // namespace ninefold
