#pragma once
// The pictures of a run: how the error falls, how the residual falls, and the solution itself.
//
// Tests.  tests/output/plots/plot_test.cpp

#include <filesystem>
#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"

#include "output/plots/gnuplot.hpp"
#include "output/plots/sampling.hpp"
#include "output/tables/results.hpp"

namespace ninefold {

/// convergence.png in `directory`: the l2 error of each run over the levels, and a line that falls
/// as h^2.  Not drawn, with a remark, if no level has an error.
Picture write_convergence_plot(const Results& results, const std::filesystem::path& directory);

/// residuals.png in `directory`: the residual over the iterations, of every level of a single run,
/// or of the finest level of each of several runs.  Not drawn if there is no history.
Picture write_residual_plot(const Results& results, const std::filesystem::path& directory);

/// What a picture of nodal values is drawn from.  Throws std::invalid_argument if the values do not
/// fit the grid.
Samples samples_to_draw(const TensorGrid& grid, const NodalValues<double>& values);

/// `image`, a .png: the bilinear interpolant of nodal values as colours with ten contour lines, to
/// scale up to a ratio of 3 between the sides.  Not drawn if no value is finite.
Picture write_solution_picture(const TensorGrid& grid, const Samples& samples,
                               const std::filesystem::path& image, const std::string& title = {});
/// The same of values at all nodes; throws as samples_to_draw() does.
Picture write_solution_picture(const TensorGrid& grid, const std::vector<double>& values,
                               const std::filesystem::path& image, const std::string& title = {});

}  // namespace ninefold
