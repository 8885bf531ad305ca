#pragma once
// What mesh_precision compares without solving: sizes, orders, storages.
//
// Tests.  tests/experiments/experiments.py

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/paper/mesh_solves.hpp"
#include "experiments/support/report.hpp"

namespace ninefold::mesh_precision {

/// Table 3 of CNC: meshes of its sizes, the three smaller ones or all.
void report_sizes(ExperimentReport& report, bool all);

/// Figures 3 and 9: bandwidths, and bytes by storage.
void report_orders(ExperimentReport& report, const std::vector<FlatMesh>& meshes);

}  // namespace ninefold::mesh_precision
