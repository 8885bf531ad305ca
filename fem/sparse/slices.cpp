#include "fem/sparse/slices.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <ranges>
#include <utility>

#include "fem/sparse/pieces.hpp"
#include "fem/sparse/row_order.hpp"

namespace ninefold {
namespace {

constexpr int most_tried_slices = 256;  // for `together`
constexpr std::int64_t value_bytes = 4, offset_bytes = 4;

using Rows = std::span<const std::int32_t>;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

Rows main_row(const SparsePattern& pattern, int row) {
  if (row_class(pattern.length(row)) != RowClass::chained) return {};
  return pattern.row(row);
}

/// What a product reads of a slice.
std::int64_t bytes(const SliceShape& shape) {
  const std::int64_t values = value_bytes * shape.values();
  if (shape.is_on_diagonals) return values + offset_bytes * shape.width;
  return values + (shape.is_short() ? short_column_bytes : column_bytes) * shape.values();
}

SliceShape own_shape(const SparsePattern& pattern, Rows rows) {
  SliceShape shape;
  for (const std::int32_t row : rows) {
    const auto columns = main_row(pattern, row);
    if (columns.empty()) continue;
    shape.width = std::max(shape.width, static_cast<int>(columns.size()));
    shape.left = std::min<std::int64_t>(shape.left, columns.front());
    shape.right = std::max<std::int64_t>(shape.right, columns.back());
  }
  return shape;
}

/// The shape of full slices by diagonals, if that is smaller with values of 4 bytes.
SliceShape shape_of(const SparsePattern& pattern, Rows rows, int together) {
  const SliceShape own = own_shape(pattern, rows);
  if (std::ssize(rows) < slice_rows || own.width == 0) return own;
  const std::int64_t bytes_of_diagonal = value_bytes * slice_rows + offset_bytes;
  const auto offsets = offsets_of(pattern, rows, together, bytes(own) / bytes_of_diagonal);
  if (offsets.empty()) return own;
  // Also what is filled up has a column.
  const auto [low, high] = std::ranges::minmax(rows);
  if (first_of_node(low, together) + offsets.front() < 0) return own;
  if (offsets.back() >= pattern.n_columns - first_of_node(high, together)) return own;
  SliceShape shape = own;
  shape.width = static_cast<int>(offsets.size());
  shape.is_on_diagonals = true;
  return shape;
}

/// The candidate by which some slices take the least, the first of equals.
int rows_together(const SparsePattern& pattern) {
  const int n = pattern.n_rows / slice_rows, tried = std::min(n, most_tried_slices);
  std::vector<std::int32_t> rows(slice_rows);
  int best = 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const int candidate : {1, 2, 3, 4, 6}) {
    std::int64_t all = 0;
    for (int k = 0; k < tried; ++k) {
      const std::int64_t s = std::int64_t{k} * n / tried;
      std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(s * slice_rows));
      all += bytes(shape_of(pattern, rows, candidate));
    }
    if (all >= least) continue;
    best = candidate;
    least = all;
  }
  return best;
}

/// The slices of a chunk.
class Chunk {
 public:
  Chunk(const SparsePattern& pattern, Rows order, int together) {
    for (std::int64_t first = 0; first < std::ssize(order); first += slice_rows) {
      const std::int64_t n = std::min<std::int64_t>(slice_rows, std::ssize(order) - first);
      shapes_.push_back(shape_of(pattern, order.subspan(at(first), at(n)), together));
    }
  }

  const std::vector<SliceShape>& shapes() const { return shapes_; }
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const SliceShape& shape : shapes_) sum += ninefold::bytes(shape);
    return sum;
  }
  bool lies_on_diagonals() const {
    return 2 * std::ranges::count_if(shapes_, &SliceShape::is_on_diagonals) >= std::ssize(shapes_);
  }

 private:
  std::vector<SliceShape> shapes_;
};

/// True if slices of rows as given are to be preferred to those of rows by length.
bool is_better(const Chunk& given, const Chunk& by_length) {
  return given.lies_on_diagonals() && 8 * given.bytes() <= 9 * by_length.bytes();
}

}  // namespace

std::vector<std::int32_t> offsets_of(const SparsePattern& pattern, Rows rows, int together,
                                     std::int64_t most) {
  std::vector<std::int32_t> all, more;
  all.reserve(at(most));
  more.reserve(at(most));
  for (const std::int32_t row : rows) {
    const std::int32_t node = first_of_node(row, together);
    const auto columns = main_row(pattern, row);
    const auto offset = [&](std::int32_t column) { return column - node; };
    if (std::ranges::equal(columns, all, {}, offset)) continue;
    more.clear();
    std::ranges::set_union(columns | std::views::transform(offset), all, std::back_inserter(more));
    std::swap(all, more);
    if (std::ssize(all) > most) return {};
  }
  return all;
}

std::span<const std::int32_t> Slices::rows(int s) const {
  const std::int64_t first = std::int64_t{s} * slice_rows;
  return std::span(order).subspan(
      at(first), at(std::min<std::int64_t>(slice_rows, std::ssize(order) - first)));
}

Slices slices_of(const SparsePattern& pattern, SliceColumns columns) {
  Slices slices{.order = slice_order(pattern), .together = 1, .shapes = {}};
  const int count = (pattern.n_rows + slice_rows - 1) / slice_rows;
  slices.shapes.resize(at(count));
  if (columns == SliceColumns::own) {
    for_pieces(count, [&](int s) { slices.shapes[at(s)] = own_shape(pattern, slices.rows(s)); });
    return slices;
  }
  slices.together = rows_together(pattern);
  for_pieces((count + chunk_slices - 1) / chunk_slices, [&](int c) {
    const std::int64_t first = std::int64_t{c} * sorted_rows;
    const std::int64_t n = std::min<std::int64_t>(sorted_rows, pattern.n_rows - first);
    const auto order = std::span(slices.order).subspan(at(first), at(n));
    std::vector<std::int32_t> as_given(at(n));
    std::iota(as_given.begin(), as_given.end(), static_cast<std::int32_t>(first));
    const Chunk given(pattern, as_given, slices.together);
    const auto put = [&](const Chunk& chunk) {
      std::ranges::copy(chunk.shapes(), slices.shapes.begin() + std::int64_t{c} * chunk_slices);
    };
    if (std::ranges::equal(order, as_given)) return put(given);
    const Chunk by_length(pattern, order, slices.together);
    if (!is_better(given, by_length)) return put(by_length);
    std::ranges::copy(as_given, order.begin());
    put(given);
  });
  return slices;
}

}  // namespace ninefold
