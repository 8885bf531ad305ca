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
// A = a t^2, C = c t'^2, n in the product at the finer cell's centre.
//
// Shape.  Node (i, j) of the coarser level is node (2 i, 2 j) of the finer one.
//
// Rounding.  Differences in the solutions' format W, all else in double.
//
// Tests.  tests/solvers/estimate/level_errors_test.cpp, tests/fem/discrete/level_error_test.cpp

#include "precision/host_device.hpp"

namespace ninefold {

/// The error over a coarser cell.
struct LevelErrorCell {
  double south_west, south_east, north_west, north_east;  ///< n at its corners
  double bend_x, bend_y;                                  ///< a and c
  double share_x, share_y;  ///< of its width, that of its left half; of its height, the lower one's

  template <class Factor>
  HOST_DEVICE LevelErrorCell times(const Factor& factor) const {
    return {factor.times(south_west),
            factor.times(south_east),
            factor.times(north_west),
            factor.times(north_east),
            factor.times(bend_x),
            factor.times(bend_y),
            share_x,
            share_y};
  }

  HOST_DEVICE double mean_square() const {
    const double sw = south_west, se = south_east, nw = north_west, ne = north_east;
    double mean = (sw * sw + se * se + nw * nw + ne * ne + sw * se + nw * ne + sw * nw + se * ne
                   + 0.5 * (sw * ne + se * nw))
                  / 9;
    for (int q = 0; q < 2; ++q) {
      const double height = q == 0 ? share_y : 1 - share_y;
      const double y = q == 0 ? 0.5 * share_y : 0.5 * (1 + share_y);
      const double C = bend_y * height * height;
      for (int p = 0; p < 2; ++p) {
        const double width = p == 0 ? share_x : 1 - share_x;
        const double x = p == 0 ? 0.5 * share_x : 0.5 * (1 + share_x);
        const double A = bend_x * width * width;
        const double n = (1 - y) * ((1 - x) * sw + x * se) + y * ((1 - x) * nw + x * ne);
        mean = mean + width * height * (n * (A + C) / 3 + (A * A + C * C) / 30 + A * C / 18);
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
  const W line = W(1 - t) * first + W(t) * last;
  return static_cast<double>(between - line) / (t * (1 - t));
}

/// In the coarser cell right of and above node (i, j); bends are means over its two sides.
template <class Finer, class Coarser>
HOST_DEVICE LevelErrorCell level_error_in(const Finer& finer, const Coarser& coarser, int i, int j,
                                          double share_x, double share_y) {
  const int x = 2 * i, y = 2 * j;
  const auto sw = finer(x, y), se = finer(x + 2, y), nw = finer(x, y + 2), ne = finer(x + 2, y + 2);
  return {
      level_error_at(finer, coarser, i, j),
      level_error_at(finer, coarser, i + 1, j),
      level_error_at(finer, coarser, i, j + 1),
      level_error_at(finer, coarser, i + 1, j + 1),
      0.5 * (bend(sw, finer(x + 1, y), se, share_x) + bend(nw, finer(x + 1, y + 2), ne, share_x)),
      0.5 * (bend(sw, finer(x, y + 1), nw, share_y) + bend(se, finer(x + 2, y + 1), ne, share_y)),
      share_x,
      share_y};
}

}  // namespace ninefold
