#include "output/vtk/vtp.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "output/document/escape.hpp"
#include "output/document/raster.hpp"

namespace ninefold {
namespace {

template <class T>
std::string array_of(std::string_view type, const std::string& name, int components,
                     std::span<const T> values) {
  const std::uint64_t size = values.size_bytes();
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n{}\n"
      "</DataArray>\n",
      type, escaped(name), components, base64(bytes));
}

}  // namespace

std::string vtp_text(const TriangleMesh& mesh, std::span<const std::array<double, 2>> texture,
                     std::span<const TriangleField> fields,
                     std::span<const VertexVectors> vectors) {
  require(texture.empty() || texture.size() == mesh.vertices.size(), [&] {
    return fmt::format("{} texture coordinates for {} vertices", texture.size(),
                       mesh.vertices.size());
  });
  for (const TriangleField& field : fields) {
    require(field.values.size() == mesh.triangles.size(), [&] {
      return fmt::format("field '{}' has {} values, the mesh {} triangles", field.name,
                         field.values.size(), mesh.triangles.size());
    });
  }
  for (const VertexVectors& own : vectors) {
    require(own.values.size() == mesh.vertices.size(), [&] {
      return fmt::format("'{}' has {} vectors, the mesh {} vertices", own.name, own.values.size(),
                         mesh.vertices.size());
    });
  }
  std::vector<std::int64_t> offsets(mesh.triangles.size());
  for (std::size_t t = 0; t < offsets.size(); ++t)
    offsets[t] = 3 * static_cast<std::int64_t>(t + 1);
  const auto flat = [](const auto& tuples) {
    using Tuple = std::remove_cvref_t<decltype(tuples[0])>;
    using Number = std::remove_cv_t<typename Tuple::value_type>;
    const Number* const first = tuples.empty() ? nullptr : tuples[0].data();
    return std::span<const Number>(first, tuples.size() * std::tuple_size_v<Tuple>);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<Piece "
      "NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      mesh.vertices.size(), mesh.triangles.size());
  text += "<PointData";
  if (!texture.empty()) text += " TCoords=\"texture\"";
  if (!vectors.empty()) text += fmt::format(" Vectors=\"{}\"", escaped(vectors.front().name));
  text += ">\n";
  if (!texture.empty()) text += array_of("Float64", "texture", 2, flat(texture));
  for (const VertexVectors& own : vectors) {
    text += array_of("Float64", own.name, 3, flat(own.values));
  }
  text += "</PointData>\n";
  text += fields.empty() ? "<CellData>\n"
                         : fmt::format("<CellData Scalars=\"{}\">\n", escaped(fields.front().name));
  for (const TriangleField& field : fields) {
    text += array_of("Float64", field.name, 1, field.values);
  }
  text += "</CellData>\n<Points>\n" + array_of("Float64", "points", 3, flat(mesh.vertices))
          + "</Points>\n<Polys>\n" + array_of("Int32", "connectivity", 1, flat(mesh.triangles))
          + array_of("Int64", "offsets", 1, std::span<const std::int64_t>(offsets))
          + "</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n";
  return text;
}

}  // namespace ninefold
