#pragma once
// The keys of places at which the solution is written: output.points and output.lines.
//
// Tests.  tests/experiments/config/sample_keys_test.cpp

#include <cstddef>
#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// The most places that output.points may have, and that the lines of output.lines may have
/// together.
inline constexpr std::size_t most_samples = 1'000'000;

Key points_key();
Key lines_key();

/// Throws ConfigurationError for a place outside of the rectangle, whose size is known by now.
void check_samples(const std::vector<Setting>& settings, const Configuration& c);

}  // namespace ninefold
