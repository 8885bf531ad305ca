#include "experiments/program/mesh_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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

bool is_known(const JudgedMap& run) {
  return run.texels || !run.finite;
}

double error_of(const JudgedMap& run) {
  return run.texels.value_or(INFINITY);
}

/// Of each mesh the best run among those that count and are known, of these the worst; none if
/// there is none.
template <class Counts>
const JudgedMap* worst_of_best(const std::vector<JudgedMap>& runs, const Counts& counts) {
  std::map<std::size_t, const JudgedMap*> best;  // of each mesh
  for (const JudgedMap& run : runs) {
    if (!counts(run) || !is_known(run)) continue;
    const JudgedMap*& own = best[run.mesh];
    if (own == nullptr || error_of(run) < error_of(*own)) own = &run;
  }
  const JudgedMap* worst = nullptr;
  for (const auto& [unused, run] : best) {
    if (worst == nullptr || error_of(*run) > error_of(*worst)) worst = run;
  }
  return worst;
}

/// Whether formats alone do not say which run it is.
bool has_others(const std::vector<JudgedMap>& runs, const JudgedMap& one) {
  return std::count_if(runs.begin(), runs.end(),
                       [&](const JudgedMap& run) { return run.formats == one.formats; })
         > 1;
}

/// Whether there is a mesh of which nothing is known in single.
bool has_unknown(const std::vector<JudgedMap>& runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const JudgedMap& run) {
    return run.is_single && worst_of_best(runs, [&](const JudgedMap& other) {
                              return other.is_single && other.mesh == run.mesh;
                            }) == nullptr;
  });
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
      const std::size_t parts = edges.part_sizes.size();
      problem.remarks.push_back(
          fmt::format("{}: {} of {} triangles, {} of {} vertices",
                      parts > 1 ? fmt::format("the largest of {} parts is taken", parts)
                                : "vertices that belong to no triangle are left out",
                      part->mesh.triangles.size(), problem.mesh.triangles.size(),
                      part->mesh.vertices.size(), problem.mesh.vertices.size()));
      problem.mesh = std::move(part->mesh);
      edges = mesh_edges(problem.mesh);
      has_parts = false;
    }
    const MeshNumbers numbers = part ? part->numbers() : MeshNumbers{};
    require_disc(problem.mesh, edges, numbers);
    ConformalPins pins;
    if (settings.pins) {
      auto [first, second] = *settings.pins;
      if (part) first = number_in(*part, first), second = number_in(*part, second);
      pins = pins_at(problem.mesh, first, second, numbers);
    } else {
      pins = automatic_pins(problem.mesh, edges);
    }
    problem.remarks.push_back(fmt::format(
        "vertices {} and {} are held{}", numbers.vertex(pins.vertices[0]),
        numbers.vertex(pins.vertices[1]), settings.pins ? "" : ", far apart on the boundary"));
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
  if (!facts.image.png.empty()) {
    write_file_atomically(folder / (name + "-map.png"), facts.image.png);
  }
  if (!facts.surface.png.empty()) {
    write_file_atomically(folder / (name + "-surface.png"), facts.surface.png);
  }
}

std::string map_verdict(const std::vector<JudgedMap>& runs) {
  if (std::none_of(runs.begin(), runs.end(), [](const auto& run) { return run.texels; })) {
    return "Nothing is known of the error, and whether single is enough: there is no reference "
           "solution, or no map.";
  }
  const auto is_single = [](const JudgedMap& run) { return run.is_single; };
  const JudgedMap* single = worst_of_best(runs, is_single);
  if (single == nullptr) {
    if (std::any_of(runs.begin(), runs.end(), is_single)) {
      return "Nothing is known of the error in single: there is no reference solution.";
    }
    const JudgedMap* best = worst_of_best(runs, [](const JudgedMap&) { return true; });
    return fmt::format("Whether single is enough was not tried; in {} {}{}.", best->formats,
                       best->texels ? "the largest error is " + texels_words(*best->texels)
                                    : "a map is not finite",
                       has_others(runs, *best) ? ", in " + best->run : "");
  }
  const std::string where = has_others(runs, *single) ? ", in " + single->run : "";
  std::string text = "Single is not enough: its map is not finite" + where;
  if (single->texels) {
    const double texels = *single->texels;
    text = fmt::format(
        "Single is {}enough{}: its largest error is {}{}, {} half of one",
        texels <= texels_enough ? "" : "not ",
        texels <= texels_enough && has_unknown(runs) ? ", where the error is known" : "",
        texels_words(texels), where,
        texels < texels_enough    ? "below"
        : texels == texels_enough ? "just"
                                  : "above");
  }
  const JudgedMap* other =
      worst_of_best(runs, [&](const JudgedMap& run) { return run.mesh == single->mesh; });
  if (!other->is_single && other->texels)
    text += fmt::format("; {} has {:.3g}", other->formats, *other->texels);
  return text + ".";
}

}  // namespace ninefold
