#pragma once
// How steps of Jacobi's method weigh the residual.
//
// Mathematics.  A step is y = x + omega D^-1 (b - A x), D one of
//
//     diagonal   the diagonal of A
//     bound      2 max(dx, dy) + 3/2 c m with dx, dy, m the entries of K_x (x) M_y, M_x (x) K_y and
//                M_x (x) M_y: the diagonal itself on square cells without a reaction.  Its inverse
//                is that of each direction's factors (FactoredForm::inverse_bound).
//
// On cells that are all alike the eigenvalues of bound^-1 A are at most 3/2, whatever the ratio of
// their sides and the reaction: K_x has eigenvalues up to 2 diag(K_x), M_x up to 3/2 diag(M_x), and
// what is rough in both directions less of each.  With the diagonal they reach 3 where cells are
// long.
//
// Shape.  `bound` is one of factored rows; others have the diagonal alone.
//
// Reference.  Adams, Brezina, Hu, Tuminaro, Parallel multigrid smoothing: polynomial versus
// Gauss-Seidel, 2003, for steps with the roots of Chebyshev's polynomials.
// Tests.  tests/gpu/operations/relaxation_test.cpp, tests/gpu/device/fused_operations_test.cpp

#include <cstdint>

#include "precision/host_device.hpp"

namespace ninefold {

enum class Divisor : std::uint8_t { diagonal, bound };

/// Of one step.  D holds what a smoother adds: Leading<T>.
template <class D>
struct Relaxation {
  D damping;  ///< omega
  Divisor divisor;
  HOST_DEVICE Relaxation(D omega, Divisor by = Divisor::diagonal) : damping(omega), divisor(by) {}
};

/// Of n steps that follow each other.
template <class D, int n>
struct Relaxations {
  D damping[n];
  Divisor divisor;

  /// The same in all of them.
  HOST_DEVICE Relaxations(D omega, Divisor by = Divisor::diagonal) : divisor(by) {
    for (int k = 0; k < n; ++k) damping[k] = omega;
  }
  /// Of step k; of later ones as of the last.
  HOST_DEVICE Relaxation<D> operator[](int k) const {
    return {damping[k < n ? k : n - 1], divisor};
  }
  /// Of steps first, first + 1, ...
  template <int m>
  HOST_DEVICE Relaxations<D, m> from(int first) const {
    Relaxations<D, m> part(damping[0], divisor);
    for (int k = 0; k < m; ++k) part.damping[k] = (*this)[first + k].damping;
    return part;
  }
};

/// Of the steps of a multigrid visit that are not all weighed alike: the most that "chebyshev"
/// takes.
inline constexpr int most_relaxations = 8;
/// Those, and behind them those of the steps that end a visit for an interpolated solution and,
/// where they are others, a correction of the finest level (solvers/multigrid/smoothing.hpp).
inline constexpr int cycle_relaxations = 2 * most_relaxations;

}  // namespace ninefold
