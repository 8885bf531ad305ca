#pragma once
// Pairs of machine numbers that are not normalised by each operation: about half of the operations
// of precision/double_word.hpp, and an error that is small beside the operands, not the result.
//
// Mathematics.  A pair stands for high + low.  Sums and products take the high words exactly, and
// gather what they leave with the low words, rounded, in one word.  Differences do so, too, and are
// normalised then: where high words cancel, the low one is most of what is left, and what is
// computed with it would be off by as much in the same direction at each of many neighbours, since
// they differ little.
//
// Error.  Let S be the size of what a value is computed from: |x| of an operand x, S_a + S_b of a
// sum or a difference, S_a S_b of a product.  If |low| <= k u S and the error is at most c u^2 S of
// both operands a and b, then to first order in u, with k and c the larger ones of a sum's
// operands, of their result
//
//     a + b:   |low| <= (k + 1) u S              error <= (c + 2 k + 1) u^2 S
//     a - b:   |low| <= u S                      error <= (c + 3 k + 2) u^2 S
//     a b:     |low| <= (k_a + k_b + 1) u S      error <= (c_a + c_b + k_a k_b + 3 k_a + 2 k_b
//                                                          + 1) u^2 S
//
// (a sum rounds its low words' sum and what is added to that; a difference that is normalised by
// three operations loses u of its low word where that is larger than the high one; a product rounds
// |a_low b_high|, the fused multiply-add and the last sum, and leaves out a_low b_low).  Of a
// normalised pair k = 1, c = 0.
//
// When.  For a residual of values that are pairs themselves, hence known to u^2 |x|, if it is then
// rounded to a word.  Not where a small difference has to keep its own digits.
//
// Rounding.  The same on host and device: each line is one rounded operation.
//
// Reference.  Lange, Rump, Faithfully rounded floating-point computations, ACM TOMS 46(3), 2020
// (pair arithmetic: CPairSum, CPairProd).
// Tests.      tests/precision/unnormalised_pair_test.cpp

#include "precision/double_word.hpp"
#include "precision/error_free.hpp"
#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

namespace ninefold {

template <Word F>
struct UnnormalisedPair {
  F high, low;

  UnnormalisedPair() = default;
  HOST_DEVICE constexpr UnnormalisedPair(F high_word, F low_word)
      : high(high_word), low(low_word) {}
  HOST_DEVICE constexpr explicit UnnormalisedPair(F word) : high(word), low(0) {}
  /// Exact.
  HOST_DEVICE constexpr UnnormalisedPair(const DoubleWord<F>& value)
      : high(value.high), low(value.low) {}

  /// Rounded, 1 operation.
  HOST_DEVICE explicit operator F() const { return high + low; }

  /// 8 operations.
  HOST_DEVICE friend UnnormalisedPair operator+(UnnormalisedPair a, UnnormalisedPair b) {
    const Rounded<F> s = two_sum(a.high, b.high);
    return {s.value, s.error + (a.low + b.low)};
  }
  HOST_DEVICE friend UnnormalisedPair operator-(UnnormalisedPair a) { return {-a.high, -a.low}; }
  /// 11 operations.
  HOST_DEVICE friend UnnormalisedPair operator-(UnnormalisedPair a, UnnormalisedPair b) {
    const UnnormalisedPair sum = a + -b;
    const Rounded<F> s = quick_two_sum(sum.high, sum.low);
    return {s.value, s.error};
  }
  /// 5 operations.
  HOST_DEVICE friend UnnormalisedPair operator*(UnnormalisedPair a, UnnormalisedPair b) {
    const Rounded<F> p = two_product(a.high, b.high);
    return {p.value, p.error + fused(a.high, b.low, a.low * b.high)};
  }
  /// a b + c as product and sum.
  HOST_DEVICE friend UnnormalisedPair fused(UnnormalisedPair a, UnnormalisedPair b,
                                            UnnormalisedPair c) {
    return a * b + c;
  }
  /// Of their words: two pairs may be equal without it.
  HOST_DEVICE friend bool operator==(UnnormalisedPair a, UnnormalisedPair b) {
    return a.high == b.high && a.low == b.low;
  }
};

template <class F>
inline constexpr bool is_double_word<UnnormalisedPair<F>> = true;

template <class F>
struct LeadingOf<UnnormalisedPair<F>> {
  using type = F;
};

/// A normalised pair where it lies, to be computed with as one that is not.
template <Word F>
struct [[gnu::may_alias]] alignas(2 * sizeof(F)) PairInMemory {
  F high, low;

  HOST_DEVICE operator UnnormalisedPair<F>() const { return {high, low}; }
};
template <class F>
struct ArithmeticOf<PairInMemory<F>> {
  using type = UnnormalisedPair<F>;
};

template <Word F>
const PairInMemory<F>* unnormalised(const DoubleWord<F>* pairs) {
  static_assert(sizeof(PairInMemory<F>) == sizeof(DoubleWord<F>)
                && alignof(PairInMemory<F>) == alignof(DoubleWord<F>));
  return reinterpret_cast<const PairInMemory<F>*>(pairs);
}

/// v + v, 2 operations, exact.
template <Word F>
HOST_DEVICE inline UnnormalisedPair<F> twice(const UnnormalisedPair<F>& v) {
  return {v.high + v.high, v.low + v.low};
}

}  // namespace ninefold
