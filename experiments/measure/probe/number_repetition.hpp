#pragma once
// What is timed: one operation again and again, on values that stay near one; see
// experiments/measure/probe/number_probe.hpp.
//
// Included by the sources of the probe only.

#include <stdexcept>
#include <string>

#include "precision/square_root.hpp"

#include "experiments/measure/probe/compared_operations.hpp"
#include "experiments/measure/probe/number_probe.hpp"

namespace ninefold {

/// Throws std::invalid_argument unless the operation has a judge; in
/// experiments/measure/probe/number_probe_host.cpp.
void require_surveyed(PairOperation operation);

/// Whether words have the operation; pairs have all.
template <class T>
constexpr bool has_timed(TimedOperation operation) {
  using O = TimedOperation;
  return is_double_word<T> || operation == O::add || operation == O::multiply
         || operation == O::divide || operation == O::fused || operation == O::square_root;
}

template <class T>
void require_timed(TimedOperation operation) {
  if (has_timed<T>(operation)) return;
  throw std::invalid_argument(std::string(Format<T>::name) + " has no such operation to time");
}

/// Calls run.template operator()<operation>() for an operation that T has.
template <class T, TimedOperation candidate = TimedOperation::add, class Run>
void with_timed(TimedOperation operation, const Run& run) {
  if constexpr (has_timed<T>(candidate)) {
    if (operation == candidate) run.template operator()<candidate>();
  }
  if constexpr (candidate != TimedOperation::square_root) {
    constexpr auto next = static_cast<TimedOperation>(static_cast<int>(candidate) + 1);
    if (operation != candidate) with_timed<T, next>(operation, run);
  }
}

template <Word F>
HOST_DEVICE inline F root_of(F x) {
  return square_root(x);
}
template <Word F>
HOST_DEVICE inline DoubleWord<F> root_of(DoubleWord<F> x) {
  return sqrt(x);
}

/// The numbers that a group of chains works with; the compiler cannot know them.
template <class T>
struct RepetitionOperands {
  T factor, summand;

  HOST_DEVICE explicit RepetitionOperands(int group)
      // A little below one, all digits in use, so that nothing grows or vanishes.
      : factor(T(1) - (T(group % 7) + T(1)) / T(3000017)),
        summand((T(group % 5) + T(1)) / T(7000003)) {}
  HOST_DEVICE T start(int chain) const { return T(1) + T(chain % 9) / T(11); }
};

template <TimedOperation operation, class T>
HOST_DEVICE T timed(const T& x, const T& factor, const T& summand) {
  using O = TimedOperation;
  if constexpr (operation == O::add) return x + summand;
  if constexpr (operation == O::multiply) return x * factor;
  if constexpr (operation == O::divide) return x / factor;
  if constexpr (operation == O::fused) return fused(x, factor, summand);
  if constexpr (operation == O::square_root) return root_of(x);
  if constexpr (is_double_word<T>) {
    if constexpr (operation == O::sloppy_add) return sloppy_sum(x, summand);
    if constexpr (operation == O::add_word) return x + summand.high;
    if constexpr (operation == O::multiply_by_splitting) return product_by_splitting(x, factor);
    if constexpr (operation == O::multiply_by_word) return x * factor.high;
    if constexpr (operation == O::divide_by_word) return x / factor.high;
    if constexpr (operation == O::fused_with_words) return fused(x.high, factor.high, summand);
  }
}

}  // namespace ninefold

#define NINEFOLD_INSTANTIATE_PROBE(B, F)                                                   \
  template void apply(const B&, PairOperation, int, const PairOperands<F>*, ProbedWords*); \
  template Survey survey<B, F>(const B&, PairOperation, std::uint64_t, std::uint64_t,      \
                               std::uint64_t);                                             \
  template void repeat(const B&, TimedOperation, const Repetition&, F*);                   \
  template void repeat(const B&, TimedOperation, const Repetition&, DoubleWord<F>*)
