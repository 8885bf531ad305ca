#pragma once
// How sliced rows are cut: which rows a slice has, how wide it is, and how it may hold its columns.
//
// Shape.  Slices of 32 rows, rows sorted by length within chunks of 1024 (storage_size.hpp); rows
// of more than 128 entries lie elsewhere, and are empty here.
//
// Columns.  Where the k-th entries of all rows of a slice lie on one diagonal of the matrix, as
// those of inner nodes of a grid do, one offset tells them all:
//
//     column = row - row % together + offset_k
//
// `together` is how many rows have the same columns, the components of a node; that of a matrix is
// the one of 1, 2, 3, 4 and 6 by which most slices are told so, of those that are looked at.
//
// Tests.  tests/fem/sparse/slices_test.cpp

#include <cstdint>
#include <limits>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/storage_size.hpp"

namespace ninefold {

struct SliceShape {
  int width = 0;  ///< entries of the longest row
  std::int64_t left = std::numeric_limits<std::int64_t>::max(), right = -1;  ///< columns, the ends
  bool is_on_diagonals = false;  ///< all 32 rows have `width` entries, on the same diagonals

  bool is_short() const { return right - left < short_reach; }
  std::int64_t values() const { return std::int64_t{slice_rows} * width; }
};

/// What the offsets of a slice take in memory, counted in 16 bits: filled up, so that the columns
/// of slices after it begin at multiples of 32, too.
constexpr std::int64_t offset_places(int width) {
  return (2 * std::int64_t{width} + slice_rows - 1) / slice_rows * slice_rows;
}

struct Slices {
  std::vector<std::int32_t> order{};  ///< slice_order(), the rows of slice s from 32 s on
  int together = 1;
  std::vector<SliceShape> shapes{};
};

/// The same for any number of threads.
Slices slices_of(const SparsePattern& pattern);

}  // namespace ninefold
