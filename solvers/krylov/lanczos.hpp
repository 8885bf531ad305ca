#pragma once
// What conjugate gradients know of the spectrum.
//
// Mathematics.  With the steps a_k and ratios b_k of CG, preconditioned by M or not, the Lanczos
// matrix of M^-1 A is tridiagonal,
//
//     t_kk = 1 / a_k + b_(k-1) / a_(k-1),    t_k,k+1 = sqrt(b_k) / a_k
//
// and its eigenvalues lie between those of M^-1 A: the largest one comes soon, the smallest one
// when CG converges.  With the smallest, lambda, the energy norm of the error is at most
//
//     a(e, e) = (r, A^-1 r) <= (r, M^-1 r) / lambda
//
// were lambda that of M^-1 A; it is a little more than that, so that this is an estimate.
//
// Reference.  Golub and Van Loan, Matrix Computations, 4th ed., section 11.3.
// Tests.      tests/solvers/krylov/lanczos_test.cpp

#include <span>

namespace ninefold {

struct SpectrumEnds {
  double lowest = 0, highest = 0;  ///< both 0 if nothing is known
};

/// Of the Lanczos matrix, by bisection, to 1e-9 of each; those below 2^-200 of the largest one
/// count as that.  Steps and ratios are as ConjugateGradients has them; from the first one on that
/// is not positive and finite they are left out.
SpectrumEnds lanczos_spectrum(std::span<const double> steps, std::span<const double> ratios);

}  // namespace ninefold
