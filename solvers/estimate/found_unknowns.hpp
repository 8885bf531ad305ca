#pragma once
// What a solve has found, in the scaled units of its own system, kept where it was solved: for a
// wider solver to judge (solvers/estimate/solver_errors.hpp).
//
// Tests.  tests/solvers/estimate/solver_errors_test.cpp, tests/gpu/device/same_estimates_test.cpp

#include "grids/tensor_grid.hpp"

#include "fem/discrete/scaling.hpp"

#include "gpu/backend/vector.hpp"

namespace ninefold {

/// Its memory lies on a backend.
struct FoundUnknowns {
  FoundUnknowns() = default;
  FoundUnknowns(const FoundUnknowns&) = delete;
  FoundUnknowns& operator=(const FoundUnknowns&) = delete;
  virtual ~FoundUnknowns() = default;
};

template <Backend B>
struct FoundUnknownsOn final : FoundUnknowns {
  FoundUnknownsOn(const B& on, const TensorGrid& grid, const Scaling& units)
      : scaling(units), x(on, grid.nx(), grid.ny()), r(on, grid.nx(), grid.ny()) {}

  Scaling scaling;
  bool has_x = false;       ///< not of a double-double solve, which nothing wider will judge
  NodeVector<B, double> x;  ///< exact, but for pairs of singles of more than 53 bits
  NodeVector<B, double> r;  ///< b - A x as the solver itself computes it, from its own b and A
};

}  // namespace ninefold
