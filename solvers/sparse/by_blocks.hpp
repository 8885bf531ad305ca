#pragma once
// The block form of Jacobi's preconditioner for conjugate gradients without a grid: z = M r, M the
// inverses of blocks on the diagonal.
//
// Cost.  Of an iteration 17 values per unknown and those of a block's row beside the matrix: 4 of
// q = A p with (p, q), 6 of the updates with (r, r), 2 + size of z, 2 of (r, z), 3 of the
// direction; z has its place in q.
//
// Tests.  tests/solvers/sparse/by_diagonal_test.cpp, tests/solvers/sparse/sparse_solve_test.cpp

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "fem/sparse/diagonal_blocks.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/sparse_operations.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/options.hpp"

namespace ninefold {

/// The inverses of a matrix's diagonal blocks, each value rounded once to T; A is all of it.
template <Backend B, Number T>
class BlockInverses {
 public:
  /// Throws BadValue where they are not positive definite any more, or not finite.
  BlockInverses(const B& on, const SparseMatrix& A, int size)
      : size_(size), values_(on, own(on, rounded(block_inverses(A, size), size), size)) {
    on.wait();
  }
  DiagonalBlocks<T> view() const { return {values_.data(), size_}; }

 private:
  static DoubleDouble widened(const T& value) {
    if constexpr (std::is_same_v<Arithmetic<T>, DoubleDouble>) {
      return value;
    } else {
      return DoubleDouble(static_cast<double>(Arithmetic<T>(value)));
    }
  }

  /// Those of the rows that the backend's rank has: all are looked at by all, which refuse alike.
  static std::vector<T> own(const B& on, std::vector<T> values, int size) {
    const VectorPart* const part = on.part();
    if (part == nullptr) return values;
    const auto first = values.begin() + std::ptrdiff_t{part->first()} * size;
    return {first, first + std::ptrdiff_t{part->count()} * size};
  }

  static std::vector<T> rounded(std::vector<DoubleDouble> inverses, int size) {
    std::vector<T> values;
    values.reserve(inverses.size());
    bool finite = true;
    for (DoubleDouble& entry : inverses) {
      values.push_back(static_cast<T>(static_cast<Assembly<T>>(entry)));
      entry = widened(values.back());
      finite = finite && std::isfinite(entry.high);
    }
    require_value(finite && !first_not_definite(std::move(inverses), size),
                  Parameter::preconditioner, to_string(Preconditioning::block_jacobi),
                  "rounded to {}, the inverses of blocks are not positive definite any more: a "
                  "wider format, or \"jacobi\"",
                  Format<T>::name);
    return values;
  }

  int size_;
  Array<B, T> values_;
};

/// As ByDiagonal.
template <Backend B, Number T>
class ByBlocks {
  using C = Arithmetic<T>;

 public:
  /// Of inverses that outlive it.  `by_rz`: (r, z) takes the place of (r, r) in all that ends an
  /// iteration.
  ByBlocks(const B& on, const DiagonalBlocks<T>& inverses, bool by_rz = false)
      : on_(on), M_(inverses), by_rz_(by_rz), rz_(on, 1) {}

  void start(const CgVectors<T>& v, CgState<C>* state) const {
    multiply(v, &state->rz);
    if (by_rz_) on_.copy_within(&state->rr, &state->rz, sizeof(C));
    copy(on_, v.q, v.p);
  }
  void take(const CgVectors<T>& v, CgState<C>* state) const { multiply(v, &state->rz_new); }
  void update(const CgVectors<T>& v, bool has_beta, CgState<C>* state) const {
    cg_alpha(on_, state);
    cg_update(on_, all(v), v.p, v.q, v.x, v.r, state);
    multiply(v, rz_.data());
    count_preconditioned(on_, by_rz_ ? rz_.data() : &state->rr, rz_.data(), state);
    if (has_beta) cg_beta(on_, BetaForm::standard, state);
  }
  /// z is in q still.
  void direct(const CgVectors<T>& v, CgState<C>* state) const {
    cg_direction(on_, all(v), v.q, state, v.p);
  }
  void finish(const CgVectors<T>&, CgState<C>*) const {}  // update() has moved x

 private:
  static Box all(const CgVectors<T>& v) { return {0, v.r.nx, 0, v.r.ny}; }
  /// q := z, *rz := (r, z)
  void multiply(const CgVectors<T>& v, C* rz) const {
    multiply_blocks<B, T>(on_, M_, v.r, v.q);
    dot<B, T>(on_, all(v), v.r, v.q, rz);
  }

  B on_;
  DiagonalBlocks<T> M_;
  bool by_rz_;
  Array<B, C> rz_;
};

}  // namespace ninefold
