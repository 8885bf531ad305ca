#pragma once
// The reduction of an angle of any size by multiples of pi/2.
//
// Mathematics (Payne, Hanek 1983).  x = m 2^e with a whole m < 2^53.  Of 2/pi only the 192 binary
// digits matter that m 2^e brings to the places from 2 down to 2^-190: those above give multiples
// of 4 quarters, those below less than 2^-137.
//
// Tests.  tests/precision/array_functions_test.cpp

#include "precision/elementary_kernels.hpp"

namespace ninefold {

/// x less a multiple of pi/2, r + rest within 2^-70 of it; NaN if x is not finite.  Requires
/// x >= 2^20, or not finite.
kernels::ReducedAngle reduced_large_angle(double x);

}  // namespace ninefold
