#include "experiments/paper/mesh_solves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "grids/mesh/mesh_file.hpp"
#include "grids/mesh/mesh_generators.hpp"

namespace ninefold::mesh_precision {
namespace {

namespace fs = std::filesystem;
using enum TriangleWeight;

struct KnownMesh {
  std::string name;
  int level;  // of a patch
  Known known;
};

const std::vector<KnownMesh>& known_meshes() {
  static const std::vector<KnownMesh> all{
      {"patch", 6, {8446, 1376, 1e-12, conformal, 25.2, 0.35, 3244, 2083, 0, 0, 0}},
      {"patch", 7, {33278, 0, tolerance, conformal, 157, 0, 0, 0, 0, 0, 0}},
      {"three_peaks", 0, {3810, 569, tolerance, conformal, 0.09, 0.007, 0, 0, 0, 0, 0}},
      {"lion-head", 0, {16708, 667, tolerance, unscaled, 0.034, 0.010, 0, 0, 16221, 595, 41.5}},
      {"mannequin-devil",
       0,
       {25950, 993, tolerance, unscaled, 0.39, 0.027, 0, 0, 25423, 1151, 38.4}},
  };
  return all;
}

/// Those of libcgal-demo that are there.
std::vector<FlatMesh> read_meshes(const std::vector<std::string>& names) {
  std::vector<FlatMesh> meshes;
  const std::optional<std::string> folder = folder_of_meshes();
  if (!folder) return meshes;
  for (const std::string& name : names) {
    const fs::path file = fs::path(*folder) / (name + ".off");
    if (fs::exists(file)) meshes.push_back({name, 0, read_mesh(file).mesh, {}});
  }
  return meshes;
}

bool is_mixed(const std::string& way) {
  return way.starts_with("double:");
}

/// The longer side of the box of a map.
double side_of_map(const ConformalSystem& system, std::size_t n, const WideVector& solution) {
  const std::vector<PlanePoint> places = places_of(system, n, solution.high);
  double side = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto [least, most] = std::minmax_element(
        places.begin(), places.end(), [&](const auto& p, const auto& q) { return p[k] < q[k]; });
    side = std::max(side, (*most)[k] - (*least)[k]);
  }
  return side;
}

}  // namespace

std::optional<std::string> folder_of_meshes() {
  const char* const stated = std::getenv("NINEFOLD_MESHES");
  const std::string folder = stated ? stated : "/usr/share/doc/libcgal-dev/data/meshes";
  if (!fs::is_directory(folder)) return {};
  return folder;
}

std::vector<FlatMesh> flat_meshes(const LevelRange& levels) {
  std::vector<FlatMesh> meshes;
  for (int level = levels.first; level <= levels.last; ++level) {
    meshes.push_back({"patch", level, generate_mesh({"patch", 1 << level}), {}});
  }
  std::vector<FlatMesh> read = read_meshes({"three_peaks", "lion-head", "mannequin-devil"});
  std::move(read.begin(), read.end(), std::back_inserter(meshes));
  for (FlatMesh& mesh : meshes) {
    for (const KnownMesh& one : known_meshes()) {
      if (one.name == mesh.name && one.level == mesh.level) mesh.known = one.known;
    }
  }
  return meshes;
}

std::vector<FlatMesh> smoothed_meshes(int level) {
  const int n = 1 << level;
  std::vector<FlatMesh> meshes;
  for (const auto& [name, size] : std::vector<std::pair<std::string, int>>{
           {"patch", n},
           {"bumps", n},
           {"sphere", std::max(2, static_cast<int>(std::lround(n / std::sqrt(6.0))))},
           {"torus", n}}) {
    meshes.push_back({name, level, generate_mesh({name, size}), {}});
  }
  std::vector<FlatMesh> read =
      read_meshes({"nefertiti", "three_peaks", "elephant", "lion", "lion-head", "man"});
  std::move(read.begin(), read.end(), std::back_inserter(meshes));
  return meshes;
}

std::vector<std::string> ways_of(const FlatMesh& mesh) {
  std::vector<std::string> all{"double", "single plain", "single difference"};
  if (mesh.is_made() && mesh.level > 6) return all;
  all.insert(all.end(), {"double:single plain", "double:single difference"});
  return all;
}

FlatSystem flat_system(const FlatMesh& mesh, BackendKind where) {
  FlatSystem system;
  const TriangleWeight weight = mesh.known ? mesh.known->weight : conformal;
  const MeshEdges edges = mesh_edges(mesh.mesh);
  require_disc(mesh.mesh, edges);
  system.conformal = conformal_system(mesh.mesh, automatic_pins(mesh.mesh, edges), weight);
  system.problem = {std::move(system.conformal.A), std::move(system.conformal.b), {}};
  constexpr int most_iterations = 1'000'000;
  system.problem.solution = reference_solution(system.problem, most_iterations, where);
  system.side = side_of_map(system.conformal, mesh.mesh.vertices.size(), *system.problem.solution);
  return system;
}

SparseOptions options_of(const FlatMesh& mesh, const std::string& way) {
  const bool in_single = way.starts_with("single");
  SparseOptions options =
      by_cg(in_single ? Precision::single_ : Precision::double_,
            in_single ? (mesh.is_made() ? single_patch_tolerance : single_tolerance)
            : mesh.known && way == "double" ? mesh.known->double_tolerance
                                            : tolerance);
  options.components = 2;
  const OperatorForm form =
      way.ends_with("difference") ? OperatorForm::difference : OperatorForm::plain;
  options.solver.form = is_mixed(way) ? OperatorForm::plain : form;
  if (is_mixed(way)) {
    options.solver.refinement.inner = {Precision::single_};
    options.solver.refinement.variant = RefinementVariant::refinement;
    options.solver.refinement.inner_form = form;
    options.solver.refinement.stop = {{.iterations = {}, .digits = 2}};
  }
  return options;
}

FlatSolve solve_flat(const FlatMesh& mesh, const FlatSystem& system, const std::string& way,
                     SparseRuns& runs) {
  FlatSolve one{&mesh, way, 0, {}, 0};
  one.solved = runs.solve(fmt::format("{} {}", mesh.name, way), mesh.level, system.problem,
                          options_of(mesh, way));
  const Report& report = one.solved.report;
  one.steps = is_mixed(way) ? report.inner_iterations : report.iterations;
  const WideVector &x = one.solved.solution, &exact = *system.problem.solution;
  double largest = 0;
  for (std::size_t k = 0; k + 1 < x.high.size(); k += 2) {
    const double error = std::hypot(static_cast<double>(x[k] - exact[k]),
                                    static_cast<double>(x[k + 1] - exact[k + 1]));
    largest = std::isnan(error) ? error : std::max(largest, error);
  }
  one.texels = texture_side * largest / system.side;
  return one;
}

}  // namespace ninefold::mesh_precision
