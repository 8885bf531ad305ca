#pragma once
// sin, cos, exp, log and their like of arrays of doubles: several at once, and the same bits on
// every machine, since no library's functions are called.
//
// Cost.  Host only.  A nanosecond or two for a value, four at once (eight with AVX-512); values
// outside the usual range, which is stated at each function, take ten times as long or more.
//
// Rounding.  Each value is within the bound, in units in the last place of the exact result for the
// argument as it is, from infinitely far down to infinitely far up; where it is subnormal the unit
// is 2^-1074 and the bound not below 1.  Derived in precision/elementary_kernels.hpp.  NaN,
// infinities and zeros give what IEEE 754 recommends.  Requires rounding to nearest.
//
// Shape.  to[k] = f(x[k]) for all k; `to` may be x itself, else the two do not overlap.
//
// Tests.  tests/precision/array_functions_test.cpp

#include <span>

namespace ninefold {

/// Within 0.9 units; usual: |x| <= 2^24.
void sin_of(std::span<const double> x, double* to);
void cos_of(std::span<const double> x, double* to);

/// Within 4 units; usual as above.
void tan_of(std::span<const double> x, double* to);

/// Within 0.75 units; usual: |x| <= 708.
void exp_of(std::span<const double> x, double* to);

/// Within 4 units; usual as above, tanh everywhere.
void sinh_of(std::span<const double> x, double* to);
void cosh_of(std::span<const double> x, double* to);
void tanh_of(std::span<const double> x, double* to);

/// Within 0.95 units, 2 for the others, which are exact for whole powers; usual: positive, normal.
void log_of(std::span<const double> x, double* to);
void log2_of(std::span<const double> x, double* to);
void log10_of(std::span<const double> x, double* to);

/// x[k]^power[k], within 2 + |power log x| / 8 units; usual: x positive and normal, a result
/// between e^-708 and e^708.
void power_of(std::span<const double> x, std::span<const double> power, double* to);

}  // namespace ninefold
