#pragma once
// The kinds of grids that measurements of accuracy go over.

#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

namespace ninefold {

struct NamedGrading {
  std::string name;
  GridGrading grading;
};

/// Uniform, anisotropic, geometric and Shishkin grids of the unit square.
std::vector<NamedGrading> all_gradings();

}  // namespace ninefold
