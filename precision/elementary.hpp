#pragma once
// exp, expm1, sin and cos of pairs of doubles, for data of problems that are assembled in them.
//
// Mathematics.  exp: x = k ln 2 + r with |r| <= ln(2)/2, then the Taylor series of exp(r) - 1 to
// r^23.  sin, cos: x = k pi/2 + r with |r| <= pi/4, then the Taylor series to r^27 and r^28.  What
// the series leave out is below 0.02 u^2 of the result.
//
// Cost.  Host only.  About 300 operations of the word, a tenth of a microsecond or two: ten times
// faster than a library of arbitrary precision.
//
// Rounding.  Bounds relative to the exact result for the exact argument, u = 2^-53, derived
// from those of the operations (precision/double_word.hpp); [...] is an absolute term.  The terms
// whose rounding in double costs less than 0.01 u^2 are summed in double.
//
// Infinities and NaN.  As in precision/double_word.hpp: high alone tells.
//
// Tests.  tests/precision/elementary_test.cpp

#include "precision/double_word.hpp"

namespace ninefold {

/// The nearest pair to pi.
inline constexpr DoubleDouble wide_pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/// e^x within 7u^2 [2^-1074]; 0 for x < -746, not finite for x > 709.78.
DoubleDouble exp(DoubleDouble x);

/// e^x - 1 within 6u^2 for |x| <= 0.34, 20u^2 beyond, so without cancellation; not finite for
/// x > 709.78.
DoubleDouble expm1(DoubleDouble x);

/// Within 5u^2 for |x| <= 0.78, 12u^2 [2^-128] for |x| <= 1000; NaN beyond.
DoubleDouble sin(DoubleDouble x);

/// Within 7u^2 for |x| <= 0.78, 12u^2 [2^-128] for |x| <= 1000; NaN beyond.
DoubleDouble cos(DoubleDouble x);

}  // namespace ninefold
