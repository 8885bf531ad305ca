#pragma once
// Jacobi's preconditioner for conjugate gradients without a grid: z = D^-1 r, which takes the place
// of q.
//
// Cost.  Of an iteration 11.5 values per unknown beside the matrix: 2 of q = A p with (p, q), 5 of
// r and z with both dot products, 9 for two directions and two steps of x; 16 where each operation
// is a pass.  On a device 2 more: there (p, q) is a pass of its own, which the declared traffic
// leaves out.
//
// Ranks.  Where several have parts of the matrix, what they need of a direction may be exchanged
// beside the work that makes it (solvers/sparse/halo_beside.hpp).
//
// Tests.  tests/solvers/sparse/by_diagonal_test.cpp, tests/solvers/matrix_parts_test.cpp

#include <optional>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/sparse/halo_beside.hpp"

namespace ninefold {

template <Backend B, Number T>
class ByDiagonal {
  using C = Arithmetic<T>;

 public:
  /// Of a diagonal that outlives it.  `by_rz`: (r, z) takes the place of (r, r) in all that ends an
  /// iteration.
  ByDiagonal(const B& on, const T* diagonal, bool by_rz = false)
      : on_(on), d_(diagonal), by_rz_(by_rz), sums_(on, 1) {}

  /// For directions that are multiplied by multiply() alone, by a matrix that outlives it.
  void exchange_beside(const SparseOperator<T>& A) {
    if (A.rows().halo != nullptr) beside_.emplace(Beside{{on_, A.rows()}, A.of_met_vectors()});
  }

  /// q = A p and (p, q)
  void multiply(const SparseOperator<T>& A, const CgVectors<T>& v, CgState<C>* state) const {
    product_dot<B, T>(on_, beside_ ? beside_->A : A, v.p, v.q, &state->pq);
  }

  /// p = z and (r, z), with r and (r, r) there; q is for its use.
  void start(const CgVectors<T>& v, CgState<C>* state) const {
    divide<B, T>(on_, v.r, d_, v.q);
    dot<B, T>(on_, Box{0, v.r.nx, 0, v.r.ny}, v.r, v.q, &state->rz);
    if (by_rz_) on_.copy_within(&state->rr, &state->rz, sizeof(C));
    copy(on_, v.q, v.p);
    if (beside_) beside_->halo.exchange(v.p);
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
    make(v.p, [&](const B& on, const auto& some) {
      step_and_direction<B, T>(on, some(v.q), state, some(v.x), some(v.p));
    });
  }
  /// p in the other vector, while x waits.
  void direct_first(const CgVectors<T>& v, CgState<C>* state) const {
    make(v.other, [&](const B& on, const auto& some) {
      next_direction<B, T>(on, some(v.q), some(v.p), state, some(v.other));
    });
  }
  /// The same after the next iteration, in which the two had changed places: x by both steps.
  void direct_second(const CgVectors<T>& v, CgState<C>* state) const {
    make(v.other, [&](const B& on, const auto& some) {
      two_steps_and_direction<B, T>(on, some(v.q), some(v.p), state, some(v.x), some(v.other));
    });
  }
  /// x, where no direction follows.
  void finish(const CgVectors<T>& v, CgState<C>* state) const { step<B, T>(on_, v.p, state, v.x); }

 private:
  struct Beside {
    HaloBeside<B, T> halo;
    SparseOperator<T> A;  ///< for vectors beside which others' values are
  };

  /// of(on, some) makes `p`, all of it or in parts: some(v) is what belongs to one of a vector v.
  template <class Of>
  void make(const Field<T>& p, const Of& of) const {
    if (!beside_) return of(on_, [](const auto& v) { return v; });
    beside_->halo.fill(p, [&](const B& on, int first, int n) {
      of(on, [first, n](const auto& v) { return Field{v.data + first, n, 1}; });
    });
  }

  B on_;
  const T* d_;
  bool by_rz_;
  Array<B, TwoSums<C>> sums_;
  std::optional<Beside> beside_;
};

}  // namespace ninefold
