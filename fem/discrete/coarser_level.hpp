#pragma once
// The function of the next coarser level, seen from the cells of a level that halves its cells,
// evenly or not.
//
// Shape.  Node (i, j) of the coarser level is node (2 i, 2 j) of the finer one.
//
// Rounding.  In double; at nodes of both levels its values are the coarser level's, bit for bit.
//
// Tests.  tests/fem/discrete/point_values_test.cpp, tests/fem/discrete/quantities_test.cpp

#include <cstddef>
#include <vector>

#include "precision/require.hpp"

#include "grids/tensor_grid.hpp"

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

/// The bilinear function of the coarser level's nodal values; grid and values must outlive it.
class CoarserFunction {
 public:
  /// Throws std::invalid_argument unless the values are those of the next coarser level.
  CoarserFunction(const TensorGrid& grid, const std::vector<double>& coarser)
      : grid_(grid), values_(coarser), nx_(static_cast<std::size_t>(grid.x.cells() / 2) + 1) {
    require(grid.x.cells() % 2 == 0 && grid.y.cells() % 2 == 0
                && coarser.size() == nx_ * (static_cast<std::size_t>(grid.y.cells() / 2) + 1),
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

 private:
  static PlaceInCell<double> in_coarser(const Line& line, const PlaceInCell<double>& p) {
    const int cell = p.cell / 2;
    if (p.cell == line.cells()) return {cell, 0};  // the last node
    const double first = first_share(line, cell);
    return {cell, p.cell % 2 == 0 ? p.share * first : first + p.share * (1 - first)};
  }

  double along_x(const PlaceInCell<double>& i, int j) const {
    const double* value =
        &values_[static_cast<std::size_t>(j) * nx_ + static_cast<std::size_t>(i.cell)];
    return i.share == 0 ? value[0] : (1 - i.share) * value[0] + i.share * value[1];
  }

  const TensorGrid& grid_;
  const std::vector<double>& values_;
  std::size_t nx_;
};

}  // namespace ninefold
