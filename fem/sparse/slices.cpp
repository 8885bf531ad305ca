#include "fem/sparse/slices.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "fem/sparse/pieces.hpp"
#include "fem/sparse/row_order.hpp"

namespace ninefold {
namespace {

constexpr int most_tried_slices = 256;  // for `together`

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

std::span<const std::int32_t> main_row(const SparsePattern& pattern, int row) {
  if (row_class(pattern.length(row)) != RowClass::chained) return {};
  return pattern.row(row);
}

class Cut {
 public:
  explicit Cut(const SparsePattern& pattern) : pattern_(pattern), order_(slice_order(pattern)) {}

  int count() const { return (pattern_.n_rows + slice_rows - 1) / slice_rows; }

  SliceShape shape(int s, int together) const {
    SliceShape shape;
    for (const std::int32_t row : rows(s)) {
      const auto columns = main_row(pattern_, row);
      if (columns.empty()) continue;
      shape.width = std::max(shape.width, static_cast<int>(columns.size()));
      shape.left = std::min<std::int64_t>(shape.left, columns.front());
      shape.right = std::max<std::int64_t>(shape.right, columns.back());
    }
    shape.is_on_diagonals = is_on_diagonals(s, together);
    return shape;
  }

  /// The candidate by which most of some slices are on diagonals, the least of equals.
  int together() const {
    const int n = count(), tried = std::min(n, most_tried_slices);
    int best = 1, most = 0;
    for (const int candidate : {1, 2, 3, 4, 6}) {
      int found = 0;
      for (int k = 0; k < tried; ++k) {
        found += is_on_diagonals(static_cast<int>(std::int64_t{k} * n / tried), candidate);
      }
      if (found <= most) continue;
      best = candidate;
      most = found;
    }
    return best;
  }

  std::vector<std::int32_t> take_order() { return std::move(order_); }

 private:
  std::span<const std::int32_t> rows(int s) const {
    const std::int64_t first = std::int64_t{s} * slice_rows;
    return std::span(order_).subspan(
        at(first), at(std::min<std::int64_t>(slice_rows, pattern_.n_rows - first)));
  }

  bool is_on_diagonals(int s, int together) const {
    const auto own = rows(s);
    const auto first = main_row(pattern_, own.front());
    if (own.size() < slice_rows || first.empty()) return false;
    const std::int32_t node = own.front() / together * together;
    return std::all_of(own.begin() + 1, own.end(), [&](std::int32_t row) {
      const std::int32_t apart = row / together * together - node;
      return std::ranges::equal(main_row(pattern_, row), first,
                                [&](std::int32_t a, std::int32_t b) { return a - b == apart; });
    });
  }

  const SparsePattern& pattern_;
  std::vector<std::int32_t> order_;
};

}  // namespace

Slices slices_of(const SparsePattern& pattern) {
  Cut cut(pattern);
  Slices slices{.order = {}, .together = cut.together(), .shapes = {}};
  slices.shapes.resize(at(cut.count()));
  for_pieces(cut.count(), [&](int s) { slices.shapes[at(s)] = cut.shape(s, slices.together); });
  slices.order = cut.take_order();
  return slices;
}

}  // namespace ninefold
