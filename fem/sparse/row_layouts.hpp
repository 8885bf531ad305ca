#pragma once
// Where each storage of a sparse matrix (sparse_rows.hpp) has its entries: indices, and for each
// value that is stored the entry that it is.
//
// Values are put in their places afterwards, in any format and any number of times.
//
// Tests.  tests/fem/sparse/sparse_rows_test.cpp

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_rows.hpp"

namespace ninefold {

/// An entry's number in the pattern, or that of none, where a storage is filled up.
using EntryNumber = std::int64_t;
inline constexpr EntryNumber no_entry = -1;

struct LongLayout {
  std::vector<int> rows{}, position{};  ///< position of each row of the matrix, if there are any
  std::vector<std::int64_t> starts{};
  std::vector<std::int32_t> lengths{}, columns{};  ///< columns: none of the compressed storage
  std::vector<EntryNumber> entries{};              ///< the same
  std::vector<ChunkedRow> chunked{};
  std::vector<LongPiece> pieces{};
};

/// Of any storage; what another one has is empty.
struct RowLayout {
  SparseStorage storage{};
  int n = 0, n_columns = 0, diagonals = 0;
  bool is_near = false;      ///< of slices: rows that follow each other meet the same lines of x
  int together = 1;          ///< the same: rows that have the same columns (slices.hpp)
  bool suits_pairs = false;  ///< the same: batches of paired_entries hardly read, or wait, in vain
  std::vector<std::int64_t> starts{};
  std::vector<std::int32_t> columns{}, rows{};
  std::vector<std::uint16_t> short_columns{}, places{};
  std::vector<Slice> slices{};
  std::vector<EntryNumber> entries{};  ///< of each value of the main part
  LongLayout longer{};

  std::int64_t stored_values() const {
    return static_cast<std::int64_t>(entries.size() + longer.entries.size());
  }
  /// Of all indices that a product reads.
  std::int64_t index_bytes() const;
};

/// The same for any number of threads.  Columns of slices are offsets or have 16 bits where they
/// may, unless `only_wide`.  Throws std::invalid_argument for a pattern without rows or columns,
/// and for blocks of one that is not square, nor the `part` of a square one.
RowLayout row_layout(const SparsePattern& pattern, SparseStorage storage, bool only_wide = false,
                     bool part = false);

}  // namespace ninefold
