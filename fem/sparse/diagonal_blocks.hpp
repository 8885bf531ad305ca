#pragma once
// Dense blocks on the diagonal of a sparse matrix: what the block form of Jacobi's preconditioner
// is made of.
//
// Mathematics.  Rows and columns k size ... k size + size - 1 are block k, the last one as large as
// what is left.  Its inverse is that of Gauss and Jordan without pivoting, whose pivots are
// positive if and only if the block is positive definite.
//
// Rounding.  In double-double, of entries in double; of both triangles the lower one is computed,
// and is both.
//
// Reference.  Saad, Iterative methods for sparse linear systems, 2003, section 4.1.1.
// Tests.      tests/fem/sparse/diagonal_blocks_test.cpp

#include <optional>
#include <vector>

#include "precision/double_word.hpp"

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_residual.hpp"

namespace ninefold {

/// Entry (i, j) of the inverses, j counted within the block, at i size + j; zeros beyond the last
/// block.  Throws std::invalid_argument for a block that is not positive definite.
std::vector<DoubleDouble> block_inverses(const SparseMatrix& A, int size);

/// The first of such blocks that is not positive definite, from 0; or nothing.
std::optional<int> first_not_definite(std::vector<DoubleDouble> blocks, int size);

/// (v, M v) with these inverses as M, v in units of 2^-exponent.
double block_square(const std::vector<DoubleDouble>& inverses, int size, const WideVector& v,
                    int exponent);

}  // namespace ninefold
