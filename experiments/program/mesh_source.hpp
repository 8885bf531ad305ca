#pragma once
// The mesh that [mesh] states, read or made, or the largest part of it, with what is next to what.
//
// Tests.  tests/experiments/mesh.py

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grids/mesh/triangle_mesh.hpp"

#include "output/document/document.hpp"

#include "experiments/config/mesh_settings.hpp"

namespace ninefold {

struct SourceMesh {
  std::string name{};  ///< "head.off", "patch of size 64"
  TriangleMesh mesh{};
  MeshEdges edges{};
  std::optional<MeshPart> part{};  ///< without its mesh, if it is not the whole
  std::vector<std::string> remarks{};

  bool has_parts() const { return edges.part_sizes.size() > 1 || edges.isolated >= 0; }
  /// For messages.
  MeshNumbers numbers() const { return part ? part->numbers() : MeshNumbers{}; }
};

/// Throws std::invalid_argument for what cannot be read or made, and for what mesh_edges() refuses.
SourceMesh source_mesh(const MeshSettings& settings);

/// Throws what is thrown with the mesh's name before it and, of several parts, what would help.
[[noreturn]] void refuse_mesh(const SourceMesh& source, const std::invalid_argument& error);

/// Runs what may refuse the mesh.
template <class Task>
void refused_with_remedy(const SourceMesh& source, const Task& task) {
  try {
    task();
  } catch (const std::invalid_argument& error) {
    refuse_mesh(source, error);
  }
}

/// The file, if there is something to be seen.
void write_picture(const Image& image, const std::filesystem::path& file);

/// True if both are about the same equations.
bool same_mesh(const MeshSettings& a, const MeshSettings& b);

}  // namespace ninefold
