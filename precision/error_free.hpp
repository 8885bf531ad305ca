#pragma once
// Sums and products of two machine numbers together with what rounding took from them.
//
// Mathematics.  value = RN(a op b), RN to nearest even, and value + error = a op b exactly.  The
// conditions under which that holds stand at each function; p is the number of bits of F (24, 53),
// u = 2^-p, 2^e_min its smallest normal number.  Where they fail nothing is checked: the error is
// then rounded itself (underflow), infinite or NaN (overflow, infinities and NaN as operands).
//
// Rounding.  Every line is one rounded operation, in this order.  A compiler that contracts,
// reassociates, or flushes subnormals to zero breaks all of it; ninefold_rounding forbids that.
//
// Reference.  Dekker, Numer. Math. 18, 1971; Knuth, The Art of Computer Programming 2, section
// 4.2.2; Boldo, Graillat, Muller, ACM TOMS 44(1), 2017 (overflow); Joldes, Muller, Popescu, ACM
// TOMS 44(2), 2017, algorithms 1 to 3.
//
// Tests.  tests/precision/error_free_test.cpp, tests/experiments/measure/number_probe_test.cpp

#include <cfloat>
#include <concepts>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"

#if defined(__FAST_MATH__)
#error "pairs of numbers need every rounding as written: compile without -ffast-math"
#endif
static_assert(FLT_EVAL_METHOD == 0, "pairs of numbers need float and double without extra bits");

namespace ninefold {

/// The machine numbers that pairs are made of.
template <class F>
concept Word = std::same_as<F, float> || std::same_as<F, double>;

/// A rounded value and its rounding error.
template <Word F>
struct Rounded {
  F value, error;
};

/// RN(a + b) and its error, 6 operations (Knuth, Moeller).  Exact for all a and b, subnormal ones
/// too, unless a + b overflows or one of them is the largest number.
template <Word F>
HOST_DEVICE inline Rounded<F> two_sum(F a, F b) {
  const F value = a + b;
  const F a_part = value - b;
  const F b_part = value - a_part;
  const F a_error = a - a_part;
  const F b_error = b - b_part;
  return {value, a_error + b_error};
}

/// RN(a + b) and its error, 3 operations (Dekker).  Exact if a = 0 or the exponent of a is at least
/// that of b, hence if |a| >= |b|, unless a + b overflows.
template <Word F>
HOST_DEVICE inline Rounded<F> quick_two_sum(F a, F b) {
  const F value = a + b;
  const F b_part = value - a;
  return {value, b - b_part};
}

/// RN(a b) and its error, 2 operations.  Exact if e_a + e_b >= e_min + p - 1 for the exponents of a
/// and b (|a b| >= 2^-101 for float, 2^-968 for double suffices), unless a b overflows.
template <Word F>
HOST_DEVICE inline Rounded<F> two_product(F a, F b) {
  const F value = a * b;
  return {value, fused(a, b, -value)};
}

}  // namespace ninefold
