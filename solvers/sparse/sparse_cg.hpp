#pragma once
// Conjugate gradients with a sparse matrix and all that they hold; included by
// solvers/sparse/make_sparse.hpp.
//
// Tests.  tests/solvers/sparse/sparse_solve_test.cpp, tests/solvers/sparse/several_test.cpp

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/krylov/cg_together.hpp"
#include "solvers/sparse/by_blocks.hpp"
#include "solvers/sparse/by_diagonal.hpp"
#include "solvers/sparse/solve_sparse_on.hpp"

namespace ninefold {

/// Of a stage, or of the outer solver.
template <Backend B, Number T>
SparseMatrixOn<B, T> sparse_matrix_on(const B& on, const SparseStages<B>& stages,
                                      OperatorForm form) {
  const SparseMatrix& A = stages.A();
  return {on, stages.layout, A.pattern, A.values, form, stages.options.components};
}

/// Of the preconditioner, or nothing where that is none.
template <Backend B, Number T>
std::optional<BlockInverses<B, T>> block_inverses_on(const B& on, const SparseStages<B>& stages) {
  std::optional<BlockInverses<B, T>> inverses;
  if (stages.options.solver.preconditioner == Preconditioning::block_jacobi) {
    inverses.emplace(on, stages.system.A, stages.options.block_size.value());
  }
  return inverses;
}

/// The vectors of a system; with another one for directions if x moves in every second iteration.
template <Backend B, Number T>
struct SparseVectors {
  SparseVectors(const B& on, int n, bool in_pairs)
      : x(on, n, 1), b(on, n, 1), r(on, n, 1), p(on, n, 1), q(on, n, 1) {
    if (in_pairs) other.emplace(on, n, 1);
  }
  CgVectors<T> views() const {
    return {x.view(), r.view(), p.view(), q.view(), r.view(), other ? other->view() : Field<T>{}};
  }

  RowVector<B, T> x, b, r, p, q;
  std::optional<RowVector<B, T>> other;
};

/// Conjugate gradients, plain or preconditioned by the diagonal or its blocks, with all that they
/// hold: for one right-hand side, or for several that are solved side by side.  Those that are
/// iterated beside systems of other matrices have their scalars at `places`.
template <Backend B, Number T>
class SparseCg {
  using Matrix = SparseOperator<T>;

 public:
  SparseCg(const B& on, const SparseStages<B>& stages, OperatorForm form, std::size_t systems = 1,
           CgState<Arithmetic<T>>* places = nullptr)
      : matrix_(sparse_matrix_on<B, T>(on, stages, form)),
        blocks_(block_inverses_on<B, T>(on, stages)) {
    const bool alone = systems == 1 && places == nullptr;
    const bool in_pairs = alone && stages.options.solver.preconditioner == Preconditioning::jacobi;
    vectors_.reserve(systems);
    for (std::size_t k = 0; k < systems; ++k) vectors_.emplace_back(on, A().nx, in_pairs);
    const auto make = [&](const auto& make_by) {
      auto& all = cg_.template emplace<Cgs<std::remove_cvref_t<decltype(make_by())>>>();
      using One = typename std::remove_cvref_t<decltype(all)>::value_type::element_type;
      const int block = alone ? cg_block : 0;
      for (std::size_t k = 0; k < systems; ++k) {
        const SparseVectors<B, T>& v = vectors_[k];
        all.push_back(std::make_unique<One>(on, A(), v.b.view(), v.views(), make_by(),
                                            BetaForm::standard, block,
                                            places == nullptr ? nullptr : places + k));
      }
    };
    const bool by_rz = stages.options.stop == StopBy::preconditioned;
    if (blocks_) {
      make([&] { return ByBlocks<B, T>(on, blocks_->view(), by_rz); });
    } else if (stages.options.solver.preconditioner == Preconditioning::none) {
      make([] { return nullptr; });
    } else {
      make([&] {
        ByDiagonal<B, T> by(on, A().diagonal(), by_rz);
        if (in_pairs) by.exchange_beside(A());
        return by;
      });
    }
  }
  SparseCg(const SparseCg&) = delete;
  SparseCg& operator=(const SparseCg&) = delete;

  const Matrix& A() const { return matrix_.view(); }
  Field<T> b(std::size_t k = 0) const { return vectors_[k].b.view(); }
  Field<T> x(std::size_t k = 0) const { return vectors_[k].x.view(); }

  /// use(all), all being pointers to the ConjugateGradients that these are.
  template <class Use>
  decltype(auto) with_all(const Use& use) {
    return std::visit([&](const auto& all) -> decltype(auto) { return use(all); }, cg_);
  }
  /// use(cg) of the only one.
  template <class Use>
  decltype(auto) with_cg(const Use& use) {
    return with_all([&](const auto& all) -> decltype(auto) { return use(*all.front()); });
  }

 private:
  template <class By>
  using Cgs = std::vector<std::unique_ptr<ConjugateGradients<B, T, By, Matrix>>>;

  SparseMatrixOn<B, T> matrix_;
  std::optional<BlockInverses<B, T>> blocks_;
  std::vector<SparseVectors<B, T>> vectors_;
  std::variant<Cgs<std::nullptr_t>, Cgs<ByDiagonal<B, T>>, Cgs<ByBlocks<B, T>>> cg_;
};

/// Iterates all systems to their ends, which is what the outcomes are.
template <Backend B, Number T, class Cgs, class Attainable>
std::vector<Outcome> iterate_all(const B& on, const SparseOperator<T>& A, const Cgs& all,
                                 const SolverOptions& options,
                                 std::vector<ResidualMonitor>& monitors,
                                 const Attainable& attainable) {
  if (all.size() == 1) {
    return {all.front()->run(options.tolerance, options.max_iterations, {}, monitors.front(),
                             [&] { return attainable(0); })};
  }
  using One = typename Cgs::value_type::element_type;
  std::vector<One*> systems;
  for (const auto& one : all) systems.push_back(one.get());
  CgTogether<B, T, One> together(on, A, std::move(systems));
  return together.run(options.tolerance, options.max_iterations, monitors, attainable);
}

}  // namespace ninefold
