#pragma once
// What a solve has found, kept where it was solved, and the equations of its errors, which a wider
// solver makes of it (solvers/estimate/solver_errors.hpp).
//
// Tests.  tests/solvers/estimate/solver_errors_test.cpp, tests/gpu/device/same_estimates_test.cpp

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/q1_element.hpp"
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

/// The right-hand sides of A e = r, in double.  Their memory lies on a backend.
struct ErrorEquations {
  ErrorEquations() = default;
  ErrorEquations(const ErrorEquations&) = delete;
  ErrorEquations& operator=(const ErrorEquations&) = delete;
  virtual ~ErrorEquations() = default;
};

template <Backend B>
struct ErrorEquationsOn final : ErrorEquations {
  /// A vector stands for 2^exponent times itself.
  struct Scaled {
    NodeVector<B, double> values;
    int exponent = 0;
  };

  Scaled algebraic;            ///< b - A x as the solver itself computes it
  std::optional<Scaled> left;  ///< with b and A of the wider format
  /// What the solution has lost when it was given out, w + v - u: no right-hand side, but a part of
  /// the error.
  std::optional<Scaled> lost;
  double lost_at_sides = 0;  ///< the l2 norm of that at Dirichlet nodes, by lumped masses
};

/// Of the difference between values at Dirichlet nodes, in units of 2^exponent: the sum of squares
/// times lumped masses.
template <class W>
double square_at_sides(const TensorGrid& grid, const SideValues<W>& a, const SideValues<double>& b,
                       int exponent) {
  const auto has_values = [&](Side side) { return !a[static_cast<std::size_t>(side)].empty(); };
  double square = 0;
  for (const Side side : all_sides) {
    if (!has_values(side)) continue;
    const auto s = static_cast<std::size_t>(side);
    const bool upright = side == Side::left || side == Side::right;
    const bool at_start = side == Side::left || side == Side::bottom;
    const std::vector<double> across = lumped_masses<double>(upright ? grid.x : grid.y),
                              along = lumped_masses<double>(upright ? grid.y : grid.x);
    // At a corner of two the lower or upper side's value is that of the solution.
    const std::size_t first = upright && has_values(Side::bottom) ? 1 : 0;
    const std::size_t end = along.size() - (upright && has_values(Side::top) ? 1 : 0);
    for (std::size_t k = first; k < end; ++k) {
      const double e = std::ldexp(static_cast<double>(a[s][k] - W(b[s][k])), -exponent);
      square += (at_start ? across.front() : across.back()) * along[k] * (e * e);
    }
  }
  return square;
}

}  // namespace ninefold
