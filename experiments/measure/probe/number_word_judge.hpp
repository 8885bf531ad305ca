#pragma once
// Are error-free transformations exact?  Decided by integers, without any arithmetic of the
// numbers.
//
// Mathematics.  A number is digits times 2^exponent.  The product of two doubles has 106 bits, the
// sum of two whose exponents differ by at most 60 has 114: both fit into an integer of 128.  Where
// exponents differ more, the sum must be the larger one and its error the smaller.
//
// Tests.  tests/experiments/measure/number_judge_test.cpp

#include "experiments/measure/probe/number_functions.hpp"

namespace ninefold {

__extension__ typedef __int128 WideInteger;  // "typedef": this form alone is silent with -Wpedantic

enum class Verdict { judged, outside, not_finite, lost, invented, denormalised, inexact };

/// What is found of one result.
struct Judgement {
  Verdict verdict;
  double error;  ///< in u^2, if judged
};

HOST_DEVICE inline double size_of(double x) {
  return x < 0 ? -x : x;
}

template <Word F>
HOST_DEVICE bool is_finite_value(F x) {
  return x - x == 0;
}

/// result = w / 2^bottom, if that is an integer below 2^121; false otherwise.
HOST_DEVICE inline bool in_units_of(int bottom, double w, WideInteger& result) {
  WordParts parts = parts_of(w);
  result = 0;
  if (parts.digits == 0) return true;
  int shift = parts.exponent - bottom;
  for (; shift < 0 && parts.digits % 2 == 0; ++shift) parts.digits /= 2;
  if (shift < 0 || shift + top_bit(parts.digits) > 120) return false;
  result = static_cast<WideInteger>(parts.digits) << shift;
  if (parts.negative) result = -result;
  return true;
}

/// Whether value + error = a b or, if that has digits below 2^lowest, off by at most half of that.
HOST_DEVICE inline bool is_product(double a, double b, double value, double error, int lowest) {
  const WordParts x = parts_of(a), y = parts_of(b);
  WideInteger product = static_cast<WideInteger>(x.digits) * static_cast<WideInteger>(y.digits);
  WideInteger high = 0, low = 0;
  if (product == 0) return value == 0 && error == 0;
  if (x.negative != y.negative) product = -product;
  const int bottom = x.exponent + y.exponent, gap = lowest - bottom;
  if (gap <= 0) {
    return in_units_of(bottom, value, high) && in_units_of(bottom, error, low)
           && high + low == product;
  }
  if (!in_units_of(lowest, value, high) || !in_units_of(lowest, error, low)) return false;
  const WideInteger found = high + low;
  if (gap > 107) return found == 0;  // the product is below 2^106
  const WideInteger unit = static_cast<WideInteger>(1) << gap, whole = product / unit;
  if (found - whole > 1 || whole - found > 1) return false;
  const WideInteger rest = product - found * unit;
  return rest <= unit / 2 && rest >= -unit / 2;
}

/// Whether value + error = a + b.
HOST_DEVICE inline bool is_sum(double a, double b, double value, double error) {
  const double larger = size_of(a) < size_of(b) ? b : a, smaller = size_of(a) < size_of(b) ? a : b;
  if (smaller == 0 || exponent_of(larger) - exponent_of(smaller) > 60) {
    return value == larger && error == smaller;
  }
  const int bottom = parts_of(smaller).exponent;
  WideInteger x = 0, y = 0, high = 0, low = 0;
  return in_units_of(bottom, larger, x) && in_units_of(bottom, smaller, y)
         && in_units_of(bottom, value, high) && in_units_of(bottom, error, low)
         && x + y == high + low;
}

/// From the first to the last digit that is set.
HOST_DEVICE inline int length_in_bits(double x) {
  std::uint64_t digits = parts_of(x).digits;
  while (digits != 0 && digits % 2 == 0) digits /= 2;
  return digits == 0 ? 0 : top_bit(digits) + 1;
}

/// Judges an error-free transformation of words under the conditions in precision/error_free.hpp.
template <PairOperation operation, Word F>
HOST_DEVICE Judgement judge_words(F a, F b, const ProbedWords& z) {
  using P = PairOperation;
  using Layout = WordLayout<F>;
  constexpr int p = Layout::precision, top = Layout::highest, bottom = Layout::smallest_normal;
  constexpr int splits_below = top - (p + 1) / 2;
  constexpr bool splits = operation == P::split || operation == P::two_product_by_splitting;
  if (!is_finite_value(a) || (operation != P::split && !is_finite_value(b))) {
    const bool finite = is_finite_value(z.high) && is_finite_value(z.low);
    return {finite ? Verdict::invented : Verdict::not_finite, 0};
  }
  const int ea = exponent_of(a), eb = exponent_of(b);
  if (splits && ea >= splits_below) return {Verdict::outside, 0};
  if (operation == P::two_product_by_splitting && eb >= splits_below) return {Verdict::outside, 0};
  const F value = static_cast<F>(z.high), error = static_cast<F>(z.low);
  bool right = value + error == value;  // of the sum of both, value is the nearest number
  if constexpr (operation == P::split) {
    right = length_in_bits(z.high) <= p / 2 && length_in_bits(z.low) <= p / 2
            && is_sum(z.high, z.low, a, 0);
  } else if constexpr (operation == P::two_product || operation == P::two_product_by_splitting) {
    if (ea + eb >= top - 1) return {Verdict::outside, 0};
    const int sum = (ea < bottom ? bottom : ea) + (eb < bottom ? bottom : eb);
    // By splitting, several partial products underflow there: nothing is stated.
    if (splits && sum < bottom + p - 1) return {Verdict::outside, 0};
    const bool exact = sum >= bottom + p - 1;
    right = (right || !exact) && is_product(a, b, z.high, z.low, exact ? -10000 : Layout::lowest);
  } else {
    if (ea >= top || eb >= top) return {Verdict::outside, 0};
    right = right && is_sum(a, b, z.high, z.low);
  }
  return {right ? Verdict::judged : Verdict::inexact, 0};
}

}  // namespace ninefold
