#pragma once
// Operands of the survey, and what the library makes of them.

#include <cstdint>
#include <vector>

#include "gpu/backend/backend.hpp"

#include "experiments/measure/probe/number_probe.hpp"

namespace ninefold::testing {

/// Of the first n samples.
template <Word F>
std::vector<PairOperands<F>> operands_of(PairOperation operation, std::uint64_t seed, int n) {
  std::vector<PairOperands<F>> operands;
  for (int k = 0; k < n; ++k) {
    operands.push_back(survey_operands<F>(operation, seed, static_cast<std::uint64_t>(k)));
  }
  return operands;
}

template <Word F>
std::vector<ProbedWords> results_of(PairOperation operation,
                                    const std::vector<PairOperands<F>>& operands) {
  std::vector<ProbedWords> results(operands.size());
  apply(Host(64), operation, static_cast<int>(operands.size()), operands.data(), results.data());
  return results;
}

}  // namespace ninefold::testing
