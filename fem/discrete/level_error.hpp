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
// singularity they are not alike.
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

#include "precision/host_device.hpp"
#include "precision/larger.hpp"

namespace ninefold {

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
  double share_x, share_y;  ///< of its width, that of its left half; of its height, the lower one's

  template <class Factor>
  HOST_DEVICE LevelErrorCell times(const Factor& factor) const {
    return {factor.times(south_west),
            factor.times(south_east),
            factor.times(north_west),
            factor.times(north_east),
            bend_x.times(factor),
            bend_y.times(factor),
            share_x,
            share_y};
  }

  HOST_DEVICE double mean_square() const {
    const double sw = south_west, se = south_east, nw = north_west, ne = north_east;
    double mean = (sw * sw + se * se + nw * nw + ne * ne + sw * se + nw * ne + sw * nw + se * ne
                   + 0.5 * (sw * ne + se * nw))
                  / 9;
    const double a = bend_x.mean(), a2 = bend_x.mean_square();
    const double c = bend_y.mean(), c2 = bend_y.mean_square();
    for (int q = 0; q < 2; ++q) {
      const double height = q == 0 ? share_y : 1 - share_y;
      const double y = q == 0 ? 0.5 * share_y : 0.5 * (1 + share_y);
      const double squared_height = height * height, C = c * squared_height,
                   C2 = c2 * (squared_height * squared_height);
      for (int p = 0; p < 2; ++p) {
        const double width = p == 0 ? share_x : 1 - share_x;
        const double x = p == 0 ? 0.5 * share_x : 0.5 * (1 + share_x);
        const double squared_width = width * width, A = a * squared_width,
                     A2 = a2 * (squared_width * squared_width);
        const double n = (1 - y) * ((1 - x) * sw + x * se) + y * ((1 - x) * nw + x * ne);
        mean = mean + width * height * (n * (A + C) / 3 + (A2 + C2) / 30 + A * C / 18);
      }
    }
    return mean;
  }
};

/// The finer solution's error at a node of the coarser level.  Finer and Coarser give values in W
/// at (i, j).
template <class Finer, class Coarser>
HOST_DEVICE double level_error_at(const Finer& finer, const Coarser& coarser, int i, int j) {
  return static_cast<double>(finer(2 * i, 2 * j) - coarser(i, j)) / 3;
}

/// What linear interpolation at a part t of the way between two values leaves of the one there,
/// over t (1 - t).
template <class W>
HOST_DEVICE double bend(const W& first, const W& between, const W& last, double t) {
  const W line = first + W(t) * (last - first);
  return static_cast<double>(between - line) / (t * (1 - t));
}

/// In the coarser cell right of and above node (i, j).
template <class Finer, class Coarser>
HOST_DEVICE LevelErrorCell level_error_in(const Finer& finer, const Coarser& coarser, int i, int j,
                                          double share_x, double share_y) {
  const int x = 2 * i, y = 2 * j;
  const auto sw = finer(x, y), se = finer(x + 2, y), nw = finer(x, y + 2), ne = finer(x + 2, y + 2);
  const auto w = finer(x, y + 1), e = finer(x + 2, y + 1), s = finer(x + 1, y),
             n = finer(x + 1, y + 2), centre = finer(x + 1, y + 1);
  return {level_error_at(finer, coarser, i, j),
          level_error_at(finer, coarser, i + 1, j),
          level_error_at(finer, coarser, i, j + 1),
          level_error_at(finer, coarser, i + 1, j + 1),
          {bend(sw, s, se, share_x), bend(w, centre, e, share_x), bend(nw, n, ne, share_x)},
          {bend(sw, w, nw, share_y), bend(s, centre, n, share_y), bend(se, e, ne, share_y)},
          share_x,
          share_y};
}

}  // namespace ninefold
