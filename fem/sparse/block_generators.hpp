#pragma once
// Those of the generated matrices that have dense blocks: see generators.hpp.
//
// Tests.  tests/fem/sparse/generators_test.cpp

#include <cstdint>

#include "fem/sparse/generators.hpp"

namespace ninefold {

SparseMatrix elasticity_2d(const GeneratorOptions& options);
SparseMatrix elasticity_3d(const GeneratorOptions& options);
SparseMatrix shell_blocks(const GeneratorOptions& options);
SparseMatrix random_rows(const GeneratorOptions& options);

/// n, the rows of a generated matrix; throws std::invalid_argument if it is beyond what an int
/// counts.
int generated_rows(std::int64_t n, const GeneratorOptions& options);

}  // namespace ninefold
