#pragma once
// A sparse matrix as it was given: its pattern once, its values in double.
//
// Shape.  Compressed rows: row i holds the entries row_starts[i] <= k < row_starts[i + 1], in
// columns[k] ascending, each column once.  Zeros that were given are entries like all others, so
// that the order of a row's sum depends on the pattern alone (row_order.hpp).
//
// Indices.  Rows and columns are 0-based ints, fewer than 2^31; entries have 64 bits.
//
// Cost.  12 bytes per entry and 8 per row.  A pattern serves values of any format: these are a
// second array beside it, never a second copy of it.
//
// Tests.  tests/fem/sparse/sparse_matrix_test.cpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ninefold {

inline constexpr std::int64_t max_sparse_rows = 0x7fffffff;

/// Where a sparse matrix has entries.
struct SparsePattern {
  int n_rows = 0, n_columns = 0;
  std::vector<std::int64_t> row_starts{0};  ///< n_rows + 1 of them
  std::vector<std::int32_t> columns{};

  std::int64_t entries() const { return row_starts.back(); }
  bool is_square() const { return n_rows == n_columns; }
  std::int64_t start(int row) const { return row_starts[static_cast<std::size_t>(row)]; }
  int length(int row) const { return static_cast<int>(start(row + 1) - start(row)); }

  /// The columns of a row; nothing is checked.
  std::span<const std::int32_t> row(int i) const {
    return {columns.data() + start(i), static_cast<std::size_t>(length(i))};
  }

  friend bool operator==(const SparsePattern&, const SparsePattern&) = default;
};

struct SparseMatrix {
  SparsePattern pattern{};
  std::vector<double> values{};  ///< one for each entry of the pattern

  /// The values of a row; nothing is checked.
  std::span<const double> row_values(int i) const {
    return {values.data() + pattern.start(i), static_cast<std::size_t>(pattern.length(i))};
  }
  /// The entry's number, or -1 where the pattern has none; nothing is checked.
  std::int64_t find(int row, int column) const;
  /// The entry, 0 where the pattern has none; nothing is checked.
  double operator()(int row, int column) const;

  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

/// An entry before it has its place.
struct SparseEntry {
  std::int32_t row, column;
  double value;
};

/// What becomes of entries that are given more than once.
struct SummedEntries {
  std::int64_t repeated = 0;  ///< entries that were added to one given before
  int row = -1, column = -1;  ///< of the first of them, by rows
};

/// The matrix with these entries, of which `pieces` hold one after the other; those at one place
/// are added in that order.  With `mirrored` each one beside the diagonal stands at (column, row),
/// too.  The same for any number of threads.  Requires rows and columns within the shape, which is
/// not checked; throws std::invalid_argument for a shape that is negative.
SparseMatrix assemble_sparse(int n_rows, int n_columns,
                             std::span<const std::vector<SparseEntry>> pieces,
                             bool mirrored = false, SummedEntries* summed = nullptr);
SparseMatrix assemble_sparse(int n_rows, int n_columns, const std::vector<SparseEntry>& entries,
                             bool mirrored = false, SummedEntries* summed = nullptr);

/// The transposed pattern.
SparsePattern transposed(const SparsePattern& pattern);

}  // namespace ninefold
