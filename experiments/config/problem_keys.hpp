#pragma once
// The keys of [problem]: the equation, its data and its sides.
//
// Tests.  tests/experiments/config/keys_test.cpp

#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// In the order of the documentation.
std::vector<Key> problem_keys();

}  // namespace ninefold
