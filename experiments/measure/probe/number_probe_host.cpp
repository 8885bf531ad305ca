#include <algorithm>
#include <stdexcept>
#include <string>

#include "experiments/measure/probe/number_judge.hpp"
#include "experiments/measure/probe/number_repetition.hpp"

namespace ninefold {

void require_surveyed(PairOperation operation) {
  if (facts_of(operation).surveyed) return;
  throw std::invalid_argument("there is no survey of \"" + std::string(facts_of(operation).name)
                              + "\"");
}

template <Backend B, Word F>
void apply(const B&, PairOperation operation, int n, const PairOperands<F>* operands,
           ProbedWords* result) {
  with_operation(operation, [&]<PairOperation which>() {
#pragma omp parallel for simd
    for (int k = 0; k < n; ++k) result[k] = applied<which>(operands[k]);
  });
}

template <Backend B, Word F>
Survey survey(const B&, PairOperation operation, std::uint64_t seed, std::uint64_t first,
              std::uint64_t count) {
  require_surveyed(operation);
  Survey all;
  with_operation(operation, [&]<PairOperation which>() {
    if constexpr (facts_of(which).surveyed) {
      constexpr std::uint64_t chunk = 4096;
      const auto chunks = static_cast<std::int64_t>((count + chunk - 1) / chunk);
#pragma omp parallel for schedule(dynamic)
      for (std::int64_t c = 0; c < chunks; ++c) {
        const std::uint64_t begin = static_cast<std::uint64_t>(c) * chunk;
        Survey part;
        for (std::uint64_t k = begin; k < std::min(begin + chunk, count); ++k) {
          survey_sample<which, F>(part, seed, first + k);
        }
#pragma omp critical(ninefold_survey)
        merge(all, part);
      }
    }
  });
  return all;
}

template <Word F>
PairOperands<F> survey_operands(PairOperation operation, std::uint64_t seed, std::uint64_t index) {
  return with_operation(operation,
                        [&]<PairOperation which>() { return sampled<which, F>(seed, index); });
}

template <Backend B, Computable T>
void repeat(const B&, TimedOperation operation, const Repetition& repetition, T* result) {
  require_timed<T>(operation);
  with_timed<T>(operation, [&]<TimedOperation which>() {
    // As many workers as fill the vector registers run side by side.
    constexpr int lanes = Repetition::chains * 8;
    const int groups = (repetition.workers + 7) / 8;
#pragma omp parallel for
    for (int group = 0; group < groups; ++group) {
      T x[lanes];
      const RepetitionOperands<T> with(group);
      for (int l = 0; l < lanes; ++l) x[l] = with.start(l);
      for (int step = 0; step < repetition.steps; ++step) {
#pragma omp simd
        for (int l = 0; l < lanes; ++l) x[l] = timed<which>(x[l], with.factor, with.summand);
      }
      const int workers = std::min(8, repetition.workers - 8 * group);
      for (int w = 0; w < workers; ++w) {
        T sum = x[w * Repetition::chains];
        for (int c = 1; c < Repetition::chains; ++c) sum = sum + x[w * Repetition::chains + c];
        result[8 * group + w] = sum;
      }
    }
  });
}

NINEFOLD_INSTANTIATE_PROBE(Host, float);
NINEFOLD_INSTANTIATE_PROBE(Host, double);
template PairOperands<float> survey_operands(PairOperation, std::uint64_t, std::uint64_t);
template PairOperands<double> survey_operands(PairOperation, std::uint64_t, std::uint64_t);

}  // namespace ninefold
