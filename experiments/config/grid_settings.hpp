#pragma once
// What the settings of [grid] and [domain] mean together: files of cell widths, sizes and levels
// that follow from them, and settings that would have no effect.
//
// Tests.  tests/experiments/config/grid_settings_test.cpp,
// tests/experiments/config/bad_input_test.cpp

#include <filesystem>
#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "experiments/config/configuration.hpp"
#include "experiments/config/settings.hpp"

namespace ninefold {

/// Reads the files that grid.x_widths and grid.y_widths name, relative to the folder of the config
/// `file`, and sets what follows from them: the size of the rectangle and, unless grid.levels is
/// stated, the levels: that of the larger file and up to three before it.  Throws
/// ConfigurationError for a file that cannot be used and for a stated size that differs.
void take_widths(const std::vector<Setting>& settings, const std::filesystem::path& file,
                 Configuration& c);

/// The refined sides of the directions that are graded, not given by widths.
std::vector<Side> graded_sides(const GridGrading& grading);

/// Throws ConfigurationError for a setting of another grading or without a side to refine, for
/// grid.refined_sides without a setting that says how much, and for a grading whose own setting is
/// missing; a value that means a uniform grid is let through.  Where grid.grading is among the
/// `varied` keys of a study, settings of gradings other than this run's are let through.
void check_grading(const std::vector<Setting>& settings, const Configuration& c,
                   const std::vector<std::string>& varied);

/// Throws ConfigurationError if a grid of the configuration cannot be made, or not be written as
/// output.vtk demands.
void check_grids(const std::vector<Setting>& settings, const std::filesystem::path& file,
                 const Configuration& c);

}  // namespace ninefold
