#pragma once
// The direct solver inside refinement.
//
// Tests.  tests/solvers/direct/direct_refinement_test.cpp

#include "gpu/backend/vector.hpp"

#include "solvers/direct/fast_diagonalisation.hpp"
#include "solvers/refinement/inner_solver.hpp"

namespace ninefold {

/// One solve by fast diagonalisation.
template <Backend B, Number T>
class DirectInner final : public InnerSolver<B, T> {
 public:
  DirectInner(const B& on, const TensorGrid& grid, const Boundary& boundary,
              const Coefficients<Assembly<T>>& coefficients)
      : b_(on, grid.nx(), grid.ny()),
        x_(on, grid.nx(), grid.ny()),
        inverse_(on, grid, boundary, coefficients) {
    inverse_.prepare(b_.view());
  }

  Field<T> right_hand_side() const override { return b_.view(); }
  Field<const T> correction() const override { return x_.view(); }
  bool is_recordable() const override { return true; }

  int solve(const InnerDemand&) override {
    inverse_.apply(b_.view(), x_.view());
    return 1;
  }

 private:
  NodeVector<B, T> b_, x_;
  FastDiagonalisation<B, T> inverse_;
};

}  // namespace ninefold
