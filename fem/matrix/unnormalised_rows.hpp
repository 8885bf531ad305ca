#pragma once
// Rows of a factored matrix (fem/matrix/factored_rows.hpp) in pairs of words of which differences
// alone are normalised: 0.62 of the operations.
//
// Error.  Of b - A x, to first order in the word's unit roundoff u, at most 123 u^2 S, with a
// reaction 247 u^2 S: S is the sum of the sizes of what is added up, with |x_i| + |x_i+1| in the
// place of differences of x (by the rules of precision/unnormalised_pair.hpp, from factors and
// vectors that are normalised).  A flow between two rows is one number in both, with all that its
// differences of x and its products lose; what is lost where flows are combined is relative to
// flows, while normalised pairs lose it relative to differences of flows.
//
// Tests.  tests/gpu/operations/unnormalised_residual_test.cpp

#include "precision/unnormalised_pair.hpp"

#include "grids/field.hpp"

#include "fem/matrix/factored_rows.hpp"

namespace ninefold {

/// Of normalised pairs, where they are.
template <Word F>
struct LineFactors<UnnormalisedPair<F>> {
  const PairInMemory<F>* stiffness;
  const PairInMemory<F>* mass;

  HOST_DEVICE NodeFactors<UnnormalisedPair<F>> operator[](int i) const {
    return {stiffness[i], stiffness[i + 1], mass[i], mass[i + 1]};
  }
};

template <Word F>
Field<const PairInMemory<F>> unnormalised(const Field<const DoubleWord<F>>& x) {
  return {unnormalised(x.data), x.nx, x.ny, x.pitch};
}

/// The matrix of the same factors.
template <Word F>
FactoredRows<PairInMemory<F>> unnormalised(const FactoredRows<DoubleWord<F>>& A) {
  const auto line = [](const LineFactors<DoubleWord<F>>& of) {
    return LineFactors<UnnormalisedPair<F>>{unnormalised(of.stiffness), unnormalised(of.mass)};
  };
  return {line(A.x), line(A.y), A.reaction, A.nx, A.ny, A.unknowns, A.form};
}

}  // namespace ninefold
