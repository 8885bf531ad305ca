#pragma once
// What the library's operations of pairs are compared with: operations without fused, and the sum
// that has no bound.
//
// Mathematics.  Notation and sources as in precision/double_word.hpp and precision/error_free.hpp.
//
// Tests.  tests/precision/double_word_test.cpp, tests/precision/error_free_test.cpp: beside those
// that they are compared with.

#include <concepts>

#include "precision/double_word.hpp"
#include "precision/error_free.hpp"
#include "precision/host_device.hpp"

namespace ninefold {

/// a as a sum of two numbers of at most p/2 bits, the greater first, 4 operations (Veltkamp). Exact
/// unless (2^ceil(p/2) + 1) a overflows: |a| < 2^115 for float, 2^996 for double.
template <Word F>
HOST_DEVICE inline Rounded<F> split(F a) {
  constexpr F factor = std::same_as<F, float> ? F(4097) : F(134217729);  // 2^12 + 1, 2^27 + 1
  const F scaled = factor * a;
  const F rest = a - scaled;
  const F value = scaled + rest;
  return {value, a - value};
}

/// two_product without fused, 17 operations (Dekker).  Exact under the conditions of two_product
/// (every partial product is then a multiple of the smallest number) and of split for both, and
/// |a b| < 2^127 for float, 2^1023 for double.
template <Word F>
HOST_DEVICE inline Rounded<F> two_product_by_splitting(F a, F b) {
  const Rounded<F> x = split(a);
  const Rounded<F> y = split(b);
  const F value = a * b;
  F error = x.value * y.value - value;
  error = error + x.value * y.error;
  error = error + x.error * y.value;
  return {value, error + x.error * y.error};
}

/// a + b, 11 operations (JMP algorithm 5, SloppyDWPlusDW).  For opposite signs there is no bound:
/// the result can be 0 where the sum is not.  For one sign 3u^2 + 5u^3: with S the sum of the sizes
/// of the high words, the low words add up to at most u S, which is rounded within u^2 S, the sum
/// with the error of the high words, at most (2u + u^2) S, within 2u^2 S + u^3 S, and |a + b| is at
/// least (1 - u) S.  What the paper (Goeddeke, Strzodka, Turek 2007) adds with.
template <Word F>
HOST_DEVICE inline DoubleWord<F> sloppy_sum(DoubleWord<F> a, DoubleWord<F> b) {
  const Rounded<F> s = two_sum(a.high, b.high);
  return DoubleWord<F>::normalise(s.value, s.error + (a.low + b.low));
}

/// a b without fused, 24 operations, 5u^2 [5/2 eta] (JMP algorithm 10, DWTimesDW1; 7u^2 there, 5u^2
/// in MR, theorem 2.6), for |a|, |b| < 2^115 (float), 2^996 (double): beyond, the result is not
/// finite.
template <Word F>
HOST_DEVICE inline DoubleWord<F> product_by_splitting(DoubleWord<F> a, DoubleWord<F> b) {
  const Rounded<F> p = two_product_by_splitting(a.high, b.high);
  const F cross = a.high * b.low + a.low * b.high;
  return DoubleWord<F>::normalise(p.value, p.error + cross);
}

}  // namespace ninefold
