#pragma once
// What the covering sample is made of: factors, which of their values go together, and the
// configuration of a combination.

#include <string>

#include "experiments/config/configuration.hpp"
#include "tests/solvers/judgement/covering_array.hpp"

namespace ninefold::testing {

/// Problems, sides with boundary values, grids, levels, formats, tolerances, methods and their
/// options, with the pairs excluded that mean nothing or nothing else than another pair.
const Factors& sample_factors();

/// The covering sample.
const std::vector<Combination>& covering_samples();

/// One level, on the host.
Configuration configuration_of(const Combination& sample);

/// "level 10, tolerance 1e-4".
std::string to_words(const ValuePair& pair);
/// All values.
std::string to_words(const Combination& sample);

}  // namespace ninefold::testing
