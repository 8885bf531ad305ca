#pragma once
// The keys of [matrix]: a system with a general sparse matrix in the place of a grid.
//
// Tests.  tests/experiments/matrix.py, tests/experiments/config/keys_test.cpp

#include <string_view>
#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// In the order of the documentation.
std::vector<Key> matrix_keys();

/// True if a key of this name means something to a run with, or without, a matrix.
bool concerns_matrices(std::string_view key);
bool concerns_grids(std::string_view key);
/// True if it switches off what only runs with a grid write: they are as they would be without it.
bool asks_for_nothing(const Setting& setting);

/// Of a run with a matrix, or with that of a mesh: defaults are those of SparseOptions where
/// nothing is stated; beside [matrix] what only grids have is refused.  Throws ConfigurationError.
void take_matrix(const std::vector<Setting>& settings, Configuration& c);

}  // namespace ninefold
