// CGAL's least squares conformal maps beside ours: the one test that includes CGAL.
//
// Its rows are not divided by the areas of triangles, so ours are not either, and its own places
// of the two held vertices are taken.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/Surface_mesh_parameterization/LSCM_parameterizer_3.h>
#include <CGAL/Surface_mesh_parameterization/Two_vertices_parameterizer_3.h>
#include <CGAL/Surface_mesh_parameterization/parameterize.h>

#include "grids/mesh/mesh_file.hpp"
#include "grids/mesh/mesh_generators.hpp"

#include "fem/surface/lscm.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/data_of_others.hpp"
#include "tests/support/skip.hpp"

using namespace ninefold;

namespace {

using Kernel = CGAL::Simple_cartesian<double>;
using CgalMesh = CGAL::Surface_mesh<Kernel::Point_3>;
namespace maps = CGAL::Surface_mesh_parameterization;
using Border = maps::Two_vertices_parameterizer_3<CgalMesh>;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// CGAL's places of all vertices, with these two held.
std::vector<PlanePoint> cgal_places(const TriangleMesh& mesh, const MeshEdges& edges,
                                    const ConformalPins& pins) {
  CgalMesh surface;
  std::vector<CgalMesh::Vertex_index> vertices;
  for (const SpacePoint& p : mesh.vertices) {
    vertices.push_back(surface.add_vertex(Kernel::Point_3(p[0], p[1], p[2])));
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    surface.add_face(vertices[at(a)], vertices[at(b)], vertices[at(c)]);
  }
  const auto& loop = edges.boundaries.front();
  auto border = surface.halfedge(vertices[at(loop[0])], vertices[at(loop[1])]);
  if (!surface.is_border(border)) border = surface.opposite(border);
  REQUIRE(surface.is_border(border));
  auto places = surface.add_property_map<CgalMesh::Vertex_index, Kernel::Point_2>("v:uv").first;
  const Border held(vertices[at(pins.vertices[0])], vertices[at(pins.vertices[1])]);
  const auto status = maps::parameterize(
      surface, maps::LSCM_parameterizer_3<CgalMesh, Border>(held), border, places);
  REQUIRE(status == maps::OK);
  std::vector<PlanePoint> result;
  for (const auto vertex : vertices) result.push_back({places[vertex].x(), places[vertex].y()});
  return result;
}

void require_same_map(const TriangleMesh& mesh) {
  const MeshEdges edges = mesh_edges(mesh);
  require_disc(mesh, edges);
  ConformalPins pins = automatic_pins(mesh, edges);
  const std::vector<PlanePoint> theirs = cgal_places(mesh, edges, pins);
  for (std::size_t k = 0; k < 2; ++k) pins.places[k] = theirs[at(pins.vertices[k])];
  const ConformalSystem system = conformal_system(mesh, pins, TriangleWeight::unscaled);
  SparseOptions options;
  options.components = 2;
  options.solver.tolerance = 1e-13;
  options.solver.max_iterations = 100'000;
  const SparseSolved solved = solve_sparse({system.A, system.b, {}}, options, BackendKind::host);
  const auto ours = places_of(system, mesh.vertices.size(), solved.solution.high);
  double largest = 0, size = 0;
  for (std::size_t p = 0; p < ours.size(); ++p) {
    largest = std::max(largest, std::hypot(ours[p][0] - theirs[p][0], ours[p][1] - theirs[p][1]));
    size = std::max(size, std::hypot(ours[p][0] - ours[0][0], ours[p][1] - ours[0][1]));
  }
  CAPTURE(largest, size, solved.report.true_residual_reduction);
  REQUIRE(largest < 1e-7 * size);
}

}  // namespace

TEST_CASE("maps of generated meshes are CGAL's", "[fem][mesh][lscm][cgal]") {
  const std::string name = GENERATE("patch", "bumps");
  CAPTURE(name);
  require_same_map(generate_mesh({name, 24}));
}

TEST_CASE("maps of CGAL's own meshes are CGAL's", "[fem][mesh][lscm][cgal]") {
  const std::filesystem::path meshes = testing::meshes_of_others();
  bool any = false;
  for (const std::string name : {"nefertiti", "three_peaks", "lion-head"}) {
    const std::filesystem::path file = meshes / (name + ".off");
    if (!std::filesystem::exists(file)) continue;
    any = true;
    CAPTURE(name);
    require_same_map(read_mesh(file).mesh);
  }
  if (!any)
    testing::skip("the meshes of Debian's libcgal-demo are not here: scripts/prepare.sh tests");
}
