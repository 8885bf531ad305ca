#pragma once
// What [mesh] of a config file says.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grids/mesh/mesh_generators.hpp"

#include "fem/surface/lscm.hpp"

namespace ninefold {

enum class MeshTask { parameterise, smooth };
/// Of a mesh of several parts.
enum class MeshParts { whole, largest };

constexpr std::string_view to_string(MeshTask task) {
  return task == MeshTask::parameterise ? "parameterise" : "smooth";
}
constexpr std::string_view to_string(MeshParts parts) {
  return parts == MeshParts::whole ? "whole" : "largest";
}

struct MeshSettings {
  std::string file{};                                 ///< .off, .obj, .ply; or empty
  MeshGenerator generator{};                          ///< without a name if there is none
  std::optional<MeshTask> task{};                     ///< else to parameterise
  MeshParts part = MeshParts::whole;                  ///< what is taken of the mesh
  std::optional<std::array<std::int32_t, 2>> pins{};  ///< vertices that are held; else far apart
  TriangleWeight weight = TriangleWeight::conformal;  ///< of triangles that are laid flat
  double fidelity = 0.01;                             ///< of smoothing

  bool is_used() const { return !file.empty() || !generator.name.empty(); }
  MeshTask chosen_task() const { return task.value_or(MeshTask::parameterise); }
  bool is_smoothed() const { return is_used() && chosen_task() == MeshTask::smooth; }
};

}  // namespace ninefold
