#pragma once
// A probe of the number arithmetic as it is compiled: the same operations on Host and Cuda, one by
// one, on given operands and on billions of generated ones.
//
// The pair operations are templates, so what a kernel computes depends on the compiler and the
// flags of each place that uses them.  The functions below are compiled as the solvers' operations
// are.
//
// Mathematics.  An observed error is |computed - exact| less the absolute term that underflow may
// bring (see precision/double_word.hpp), in units of u^2 times the size that the operation's bound
// refers to.  How it is judged: experiments/measure/probe/number_pair_judge.hpp; on which operands:
// experiments/measure/probe/number_samples.hpp.
//
// Rounding.  Sample k of a seed and its verdict are the same bits on every backend, so a survey
// gives one result, whatever the backend and the number of threads.
//
// Tests.  tests/experiments/measure/number_probe_test.cpp (against 50 digits),
// tests/gpu/device/number_same_bits_test.cpp

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "precision/double_word.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// What is done to operands a, b, c: pairs of words of type F.  "word" is the high word of b.
enum class PairOperation {
  // Error-free transformations of the high words; the result is {value, error}.
  two_sum,
  quick_two_sum,
  two_product,
  two_product_by_splitting,
  split,
  // Pairs.
  sum,
  difference,
  sloppy_sum,
  sloppy_sum_of_one_sign,  ///< b takes the sign of a first
  sum_with_word,
  word_minus,  ///< word - a
  product,
  product_by_splitting,
  product_with_word,
  accurate_product_with_word,
  quotient,
  quotient_by_word,
  fused,
  fused_with_words,  ///< a b + c for the high words of a and b
  square_root,
  absolute,
  comparison,  ///< the bits of ==, <, <=, >, >=, != of a and b, from 1 to 32
  to_float,
  to_double,
  to_other_pair,       ///< double-single to double-double, or the other way
  word_to_other_pair,  ///< the high word of a to the other pair
  to_integer,          ///< towards zero; 0 from 2^30 on
  // Words: a compiler that contracts or flushes shows here first.
  fused_words,           ///< one rounding
  product_sum_of_words,  ///< a b + c of the high words: two roundings
  square_root_of_word
};

/// What is known of an operation.
struct PairOperationFacts {
  PairOperation operation;
  std::string_view name;
  int cost;              ///< operations on words
  double bound;          ///< of the error, in u^2; 0: exact; infinite: none
  double bound_times_u;  ///< the term of order u^3 of the bound
  bool surveyed;         ///< has a judge
  std::string_view source;
};

/// An observed error is right to 14 digits; with a margin of two: it breaks a bound if it exceeds
/// that many times the bound.
inline constexpr double observation_margin = 1 + 0x1p-40;

inline constexpr double no_bound = std::numeric_limits<double>::infinity();

/// One entry for each operation, in their order.  JMP, MR, LLMPR: see precision/double_word.hpp.
inline constexpr std::array<PairOperationFacts, 30> pair_operations{{
    {PairOperation::two_sum, "two_sum", 6, 0, 0, true, "Knuth; JMP algorithm 2"},
    {PairOperation::quick_two_sum, "quick_two_sum", 3, 0, 0, true, "Dekker; JMP algorithm 1"},
    {PairOperation::two_product, "two_product", 2, 0, 0, true, "JMP algorithm 3"},
    {PairOperation::two_product_by_splitting, "two_product_by_splitting", 17, 0, 0, true,
     "Dekker, Veltkamp"},
    {PairOperation::split, "split", 4, 0, 0, true, "Veltkamp"},
    {PairOperation::sum, "a + b", 20, 3, 13, true, "JMP theorem 3.1"},
    {PairOperation::difference, "a - b", 20, 3, 13, true, "JMP theorem 3.1"},
    {PairOperation::sloppy_sum, "sloppy_sum, any signs", 11, no_bound, 0, true, "JMP section 3"},
    {PairOperation::sloppy_sum_of_one_sign, "sloppy_sum, one sign", 11, 3, 5, true,
     "precision/double_word.hpp"},
    {PairOperation::sum_with_word, "a + word", 10, 2, 0, true, "JMP theorem 2.2"},
    {PairOperation::word_minus, "word - a", 10, 2, 0, true, "JMP theorem 2.2"},
    {PairOperation::product, "a * b", 9, 4, 0, true, "MR theorem 2.8"},
    {PairOperation::product_by_splitting, "product_by_splitting", 24, 5, 0, true, "MR theorem 2.6"},
    {PairOperation::product_with_word, "a * word", 6, 2, 0, true, "JMP theorem 4.3"},
    {PairOperation::accurate_product_with_word, "accurate_product (word)", 10, 1.5, 4, true,
     "JMP theorem 4.1"},
    {PairOperation::quotient, "a / b", 18, 15, 56, true, "JMP theorem 7.1"},
    {PairOperation::quotient_by_word, "a / word", 10, 3, 0, true, "JMP theorem 6.2"},
    {PairOperation::fused, "fused, of 4u^2|ab| + 3u^2|ab + c|", 29, 1, 5, true,
     "precision/double_word.hpp"},
    {PairOperation::fused_with_words, "fused (word, word, pair)", 22, 3, 13, true,
     "JMP theorem 3.1"},
    {PairOperation::square_root, "sqrt", 8, 3.125, 0, true, "LLMPR, SQRTDWtoDW"},
    {PairOperation::absolute, "abs", 2, 0, 0, true, "exact"},
    {PairOperation::comparison, "comparison", 2, 0, 0, true, "exact"},
    {PairOperation::to_float, "to float", 1, 0, 0, false, ""},
    {PairOperation::to_double, "to double", 1, 0, 0, false, ""},
    {PairOperation::to_other_pair, "to the other pair", 7, 1, 0, true, "precision/double_word.hpp"},
    {PairOperation::word_to_other_pair, "word to the other pair", 6, 0.5, 0, true,
     "precision/double_word.hpp"},
    {PairOperation::to_integer, "to int", 6, 0, 0, false, ""},
    {PairOperation::fused_words, "fused (words)", 1, 0, 0, false, ""},
    {PairOperation::product_sum_of_words, "a * b + c (words)", 2, 0, 0, false, ""},
    {PairOperation::square_root_of_word, "sqrt (word)", 1, 0, 0, false, ""},
}};

constexpr const PairOperationFacts& facts_of(PairOperation operation) {
  return pair_operations[static_cast<std::size_t>(operation)];
}

/// The bound in units of u^2.  Conversions from pairs of float lose nothing.
template <Word F>
constexpr double error_bound(PairOperation operation) {
  if (sizeof(F) == sizeof(float)
      && (operation == PairOperation::to_other_pair
          || operation == PairOperation::word_to_other_pair)) {
    return 0;
  }
  const PairOperationFacts& facts = facts_of(operation);
  return facts.bound + facts.bound_times_u * Format<F>::unit_roundoff;
}

/// A result of any kind: two words, held exactly by doubles.
struct ProbedWords {
  double high, low;
};

template <Word F>
struct PairOperands {
  DoubleWord<F> a, b, c;
};

/// result[k] = the operation on operands[k], 0 <= k < n; both arrays lie on the backend.
template <Backend B, Word F>
void apply(const B& on, PairOperation operation, int n, const PairOperands<F>* operands,
           ProbedWords* result);

/// The outcome of many samples.
struct Survey {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  double worst = 0;                  ///< error in u^2
  std::uint64_t worst_index = none;  ///< the sample that gave it
  std::uint64_t judged = 0;          ///< samples that the bound speaks of
  std::uint64_t outside = 0;         ///< beyond the range for which the bound is stated
  std::uint64_t not_finite = 0;      ///< results that are not finite, as they must be
  // Failures.
  std::uint64_t denormalised = 0;  ///< results that are no pair
  std::uint64_t lost = 0;          ///< finite results that became infinite or NaN
  std::uint64_t invented = 0;      ///< finite results where there is none
  std::uint64_t inexact = 0;       ///< of operations that are exact
  std::uint64_t failure_index = none;

  HOST_DEVICE std::uint64_t failures() const { return denormalised + lost + invented + inexact; }
  bool operator==(const Survey&) const = default;
};

/// Both together; of equal errors the first counts, so that the order of merging does not matter.
HOST_DEVICE inline void merge(Survey& into, const Survey& other) {
  if (other.worst > into.worst
      || (other.worst == into.worst && other.worst_index < into.worst_index)) {
    into.worst = other.worst;
    into.worst_index = other.worst_index;
  }
  into.judged += other.judged;
  into.outside += other.outside;
  into.not_finite += other.not_finite;
  into.denormalised += other.denormalised;
  into.lost += other.lost;
  into.invented += other.invented;
  into.inexact += other.inexact;
  if (other.failure_index < into.failure_index) into.failure_index = other.failure_index;
}

/// Judges the samples first, ..., first + count - 1 of the seed.  The operation must be one that is
/// surveyed; std::invalid_argument otherwise.
template <Backend B, Word F>
Survey survey(const B& on, PairOperation operation, std::uint64_t seed, std::uint64_t first,
              std::uint64_t count);

/// The operands of sample `index`.
template <Word F>
PairOperands<F> survey_operands(PairOperation operation, std::uint64_t seed, std::uint64_t index);

/// What is timed, for words and pairs alike where both have it.
enum class TimedOperation {
  add,
  sloppy_add,
  add_word,
  multiply,
  multiply_by_splitting,
  multiply_by_word,
  divide,
  divide_by_word,
  fused,
  fused_with_words,
  square_root
};

/// Chains of operations in registers, each result the operand of the next.
struct Repetition {
  int workers;                      ///< threads on a device
  int steps;                        ///< of each chain; a multiple of 8
  static constexpr int chains = 4;  ///< of each worker, independent of each other

  double operations() const { return 1.0 * workers * steps * chains; }
};

/// Does the operation over and over on values near one; result[k] depends on all that worker k did.
/// T: float, double, DoubleSingle, DoubleDouble.  Words have no operations of pairs
/// (std::invalid_argument).
template <Backend B, Computable T>
void repeat(const B& on, TimedOperation operation, const Repetition& repetition, T* result);

}  // namespace ninefold
