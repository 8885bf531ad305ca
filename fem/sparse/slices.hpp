#pragma once
// How sliced rows are cut: which rows a slice has, how wide it is, and how it may hold its columns.
//
// Shape.  Slices of 32 rows; rows of more than 128 entries lie elsewhere, and are empty here.
//
// Columns.  Where the entries of all rows of a slice lie on few diagonals of the matrix, as those
// of a grid's nodes do, one offset for each diagonal tells them all:
//
//     column = row - row % together + offset_k
//
// Rows without an entry there have a zero.  `together` is how many rows have the same columns, the
// components of a node; that of a matrix is the one of 1, 2, 3, 4 and 6 by which slices are the
// smallest, of those that are looked at.
//
// Order.  Within chunks of 1024 rows by length (storage_size.hpp), so that a slice's are nearly
// alike; or as given, where slices on diagonals then take hardly more: rows that follow each other
// meet values of x that do so, too.
//
// Sizes are compared as if each value took 4 bytes, whatever format computes: of slices without
// diagonals up to a third of the values may be zeros, where columns have 16 bits, and half where
// they have 32.  In double that is up to a fifth more memory than columns of 16 bits would take.
//
// Tests.  tests/fem/sparse/slices_test.cpp

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/storage_size.hpp"

namespace ninefold {

struct SliceShape {
  int width = 0;  ///< entries of the longest row, or diagonals
  std::int64_t left = std::numeric_limits<std::int64_t>::max(), right = -1;  ///< columns, the ends
  bool is_on_diagonals = false;

  bool is_short() const { return right - left < short_reach; }
  std::int64_t values() const { return std::int64_t{slice_rows} * width; }
};

/// What the offsets of a slice take in memory, counted in 16 bits: filled up, so that the columns
/// of slices after it begin at multiples of 32, too.
constexpr std::int64_t offset_places(int width) {
  return (2 * std::int64_t{width} + slice_rows - 1) / slice_rows * slice_rows;
}

struct Slices {
  std::vector<std::int32_t> order{};  ///< the rows of slice s from 32 s on
  int together = 1;
  std::vector<SliceShape> shapes{};

  std::span<const std::int32_t> rows(int s) const;
};

/// Where columns have their own numbers, or where diagonals are looked for, too.
enum class SliceColumns { own, own_or_on_diagonals };

/// The same for any number of threads.
Slices slices_of(const SparsePattern& pattern,
                 SliceColumns columns = SliceColumns::own_or_on_diagonals);

/// The offsets of all entries of rows, ascending; none if they are more than `most`, or there is no
/// entry.
std::vector<std::int32_t> offsets_of(const SparsePattern& pattern,
                                     std::span<const std::int32_t> rows, int together,
                                     std::int64_t most);

}  // namespace ninefold
