#pragma once
// The equations A e = r of the errors of a solve (solvers/estimate/solver_errors.hpp), made where
// it was solved by a solver in a wider format.
//
// Rounding.  A residual is computed in the wider format and rounded once, to double: of itself it
// then has 53 bits, however small it is beside b.
//
// Tests.  tests/solvers/estimate/solver_errors_test.cpp, tests/gpu/device/same_estimates_test.cpp

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/require.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/q1_element.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/mixed_operations.hpp"
#include "gpu/operations/vector_operations.hpp"

#include "solvers/estimate/found_unknowns.hpp"
#include "solvers/estimate/level_solution.hpp"
#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

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

/// A system of the wider solver, whose b and x are for the use of what makes equations.
template <Number T>
struct WiderSystem {
  const Operator<T>& A;
  Field<T> b, x;
};

/// y := y + sign 2^exponent v at these unknowns
template <Backend B, Number T>
void add_scaled(const B& on, const Box& unknowns, const Field<const double>& v, int sign,
                int exponent, const Field<T>& y) {
  using C = Arithmetic<T>;
  const double factor = std::ldexp(static_cast<double>(sign), exponent);
  const Array<B, RefinementState<C>> state(on,
                                           {RefinementState<C>{C(0), C(1 / factor), C(factor)}});
  add_correction<B, T, double>(on, unknowns, state.data(), v, y);
  on.wait();  // the factor is freed here
}

/// b - A x, each value rounded once.
template <Backend B, Number T>
NodeVector<B, double> residual_in_double(const B& on, const WiderSystem<T>& of) {
  using C = Arithmetic<T>;
  const Field<const T> b = of.b, x = of.x;
  NodeVector<B, double> r(on.apart(), of.A.nx, of.A.ny);
  set_zero(on, r.view());
  if constexpr (std::is_same_v<T, double>) {
    residual(on, of.A, b, x, r.view());
  } else {
    const Array<B, RefinementState<C>> one(on, {RefinementState<C>{C(0), C(1), C(1)}});
    residual_rounded<B, T, double>(on, of.A, b, x, r.view(), one.data());
    on.wait();  // the factor is freed here
  }
  return r;
}

/// b := w + v - u for the v that was found, the u that was given out, and the lifting w as this
/// format has it; x := 0.
template <Backend B, Number T>
void set_lost(const B& on, const System<Assembly<T>>& system, const DataOnBackend<B, T>& data,
              const WiderSystem<T>& of, const FoundUnknownsOn<B>& found) {
  const auto* const u = dynamic_cast<const LevelSolutionOn<B>*>(found.u.get());
  require(u != nullptr, "a solution that lies on another backend");
  const int ours = system.scaling.solution();
  const Box& unknowns = of.A.unknowns;
  data.set_lifting(system, of.b);
  add_scaled<B, T>(on, unknowns, found.x.view(), 1, found.scaling.solution() - ours, of.b);
  add_scaled<B, T>(on, unknowns, u->values.view(), -1, -ours, of.b);
  // Of which u has no mean, and v has one, much larger than what is lost.
  if (has_free_constant(system.problem())) {
    const Array<B, Arithmetic<T>> sum(on, 1);
    remove_mean(on, unknowns, of.b, sum.data());
    on.wait();  // the sum is freed here
  }
  set_zero(on, of.x);
}

/// By a solver in the wider format, of what another has found, which is used up: `take_load` sets
/// its b.
template <Backend B, Number T, class TakeLoad>
std::unique_ptr<const ErrorEquations> error_equations(
    const B& on, const System<Assembly<T>>& system, const DataOnBackend<B, T>& data,
    const WiderSystem<T>& of, FoundUnknownsOn<B>& found, const TakeLoad& take_load) {
  auto equations = std::make_unique<ErrorEquationsOn<B>>();
  const Scaling &theirs = found.scaling, &ours = system.scaling;
  equations->algebraic = {std::move(found.r), theirs.load};
  if (!found.has_x) return equations;
  if (found.u) {
    set_lost<B, T>(on, system, data, of, found);
    found.u.reset();  // its memory serves what is lost
    equations->lost = {residual_in_double<B, T>(on, of), ours.solution()};
    const double square =
        square_at_sides(system.finest(), system.lifting.sides(), found.sides, ours.solution());
    equations->lost_at_sides = std::ldexp(std::sqrt(square), ours.solution());
  }
  take_load();
  set_zero(on, of.x);
  add_scaled<B, T>(on, of.A.unknowns, found.x.view(), 1, theirs.solution() - ours.solution(), of.x);
  found.x = {};
  equations->left = {residual_in_double<B, T>(on, of), ours.load};
  return equations;
}

}  // namespace ninefold
