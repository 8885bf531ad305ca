#pragma once
// The error of a level's solution, as the next coarser level's tells it.
//
// Mathematics.  Where the error falls by four from level to level, the difference of two levels at
// a node of both is three times the finer one's error n there.  Between them that is the bilinear
// function of these values and, in each cell, what interpolation leaves: with the finer solution's
// second differences a and c over a coarser cell, and t, t' those parts of its width and height
// that a finer cell has,
//
//     a t^2 s(1 - s) + c t'^2 s'(1 - s'),       s, s' the coordinates in the finer cell.
//
// The mean of the square over a coarser cell is
//
//     mean of n^2 + sum over finer cells of t t' (n (A + C)/3 + (A^2 + C^2)/30 + A C/18),
//
// A = a t^2, C = c t'^2, n in the product at the finer cell's centre.  a and c are means of the
// differences on the cell's sides and its middle line, a^2 and c^2 of their squares: beside a
// singularity they are not alike.  The sum is one of products of sums along x and along y, in which
// n stands at the middle of a side,
//
//     a sum t^3 n / 3 + c sum t'^3 n / 3 + (a^2 sum t^5 + c^2 sum t'^5)/30 + a c sum t^3 sum
//     t'^3/18,
//
// so that what a cell's parts bring to it is computed once for each line (HalvedCell).
//
// Shape.  Node (i, j) of the coarser level is node (2 i, 2 j) of the finer one.
//
// All finer nodes take part, so that what the finer grid alone can see is seen.  What neither sees,
// and an error that both have alike, as iterations and rounding leave, is not.
//
// Rounding.  Differences in the finer solution's format W, the coarser one being in double; all
// else in double.
//
// Tests.  tests/solvers/estimate/level_errors_test.cpp, tests/fem/discrete/level_error_test.cpp

#include <vector>

#include "precision/host_device.hpp"
#include "precision/larger.hpp"

#include "grids/tensor_grid.hpp"

namespace ninefold {

/// A coarser line's cell: its parts t and 1 - t, the first one's centre x = t/2, the last one's
/// x = (1 + t)/2.
struct HalvedCell {
  double share;        ///< t
  double bend;         ///< 1 / (t (1 - t))
  double first, last;  ///< sums of t^3 (1 - x) / 6 and t^3 x / 6
  double cubes;        ///< sum of t^3
  double fifths;       ///< sum of t^5 / 30
};

inline HalvedCell halved_cell(double t) {
  const double rest = 1 - t, cube = t * t * t, cube_of_rest = rest * rest * rest;
  return {t,
          1 / (t * rest),
          (cube * (1 - 0.5 * t) + cube_of_rest * (0.5 * rest)) / 6,
          (cube * (0.5 * t) + cube_of_rest * (0.5 * (1 + t))) / 6,
          cube + cube_of_rest,
          (cube * (t * t) + cube_of_rest * (rest * rest)) / 30};
}

/// Those of the coarser line, of a finer one that halves its cells, evenly or not.
inline std::vector<HalvedCell> halved_cells(const Line& finer) {
  std::vector<HalvedCell> cells;
  for (const double share : first_shares(finer)) cells.push_back(halved_cell(share));
  return cells;
}

/// Differences over a cell: on its sides, and on its middle line.
struct Bends {
  double first, middle, last;

  HOST_DEVICE double mean() const { return 0.25 * (first + last) + 0.5 * middle; }
  HOST_DEVICE double mean_square() const {
    return 0.25 * (first * first + last * last) + 0.5 * (middle * middle);
  }
  HOST_DEVICE double largest() const {
    const auto size = [](double bend) { return bend < 0 ? -bend : bend; };
    return larger(size(middle), larger(size(first), size(last)));
  }
  template <class Factor>
  HOST_DEVICE Bends times(const Factor& factor) const {
    return {factor.times(first), factor.times(middle), factor.times(last)};
  }
};

/// The error over a coarser cell.
struct LevelErrorCell {
  double south_west, south_east, north_west, north_east;  ///< n at its corners
  Bends bend_x, bend_y;                                   ///< along x and along y: a and c
  HalvedCell x, y;

  template <class Factor>
  HOST_DEVICE LevelErrorCell times(const Factor& factor) const {
    return {factor.times(south_west),
            factor.times(south_east),
            factor.times(north_west),
            factor.times(north_east),
            bend_x.times(factor),
            bend_y.times(factor),
            x,
            y};
  }

  HOST_DEVICE double mean_square() const {
    const double sw = south_west, se = south_east, nw = north_west, ne = north_east;
    const double west = sw + nw, east = se + ne, south = sw + se, north = nw + ne;
    const double of_nodes = sw * sw + se * se + nw * nw + ne * ne + sw * se + nw * ne + sw * nw
                            + se * ne + 0.5 * (sw * ne + se * nw);
    const double a = bend_x.mean(), c = bend_y.mean();
    const double of_both =
        a * (x.first * west + x.last * east) + c * (y.first * south + y.last * north);
    const double of_bends = bend_x.mean_square() * x.fifths + bend_y.mean_square() * y.fifths
                            + (a * x.cubes) * (c * y.cubes) * (1.0 / 18);
    return of_nodes * (1.0 / 9) + of_both + of_bends;
  }
};

/// The finer solution's error at a node of the coarser level.  Finer and Coarser give values in W
/// at (i, j).
template <class Finer, class Coarser>
HOST_DEVICE double level_error_at(const Finer& finer, const Coarser& coarser, int i, int j) {
  return static_cast<double>(finer(2 * i, 2 * j) - coarser(i, j)) * (1.0 / 3);
}

/// What linear interpolation at a part t of the way between two values leaves of the one there,
/// over t (1 - t).
template <class W>
HOST_DEVICE double bend(const W& first, const W& between, const W& last, const HalvedCell& cell) {
  const W line = first + W(cell.share) * (last - first);
  return static_cast<double>(between - line) * cell.bend;
}

/// In the coarser cell right of and above node (i, j).
template <class Finer, class Coarser>
HOST_DEVICE LevelErrorCell level_error_in(const Finer& finer, const Coarser& coarser, int i, int j,
                                          const HalvedCell& cell_x, const HalvedCell& cell_y) {
  const int x = 2 * i, y = 2 * j;
  const auto sw = finer(x, y), se = finer(x + 2, y), nw = finer(x, y + 2), ne = finer(x + 2, y + 2);
  const auto w = finer(x, y + 1), e = finer(x + 2, y + 1), s = finer(x + 1, y),
             n = finer(x + 1, y + 2), centre = finer(x + 1, y + 1);
  return {level_error_at(finer, coarser, i, j),
          level_error_at(finer, coarser, i + 1, j),
          level_error_at(finer, coarser, i, j + 1),
          level_error_at(finer, coarser, i + 1, j + 1),
          {bend(sw, s, se, cell_x), bend(w, centre, e, cell_x), bend(nw, n, ne, cell_x)},
          {bend(sw, w, nw, cell_y), bend(s, centre, n, cell_y), bend(se, e, ne, cell_y)},
          cell_x,
          cell_y};
}

}  // namespace ninefold
