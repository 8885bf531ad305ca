#pragma once
// The pictures of a run: how the error falls, how the residual falls, and the solution itself.
//
// Tests.  tests/output/plots/plot_test.cpp

#include <filesystem>
#include <span>
#include <string>

#include "grids/tensor_grid.hpp"

#include "output/plots/gnuplot.hpp"
#include "output/tables/results.hpp"

namespace ninefold {

/// convergence.png in `directory`: the l2 error of each run over the levels, and a line that falls
/// as h^2.  Not drawn, with a remark, if no level has an error.
Picture write_convergence_plot(const Results& results, const std::filesystem::path& directory);

/// residuals.png in `directory`: the residual over the iterations, of every level of a single run,
/// or of the finest level of each of several runs.  Not drawn if there is no history.
Picture write_residual_plot(const Results& results, const std::filesystem::path& directory);

/// `image`, a .png: the bilinear interpolant of nodal values as colours with ten contour lines, to
/// scale up to a ratio of 3 between the sides.  Not drawn if no value is finite.  Throws
/// std::invalid_argument if the values do not fit the grid.
Picture write_solution_picture(const TensorGrid& grid, std::span<const double> values,
                               const std::filesystem::path& image, const std::string& title = {});

}  // namespace ninefold
