#pragma once
// The keys of [least_squares]: a fit in the place of a system.
//
// Tests.  tests/experiments/least_squares.py, tests/experiments/config/keys_test.cpp

#include <string_view>
#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// In the order of the documentation.
std::vector<Key> least_squares_keys();

/// True if a key of this name means something to least squares.
bool concerns_least_squares(std::string_view key);

/// True if the table is there, be it empty.
bool states_least_squares(const std::vector<Setting>& settings);

/// Of a run with [least_squares]: defaults where nothing is stated; what has no meaning beside it
/// is refused.  Throws ConfigurationError.
void take_least_squares(const std::vector<Setting>& settings, Configuration& c);

}  // namespace ninefold
