#pragma once
// A picture of where a sparse matrix has entries.
//
// Shape.  A panel is cut into at most 200 x 200 cells; the colour of one tells the part of its
// places that hold entries, on a logarithmic scale; cells without entries are white.  Row 1 is on
// top.
//
// Tests.  tests/output/plots/pattern_picture_test.cpp

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

#include "output/plots/gnuplot.hpp"

namespace ninefold {

/// For each cell, by rows, the part of its places that hold entries, for a pattern whose row and
/// column k are the order[k]-th; an empty order stands for that of the pattern.
struct PatternDensity {
  int n_x = 0, n_y = 0;
  std::vector<double> share{};
};
PatternDensity pattern_density(const SparsePattern& pattern, const std::vector<std::int32_t>& order,
                               int most_cells = 200);

/// `image`, a .png: the pattern and, beside it, in another order, if that is not empty.
Picture write_pattern_picture(const SparsePattern& pattern, const std::vector<std::int32_t>& order,
                              const std::string& order_name, const std::filesystem::path& image,
                              const std::string& title);

}  // namespace ninefold
