#pragma once
// Draws samples of a pair operation, judges its results and counts the verdicts: results that are
// pairs by experiments/measure/probe/number_pair_judge.hpp, words by number_word_judge.hpp,
// comparisons here.
//
// Included by the sources of the probe only.
//
// Tests.  tests/experiments/measure/number_judge_test.cpp

#include "experiments/measure/probe/number_pair_judge.hpp"

namespace ninefold {

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
