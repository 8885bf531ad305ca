#pragma once
// The keys of [operator], [solver] and [multigrid].
//
// Tests.  tests/experiments/config/keys_test.cpp

#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// In the order of the documentation.
std::vector<Key> solver_keys();

}  // namespace ninefold
