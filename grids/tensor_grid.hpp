#pragma once
// Tensor-product grids on a rectangle, their refinement, and nested hierarchies.
//
// Mathematics.  Level l has 2^l cells and 2^l + 1 nodes in each direction; level 0 is the rectangle
// itself.  In the simplest grading, "anisotropic", refinement halves every cell, except that the
// cells next to a *refined side* are split nu/2 of their width away from that side: nu = 1 is
// uniform, nu < 1 packs cells against the side.  A single cell between two refined sides is halved,
// so that the grid stays symmetric.  The other gradings: grids/grading.hpp.
//
// Shape.  A direction is stored as cell widths and as the distances of its nodes to *both* ends.
// Coordinates alone would not do: on the paper's test I at level 9 the last cell is 5.6e-17 wide,
// less than the spacing of doubles next to x = 1.
//
// Units.  Lengths are in the units of the rectangle's width and height.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 7.2 and figure 5.
// Tests.      tests/grids/tensor_grid_test.cpp, tests/grids/grading_test.cpp,
// tests/fem/discrete/wide_assembly_test.cpp

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "precision/double_word.hpp"

#include "grids/field.hpp"

namespace ninefold {

enum class Side { left, right, bottom, top };
inline constexpr std::array<Side, 4> all_sides{Side::left, Side::right, Side::bottom, Side::top};

/// "left", "right", "bottom" or "top".
std::string_view to_string(Side side);

/// One direction of a grid: n cells, n + 1 nodes.
struct Line {
  std::vector<double> width;       ///< of cell i, between nodes i and i + 1; size n
  std::vector<double> from_start;  ///< distance of node i to node 0; size n + 1
  std::vector<double> from_end;    ///< distance of node i to node n; size n + 1

  int cells() const { return static_cast<int>(width.size()); }
  int nodes() const { return static_cast<int>(width.size()) + 1; }
};

/// Of each two cells that are one on the next coarser level, the first one's part of its width.
std::vector<double> first_shares(const Line& line);

/// The line with these cell widths; throws std::invalid_argument unless all are positive and
/// finite.
Line make_line(std::vector<double> widths);

/// The distances of a line's nodes to both ends in the format W.
template <class W>
struct Distances {
  std::vector<W> from_start, from_end;  ///< as in Line
};

/// For W = double those that the line stores; for DoubleDouble the sums of the widths, which define
/// the line, within 2u^2.
template <class W>
Distances<W> distances(const Line& line);
template <>
Distances<double> distances(const Line& line);
template <>
Distances<DoubleDouble> distances(const Line& line);

struct TensorGrid {
  Line x, y;

  int nx() const { return x.nodes(); }
  int ny() const { return y.nodes(); }
  double h_min() const;             ///< the smallest cell width of both directions
  double max_aspect_ratio() const;  ///< the largest ratio of a cell's longer to its shorter side
};

enum class Grading { anisotropic, geometric, shishkin };

/// "anisotropic", "geometric" or "shishkin".
std::string_view to_string(Grading grading);

/// How a rectangle is refined; uniform if nothing is said.
struct GridGrading {
  double nu = 1.0;                                     ///< of Grading::anisotropic, 0 < nu <= 1
  std::vector<Side> sides{Side::right, Side::bottom};  ///< where cells are narrow
  Grading kind = Grading::anisotropic;
  /// Of Grading::geometric, >= 1: the last over the first cell's width, about, not that of
  /// neighbours.
  double expansion_ratio = 1.0;
  double layer_width = 0.5;  ///< of Grading::shishkin, over the length: see widest_layer()
  std::vector<double> x_widths{}, y_widths{};  ///< of 2^k cells; that direction is not graded
};

/// The largest layer_width of a direction: that of a uniform grid.
constexpr double widest_layer(bool at_both_sides) {
  return at_both_sides ? 0.25 : 0.5;
}

/// True if a size that is stated says the same as the sum of own widths: to 12 digits.
inline bool agrees(double stated, double sum) {
  return std::abs(stated - sum) <= 1e-12 * sum;
}

/// 65537^2 nodes, 4.3e9: a vector in double takes 34 GB.  Stored rows end before: max_stored_nodes,
/// fem/matrix/nine_band.hpp.
inline constexpr int max_level = 16;

/// The grids of levels 0 to `level` of [0, width] x [0, height], each refining the one before it.
/// Own widths set the size of their direction; the one stated must agree to 12 digits.
/// Throws BadValue unless 0 <= level <= max_level, the sizes are positive and finite, and the
/// grading is in range; std::invalid_argument if own widths do not fit or some get subnormal.
std::vector<TensorGrid> make_hierarchy(double width, double height, int level,
                                       const GridGrading& grading = {});

}  // namespace ninefold
