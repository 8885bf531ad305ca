#pragma once
// How far a result of a pair operation is from the exact one, computed on the backend itself.
//
// Mathematics.  No format is wide enough to hold the exact results, but sums of doubles can be kept
// exactly as expansions, sums of doubles that do not overlap.  Everything is brought to such a sum:
//
//     sum        z - a - b          product     z - a b            fused   z - a b - c
//     quotient   (z b - a) / a      root        (z^2 - a) / 2a     conversion   z - a
//
// where each product of two words is two_product of doubles (exact by itself for words of float).
// The relative error of a quotient is that of z b against a; that of a root r follows from
// z^2 = r^2 (1 + d)^2, up to u^2 of itself.
//
// Pairs of double are first scaled by powers of two so that the result is about one.  What then
// underflows is below 2^-1074 of the result, far below u^2 = 2^-106.  Sums need no scaling, since
// they do not underflow.
//
// Rounding.  Shewchuk's grow-expansion keeps a sum exact and, with rounding to even, leaves a gap
// of a zero bit between its terms: so adding up the n terms, the smallest first, gives the sum to
// n 2^-53 of itself.  An observed error is thus right to 14 digits or better; bounds are
// compared with a margin of 2^-40 of themselves.
//
// The judge rests on two_sum and two_product of doubles, which are judged by integers: see
// experiments/measure/probe/number_word_judge.hpp.
//
// Reference.  Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric
// predicates, Discrete Comput. Geom. 18, 1997, theorem 10.
// Tests.      tests/experiments/measure/number_judge_test.cpp (against 50 and more digits)

#include "experiments/measure/probe/number_functions.hpp"
#include "experiments/measure/probe/number_word_judge.hpp"

namespace ninefold {

/// x 2^exponent, exactly but for underflow, in three steps as exponents go beyond those of a
/// factor.
HOST_DEVICE inline double scaled(double x, int exponent) {
  for (int step = 0; step < 3; ++step) {
    const int part = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    x = x * power_of_two<double>(part);
    exponent -= part;
  }
  return x;
}

/// Adds term[count] to the expansion of the terms before it; recursive, so that all stays in
/// registers.
template <int count, int k = 0, int n>
HOST_DEVICE void grow(double (&term)[n], double rest) {
  if constexpr (k < count) {
    const Rounded<double> s = two_sum(rest, term[k]);
    term[k] = s.error;
    grow<count, k + 1>(term, s.value);
  } else {
    term[count] = rest;
  }
}

/// The sum of n doubles, which must not overflow, to n 2^-53 of itself.
template <int count = 1, int n>
HOST_DEVICE double expanded_sum(double (&term)[n]) {
  if constexpr (count < n) {
    grow<count>(term, term[count]);
    return expanded_sum<count + 1>(term);
  } else {
    double sum = term[0];
    for (int k = 1; k < n; ++k) sum = sum + term[k];
    return sum;
  }
}

/// error / (u^2 size) without the slack; infinite if zero was missed, or if the judge overflowed.
HOST_DEVICE inline Judgement judged(double error, double slack, double size, double unit) {
  const double excess = size_of(error) - slack;
  if (excess <= 0) return {Verdict::judged, 0};
  return {Verdict::judged, size > 0 && excess > 0 ? excess / size / unit : no_bound};
}

/// What the operation is to its judge.
template <PairOperation operation>
struct JudgedKind {
  using P = PairOperation;
  static constexpr bool with_word = operation == P::sum_with_word || operation == P::word_minus
                                    || operation == P::product_with_word
                                    || operation == P::accurate_product_with_word
                                    || operation == P::quotient_by_word;
  static constexpr bool root = operation == P::square_root;
  static constexpr bool divides = operation == P::quotient || operation == P::quotient_by_word;
  static constexpr bool converts =
      operation == P::to_other_pair || operation == P::word_to_other_pair;
  static constexpr bool fuses = operation == P::fused;
  static constexpr bool fuses_words = operation == P::fused_with_words;
  static constexpr bool unary = root || converts || operation == P::absolute;
  static constexpr bool multiplies =
      fuses || operation == P::product || operation == P::product_by_splitting
      || operation == P::product_with_word || operation == P::accurate_product_with_word;
};

/// The operands as the formulas above have them: a difference is a sum with -b, a word a pair.
struct JudgedOperands {
  ProbedWords a, b, c;
};

template <PairOperation operation, Word F>
HOST_DEVICE JudgedOperands judged_operands(const PairOperands<F>& x) {
  using P = PairOperation;
  JudgedOperands y{{x.a.high, x.a.low}, {x.b.high, x.b.low}, {x.c.high, x.c.low}};
  if (JudgedKind<operation>::with_word) y.b.low = 0;
  if (operation == P::word_to_other_pair) y.a.low = 0;
  if (operation == P::word_minus) y.a = {-y.a.high, -y.a.low};  // b - a
  if (operation == P::difference
      || (operation == P::sloppy_sum_of_one_sign && (y.a.high < 0) != (y.b.high < 0))) {
    y.b = {-y.b.high, -y.b.low};
  }
  return y;
}

/// True if the exact result is none, infinite or NaN.
template <PairOperation operation>
HOST_DEVICE bool has_no_result(const JudgedOperands& x) {
  using Kind = JudgedKind<operation>;
  bool none = !is_finite_value(x.a.high) || (!Kind::unary && !is_finite_value(x.b.high))
              || ((Kind::fuses || Kind::fuses_words) && !is_finite_value(x.c.high));
  if (Kind::divides) none = none || x.b.high == 0;
  if (Kind::root) none = none || x.a.high < 0;
  return none;
}

/// True beyond the sizes up to which something is stated: a finite result may be lost.
template <PairOperation operation, Word R>
HOST_DEVICE bool is_beyond(const JudgedOperands& x) {
  using Kind = JudgedKind<operation>;
  constexpr int top = WordLayout<R>::highest;
  const int a = exponent_of(x.a.high), b = exponent_of(x.b.high), c = exponent_of(x.c.high);
  if constexpr (Kind::multiplies || Kind::fuses_words) {
    bool beyond = a + b + 2 >= top;
    if (operation == PairOperation::product_by_splitting) {
      constexpr int splits = top - 12 - (std::same_as<R, double> ? 15 : 0);
      beyond = beyond || a >= splits || b >= splits;
    }
    if (Kind::fuses || Kind::fuses_words) beyond = beyond || c + 2 >= top;
    return beyond;
  } else if constexpr (Kind::divides) {
    return x.a.high != 0 && (a - b + 2 >= top || a + 2 >= top);
  } else if constexpr (Kind::root) {
    return false;
  } else {
    return a + 2 >= top || (!Kind::unary && b + 2 >= top);
  }
}

HOST_DEVICE inline ProbedWords scaled(const ProbedWords& x, int exponent) {
  return {scaled(x.high, exponent), scaled(x.low, exponent)};
}

/// The product of two pairs, exactly: the sum of these eight words.
struct ExactProduct {
  Rounded<double> high, high_low, low_high, low;
  HOST_DEVICE ExactProduct(const ProbedWords& a, const ProbedWords& b)
      : high(two_product(a.high, b.high)),
        high_low(two_product(a.high, b.low)),
        low_high(two_product(a.low, b.high)),
        low(two_product(a.low, b.low)) {}
};

template <PairOperation operation, Word R>
HOST_DEVICE Judgement judge_product(JudgedOperands x, const ProbedWords& z, double unit) {
  using P = PairOperation;
  constexpr bool scales = std::same_as<R, double>, fuses = JudgedKind<operation>::fuses;
  const int a = exponent_of(x.a.high), b = exponent_of(x.b.high), c = exponent_of(x.c.high);
  int shift_a = 0, shift_b = 0, shift = 0;
  if (scales && x.a.high != 0 && x.b.high != 0) {
    shift = fuses && x.c.high != 0 && c > a + b ? c : a + b;
    shift_b = b;
    shift_a = shift - b;
  } else if (scales && fuses && x.c.high != 0) {
    shift = c;
  }
  x = {scaled(x.a, -shift_a), scaled(x.b, -shift_b), scaled(x.c, -shift)};
  const ProbedWords y = scaled(z, -shift);
  const auto [hh, hl, lh, ll] = ExactProduct(x.a, x.b);
  const double etas = fuses                                  ? 3
                      : operation == P::product_by_splitting ? 2.5
                      : operation == P::product              ? 2
                                                             : 1;
  const double slack = etas * scaled(1, WordLayout<R>::lowest - shift);
  const double product = size_of((x.a.high + x.a.low) * (x.b.high + x.b.low));
  if constexpr (fuses) {
    double exact[10] = {ll.error, hl.error, lh.error, hh.error, ll.value,
                        hl.value, lh.value, x.c.low,  hh.value, x.c.high};
    double error[12] = {y.low,     y.high,    -ll.error, -hl.error, -lh.error, -hh.error,
                        -ll.value, -hl.value, -lh.value, -x.c.low,  -hh.value, -x.c.high};
    const double size = 4 * product + 3 * size_of(expanded_sum(exact));
    return judged(expanded_sum(error), slack, size, unit);
  } else {
    double error[10] = {y.low,     y.high,    -ll.error, -hl.error, -lh.error,
                        -hh.error, -ll.value, -hl.value, -lh.value, -hh.value};
    return judged(expanded_sum(error), slack, product, unit);
  }
}

/// a b + c of words a and b.
template <Word R>
HOST_DEVICE Judgement judge_fused_words(const JudgedOperands& x, const ProbedWords& z,
                                        double unit) {
  const int a = exponent_of(x.a.high), b = exponent_of(x.b.high), c = exponent_of(x.c.high);
  // Only up: what cancels must not have underflowed.
  const int larger = a + b > c ? a + b : c;
  const int shift = std::same_as<R, double> && larger < -400 ? -600 : 0;
  const double smaller_factor = scaled(a < b ? x.a.high : x.b.high, -shift);
  const Rounded<double> product = two_product(smaller_factor, a < b ? x.b.high : x.a.high);
  const ProbedWords addend = scaled(x.c, -shift), y = scaled(z, -shift);
  double exact[4] = {product.error, addend.low, product.value, addend.high};
  double error[6] = {y.low, y.high, -product.error, -addend.low, -product.value, -addend.high};
  const double size = size_of(expanded_sum(exact));
  return judged(expanded_sum(error), scaled(1, WordLayout<R>::lowest - shift), size, unit);
}

template <PairOperation operation, Word R>
HOST_DEVICE Judgement judge_quotient(const JudgedOperands& x, const ProbedWords& z, double unit) {
  constexpr bool scales = std::same_as<R, double>;
  constexpr int lowest = WordLayout<R>::lowest;
  const int shift_a = scales && x.a.high != 0 ? exponent_of(x.a.high) : 0;
  const int shift_b = scales ? exponent_of(x.b.high) : 0;
  const ProbedWords a = scaled(x.a, -shift_a), b = scaled(x.b, -shift_b);
  const auto [hh, hl, lh, ll] = ExactProduct(scaled(z, shift_b - shift_a), b);
  double error[10] = {-a.low,   -a.high,  ll.error, hl.error, lh.error,
                      hh.error, ll.value, hl.value, lh.value, hh.value};
  // eta (1 + k / |b|) of the quotient is eta (|b| + k) of a.
  const double slack =
      scaled(size_of(b.high + b.low), shift_b + lowest - shift_a)
      + (operation == PairOperation::quotient ? 2 : 1) * scaled(1, lowest - shift_a);
  return judged(expanded_sum(error), slack, size_of(a.high + a.low), unit);
}

template <Word R>
HOST_DEVICE Judgement judge_root(const JudgedOperands& x, const ProbedWords& z, double unit) {
  constexpr int lowest = WordLayout<R>::lowest;
  if (x.a.high == 0) return {z.high == 0 && z.low == 0 ? Verdict::judged : Verdict::inexact, 0};
  const int exponent = exponent_of(x.a.high);
  const int half =
      std::same_as<R, double> ? (exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2)) : 0;
  const ProbedWords a = scaled(x.a, -2 * half), r = scaled(z, -half);
  const Rounded<double> hh = two_product(r.high, r.high), hl = two_product(2 * r.high, r.low);
  const Rounded<double> ll = two_product(r.low, r.low);
  double error[8] = {-a.low, -a.high, ll.error, hl.error, hh.error, ll.value, hl.value, hh.value};
  // eta (1 + 1 / r) of the root r is 2 eta (r + 1) of its square.
  const double slack = 2 * (scaled(r.high, lowest - half) + scaled(1, lowest - 2 * half));
  return judged(expanded_sum(error), slack, 2 * size_of(a.high + a.low), unit);
}

HOST_DEVICE inline Judgement judge_sum(const JudgedOperands& x, const ProbedWords& z, double unit) {
  double error[6] = {z.high, -x.a.high, -x.b.high, z.low, -x.a.low, -x.b.low};
  double exact[4] = {x.a.high, x.b.high, x.a.low, x.b.low};
  return judged(expanded_sum(error), 0, size_of(expanded_sum(exact)), unit);
}

HOST_DEVICE inline Judgement judge_absolute(const ProbedWords& a, const ProbedWords& z) {
  const bool right =
      a.high < 0 ? z.high == -a.high && z.low == -a.low : z.high == a.high && z.low == a.low;
  return {right ? Verdict::judged : Verdict::inexact, 0};
}

/// Operations whose result is a pair of R.
template <PairOperation operation, Word F, Word R>
HOST_DEVICE Judgement judge_pair(const PairOperands<F>& operands, const ProbedWords& z) {
  using Kind = JudgedKind<operation>;
  constexpr double unit = Format<DoubleWord<R>>::unit_roundoff;
  const JudgedOperands x = judged_operands<operation>(operands);
  const bool finite = is_finite_value(z.high);
  if (has_no_result<operation>(x)) return {finite ? Verdict::invented : Verdict::not_finite, 0};
  if (is_beyond<operation, R>(x)) return {Verdict::outside, 0};
  if (!finite) return {Verdict::lost, 0};
  const R high = static_cast<R>(z.high), low = static_cast<R>(z.low);
  if (!(high + low == high)) return {Verdict::denormalised, 0};

  if constexpr (Kind::multiplies) {
    return judge_product<operation, R>(x, z, unit);
  } else if constexpr (Kind::fuses_words) {
    return judge_fused_words<R>(x, z, unit);
  } else if constexpr (Kind::divides) {
    return judge_quotient<operation, R>(x, z, unit);
  } else if constexpr (Kind::root) {
    return judge_root<R>(x, z, unit);
  } else if constexpr (Kind::converts) {
    double error[4] = {z.high, -x.a.high, z.low, -x.a.low};
    return judged(expanded_sum(error), scaled(1, WordLayout<R>::lowest - 1),
                  size_of(x.a.high + x.a.low), unit);
  } else if constexpr (operation == PairOperation::absolute) {
    return judge_absolute(x.a, z);
  } else {
    return judge_sum(x, z, unit);
  }
}

}  // namespace ninefold
