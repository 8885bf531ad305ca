#pragma once
// Orders of the unknowns, and how far from the diagonal entries then are.
//
// Mathematics.  With position p of each row: bandwidth = max |p_i - p_j|, profile = the sum over i
// of p_i - min p_j, entries (i, j) with p_j < p_i.
//
// Shape.  order[k] is the row that comes k-th.
//
// Tests.  tests/fem/sparse/reordering_test.cpp

#include <cstdint>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// The order of Cuthill and McKee, reversed: breadth first from a node at the rim of each connected
/// part (George and Liu 1979), nodes of few neighbours before others, and of these the first.  Of a
/// pattern that is not symmetric, that of pattern and transposed pattern together.  Parts without
/// connection follow each other.  Requires a square pattern: throws std::invalid_argument.
std::vector<std::int32_t> reverse_cuthill_mckee(const SparsePattern& pattern);

struct BandFacts {
  std::int64_t bandwidth = 0, profile = 0;
};

/// In the order given by the pattern, or in another one.  Requires a square pattern, which is not
/// checked.
BandFacts band_facts(const SparsePattern& pattern);
BandFacts band_facts(const SparsePattern& pattern, const std::vector<std::int32_t>& order);

/// The pattern whose row and column k are the order[k]-th of the given one.  Throws
/// std::invalid_argument unless the pattern is square and `order` holds each row once.
SparsePattern reordered(const SparsePattern& pattern, const std::vector<std::int32_t>& order);

/// The same of a matrix.
SparseMatrix reordered(const SparseMatrix& A, const std::vector<std::int32_t>& order);

}  // namespace ninefold
