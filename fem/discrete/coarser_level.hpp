#pragma once
// The function of the next coarser level, seen from the cells of a level that halves its cells,
// evenly or not.
//
// Shape.  Node (i, j) of the coarser level is node (2 i, 2 j) of the finer one.
//
// Rounding.  In double; at nodes of both levels its values are the coarser level's, bit for bit.
//
// Tests.  tests/fem/discrete/point_values_test.cpp, quantities_test.cpp, nodal_values_test.cpp (in
// parts)

#include <cstddef>
#include <span>

#include "precision/require.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"

namespace ninefold {

/// Of a coarser cell's two, the first one's part of the width.
inline double first_share(const Line& line, int coarser_cell) {
  const auto first = static_cast<std::size_t>(2 * coarser_cell);
  return line.width[first] / (line.width[first] + line.width[first + 1]);
}

/// A place of a line: a cell, and which part of its width lies before the place.
template <class W>
struct PlaceInCell {
  int cell;
  W share;
};

/// The bilinear function of the coarser level's nodal values, where these are here; grid and values
/// must outlive it.
class CoarserFunction {
 public:
  /// Throws std::invalid_argument unless the values are those of the next coarser level.
  CoarserFunction(const TensorGrid& grid, const NodalValues<double>& coarser)
      : grid_(grid),
        values_(coarser.all_here()),
        first_(coarser.share() == nullptr ? 0 : coarser.share()->here().first),
        nx_(static_cast<std::size_t>(grid.x.cells() / 2) + 1) {
    const int ny = grid.y.cells() / 2 + 1;
    const bool is_of_rows = coarser.share() == nullptr || coarser.share()->rows() == ny;
    const int rows = coarser.share() == nullptr ? ny : coarser.share()->here().count();
    require(grid.x.cells() % 2 == 0 && grid.y.cells() % 2 == 0 && is_of_rows
                && values_.size() == nx_ * static_cast<std::size_t>(rows),
            "values that are not those of the next coarser grid");
  }

  /// At a place in cells of the finer level.
  double operator()(const PlaceInCell<double>& x, const PlaceInCell<double>& y) const {
    const PlaceInCell<double> i = in_coarser(grid_.x, x), j = in_coarser(grid_.y, y);
    const double lower = along_x(i, j.cell);
    return j.share == 0 ? lower : (1 - j.share) * lower + j.share * along_x(i, j.cell + 1);
  }

  /// At a node of the finer level.
  double at_node(int i, int j) const { return (*this)({i, 0}, {j, 0}); }
  /// At one of the coarser level.
  double at_coarser_node(int i, int j) const { return *at(i, j); }

 private:
  static PlaceInCell<double> in_coarser(const Line& line, const PlaceInCell<double>& p) {
    const int cell = p.cell / 2;
    if (p.cell == line.cells()) return {cell, 0};  // the last node
    const double first = first_share(line, cell);
    return {cell, p.cell % 2 == 0 ? p.share * first : first + p.share * (1 - first)};
  }

  double along_x(const PlaceInCell<double>& i, int j) const {
    const double* value = at(i.cell, j);
    return i.share == 0 ? value[0] : (1 - i.share) * value[0] + i.share * value[1];
  }

  const double* at(int i, int j) const {
    return &values_[static_cast<std::size_t>(j - first_) * nx_ + static_cast<std::size_t>(i)];
  }

  const TensorGrid& grid_;
  std::span<const double> values_;
  int first_;  ///< row that is here
  std::size_t nx_;
};

}  // namespace ninefold
