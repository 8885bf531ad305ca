#pragma once
// The coarse level that multigrid solves well, by eigenvectors where they can be trusted.
//
// Which level.  The finest of at most max_coarse_width nodes in each direction, on every backend.
//
// Which grids.  Those whose eigenvalues span less than 1 / (512 u): the solve then leaves less than
// a few thousandths of an error that a visit would leave a tenth of.  On others, with cells that
// differ much, `visits` visits, which take longer.
//
// Tests.  tests/gpu/operations/nested_operations_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "precision/number.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/small_eigenvectors.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/small_inverse.hpp"

namespace ninefold {

/// Owns the eigenvectors of a small grid.
template <Backend B, Number T>
class BaseSolver {
 public:
  using C = Arithmetic<T>;

  /// Visits of a base level that has none.
  static constexpr int visits = 3;

  /// Nothing for grids and formats that have none.
  static std::optional<BaseSolver> make(const B& on, const TensorGrid& grid,
                                        const Boundary& boundary,
                                        const Coefficients<Assembly<T>>& g) {
    if constexpr (!has_small_inverse<T>) return {};
    const HeldEnds ends_x = held_ends_x(boundary), ends_y = held_ends_y(boundary);
    LineBasis x = line_basis(grid.x, ends_x), y = line_basis(grid.y, ends_y);
    const int ex = mass_exponent(grid.x), ey = mass_exponent(grid.y);
    const auto number = [](const Assembly<T>& value) { return static_cast<double>(value); };
    for (double& value : x.value) value *= std::ldexp(number(g.gx), ey);
    for (double& value : y.value) {
      value = value * std::ldexp(number(g.gy), ex) + std::ldexp(number(g.c), ex + ey);
    }
    // Both are in ascending order.  Constants, where no side is Dirichlet, are exact vectors, and
    // may be held by little or nothing.
    const double largest = x.value.back() + y.value.back();
    double least = x.value[0] + y.value[0];
    if (!boundary.any_dirichlet()) {
      least = std::min(x.value[0] + y.value[1], x.value[1] + y.value[0]);
    }
    if (!(least > 0) || !(largest / least <= 1 / (512 * unit_roundoff<C>()))) return {};
    return BaseSolver(on, unknown_nodes(grid, boundary), x, y);
  }

  SmallInverse<C> view() const {
    return {unknowns_, x_vectors_.data(), y_vectors_.data(), x_sums_.data(), y_sums_.data()};
  }

 private:
  BaseSolver(const B& on, const Box& unknowns, const LineBasis& x, const LineBasis& y)
      : unknowns_(unknowns),
        x_vectors_(on, rounded(x.vectors)),
        y_vectors_(on, rounded(y.vectors)),
        x_sums_(on, rounded(x.value)),
        y_sums_(on, rounded(y.value)) {}

  static std::vector<C> rounded(const std::vector<double>& values) {
    std::vector<C> result;
    for (const double value : values) result.push_back(static_cast<C>(value));
    return result;
  }

  Box unknowns_;
  Array<B, C> x_vectors_, y_vectors_, x_sums_, y_sums_;
};

}  // namespace ninefold
