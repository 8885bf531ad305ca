#include "experiments/program/mesh_source.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "grids/mesh/mesh_file.hpp"

#include "output/tables/files.hpp"

namespace ninefold {

SourceMesh source_mesh(const MeshSettings& settings) {
  SourceMesh source;
  if (!settings.file.empty()) {
    MeshFile file = read_mesh(settings.file);
    source.name = settings.file;
    source.mesh = std::move(file.mesh);
    source.remarks = std::move(file.remarks);
  } else {
    source.name = fmt::format("{} of size {}", settings.generator.name, settings.generator.size);
    source.mesh = generate_mesh(settings.generator);
  }
  refused_with_remedy(source, [&] {
    source.edges = mesh_edges(source.mesh);
    if (!source.has_parts() || settings.part != MeshParts::largest) return;
    MeshPart part = largest_part(source.mesh, source.edges);
    const std::size_t parts = source.edges.part_sizes.size();
    source.remarks.push_back(
        fmt::format("{}: {} of {} triangles, {} of {} vertices",
                    parts > 1 ? fmt::format("the largest of {} parts is taken", parts)
                              : "vertices that belong to no triangle are left out",
                    part.mesh.triangles.size(), source.mesh.triangles.size(),
                    part.mesh.vertices.size(), source.mesh.vertices.size()));
    source.mesh = std::move(part.mesh);
    source.edges = mesh_edges(source.mesh);
    source.part = std::move(part);
  });
  return source;
}

void refuse_mesh(const SourceMesh& source, const std::invalid_argument& error) {
  throw std::invalid_argument(fmt::format(
      "{}: {}{}", source.name, error.what(),
      source.has_parts()
          ? "\n  --part largest, or mesh.part = \"largest\", takes the largest part alone"
          : ""));
}

void write_picture(const Image& image, const std::filesystem::path& file) {
  if (!image.png.empty()) write_file_atomically(file, image.png);
}

bool same_mesh(const MeshSettings& a, const MeshSettings& b) {
  return a.file == b.file && a.generator.name == b.generator.name
         && a.generator.size == b.generator.size && a.part == b.part && a.pins == b.pins
         && a.chosen_task() == b.chosen_task() && a.weight == b.weight && a.fidelity == b.fidelity;
}

}  // namespace ninefold
