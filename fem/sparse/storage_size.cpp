#include "fem/sparse/storage_size.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include <fmt/format.h>

#include "fem/sparse/pieces.hpp"
#include "fem/sparse/row_order.hpp"
#include "fem/sparse/slices.hpp"

namespace ninefold {
namespace {

constexpr std::int64_t start_bytes = 8, row_bytes = 4, place_bytes = 2;  // a row within its chunk
constexpr std::int64_t jagged_multiple = 16;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

std::int64_t quotient_up(std::int64_t n, std::int64_t d) {
  return (n + d - 1) / d;
}

bool is_long(const SparsePattern& pattern, int row) {
  return row_class(pattern.length(row)) != RowClass::chained;
}

StorageSize crs(const SparsePattern& pattern) {
  return {.name = "CRS",
          .stored = pattern.entries(),
          .index_bytes =
              column_bytes * pattern.entries() + start_bytes * (std::int64_t{pattern.n_rows} + 1)};
}

/// Rows that lie apart, by compressed rows.
void add_long_rows(const SparsePattern& pattern, StorageSize& size) {
  for (int i = 0; i < pattern.n_rows; ++i) {
    const std::int64_t length = pattern.length(i);
    if (!is_long(pattern, i)) continue;
    size.stored += length;
    size.index_bytes += column_bytes * length + start_bytes + row_bytes;
  }
}

/// With columns of 32 bits, with those of 16 bits where they do, and with offsets where one for all
/// rows does.
std::vector<StorageSize> sliced(const SparsePattern& pattern) {
  StorageSize wide{.name = "sliced"}, narrow{.name = "sliced, 16 bits"},
      offsets{.name = "sliced, diagonals"};
  const auto of_all = [&](const auto& use) {
    for (StorageSize* size : {&wide, &narrow, &offsets}) use(*size);
  };
  const auto add = [](StorageSize& size, std::int64_t values, std::int64_t columns) {
    size.stored += values;
    size.index_bytes += start_bytes + columns;
  };
  const auto own_columns = [](const SliceShape& slice) {
    const std::int64_t each = slice.is_short() ? short_column_bytes : column_bytes;
    return each * slice.values() + column_bytes;  // the first column
  };
  std::int64_t in_short = 0, on_diagonals = 0, in_short_beside = 0;
  for (const SliceShape& slice : slices_of(pattern, SliceColumns::own).shapes) {
    add(wide, slice.values(), column_bytes * slice.values());
    add(narrow, slice.values(), own_columns(slice));
    if (slice.is_short()) in_short += slice.values();
  }
  for (const SliceShape& slice : slices_of(pattern).shapes) {
    add(offsets, slice.values(),
        slice.is_on_diagonals ? short_column_bytes * offset_places(slice.width) + column_bytes
                              : own_columns(slice));
    if (slice.is_on_diagonals) {
      on_diagonals += slice.values();
    } else if (slice.is_short()) {
      in_short_beside += slice.values();
    }
  }
  const std::int64_t in_slices = narrow.stored, in_offsets = offsets.stored;
  of_all([&](StorageSize& size) {
    add_long_rows(pattern, size);
    size.index_bytes += place_bytes * std::int64_t{pattern.n_rows};
  });
  if (in_slices > 0) {
    narrow.short_share = static_cast<double>(in_short) / static_cast<double>(in_slices);
    const auto all = static_cast<double>(in_offsets);
    offsets.diagonal_share = static_cast<double>(on_diagonals) / all;
    offsets.short_share = static_cast<double>(in_short_beside) / all;
  } else {
    narrow.short_share = 1;
  }
  return {wide, narrow, offsets};
}

StorageSize jagged(const SparsePattern& pattern) {
  StorageSize size{.name = "jagged"};
  std::int64_t longest = 0;
  for (int i = 0; i < pattern.n_rows; ++i) {
    if (!is_long(pattern, i)) longest = std::max<std::int64_t>(longest, pattern.length(i));
  }
  // rows[d]: those with more than d entries
  std::vector<std::int64_t> rows(at(longest + 1), 0);
  for (int i = 0; i < pattern.n_rows; ++i) {
    if (pattern.length(i) > 0 && !is_long(pattern, i)) ++rows[at(pattern.length(i) - 1)];
  }
  for (std::int64_t d = longest - 1; d >= 0; --d) rows[at(d)] += rows[at(d + 1)];
  for (std::int64_t d = 0; d < longest; ++d) {
    size.stored += jagged_multiple * quotient_up(rows[at(d)], jagged_multiple);
  }
  size.index_bytes =
      column_bytes * size.stored + start_bytes * (longest + 1) + row_bytes * pattern.n_rows;
  add_long_rows(pattern, size);
  return size;
}

StorageSize blocks(const SparsePattern& pattern, int b) {
  const std::int64_t n = count_blocks(pattern, b);
  StorageSize size{
      .name = fmt::format("blocks of {}", b),
      .stored = n * b * b,
      .index_bytes = column_bytes * n + start_bytes * (quotient_up(pattern.n_rows, b) + 1)};
  add_long_rows(pattern, size);
  return size;
}

}  // namespace

std::vector<std::int32_t> slice_order(const SparsePattern& pattern) {
  std::vector<std::int32_t> order(at(pattern.n_rows));
  std::iota(order.begin(), order.end(), 0);
  for_pieces(static_cast<int>(quotient_up(pattern.n_rows, sorted_rows)), [&](int chunk) {
    const std::int64_t first = std::int64_t{chunk} * sorted_rows;
    const std::int64_t last = std::min<std::int64_t>(first + sorted_rows, pattern.n_rows);
    std::stable_sort(
        order.begin() + first, order.begin() + last,
        [&](std::int32_t a, std::int32_t b) { return pattern.length(a) > pattern.length(b); });
  });
  return order;
}

std::int64_t count_blocks(const SparsePattern& pattern, int b) {
  constexpr std::int64_t rows_at_once = 256;
  const std::int64_t n_rows = quotient_up(pattern.n_rows, b);
  std::atomic<std::int64_t> count = 0;
  for_pieces(static_cast<int>(quotient_up(n_rows, rows_at_once)), [&](int piece) {
    std::vector<std::int32_t> columns;
    std::int64_t here = 0;
    const std::int64_t begin = piece * rows_at_once;
    for (std::int64_t row = begin; row < std::min(begin + rows_at_once, n_rows); ++row) {
      columns.clear();
      const std::int64_t first = row * b;
      const std::int64_t last = std::min<std::int64_t>(first + b, pattern.n_rows);
      for (std::int64_t i = first; i < last; ++i) {
        if (is_long(pattern, static_cast<int>(i))) continue;
        for (const std::int32_t j : pattern.row(static_cast<int>(i))) {
          if (columns.empty() || columns.back() != j / b) columns.push_back(j / b);
        }
      }
      std::sort(columns.begin(), columns.end());
      here += std::unique(columns.begin(), columns.end()) - columns.begin();
    }
    count += here;
  });
  return count;
}

std::vector<StorageSize> storage_sizes(const SparsePattern& pattern) {
  std::vector<StorageSize> sizes{crs(pattern)};
  for (StorageSize& size : sliced(pattern)) sizes.push_back(std::move(size));
  sizes.push_back(jagged(pattern));
  for (const int b : {2, 3, 4}) sizes.push_back(blocks(pattern, b));
  return sizes;
}

}  // namespace ninefold
