#pragma once
// What a sparse matrix takes in each storage.
//
// Shape.  CRS: SparsePattern; in it lie rows of more than 128 entries (row_order.hpp) beside all
// other storages.  Sliced rows: slices of 32 rows, each as wide as its longest one; rows are sorted
// by length within chunks of 1024, so that a slice's are nearly alike and a chunk's values of the
// result stay together, unless slices of rows as given lie on diagonals.  Columns count from the
// slice's first one by 16 bits where they reach less far than 65536; those of slices on diagonals
// are told by offsets from the row (slices.hpp). Jagged diagonals: all rows sorted by length, then
// their first entries, their second ones,
// ..., each such diagonal padded to a multiple of 16.  Blocks: those b x b blocks, from row 0 and
// column 0 on, that hold an entry, one column number for each.
//
// Reference.  Kreutzer et al. 2014 (SELL-C-sigma); Cevahir, Nukada, Matsuoka 2009 (JDS); Buatois,
// Caumon, Levy 2009 (BCRS).
// Tests.      tests/fem/sparse/storage_test.cpp

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "precision/host_device.hpp"

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

inline constexpr int slice_rows = 32, sorted_rows = 1024, chunk_slices = sorted_rows / slice_rows;
inline constexpr std::int64_t column_bytes = 4, short_column_bytes = 2;
inline constexpr std::int64_t short_reach = 65536;  ///< of columns that 16 bits count

/// Of `together` rows that have the same columns, the components of a node.
HOST_DEVICE constexpr std::int32_t first_of_node(std::int32_t row, int together) {
  return row - row % together;
}

struct StorageSize {
  std::string name{};  ///< "CRS", "sliced", "sliced, 16 bits", "sliced, diagonals", "jagged", ...
  std::int64_t stored = 0;       ///< values, with those that fill up
  std::int64_t index_bytes = 0;  ///< all that is not values
  double short_share = 0;  ///< of sliced ones: of the slices' values, those with columns of 16 bits
  double diagonal_share = 0;  ///< of sliced, diagonals: those whose columns are offsets

  std::int64_t bytes(std::size_t value_bytes) const {
    return stored * static_cast<std::int64_t>(value_bytes) + index_bytes;
  }
};

/// Rows by length: within chunks, longest first, given order among equals.
std::vector<std::int32_t> slice_order(const SparsePattern& pattern);

/// The b x b blocks that hold an entry of a row of at most 128.
std::int64_t count_blocks(const SparsePattern& pattern, int b);

/// All storages, in the order above.
std::vector<StorageSize> storage_sizes(const SparsePattern& pattern);

}  // namespace ninefold
