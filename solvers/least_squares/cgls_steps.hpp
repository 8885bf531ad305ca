#pragma once
// CGLS as the steps of conjugate gradients (solvers/krylov/conjugate_gradients.hpp): the vectors
// are x, s = A'r in the place of z, p, and of A's rows r and q.
//
// Cost.  Of an iteration two products, and beside the matrices 3 values of each row (q and r; on a
// device one more, or four where r and q lie in pairs) and 9 of each unknown.
//
// Tests.  tests/solvers/least_squares/least_squares_test.cpp

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_least_squares_rows.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"

namespace ninefold {

template <Backend B, Number T>
class CglsSteps {
  using C = Arithmetic<T>;

 public:
  /// Of matrices, a vector c (or null) and bounds that outlive it.
  /// Where vectors are divided, rows and columns are so each in its own way.  Several systems that
  /// are iterated together share kernels, one alone stays in one for many iterations or takes more
  /// of them (gpu/operations/cgls_iteration.hpp).
  CglsSteps(const B& on_rows, const B& on_columns, const SparseOperator<T>& A,
            const SparseOperator<T>& transposed, const T* c, const BoundRows<T>& bounds,
            bool is_one_of_several)
      : on_rows_(on_rows),
        on_columns_(on_columns),
        A_(A),
        transposed_(transposed),
        c_(c),
        bounds_(bounds),
        sums_(on_columns, 1) {
    const int longest = std::max(A.nx, transposed.nx);
    if (std::is_same_v<B, Host> || A.sliced() == nullptr || on_rows.part() != nullptr
        || !may_be_paired<T>(longest)) {
      return;
    }
    pairs_ = {on_columns, static_cast<std::size_t>(A.nx)};
    if (!is_one_of_several) return;
    const auto chunks = static_cast<std::size_t>(sum_chunks(longest));
    chunk_sums_ = {on_columns, chunks};
    finished_ = {on_columns, chunks + 1};
  }

  /// s, p and the scalars of x and r that are there.
  void start(const CgVectors<T>& v, CgState<C>* state) const {
    const int inactive = 0;  // nothing is counted
    on_columns_.copy_in(&state->active, &inactive, sizeof inactive);
    gradient(v, state);
    on_columns_.copy_within(&state->rz, &state->rr, sizeof(C));
    copy(on_columns_, v.z, v.p);
  }

  void iterate(const CgVectors<T>& v, CgState<C>* state) const {
    iterate_together({system(v, state)});
  }

  /// So many iterations, fewer if they end before.
  void iterate_block(const CgVectors<T>& v, CgState<C>* state, int iterations) const {
    cgls_iterations<B, T>(on_rows_, on_columns_, A_, transposed_, system(v, state), iterations);
  }

  /// An iteration of each, all of them with these matrices.
  void iterate_together(const std::vector<CglsSystem<T>>& all) const {
    for (std::size_t first = 0; first < all.size(); first += most_columns) {
      CglsSystems<T> systems{};
      for (std::size_t k = first; k < all.size() && systems.count < most_columns; ++k) {
        systems.of[systems.count++] = all[k];
      }
      cgls_iteration<B, T>(on_rows_, on_columns_, A_, transposed_, systems);
    }
  }

  /// What an iteration is about.
  CglsSystem<T> system(const CgVectors<T>& v, CgState<C>* state) const {
    return {v.x,          v.r,  v.p,     v.q,
            v.z,          c_,   bounds_, {pairs_.data(), chunk_sums_.data(), finished_.data()},
            sums_.data(), state};
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
  // Where three kernels do an iteration, or a part of one does.
  Array<B, BesideEachOther<T>> pairs_;
  Array<B, TwoSums<C>> chunk_sums_;
  Array<B, unsigned> finished_;
};

template <Backend B, Number T>
using Cgls = ConjugateGradients<B, T, CglsSteps<B, T>, SparseOperator<T>>;

}  // namespace ninefold
