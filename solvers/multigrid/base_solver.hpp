#pragma once
// The coarse level that multigrid solves well, by eigenvectors where they can be trusted.
//
// Which level.  On every backend the finest of at most max_coarse_width nodes in each direction.
// (Where a coarser one alone has eigenvectors, visits from it leave more than three from the
// finest.)  Of equal cells eigenvectors are known: there the finest of at most max_wave_width, if
// it has some.  On an H200 it takes hardly longer, and spares a level; of other cells they would
// take longer to compute than a solve.
//
// Which grids.  In the vectors' format those whose eigenvalues span at most 1 / (512 u).  Where
// cells differ more a device's block, or its cluster of blocks, computes in double, with
// eigenvalues that span up to 1 / (512 u)^2: vectors in double leave u times the root of the span
// of an error, in the energy norm (fem/discrete/small_eigenvectors.hpp), here a few thousandths at
// most, of which a visit would leave a tenth.  Other grids take `visits` visits, which last longer.
//
// Tests.  tests/gpu/operations/nested_operations_test.cpp

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "precision/number.hpp"

#include "grids/slabs.hpp"
#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/line_spectrum.hpp"
#include "fem/discrete/small_eigenvectors.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/small_inverse.hpp"

namespace ninefold {

/// The most nodes in a direction of a grid of equal cells whose eigenvectors are used.
inline constexpr int max_wave_width = 65;
static_assert(max_wave_width <= max_small_unknowns && max_wave_width <= Slabs::most_undivided);

/// True if eigenvectors may be used: of this grid, in format T.
template <Number T>
bool may_be_base(const TensorGrid& grid) {
  const int width = std::max(grid.nx(), grid.ny());
  if (width <= max_coarse_width) return true;
  return has_small_inverse<T> && width <= max_wave_width && has_equal_cells(grid.x)
         && has_equal_cells(grid.y);
}

/// Owns the eigenvectors of a small grid.
template <Backend B, Number T>
class BaseSolver {
 public:
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
    const auto spans_at_most = [&](double most) { return least > 0 && largest / least <= most; };
    constexpr double in_double = 1 / (512 * unit_roundoff<double>());
    const Box unknowns = unknown_nodes(grid, boundary);
    if constexpr (has_small_inverse<T>) {
      using Own = Arithmetic<T>;
      if (spans_at_most(1 / (512 * unit_roundoff<Own>()))) {
        return BaseSolver(unknowns, Eigenvectors<Own>(on, x, y));
      }
      if (spans_at_most(in_double * in_double)) {
        return BaseSolver(unknowns, Eigenvectors<double>(on, x, y));
      }
    }
    return {};
  }

  /// x = A^-1 b at the unknowns.
  void solve(const B& on, In<Field, T> b, const Field<T>& x) const {
    std::visit([&](const auto& held) { solve_small(on, held.view(unknowns_), b, x); },
               eigenvectors_);
  }
  /// The same with what comes before or around it, in one pass (gpu/operations/small_inverse.hpp).
  void solve_restricted(const Cuda& on, const Box& fine, const Transfer<Arithmetic<T>>& transfer,
                        In<Field, T> b_fine, const Field<T>& x) const {
    std::visit(
        [&](const auto& held) {
          solve_small_restricted<T>(on, held.view(unknowns_), fine, transfer, b_fine, x);
        },
        eigenvectors_);
  }
  template <Number High>
  void solve_narrowed(const Cuda& on, In<Field, High> b,
                      const RefinementState<Arithmetic<High>>* state, const Field<High>& x) const {
    std::visit(
        [&](const auto& held) {
          solve_small_narrowed<High, T>(on, held.view(unknowns_), b, state, x);
        },
        eigenvectors_);
  }

  /// True if it computes in double for vectors of a narrower format.
  bool is_wider() const { return eigenvectors_.index() > 0; }

 private:
  template <class C>
  struct Eigenvectors {
    Array<B, C> x_vectors, y_vectors, x_sums, y_sums;

    Eigenvectors(const B& on, const LineBasis& x, const LineBasis& y)
        : x_vectors(on, rounded(x.vectors)),
          y_vectors(on, rounded(y.vectors)),
          x_sums(on, rounded(x.value)),
          y_sums(on, rounded(y.value)) {}

    static std::vector<C> rounded(const std::vector<double>& values) {
      std::vector<C> result;
      for (const double value : values) result.push_back(static_cast<C>(value));
      return result;
    }
    SmallInverse<C> view(const Box& unknowns) const {
      return {unknowns, x_vectors.data(), y_vectors.data(), x_sums.data(), y_sums.data()};
    }
  };
  using Held =
      std::conditional_t<std::same_as<Arithmetic<T>, double>, std::variant<Eigenvectors<double>>,
                         std::variant<Eigenvectors<Arithmetic<T>>, Eigenvectors<double>>>;

  BaseSolver(const Box& unknowns, Held eigenvectors)
      : unknowns_(unknowns), eigenvectors_(std::move(eigenvectors)) {}

  Box unknowns_;
  Held eigenvectors_;
};

}  // namespace ninefold
