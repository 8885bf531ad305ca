#pragma once
// The rows that one of several ranks has of a sparse matrix, with columns that count what they
// meet.
//
// Shape.  Vectors are divided as rows of a square matrix are, those of a rectangular one as its
// rows and as its columns (gpu/backend/vector_part.hpp).  The columns of a part are, in their
// order, those of lower ranks that its rows have entries in, its own, all of them, and those of
// higher ranks: what a row's sum is, and its order, stays as it is (row_order.hpp).  Where c values
// belong to a node, or to a column of blocks, those of lower and higher ranks come by whole ones,
// so that column % c says which one it is.
//
// Reference.  Cevahir, Nukada, Matsuoka 2009, section 3.
// Tests.      tests/fem/sparse/matrix_part_test.cpp

#include <cstdint>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// What a rank and another one give each other in a product.
struct HaloShare {
  int other;
  int sent_first, sent;  ///< of own values, in MatrixPart::sent
  int met_first, met;    ///< of the other's values: columns of the part

  friend bool operator==(const HaloShare&, const HaloShare&) = default;
};

/// Values that follow each other, from the first of a rank's own on.
struct OwnRange {
  int first = 0, last = 0;  ///< without the last
};

struct MatrixPart {
  SparseMatrix A{};
  int first_row = 0;
  int below = 0, own = 0, above = 0;  ///< columns of lower ranks, of this one, of higher ones
  std::vector<std::int32_t> sent{};   ///< own values that others need, counted from the first
  std::vector<HaloShare> shares{};    ///< by rank; of those that give or take something
};

/// Where the rows of each rank begin, and their end: multiples of `multiple`, between which about
/// as many entries lie; each rank has some.  Empty where there are too few rows for that.
std::vector<int> divided_rows(const SparsePattern& pattern, int ranks, int multiple);

/// The part of rank `rank` of a matrix whose rows and columns are divided so, c values belonging
/// together.  Requires c to divide where columns begin, and what divided_rows() gives; nothing is
/// checked.
MatrixPart cut_rows(const SparseMatrix& A, const std::vector<int>& row_begins,
                    const std::vector<int>& column_begins, int rank, int c = 1);

/// The longest range of own values of which none is sent, from a multiple of `multiple` to another
/// one or to their end; empty where there is none.
OwnRange longest_kept(const MatrixPart& part, int multiple);

}  // namespace ninefold
