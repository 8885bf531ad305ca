#pragma once
// The keys of [grid]: which levels, and how cells become narrower towards a side.
//
// Tests.  tests/experiments/config/keys_test.cpp, tests/experiments/config/grid_settings_test.cpp

#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// In the order of the documentation.
std::vector<Key> grid_keys();

}  // namespace ninefold
