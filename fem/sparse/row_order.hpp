#pragma once
// The one order in which the terms of a sparse row are added, whatever stores it.
//
// Mathematics.  Of a row with n entries, by ascending columns, given zeros counted:
//
//     n <= 128            one after the other
//     128 < n <= 2048     32 lanes, lane l adds the entries l, l + 32, ...; then a halving tree
//     more                chunks of gpu/backend/summation.hpp, summed as there
//
// It depends on the pattern alone, so that every storage on every backend gives the same bits.  A
// storage keeps each class as suits it: short rows in slices, whose neighbours are summed beside
// each other, longer ones one by one.
//
// Tests.  tests/fem/sparse/storage_test.cpp

#include "precision/host_device.hpp"

namespace ninefold {

inline constexpr int longest_chained_row = 128, longest_laned_row = 2048;
inline constexpr int row_lanes = 32;       ///< of laned rows
inline constexpr int chunked_lanes = 256;  ///< of chunked ones, as of all sums
inline constexpr int row_chunk = 1024;     ///< of their entries, as of all sums

enum class RowClass { chained, laned, chunked };

HOST_DEVICE constexpr RowClass row_class(int length) {
  if (length <= longest_chained_row) return RowClass::chained;
  return length <= longest_laned_row ? RowClass::laned : RowClass::chunked;
}

}  // namespace ninefold
