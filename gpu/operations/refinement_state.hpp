#pragma once
// The scalars that couple an outer and an inner solver: written by residual_rounded
// (gpu/operations/mixed_operations.hpp) and set_scale (gpu/operations/mixed_vector_operations.hpp),
// read by the other operations of both.

#include "precision/number.hpp"

namespace ninefold {

/// How a residual is scaled before it is stored in Low: to a norm of 2^exponent, or by the power of
/// two that comes nearest to that.
enum class RefinementScaling { power_of_two, norm };

/// How many times corrections that follow each other are taken: `of[0]`, `of[1]`, ..., and from
/// `of[0]` on again after `count` of them.
struct OverCorrections {
  static constexpr int most = 3;
  int count = 1;
  double of[most] = {1, 1, 1};
};

/// The scalars of a refinement; they live on the backend.
template <Computable C>
struct RefinementState {
  static constexpr int squares_before = 2;

  C square;  ///< |b - A x|^2, of the last residual
  C down;    ///< the factor by which the stored residual was multiplied
  C up;      ///< that by which its correction is: 1 / down, or over / down where so asked
  /// `square` when `down` was last set, and the time before: of steps that nobody has looked at.
  C before[squares_before]{};
  int corrections = 0;  ///< since it began: how many times `up` has been set
};

}  // namespace ninefold
