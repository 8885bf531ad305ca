#include "experiments/program/mesh_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "precision/double_word.hpp"
#include "precision/require.hpp"

#include "grids/mesh/mesh_file.hpp"

#include "output/document/map_image.hpp"
#include "output/document/surface_image.hpp"
#include "output/tables/files.hpp"
#include "output/vtk/vtp.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

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

std::string texels_words(double texels) {
  return fmt::format("{:.3g} texels of a {} x {} texture", texels, texture_side, texture_side);
}

}  // namespace

MeshProblem mesh_problem(const MeshSettings& settings) {
  MeshProblem problem;
  if (!settings.file.empty()) {
    MeshFile file = read_mesh(settings.file);
    problem.name = settings.file;
    problem.mesh = std::move(file.mesh);
    problem.remarks = std::move(file.remarks);
  } else {
    problem.name = fmt::format("{} of size {}", settings.generator.name, settings.generator.size);
    problem.mesh = generate_mesh(settings.generator);
  }
  bool has_parts = false;
  try {
    MeshEdges edges = mesh_edges(problem.mesh);
    std::optional<MeshPart> part;
    has_parts = edges.part_sizes.size() > 1 || edges.isolated >= 0;
    if (has_parts && settings.part == MeshParts::largest) {
      part = largest_part(problem.mesh, edges);
      problem.remarks.push_back(fmt::format(
          "the largest of {} parts is taken: {} of {} triangles, {} of {} vertices",
          edges.part_sizes.size(), part->mesh.triangles.size(), problem.mesh.triangles.size(),
          part->mesh.vertices.size(), problem.mesh.vertices.size()));
      problem.mesh = std::move(part->mesh);
      edges = mesh_edges(problem.mesh);
      has_parts = false;
    }
    require_disc(problem.mesh, edges);
    const auto given = [&](std::int32_t vertex) {
      return part ? part->vertices[at(vertex)] : vertex;
    };
    ConformalPins pins;
    if (settings.pins) {
      auto [first, second] = *settings.pins;
      if (part) first = number_in(*part, first), second = number_in(*part, second);
      pins = pins_at(problem.mesh, first, second);
    } else {
      pins = automatic_pins(problem.mesh, edges);
    }
    problem.remarks.push_back(fmt::format("vertices {} and {} are held{}", given(pins.vertices[0]),
                                          given(pins.vertices[1]),
                                          settings.pins ? "" : ", far apart on the boundary"));
    problem.system = conformal_system(problem.mesh, pins);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format(
        "{}: {}{}", problem.name, error.what(),
        has_parts ? "\n  --part largest, or mesh.part = \"largest\", takes the largest part alone"
                  : ""));
  }
  return problem;
}

bool same_mesh(const MeshSettings& a, const MeshSettings& b) {
  return a.file == b.file && a.generator.name == b.generator.name
         && a.generator.size == b.generator.size && a.part == b.part && a.pins == b.pins;
}

MapFacts map_facts(const MeshProblem& problem, const WideVector& solution,
                   const std::optional<WideVector>& reference, const std::string& title) {
  MapFacts facts;
  facts.triangles = static_cast<std::int64_t>(problem.mesh.triangles.size());
  facts.finite = is_finite(solution.high);
  if (!facts.finite) return facts;
  const std::size_t n = problem.mesh.vertices.size();
  const std::vector<PlanePoint> places = places_of(problem.system, n, solution.high);
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
  const MapDistortion distortion = map_distortion(problem.mesh, places);
  facts.turned_over = distortion.turned_over;
  facts.median_stretch = distortion.median_stretch;
  facts.largest_stretch = distortion.largest_stretch;
  const TextureFrame own(places);
  std::vector<PlanePoint> texture = places;
  for (PlanePoint& place : texture) place = own.of(place);
  facts.surface = surface_image(problem.mesh, texture, title + ", textured");
  facts.image = map_image(places, problem.mesh.triangles, distortion.stretch, title);
  return facts;
}

void write_map(const MeshProblem& problem, const WideVector& solution, const MapFacts& facts,
               const std::filesystem::path& folder, const std::string& name) {
  if (!facts.finite) return;
  std::vector<PlanePoint> places =
      places_of(problem.system, problem.mesh.vertices.size(), solution.high);
  const MapDistortion distortion = map_distortion(problem.mesh, places);
  const TextureFrame frame(places);
  for (PlanePoint& place : places) place = frame.of(place);
  write_file_atomically(folder / (name + ".obj"), obj_text(problem.mesh, places));
  const std::vector<TriangleField> fields{{"stretch", distortion.stretch},
                                          {"area", distortion.area}};
  write_file_atomically(folder / (name + ".vtp"), vtp_text(problem.mesh, places, fields));
  if (!facts.image.png.empty()) {
    write_file_atomically(folder / (name + "-map.png"), facts.image.png);
  }
  if (!facts.surface.png.empty()) {
    write_file_atomically(folder / (name + "-surface.png"), facts.surface.png);
  }
}

std::string map_verdict(const std::vector<JudgedMap>& runs) {
  const auto best = std::min_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    return a.texels.value_or(INFINITY) < b.texels.value_or(INFINITY);
  });
  if (best == runs.end() || !best->texels) {
    return "Nothing is known of the error, and whether single is enough: there is no reference "
           "solution, or no map.";
  }
  const auto single =
      std::find_if(runs.begin(), runs.end(), [](const JudgedMap& run) { return run.is_single; });
  if (single == runs.end()) {
    return fmt::format("Whether single is enough was not tried; in {} the largest error is {}.",
                       best->formats, texels_words(*best->texels));
  }
  std::string text = "Single is not enough: its map is not finite";
  if (single->texels) {
    const bool is_enough = *single->texels <= texels_enough;
    text = fmt::format("Single is {}enough: its largest error is {}, {} half of one",
                       is_enough ? "" : "not ", texels_words(*single->texels),
                       is_enough ? "below" : "above");
  }
  if (!best->is_single) text += fmt::format("; {} has {:.3g}", best->formats, *best->texels);
  return text + ".";
}

}  // namespace ninefold
