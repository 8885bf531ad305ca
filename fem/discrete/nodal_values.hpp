#pragma once
// Values at the nodes of a grid, row by row: all of them, or those that one of several has who
// share the grid.
//
// Sharing.  Each member has rows of its own, which follow each other, and some beside them.  What
// is summed over nodes and cells is summed along each row by the member whose row it is, a cell's
// row being that of its lower nodes; all are told these sums, and each finishes them in the order
// of the rows: the bits are those of one who has all.  All members make the same calls.
//
// Shape.  Row j is the nodes (0, j) to (nx - 1, j).
//
// Tests.  tests/fem/discrete/nodal_values_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/larger.hpp"
#include "precision/number.hpp"

#include "grids/slabs.hpp"
#include "grids/tensor_grid.hpp"

namespace ninefold {

/// One member's view of how the rows of a grid are shared.
class RowShare {
 public:
  /// The rows below and above its own that a member has, too, as far as there are any: those of
  /// the next coarser level's cells that touch its own rows and the one above them.
  static constexpr int border = 3;

  RowShare(const RowShare&) = delete;
  RowShare& operator=(const RowShare&) = delete;
  virtual ~RowShare() = default;

  int member() const { return member_; }
  int members() const { return static_cast<int>(begin_.size()) - 1; }
  int rows() const { return begin_.back(); }
  RowRange own(int member) const {
    return {begin_[static_cast<std::size_t>(member)], begin_[static_cast<std::size_t>(member) + 1]};
  }
  RowRange own() const { return own(member_); }
  /// Its own, and those beside them.
  RowRange here() const {
    return {std::max(0, own().first - border), std::min(rows(), own().last + border)};
  }

  /// Entry k belongs to row k: those of each member's own rows are everybody's in the end.
  template <class V>
  void tell(std::vector<V>& of_rows) const {
    gather_entries(
        of_rows, [&](int row) { return std::min(static_cast<std::size_t>(row), of_rows.size()); });
  }
  /// The same where entry k belongs to row[k], ascending.
  template <class V>
  void tell(std::vector<V>& entries, const std::vector<int>& row) const {
    require(entries.size() == row.size() && std::is_sorted(row.begin(), row.end()),
            "entries in another order than their rows");
    gather_entries(entries, [&](int first) {
      return static_cast<std::size_t>(std::lower_bound(row.begin(), row.end(), first)
                                      - row.begin());
    });
  }
  /// Each value becomes the largest that a member has; none is NaN.
  void take_largest(std::vector<double>& values) const {
    const std::size_t n = values.size();
    std::vector<double> all(n * static_cast<std::size_t>(members()));
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(n) * member_);
    std::vector<std::size_t> begin;
    for (std::size_t m = 0; m < begin_.size(); ++m) begin.push_back(m * n * sizeof(double));
    gather(all.data(), begin);
    for (std::size_t k = 0; k < all.size(); ++k) values[k % n] = std::max(values[k % n], all[k]);
  }
  /// True for all if it is said by one.
  bool any(bool said) const {
    std::vector<char> all(static_cast<std::size_t>(members()), 0);
    all[static_cast<std::size_t>(member_)] = said ? 1 : 0;
    std::vector<std::size_t> begin;
    for (std::size_t m = 0; m <= all.size(); ++m) begin.push_back(m);
    gather(all.data(), begin);
    return std::find(all.begin(), all.end(), 1) != all.end();
  }

 protected:
  /// begin[m] is member m's first row, the last entry the number of rows.
  RowShare(std::vector<int> begin, int member) : begin_(std::move(begin)), member_(member) {}

 private:
  /// Bytes begin[m] to begin[m + 1] are member m's at first, and everybody's in the end.
  virtual void gather(void* values, const std::vector<std::size_t>& begin) const = 0;

  /// All members have as many entries.
  template <class V, class First>
  void gather_entries(std::vector<V>& entries, const First& first_of) const {
    static_assert(std::is_trivially_copyable_v<V>);
    std::vector<std::size_t> begin;
    for (const int row : begin_) begin.push_back(first_of(row) * sizeof(V));
    begin.back() = entries.size() * sizeof(V);
    gather(entries.data(), begin);
  }

  std::vector<int> begin_;
  int member_;
};

/// A view; values and share must outlive it, as std::span has it.
template <class W>
class NodalValues {
 public:
  NodalValues() = default;  ///< of no nodes
  /// Of all nodes, k = j nx + i.
  NodalValues(const std::vector<W>& all) : values_(all) {}
  /// Of the rows share->here(), or of all if that is null.
  NodalValues(const std::vector<W>& values, const RowShare* share)
      : values_(values), share_(share), first_(share == nullptr ? 0 : share->here().first) {}

  bool empty() const { return values_.empty(); }
  std::span<const W> all_here() const { return values_; }
  const RowShare* share() const { return share_; }

  /// True if these are values of this grid.
  bool fit(const TensorGrid& grid) const {
    if (share_ != nullptr && share_->rows() != grid.ny()) return false;
    const auto rows = static_cast<std::size_t>(here(grid).count());
    return values_.size() == rows * static_cast<std::size_t>(grid.nx());
  }
  RowRange here(const TensorGrid& grid) const {
    return share_ == nullptr ? RowRange{0, grid.ny()} : share_->here();
  }
  /// The rows whose sums are made here.
  RowRange own(const TensorGrid& grid) const {
    return share_ == nullptr ? RowRange{0, grid.ny()} : share_->own();
  }
  /// The own rows of cells.
  RowRange own_cells(const TensorGrid& grid) const {
    const RowRange rows = own(grid);
    return {rows.first, std::min(rows.last, grid.y.cells())};
  }
  /// Of a row that is here.
  const W* row(const TensorGrid& grid, int j) const {
    return values_.data()
           + static_cast<std::size_t>(j - first_) * static_cast<std::size_t>(grid.nx());
  }

  /// See RowShare; nothing where all rows are here.
  template <class V>
  void tell(std::vector<V>& of_rows) const {
    if (share_ != nullptr) share_->tell(of_rows);
  }
  template <class V>
  void tell(std::vector<V>& entries, const std::vector<int>& row) const {
    if (share_ != nullptr) share_->tell(entries, row);
  }
  bool any(bool said) const { return share_ == nullptr ? said : share_->any(said); }

 private:
  std::span<const W> values_;
  const RowShare* share_ = nullptr;
  int first_ = 0;  ///< row that is here
};

/// The largest size of a value; NaN where one is.
inline double largest_size(const NodalValues<double>& values, const TensorGrid& grid) {
  std::vector<double> of_rows(static_cast<std::size_t>(grid.ny()), 0.0);
  const RowRange own = values.own(grid);
  for (int j = own.first; j < own.last; ++j) {
    double& most = of_rows[static_cast<std::size_t>(j)];
    const double* const row = values.row(grid, j);
    for (int i = 0; i < grid.nx(); ++i) most = larger(most, std::abs(row[i]));
  }
  values.tell(of_rows);
  double most = 0;
  for (const double of_row : of_rows) most = larger(most, of_row);
  return most;
}

/// Owns the values of the rows that are here, all of them if `share` is null.
template <class W>
struct NodeRows {
  std::vector<W> values;
  std::shared_ptr<const RowShare> share;

  bool empty() const { return values.empty(); }
  NodalValues<W> view() const { return {values, share.get()}; }
};

}  // namespace ninefold
