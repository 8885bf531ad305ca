#pragma once
// The nine-band matrix of a grid as a general sparse one.
//
// Tests.  tests/fem/sparse/nine_band_matrix_test.cpp

#include "fem/matrix/nine_band.hpp"
#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// The rows and columns of the unknowns, numbered along x first.  All nine entries of a row are
/// kept, zeros, too, but for those to nodes that are no unknowns.  Throws std::invalid_argument
/// unless the matrix is in plain form.
SparseMatrix sparse_matrix(const NineBand<const double>& A);

}  // namespace ninefold
