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
// Tests.      tests/experiments/measure/number_probe_test.cpp (against 50 and more digits)

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

/// Operations whose result is a pair of R.
template <PairOperation operation, Word F, Word R>
HOST_DEVICE Judgement judge_pair(const PairOperands<F>& x, const ProbedWords& z) {
  using P = PairOperation;
  constexpr int top = WordLayout<R>::highest, lowest = WordLayout<R>::lowest;
  constexpr double unit = Format<DoubleWord<R>>::unit_roundoff;
  constexpr bool scales = std::same_as<F, double>;
  constexpr bool with_word = operation == P::sum_with_word || operation == P::word_minus
                             || operation == P::product_with_word
                             || operation == P::accurate_product_with_word
                             || operation == P::quotient_by_word;
  constexpr bool root = operation == P::square_root;
  constexpr bool divides = operation == P::quotient || operation == P::quotient_by_word;
  constexpr bool converts = operation == P::to_other_pair || operation == P::word_to_other_pair;
  constexpr bool fuses = operation == P::fused, fuses_words = operation == P::fused_with_words;
  constexpr bool unary = root || converts || operation == P::absolute;
  constexpr bool multiplies =
      fuses || operation == P::product || operation == P::product_by_splitting
      || operation == P::product_with_word || operation == P::accurate_product_with_word;

  double ah = x.a.high, al = x.a.low, bh = x.b.high, bl = x.b.low, ch = x.c.high, cl = x.c.low;
  if (with_word) bl = 0;
  if (operation == P::word_to_other_pair) al = 0;
  if (operation == P::word_minus) {  // b - a
    ah = -ah;
    al = -al;
  }
  if (operation == P::difference
      || (operation == P::sloppy_sum_of_one_sign && (ah < 0) != (bh < 0))) {
    bh = -bh;
    bl = -bl;
  }

  const bool finite = is_finite_value(z.high);
  bool none = !is_finite_value(ah) || (!unary && !is_finite_value(bh))
              || ((fuses || fuses_words) && !is_finite_value(ch));
  if (divides) none = none || bh == 0;
  if (root) none = none || ah < 0;
  if (none) return {finite ? Verdict::invented : Verdict::not_finite, 0};

  // Beyond these sizes a finite result may be lost, and nothing is stated.
  const int ea = exponent_of(ah), eb = exponent_of(bh), ec = exponent_of(ch);
  bool beyond = false;
  if (multiplies || fuses_words) beyond = ea + eb + 2 >= top;
  if (operation == P::product_by_splitting) {
    beyond = beyond || ea >= top - 12 - (scales ? 15 : 0) || eb >= top - 12 - (scales ? 15 : 0);
  }
  if (fuses || fuses_words) beyond = beyond || ec + 2 >= top;
  if (divides) beyond = ah != 0 && (ea - eb + 2 >= top || ea + 2 >= top);
  if (!multiplies && !fuses_words && !divides && !root)
    beyond = ea + 2 >= top || (!unary && eb + 2 >= top);
  if (beyond) return {Verdict::outside, 0};
  if (!finite) return {Verdict::lost, 0};
  const R zr = static_cast<R>(z.high), zs = static_cast<R>(z.low);
  if (!(zr + zs == zr)) return {Verdict::denormalised, 0};

  const double zh = z.high, zl = z.low;
  if constexpr (multiplies) {
    int shift_a = 0, shift_b = 0, shift = 0;
    if (scales && ah != 0 && bh != 0) {
      shift = fuses && ch != 0 && ec > ea + eb ? ec : ea + eb;
      shift_b = eb;
      shift_a = shift - eb;
    } else if (scales && fuses && ch != 0) {
      shift = ec;
    }
    ah = scaled(ah, -shift_a), al = scaled(al, -shift_a);
    bh = scaled(bh, -shift_b), bl = scaled(bl, -shift_b);
    ch = scaled(ch, -shift), cl = scaled(cl, -shift);
    const Rounded<double> hh = two_product(ah, bh), hl = two_product(ah, bl);
    const Rounded<double> lh = two_product(al, bh), ll = two_product(al, bl);
    const double etas = fuses                                  ? 3
                        : operation == P::product_by_splitting ? 2.5
                        : operation == P::product              ? 2
                                                               : 1;
    const double slack = etas * scaled(1, lowest - shift);
    const double product = size_of((ah + al) * (bh + bl));
    if constexpr (fuses) {
      double exact[10] = {ll.error, hl.error, lh.error, hh.error, ll.value,
                          hl.value, lh.value, cl,       hh.value, ch};
      double error[12] = {
          scaled(zl, -shift), scaled(zh, -shift), -ll.error, -hl.error, -lh.error, -hh.error,
          -ll.value,          -hl.value,          -lh.value, -cl,       -hh.value, -ch};
      const double size = 4 * product + 3 * size_of(expanded_sum(exact));
      return judged(expanded_sum(error), slack, size, unit);
    } else {
      double error[10] = {scaled(zl, -shift), scaled(zh, -shift), -ll.error, -hl.error, -lh.error,
                          -hh.error,          -ll.value,          -hl.value, -lh.value, -hh.value};
      return judged(expanded_sum(error), slack, product, unit);
    }
  } else if constexpr (fuses_words) {
    // Only up: what cancels must not have underflowed.
    const int larger = ea + eb > ec ? ea + eb : ec, shift = scales && larger < -400 ? -600 : 0;
    (ea < eb ? ah : bh) = scaled(ea < eb ? ah : bh, -shift);
    const Rounded<double> product = two_product(ah, bh);
    ch = scaled(ch, -shift), cl = scaled(cl, -shift);
    double exact[4] = {product.error, cl, product.value, ch};
    double error[6] = {
        scaled(zl, -shift), scaled(zh, -shift), -product.error, -cl, -product.value, -ch};
    const double size = size_of(expanded_sum(exact));
    return judged(expanded_sum(error), scaled(1, lowest - shift), size, unit);
  } else if constexpr (divides) {
    const int shift_a = scales && ah != 0 ? ea : 0, shift_b = scales ? eb : 0;
    ah = scaled(ah, -shift_a), al = scaled(al, -shift_a);
    bh = scaled(bh, -shift_b), bl = scaled(bl, -shift_b);
    const double qh = scaled(zh, shift_b - shift_a), ql = scaled(zl, shift_b - shift_a);
    const Rounded<double> hh = two_product(qh, bh), hl = two_product(qh, bl);
    const Rounded<double> lh = two_product(ql, bh), ll = two_product(ql, bl);
    double error[10] = {-al,      -ah,      ll.error, hl.error, lh.error,
                        hh.error, ll.value, hl.value, lh.value, hh.value};
    // eta (1 + k / |b|) of the quotient is eta (|b| + k) of a.
    const double slack = scaled(size_of(bh + bl), shift_b + lowest - shift_a)
                         + (operation == P::quotient ? 2 : 1) * scaled(1, lowest - shift_a);
    return judged(expanded_sum(error), slack, size_of(ah + al), unit);
  } else if constexpr (root) {
    if (ah == 0) return {zh == 0 && zl == 0 ? Verdict::judged : Verdict::inexact, 0};
    const int half = scales ? (ea >= 0 ? ea / 2 : -((1 - ea) / 2)) : 0;
    ah = scaled(ah, -2 * half), al = scaled(al, -2 * half);
    const double rh = scaled(zh, -half), rl = scaled(zl, -half);
    const Rounded<double> hh = two_product(rh, rh), hl = two_product(2 * rh, rl);
    const Rounded<double> ll = two_product(rl, rl);
    double error[8] = {-al, -ah, ll.error, hl.error, hh.error, ll.value, hl.value, hh.value};
    // eta (1 + 1 / r) of the root r is 2 eta (r + 1) of its square.
    const double slack = 2 * (scaled(rh, lowest - half) + scaled(1, lowest - 2 * half));
    return judged(expanded_sum(error), slack, 2 * size_of(ah + al), unit);
  } else if constexpr (converts) {
    double error[4] = {zh, -ah, zl, -al};
    return judged(expanded_sum(error), scaled(1, lowest - 1), size_of(ah + al), unit);
  } else if constexpr (operation == P::absolute) {
    const bool right = ah < 0 ? zh == -ah && zl == -al : zh == ah && zl == al;
    return {right ? Verdict::judged : Verdict::inexact, 0};
  } else {
    double error[6] = {zh, -ah, -bh, zl, -al, -bl};
    double exact[4] = {ah, bh, al, bl};
    return judged(expanded_sum(error), 0, size_of(expanded_sum(exact)), unit);
  }
}

template <Word F>
HOST_DEVICE Judgement judge_comparison(const PairOperands<F>& x, const ProbedWords& z) {
  const DoubleWord<F>&a = x.a, &b = x.b;
  int right = 32;
  if (is_finite(a) && is_finite(b)) {
    if (exponent_of(a.high) >= WordLayout<F>::highest - 1
        || exponent_of(b.high) >= WordLayout<F>::highest - 1) {
      return {Verdict::outside, 0};  // the difference might overflow
    }
    double difference[4] = {a.high, -static_cast<double>(b.high), a.low,
                            -static_cast<double>(b.low)};
    const double d = expanded_sum(difference);
    right = d < 0 ? 2 + 4 + 32 : d > 0 ? 8 + 16 + 32 : 1 + 4 + 16;
  } else if (!is_nan(a) && !is_nan(b)) {
    const double d = static_cast<double>(a.high), e = static_cast<double>(b.high);
    right = d < e ? 2 + 4 + 32 : d > e ? 8 + 16 + 32 : 1 + 4 + 16;
  }
  return {z.high == right ? Verdict::judged : Verdict::inexact, 0};
}

/// Judges the result z of the operation on x.
template <PairOperation operation, Word F>
HOST_DEVICE Judgement judge(const PairOperands<F>& x, const ProbedWords& z) {
  using P = PairOperation;
  constexpr bool words = operation == P::two_sum || operation == P::quick_two_sum
                         || operation == P::two_product || operation == P::two_product_by_splitting
                         || operation == P::split;
  constexpr bool converts = operation == P::to_other_pair || operation == P::word_to_other_pair;
  if constexpr (words) {
    return judge_words<operation>(x.a.high, x.b.high, z);
  } else if constexpr (operation == P::comparison) {
    return judge_comparison(x, z);
  } else if constexpr (converts) {
    return judge_pair<operation, F, std::conditional_t<std::same_as<F, float>, double, float>>(x,
                                                                                               z);
  } else {
    return judge_pair<operation, F, F>(x, z);
  }
}

/// Counts one verdict.
HOST_DEVICE inline void count(Survey& survey, std::uint64_t index, const Judgement& judgement) {
  bool failed = true;
  switch (judgement.verdict) {
    case Verdict::judged:
      ++survey.judged;
      failed = false;
      if (judgement.error > survey.worst) {
        survey.worst = judgement.error;
        survey.worst_index = index;
      }
      break;
    case Verdict::outside:
      ++survey.outside;
      failed = false;
      break;
    case Verdict::not_finite:
      ++survey.not_finite;
      failed = false;
      break;
    case Verdict::lost:
      ++survey.lost;
      break;
    case Verdict::invented:
      ++survey.invented;
      break;
    case Verdict::denormalised:
      ++survey.denormalised;
      break;
    case Verdict::inexact:
      ++survey.inexact;
      break;
  }
  if (failed && index < survey.failure_index) survey.failure_index = index;
}

/// Draws, computes and judges one sample.
template <PairOperation operation, Word F>
HOST_DEVICE void survey_sample(Survey& survey, std::uint64_t seed, std::uint64_t index) {
  const PairOperands<F> x = sampled<operation, F>(seed, index);
  count(survey, index, judge<operation>(x, applied<operation>(x)));
}

}  // namespace ninefold
