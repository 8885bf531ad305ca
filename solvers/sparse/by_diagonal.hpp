#pragma once
// Jacobi's preconditioner for conjugate gradients without a grid: z = D^-1 r, which takes the place
// of q.
//
// Cost.  Of an iteration 11.5 values per unknown beside the matrix: 2 of q = A p with (p, q), 5 of
// r and z with both dot products, 9 for two directions and two steps of x; 16 where each operation
// is a pass.  On a device 2 more: there (p, q) is a pass of its own, which the declared traffic
// leaves out.
//
// Tests.  tests/solvers/sparse/by_diagonal_test.cpp

#include "gpu/backend/vector.hpp"
#include "gpu/operations/sparse_operations.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"

namespace ninefold {

template <Backend B, Number T>
class ByDiagonal {
  using C = Arithmetic<T>;

 public:
  /// Of a diagonal that outlives it.  `by_rz`: (r, z) takes the place of (r, r) in all that ends an
  /// iteration.
  ByDiagonal(const B& on, const T* diagonal, bool by_rz = false)
      : on_(on), d_(diagonal), by_rz_(by_rz), sums_(on, 1) {}

  /// p = z and (r, z), with r and (r, r) there; q is for its use.
  void start(const CgVectors<T>& v, CgState<C>* state) const {
    divide<B, T>(on_, v.r, d_, v.q);
    dot<B, T>(on_, Box{0, v.r.nx, 0, v.r.ny}, v.r, v.q, &state->rz);
    if (by_rz_) on_.copy_within(&state->rr, &state->rz, sizeof(C));
    copy(on_, v.q, v.p);
  }
  /// z, in q, and rz_new, of a residual that is there.
  void take(const CgVectors<T>& v, CgState<C>* state) const {
    divide<B, T>(on_, v.r, d_, v.q);
    dot<B, T>(on_, Box{0, v.r.nx, 0, v.r.ny}, v.r, v.q, &state->rz_new);
  }
  /// r, z and the scalars of an iteration whose (p, q) is there.
  void update(const CgVectors<T>& v, bool has_beta, CgState<C>* state) const {
    update_by_diagonal<B, T>(on_, d_, v.q, v.r, {by_rz_, has_beta}, sums_.data(), state);
  }
  /// x, with the alpha that is there, and p.
  void direct(const CgVectors<T>& v, CgState<C>* state) const {
    step_and_direction<B, T>(on_, v.q, state, v.x, v.p);
  }
  /// p in the other vector, while x waits.
  void direct_first(const CgVectors<T>& v, CgState<C>* state) const {
    next_direction<B, T>(on_, v.q, v.p, state, v.other);
  }
  /// The same after the next iteration, in which the two had changed places: x by both steps.
  void direct_second(const CgVectors<T>& v, CgState<C>* state) const {
    two_steps_and_direction<B, T>(on_, v.q, v.p, state, v.x, v.other);
  }
  /// x, where no direction follows.
  void finish(const CgVectors<T>& v, CgState<C>* state) const { step<B, T>(on_, v.p, state, v.x); }

 private:
  B on_;
  const T* d_;
  bool by_rz_;
  Array<B, TwoSums<C>> sums_;
};

}  // namespace ninefold
