#include "experiments/program/mesh_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "precision/double_word.hpp"
#include "precision/require.hpp"

#include "grids/mesh/mesh_file.hpp"

#include "output/document/map_image.hpp"
#include "output/document/surface_image.hpp"
#include "output/tables/files.hpp"
#include "output/vtk/vtp.hpp"

#include "experiments/program/mesh_source.hpp"

namespace ninefold {
namespace {

/// The vertex of the part that had this number.
std::int32_t number_in(const MeshPart& part, std::int32_t vertex) {
  const auto place = std::lower_bound(part.vertices.begin(), part.vertices.end(), vertex);
  require(place != part.vertices.end() && *place == vertex, [&] {
    return fmt::format("vertex {} cannot be held: it is not of the largest part", vertex);
  });
  return static_cast<std::int32_t>(place - part.vertices.begin());
}

/// How a map is moved and scaled so that the longer side of its box is 1.
struct TextureFrame {
  PlanePoint least{};
  double side = 1;

  explicit TextureFrame(const std::vector<PlanePoint>& places) {
    PlanePoint most{};
    for (std::size_t k = 0; k < 2; ++k) {
      least[k] = std::numeric_limits<double>::infinity(), most[k] = -least[k];
      for (const PlanePoint& place : places) {
        least[k] = std::min(least[k], place[k]);
        most[k] = std::max(most[k], place[k]);
      }
    }
    side = std::max(most[0] - least[0], most[1] - least[1]);
  }

  PlanePoint of(const PlanePoint& place) const {
    return {(place[0] - least[0]) / side, (place[1] - least[1]) / side};
  }
};

bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

MeshProblem mesh_problem(const MeshSettings& settings) {
  MeshProblem problem;
  SourceMesh source = source_mesh(settings);
  problem.name = source.name;
  refused_with_remedy(source, [&] {
    const MeshNumbers numbers = source.numbers();
    require_disc(source.mesh, source.edges, numbers);
    ConformalPins pins;
    if (settings.pins) {
      auto [first, second] = *settings.pins;
      if (source.part) {
        first = number_in(*source.part, first), second = number_in(*source.part, second);
      }
      pins = pins_at(source.mesh, first, second, numbers);
    } else {
      pins = automatic_pins(source.mesh, source.edges);
    }
    problem.remarks = std::move(source.remarks);
    problem.remarks.push_back(fmt::format(
        "vertices {} and {} are held{}", numbers.vertex(pins.vertices[0]),
        numbers.vertex(pins.vertices[1]), settings.pins ? "" : ", far apart on the boundary"));
    problem.mesh = std::move(source.mesh);
    problem.system = conformal_system(problem.mesh, pins, settings.weight);
  });
  return problem;
}

MapFacts map_facts(const MeshProblem& problem, const WideVector& solution,
                   const std::optional<WideVector>& reference, const std::string& title) {
  MapFacts facts;
  if (!is_finite(solution.high)) return facts;
  const std::size_t n = problem.mesh.vertices.size();
  const std::vector<PlanePoint> places = places_of(problem.system, n, solution.high);
  const TextureFrame own(places);
  facts.finite = std::isfinite(own.side);
  if (!facts.finite) return facts;
  if (reference) {
    const TextureFrame frame(places_of(problem.system, n, reference->high));
    double largest = 0;
    for (std::size_t k = 0; k + 1 < solution.high.size(); k += 2) {
      const auto u = static_cast<double>(solution[k] - (*reference)[k]),
                 v = static_cast<double>(solution[k + 1] - (*reference)[k + 1]);
      largest = std::max(largest, std::hypot(u, v));
    }
    facts.texels = texture_side * largest / frame.side;
  }
  facts.distortion = map_distortion(problem.mesh, places);
  for (const PlanePoint& place : places) facts.texture.push_back(own.of(place));
  facts.surface = surface_image(problem.mesh, facts.texture, title + ", textured");
  facts.image = map_image(places, problem.mesh.triangles, facts.distortion.stretch, title);
  return facts;
}

void write_map(const MeshProblem& problem, const MapFacts& facts,
               const std::filesystem::path& folder, const std::string& name) {
  if (!facts.finite) return;
  write_file_atomically(folder / (name + ".obj"), obj_text(problem.mesh, facts.texture));
  const std::vector<TriangleField> fields{{"stretch", facts.distortion.stretch},
                                          {"area", facts.distortion.area}};
  write_file_atomically(folder / (name + ".vtp"), vtp_text(problem.mesh, facts.texture, fields));
  write_picture(facts.image, folder / (name + "-map.png"));
  write_picture(facts.surface, folder / (name + "-surface.png"));
}

}  // namespace ninefold
