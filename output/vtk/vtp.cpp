#include "output/vtk/vtp.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string_view>

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
                     std::span<const TriangleField> fields) {
  require(texture.size() == mesh.vertices.size(), [&] {
    return fmt::format("{} texture coordinates for {} vertices", texture.size(),
                       mesh.vertices.size());
  });
  for (const TriangleField& field : fields) {
    require(field.values.size() == mesh.triangles.size(), [&] {
      return fmt::format("field '{}' has {} values, the mesh {} triangles", field.name,
                         field.values.size(), mesh.triangles.size());
    });
  }
  std::vector<std::int64_t> offsets(mesh.triangles.size());
  for (std::size_t t = 0; t < offsets.size(); ++t)
    offsets[t] = 3 * static_cast<std::int64_t>(t + 1);
  const auto flat = [](const auto& tuples) {
    using Tuple = typename std::remove_cvref_t<decltype(tuples)>::value_type;
    using Number = typename Tuple::value_type;
    const Number* const first = tuples.empty() ? nullptr : tuples[0].data();
    return std::span<const Number>(first, tuples.size() * std::tuple_size_v<Tuple>);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<Piece "
      "NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      mesh.vertices.size(), mesh.triangles.size());
  text += "<PointData TCoords=\"texture\">\n"
          + array_of("Float64", "texture", 2,
                     std::span<const double>(texture.empty() ? nullptr : texture[0].data(),
                                             2 * texture.size()))
          + "</PointData>\n";
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
