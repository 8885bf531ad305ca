#pragma once
// Conjugate gradients with all that they hold: vectors, matrix and preconditioner.
//
// Vectors.  x, b, p, q are their own, and r unless multigrid preconditions: then the residual is
// the multigrid's right-hand side and z its solution.  Without a preconditioner z is r.
//
// Tests.  tests/solvers/solve_test.cpp, tests/solvers/refinement/refinement_test.cpp

#include <functional>
#include <optional>
#include <vector>

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/options.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// Plain or preconditioned as the options say, on the finest grid.  Whether a constant is free is
/// the problem's to say, of a whole solve; of corrections nobody says it, and the matrix is asked.
template <Backend B, Number T>
class CgSolver {
 public:
  CgSolver(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
           const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
           const SolverOptions& options, const Smoothing& smoothing, OperatorStorage storage,
           std::optional<bool> has_free_constant = {})
      : on_(on) {
    const TensorGrid& grid = grids.back();
    const auto vector = [&] {
      storage_.emplace_back(on, grid.nx(), grid.ny());
      return storage_.back().view();
    };
    storage_.reserve(6);
    vectors_.x = vector();
    vectors_.p = vector();
    vectors_.q = vector();
    if (options.preconditioner == Preconditioning::multigrid) {
      b_ = vector();
      multigrid_.emplace(on, grids, boundary, coefficients, form, smoothing, storage);
      vectors_.r = multigrid_->b();
      vectors_.z = multigrid_->x();
      // An iteration is long, and those recorded past the end are run in vain.
      precondition_by([this] { multigrid_->cycle_from_zero(); }, BetaForm::flexible, 1);
      return;
    }
    vectors_.r = vectors_.z = vector();
    // Before b: what is held only while a matrix is made then makes no peak.
    matrix_.emplace(on, grid, unknown_nodes(grid, boundary), coefficients, form, storage);
    b_ = vector();
    const bool singular = has_free_constant.value_or(A().has_free_constant);
    if (singular) mean_ = Array<B, Arithmetic<T>>(on, 1);
    // No solution takes a mean of r away, be it from rounding: CG would go on and on for it.
    const auto project = [this, singular] {
      if (singular) remove_mean(on_, A().unknowns, vectors_.r, mean_.data());
    };
    if (options.preconditioner == Preconditioning::jacobi) {
      vectors_.z = vector();
      precondition_by(
          [this, project] {
            project();
            jacobi_start(on_, A(), vectors_.r, Leading<T>(1), vectors_.z);
          },
          BetaForm::standard, cg_block);
    } else if (singular) {
      precondition_by(project, BetaForm::standard, cg_block);
    } else {
      plain_.emplace(on, A(), b_, vectors_, nullptr, BetaForm::standard, cg_block);
    }
  }
  CgSolver(const CgSolver&) = delete;
  CgSolver& operator=(const CgSolver&) = delete;

  const Operator<T>& A() const { return matrix_ ? matrix_->view() : multigrid_->A(); }
  const Field<T>& b() const { return b_; }
  const Field<T>& x() const { return vectors_.x; }
  /// The preconditioner, if it is one.
  Multigrid<B, T>& multigrid() { return *multigrid_; }

  /// use(cg), cg being the ConjugateGradients that these are.
  template <class Use>
  decltype(auto) with_cg(const Use& use) {
    return plain_ ? use(*plain_) : use(*preconditioned_);
  }

 private:
  using Preconditioned = ConjugateGradients<B, T, std::function<void()>>;

  template <class Precondition>
  void precondition_by(const Precondition& precondition, BetaForm beta, int block) {
    preconditioned_.emplace(on_, A(), b_, vectors_, precondition, beta, block);
  }

  B on_;
  std::vector<NodeVector<B, T>> storage_;
  Field<T> b_{};
  CgVectors<T> vectors_{};
  std::optional<Multigrid<B, T>> multigrid_;  ///< one of these two
  std::optional<Matrix<B, T>> matrix_;
  Array<B, Arithmetic<T>> mean_;
  std::optional<ConjugateGradients<B, T, std::nullptr_t>> plain_;  ///< one of these two
  std::optional<Preconditioned> preconditioned_;
};

}  // namespace ninefold
