#include "fem/sparse/row_layouts.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>

#include "fem/sparse/pieces.hpp"
#include "fem/sparse/row_order.hpp"
#include "fem/sparse/slices.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

bool is_long(const SparsePattern& pattern, int row) {
  return row_class(pattern.length(row)) != RowClass::chained;
}

/// The entries of a row in the main part.
int main_length(const SparsePattern& pattern, int row) {
  return is_long(pattern, row) ? 0 : pattern.length(row);
}

LongLayout long_layout(const SparsePattern& pattern, bool in_place) {
  LongLayout longer;
  for (int i = 0; i < pattern.n_rows; ++i) {
    if (is_long(pattern, i)) longer.rows.push_back(i);
  }
  if (longer.rows.empty()) return longer;
  longer.position.assign(at(pattern.n_rows), -1);
  std::int64_t stored = 0;
  for (std::size_t k = 0; k < longer.rows.size(); ++k) {
    const int row = longer.rows[k], length = pattern.length(row);
    const std::int64_t first = in_place ? pattern.start(row) : stored;
    longer.position[at(row)] = static_cast<int>(k);
    longer.starts.push_back(first);
    longer.lengths.push_back(length);
    stored += length;
    if (row_class(length) != RowClass::chunked) continue;
    const int pieces = (length + row_chunk - 1) / row_chunk;
    longer.chunked.push_back(
        {static_cast<std::int32_t>(k), static_cast<std::int32_t>(longer.pieces.size()), pieces});
    for (int c = 0; c < pieces; ++c) {
      longer.pieces.push_back({first + std::int64_t{c} * row_chunk,
                               std::min(row_chunk, length - c * row_chunk),
                               static_cast<std::int32_t>(k)});
    }
  }
  if (in_place) return longer;
  longer.columns.resize(at(stored));
  longer.entries.resize(at(stored));
  for_pieces(static_cast<int>(longer.rows.size()), [&](int k) {
    const int row = longer.rows[at(k)];
    const auto columns = pattern.row(row);
    std::copy(columns.begin(), columns.end(), longer.columns.begin() + longer.starts[at(k)]);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      longer.entries[at(longer.starts[at(k)]) + e] =
          pattern.start(row) + static_cast<EntryNumber>(e);
    }
  });
  return longer;
}

void lay_out_compressed(const SparsePattern& pattern, RowLayout& layout) {
  layout.starts = pattern.row_starts;
  layout.columns = pattern.columns;
  layout.entries.resize(pattern.columns.size());
  for (std::size_t k = 0; k < layout.entries.size(); ++k) {
    layout.entries[k] = static_cast<EntryNumber>(k);
  }
}

/// True if most entries of two rows that follow each other in a slice lie within a line of memory.
bool is_near(const SparsePattern& pattern, const std::vector<std::int32_t>& order) {
  constexpr std::int32_t line = 16;  // values of double
  const auto row = [&](std::int64_t k) {
    const int i = order[at(k)];
    return pattern.row(i).first(at(main_length(pattern, i)));
  };
  std::atomic<std::int64_t> all = 0, near = 0;
  for_pieces((pattern.n_rows + sorted_rows - 1) / sorted_rows, [&](int piece) {
    const std::int64_t first = std::int64_t{piece} * sorted_rows;
    const std::int64_t end = std::min<std::int64_t>(first + sorted_rows, pattern.n_rows);
    std::int64_t some = 0, some_near = 0;
    for (std::int64_t k = first; k + 1 < end; k += 2) {
      const auto one = row(k), other = row(k + 1);
      const std::size_t both = std::min(one.size(), other.size());
      some += static_cast<std::int64_t>(both);
      for (std::size_t e = 0; e < both; ++e) some_near += std::abs(one[e] - other[e]) < line;
    }
    all += some;
    near += some_near;
  });
  return 2 * near > all;
}

/// True if batches of paired_entries read at most a tenth more than there is, or are at most a
/// tenth more in number than those of lone_entries; of slices on diagonals, whose columns are read
/// beside nothing, if one batch has a row's entries.
bool suits_pairs(const std::vector<Slice>& slices) {
  const auto batches_of = [](int width, int entries) {
    return std::int64_t{(width + entries - 1) / entries};
  };
  std::int64_t entries = 0, paired = 0, lone = 0, told = 0, at_once = 0;
  for (const Slice& slice : slices) {
    entries += slice.width;
    paired += batches_of(slice.width, paired_entries);
    lone += batches_of(slice.width, lone_entries);
    if (slice.column_0 == on_diagonals) told += slice.width;
    if (slice.width <= paired_entries) at_once += slice.width;
  }
  if (2 * told > entries) return 2 * at_once > entries;
  return 10 * paired_entries * paired <= 11 * entries || 10 * paired <= 11 * lone;
}

/// The k-th of the values of 32 bits that lie from `first` on.
void put_wide(std::vector<std::uint16_t>& columns, std::int64_t first, std::int64_t k,
              std::int32_t value) {
  std::copy_n(reinterpret_cast<const std::uint16_t*>(&value), 2, columns.data() + first + 2 * k);
}

/// The entries of a slice's rows, each with its column.
void put_in_columns(const SparsePattern& pattern, std::span<const std::int32_t> rows,
                    const Slice& slice, RowLayout& layout) {
  for (int lane = 0; lane < slice_rows; ++lane) {
    const int row = lane < std::ssize(rows) ? rows[at(lane)] : -1;
    const int length = row < 0 ? 0 : main_length(pattern, row);
    for (int e = 0; e < slice.width; ++e) {
      const std::int64_t place = slice_rows * std::int64_t{e} + lane;
      // Zeros stand in the row's last column, or in one that the slice has anyway.
      const std::int32_t column = e < length   ? pattern.row(row)[at(e)]
                                  : length > 0 ? pattern.row(row).back()
                                               : std::max(slice.column_0, 0);
      if (e < length) layout.entries[at(slice.values + place)] = pattern.start(row) + e;
      if (slice.column_0 == wide_columns) {
        put_wide(layout.short_columns, slice.columns, place, column);
      } else {
        layout.short_columns[at(slice.columns + place)] =
            static_cast<std::uint16_t>(column - slice.column_0);
      }
    }
  }
}

/// The same where offsets tell columns.
void put_on_diagonals(const SparsePattern& pattern, std::span<const std::int32_t> rows,
                      const Slice& slice, RowLayout& layout) {
  const auto offsets = offsets_of(pattern, rows, layout.together, slice.width);
  for (int e = 0; e < slice.width; ++e) {
    put_wide(layout.short_columns, slice.columns, e, offsets[at(e)]);
  }
  for (int lane = 0; lane < slice_rows; ++lane) {
    const int row = rows[at(lane)], node = first_of_node(row, layout.together);
    int place = 0;
    for (int e = 0; e < main_length(pattern, row); ++e) {
      while (offsets[at(place)] != pattern.row(row)[at(e)] - node) ++place;
      layout.entries[at(slice.values + slice_rows * std::int64_t{place} + lane)] =
          pattern.start(row) + e;
    }
  }
}

void lay_out_sliced(const SparsePattern& pattern, bool wide, RowLayout& layout) {
  const Slices cut =
      slices_of(pattern, wide ? SliceColumns::own : SliceColumns::own_or_on_diagonals);
  const std::vector<std::int32_t>& order = cut.order;
  layout.is_near = is_near(pattern, order);
  layout.together = cut.together;
  const int slices = static_cast<int>(cut.shapes.size());
  layout.slices.resize(at(slices));
  std::int64_t values = 0, columns = 0;
  for (int s = 0; s < slices; ++s) {
    const SliceShape& shape = cut.shapes[at(s)];
    Slice& slice = layout.slices[at(s)];
    slice = {values, columns, wide_columns, shape.width};
    std::int64_t places = 2 * shape.values();
    if (shape.is_on_diagonals) {
      slice.column_0 = on_diagonals;
      places = offset_places(shape.width);
    } else if (!wide && shape.is_short()) {
      slice.column_0 = shape.width == 0 ? 0 : static_cast<std::int32_t>(shape.left);
      places = shape.values();
    }
    values += shape.values();
    columns += places;
  }
  layout.suits_pairs = suits_pairs(layout.slices);
  layout.entries.assign(at(values), no_entry);
  layout.short_columns.assign(at(columns), 0);
  layout.places.assign(at(std::int64_t{slices} * slice_rows), 0);
  for_pieces(slices, [&](int s) {
    const Slice slice = layout.slices[at(s)];
    for (int lane = 0; lane < slice_rows; ++lane) {
      const std::int64_t k = std::int64_t{s} * slice_rows + lane;
      // Lanes without a row come after all others: their place is outside of the chunk's rows.
      const std::int64_t row = k < pattern.n_rows ? order[at(k)] : k;
      layout.places[at(k)] = static_cast<std::uint16_t>(row % sorted_rows);
    }
    if (slice.column_0 == on_diagonals) {
      put_on_diagonals(pattern, cut.rows(s), slice, layout);
    } else {
      put_in_columns(pattern, cut.rows(s), slice, layout);
    }
  });
}

void lay_out_jagged(const SparsePattern& pattern, RowLayout& layout) {
  constexpr std::int64_t multiple = 16;
  layout.rows.resize(at(pattern.n_rows));
  for (int i = 0; i < pattern.n_rows; ++i) layout.rows[at(i)] = i;
  std::stable_sort(layout.rows.begin(), layout.rows.end(),
                   [&](int a, int b) { return main_length(pattern, a) > main_length(pattern, b); });
  layout.diagonals = main_length(pattern, layout.rows.front());
  layout.starts.assign(1, 0);
  std::int64_t rows = pattern.n_rows;
  for (int d = 0; d < layout.diagonals; ++d) {
    while (main_length(pattern, layout.rows[at(rows - 1)]) <= d) --rows;
    layout.starts.push_back(layout.starts.back() + (rows + multiple - 1) / multiple * multiple);
  }
  layout.columns.assign(at(layout.starts.back()), 0);
  layout.entries.assign(at(layout.starts.back()), no_entry);
  for_pieces(layout.diagonals, [&](int d) {
    const std::int64_t first = layout.starts[at(d)];
    for (std::int64_t k = 0; first + k < layout.starts[at(d + 1)]; ++k) {
      if (k >= pattern.n_rows) continue;
      const int row = layout.rows[at(k)];
      if (d < main_length(pattern, row)) {
        layout.columns[at(first + k)] = pattern.row(row)[at(d)];
        layout.entries[at(first + k)] = pattern.start(row) + d;
      } else if (main_length(pattern, row) > 0) {
        layout.columns[at(first + k)] = pattern.row(row).back();
      }
    }
  });
}

void lay_out_blocks(const SparsePattern& pattern, int b, RowLayout& layout) {
  const int rows = (pattern.n_rows + b - 1) / b;
  const auto block_columns = [&](int row) {
    std::vector<std::int32_t> columns;
    for (int i = row * b; i < std::min((row + 1) * b, pattern.n_rows); ++i) {
      if (is_long(pattern, i)) continue;
      for (const std::int32_t j : pattern.row(i)) {
        if (columns.empty() || columns.back() != j / b) columns.push_back(j / b);
      }
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
  };
  layout.starts.assign(at(rows + 1), 0);
  for_pieces(rows, [&](int row) {
    layout.starts[at(row + 1)] = static_cast<std::int64_t>(block_columns(row).size());
  });
  for (int row = 0; row < rows; ++row) layout.starts[at(row + 1)] += layout.starts[at(row)];
  layout.columns.resize(at(layout.starts.back()));
  layout.entries.assign(at(layout.starts.back() * b * b), no_entry);
  for_pieces(rows, [&](int row) {
    const std::vector<std::int32_t> columns = block_columns(row);
    const std::int64_t first = layout.starts[at(row)];
    std::copy(columns.begin(), columns.end(), layout.columns.begin() + first);
    for (int i = row * b; i < std::min((row + 1) * b, pattern.n_rows); ++i) {
      if (is_long(pattern, i)) continue;
      std::int64_t block = 0;
      for (EntryNumber e = pattern.start(i); e < pattern.start(i + 1); ++e) {
        const std::int32_t j = pattern.columns[at(e)];
        while (columns[at(block)] != j / b) ++block;
        layout.entries[at(((first + block) * b + i % b) * b + j % b)] = e;
      }
    }
  });
}

template <class T>
std::int64_t bytes_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(T));
}

}  // namespace

std::int64_t RowLayout::index_bytes() const {
  return bytes_of(starts) + bytes_of(columns) + bytes_of(rows) + bytes_of(short_columns)
         + bytes_of(places) + bytes_of(slices) + bytes_of(longer.rows) + bytes_of(longer.position)
         + bytes_of(longer.starts) + bytes_of(longer.lengths) + bytes_of(longer.columns)
         + bytes_of(longer.chunked) + bytes_of(longer.pieces);
}

RowLayout row_layout(const SparsePattern& pattern, SparseStorage storage, bool only_wide,
                     bool part) {
  const bool in_blocks = values_together(storage) > 1;
  if (pattern.n_rows < 1 || pattern.n_columns < 1 || (in_blocks && !part && !pattern.is_square())) {
    throw std::invalid_argument(
        "row_layout: a pattern of a row or more is needed, for blocks a "
        "square one");
  }
  RowLayout layout{.storage = storage, .n = pattern.n_rows, .n_columns = pattern.n_columns};
  layout.longer = long_layout(pattern, storage == SparseStorage::compressed);
  switch (storage) {
    case SparseStorage::compressed:
      lay_out_compressed(pattern, layout);
      break;
    case SparseStorage::sliced:
      lay_out_sliced(pattern, only_wide, layout);
      break;
    case SparseStorage::jagged:
      lay_out_jagged(pattern, layout);
      break;
    case SparseStorage::blocks_2:
      lay_out_blocks(pattern, 2, layout);
      break;
    case SparseStorage::blocks_3:
      lay_out_blocks(pattern, 3, layout);
      break;
    case SparseStorage::blocks_4:
      lay_out_blocks(pattern, 4, layout);
      break;
  }
  return layout;
}

}  // namespace ninefold
