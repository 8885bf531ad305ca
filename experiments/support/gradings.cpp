#include "experiments/support/gradings.hpp"

#include <utility>

#include <fmt/format.h>

namespace ninefold {

std::vector<NamedGrading> all_gradings() {
  std::vector<NamedGrading> all;
  for (const double nu : {1.0, 0.75, 0.5, 1.0 / 64}) {
    GridGrading grading;
    grading.nu = nu;
    all.push_back({nu == 1 ? "uniform" : fmt::format("anisotropy {:.3g}", nu), grading});
  }
  GridGrading geometric;
  geometric.kind = Grading::geometric;
  geometric.expansion_ratio = 50;
  all.push_back({"geometric 50", geometric});
  GridGrading shishkin;
  shishkin.kind = Grading::shishkin;
  shishkin.layer_width = 0.1;
  all.push_back({"shishkin 0.1", shishkin});
  return all;
}

}  // namespace ninefold
