#pragma once
// What [mesh] of a config file says.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grids/mesh/mesh_generators.hpp"

namespace ninefold {

enum class MeshTask { parameterise };
/// Of a mesh of several parts.
enum class MeshParts { whole, largest };

constexpr std::string_view to_string(MeshTask) {
  return "parameterise";
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

  bool is_used() const { return !file.empty() || !generator.name.empty(); }
};

}  // namespace ninefold
