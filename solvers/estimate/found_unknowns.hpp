#pragma once
// What a solve has found, kept where it was solved, for a wider solver to make the equations of its
// errors of (solvers/estimate/error_equations.hpp).
//
// Tests.  tests/solvers/estimate/solver_errors_test.cpp, tests/gpu/device/same_estimates_test.cpp

#include <memory>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/scaling.hpp"

#include "gpu/backend/vector.hpp"

#include "solvers/estimate/level_solution.hpp"

namespace ninefold {

/// In the scaled units of its own system.  Its memory lies on a backend.
struct FoundUnknowns {
  FoundUnknowns() = default;
  FoundUnknowns(const FoundUnknowns&) = delete;
  FoundUnknowns& operator=(const FoundUnknowns&) = delete;
  virtual ~FoundUnknowns() = default;
};

template <Backend B>
struct FoundUnknownsOn final : FoundUnknowns {
  FoundUnknownsOn(const B& on, const TensorGrid& grid, const Scaling& units)
      : scaling(units), x(on.apart(), grid.nx(), grid.ny()), r(on.apart(), grid.nx(), grid.ny()) {}

  Scaling scaling;
  bool has_x = false;       ///< not of a double-double solve, which nothing wider will judge
  NodeVector<B, double> x;  ///< exact, but for pairs of singles of more than 53 bits
  NodeVector<B, double> r;  ///< b - A x as the solver itself computes it, from its own b and A
  /// The solution as it is given out, x with lifting and mean, where these are rounded as finely as
  /// x: of a solve in double.
  std::shared_ptr<const LevelSolution> u;
  SideValues<double> sides;  ///< and at Dirichlet nodes
};

}  // namespace ninefold
