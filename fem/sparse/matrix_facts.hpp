#pragma once
// All that is found out about a sparse matrix before anybody solves with it.
//
// Cost.  Some passes over the pattern, and one copy of it for the reversed order of Cuthill and
// McKee, whose search is not parallel; a factorisation if it is small.
//
// Tests.  tests/fem/sparse/matrix_facts_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fem/sparse/definiteness.hpp"
#include "fem/sparse/envelope_pivots.hpp"
#include "fem/sparse/reordering.hpp"
#include "fem/sparse/row_lengths.hpp"
#include "fem/sparse/row_parts.hpp"
#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/storage_size.hpp"
#include "fem/sparse/symmetry.hpp"
#include "fem/sparse/value_range.hpp"

namespace ninefold {

struct MatrixFacts {
  int n_rows = 0, n_columns = 0;
  std::int64_t entries = 0;
  RowLengths lengths{};
  ValueRange values{};
  std::vector<StorageSize> storages{};

  /// Of a square matrix.
  struct Square {
    SymmetryFacts symmetry{};
    DiagonalFacts diagonal{};
    std::optional<DefinitenessFacts> definiteness{};  ///< of a symmetric one
    BandFacts given{}, reduced{};                     ///< in the order of reverse Cuthill-McKee
    std::vector<std::int32_t> order{};                ///< that order
    std::optional<EnvelopePivots> pivots{};  ///< where rows leave it open, and it is not much work
    std::vector<StorageSize> reduced_storages{};  ///< in it
    std::vector<RowPart> parts{};                 ///< none unless asked for
  };
  std::optional<Square> square{};
};

/// With as many parts as are asked for, 0 for none.  Throws std::invalid_argument as row_parts().
MatrixFacts matrix_facts(const SparseMatrix& A, int parts = 0);

/// Why the matrix cannot be that of a symmetric positive definite system, in sentences; none if, as
/// far as is seen, it can.  Rows and columns count from 1.
std::vector<std::string> spd_refusals(const MatrixFacts& facts);

/// What is known of that it is positive definite, in a sentence.  Requires a symmetric matrix,
/// which is not checked.
std::string definiteness_words(const MatrixFacts::Square& facts);

}  // namespace ninefold
