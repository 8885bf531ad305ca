#include "grids/mesh/mesh_file.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "grids/mesh/mesh_generators.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

MeshFile parsed(const std::string& text, MeshFormat format) {
  return parse_mesh(text, format, "a.mesh");
}

void refused(const std::string& text, MeshFormat format, const std::string& message) {
  CAPTURE(text);
  REQUIRE_THROWS_AS(parsed(text, format), std::invalid_argument);
  REQUIRE_THROWS_WITH(parsed(text, format), ContainsSubstring(message));
}

const TriangleMesh two{{{0, 0, 0}, {1, 0, 0.5}, {1, 1, -2e-3}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};

const std::string ply_vertices =
                      "element vertex 4\nproperty double x\nproperty double y\n"
                      "property double z\n",
                  ply_faces =
                      "element face 1\nproperty list uchar int vertex_indices\n"
                      "end_header\n";

template <class T>
void put(std::string& bytes, T value, bool little) {
  std::string own(sizeof(T), '\0');
  std::memcpy(own.data(), &value, sizeof(T));  // of a machine that is little-endian
  if (!little) own = {own.rbegin(), own.rend()};
  bytes += own;
}

/// The square above, its vertices with a byte between the coordinates and their number behind,
/// after an element that nobody knows.
std::string binary_ply(bool little) {
  std::string bytes = std::string("ply\nformat binary_") + (little ? "little" : "big")
                      + "_endian 1.0\ncomment of a test\nelement other 2\n"
                        "property list uchar short values\nelement vertex 4\nproperty double x\n"
                        "property uchar red\nproperty float y\nproperty double z\n"
                        "property int number\nelement face 1\nproperty float quality\n"
                        "property list uint ushort vertex_index\nend_header\n";
  for (const int n : {2, 0}) {
    put<std::uint8_t>(bytes, static_cast<std::uint8_t>(n), little);
    for (int k = 0; k < n; ++k) put<std::int16_t>(bytes, 7, little);
  }
  for (std::size_t p = 0; p < 4; ++p) {
    put<double>(bytes, two.vertices[p][0], little);
    put<std::uint8_t>(bytes, 200, little);
    put<float>(bytes, static_cast<float>(two.vertices[p][1]), little);
    put<double>(bytes, two.vertices[p][2], little);
    put<std::int32_t>(bytes, static_cast<std::int32_t>(p), little);
  }
  put<float>(bytes, 0.5F, little);
  put<std::uint32_t>(bytes, 4, little);
  for (const int corner : {0, 1, 2, 3}) {
    put<std::uint16_t>(bytes, static_cast<std::uint16_t>(corner), little);
  }
  return bytes;
}

const std::vector<std::string> one_cut{
    "1 polygon of more than three corners was cut into triangles from the first corner"};

}  // namespace

TEST_CASE("OFF is read, polygons cut into fans", "[mesh]") {
  const MeshFile file = parsed(
      "OFF # a comment\n\n4 1 0\n0 0 0\n1 0 .5\n  1 1 -2e-3\n0 +1 0 # last\n4  0 1 2 3  255 0 0\n",
      MeshFormat::off);
  REQUIRE(file.mesh == two);
  REQUIRE(file.remarks == one_cut);
  const MeshFile coloured =
      parsed("COFF 3 1 0\r\n0 0 0 1 0 0 1\r\n1 0 0 1 0 0 1\r\n0 1 0 1 0 0 1\r\n3 0 1 2\r\n",
             MeshFormat::off);
  REQUIRE(coloured.mesh.triangles.size() == 1);
  REQUIRE(coloured.remarks
          == std::vector<std::string>{"passed over is what COFF has of vertices beside x, y, z"});
}

TEST_CASE("OBJ is read, with all its ways to name a corner", "[mesh]") {
  const MeshFile file = parsed(
      "# a comment\nmtllib a.mtl\no square\nf 1/1 2/2/3 3//1\nv 0 0 0\nv 1 0 0.5 1.0\n"
      "vt 0 0\nvn 0 0 1\nv 1 1 -2e-3 0.5 0.5 0.5\nv 0 1 0\ns off\nf -4 -2 -1\nl 1 2\n",
      MeshFormat::obj);
  REQUIRE(file.mesh == two);
  REQUIRE(file.remarks
          == std::vector<std::string>{"passed over is what vertices have beside x, y, z: vt, vn"});
  REQUIRE(
      parsed("v 0 0 0\nv 1 0 0\nv 0 1 0\no square\nf 1 2 3\n", MeshFormat::obj).remarks.empty());
  REQUIRE(parsed("v 0 0 0\nv 1 0 .5\nv 1 1 -2e-3\nv 0 1 0\nf 1 2 3 4\n", MeshFormat::obj).remarks
          == one_cut);
}

TEST_CASE("PLY is read as text and in both orders of bytes", "[mesh]") {
  const MeshFile file = parsed("ply\nformat ascii 1.0\n" + ply_vertices + ply_faces
                                   + "0 0 0\n1 0 0.5\n1 1 -2e-3\n0 1 0\n4 0 1 2 3\n",
                               MeshFormat::ply);
  REQUIRE(file.mesh == two);
  REQUIRE(file.remarks == one_cut);
  REQUIRE(parsed(binary_ply(true), MeshFormat::ply).mesh == two);
  REQUIRE(parsed(binary_ply(false), MeshFormat::ply).mesh == two);
  const std::vector<std::string> with_colours =
      parsed(
          "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
          "property float z\nproperty uchar red\nproperty uchar green\nelement face 1\n"
          "property list uchar int vertex_indices\nend_header\n"
          "0 0 0 255 0\n1 0 0 255 0\n0 1 0 255 0\n3 0 1 2\n",
          MeshFormat::ply)
          .remarks;
  REQUIRE(with_colours
          == std::vector<std::string>{
              "passed over is what vertices have beside x, y, z: \"red, green\""});
}

TEST_CASE("what is written is read again, bit by bit", "[mesh]") {
  const TriangleMesh mesh = generate_mesh({"bumps", 6});
  REQUIRE(parsed(off_text(mesh), MeshFormat::off).mesh == mesh);
  REQUIRE(parsed(obj_text(mesh), MeshFormat::obj).mesh == mesh);
  REQUIRE(parsed(ply_text(mesh), MeshFormat::ply).mesh == mesh);
  const std::vector<std::array<double, 2>> texture(mesh.vertices.size(), {0.25, 1.0 / 3});
  const std::string text = obj_text(mesh, texture);
  REQUIRE(parsed(text, MeshFormat::obj).mesh == mesh);
  REQUIRE_THAT(text, ContainsSubstring("vt 0.25 0.3333333333333333\n"));
  REQUIRE_THAT(text, ContainsSubstring("f 1/1 2/2 "));
  REQUIRE_THROWS_AS(obj_text(mesh, std::span(texture).first(3)), std::invalid_argument);
}

TEST_CASE("OFF is refused by line", "[mesh]") {
  const auto off = MeshFormat::off;
  refused("", off, "a.mesh, line 0: the file ends where OFF is expected");
  refused("FFO\n", off, "line 1: \"FFO\": a file in this format begins with OFF");
  refused("OFF\n0 1 0\n3 0 1 2\n", off, "line 3: vertex 0: there are none");
  refused("OFF\n3 x 0\n", off, "line 2: \"x\" is not the number of faces, a whole number");
  refused("OFF\n-3 1 0\n", off, "line 2: -3 is no number of vertices");
  refused("OFF\n3000000000000 1 0\n", off,
          "3000000000000 vertices and 1 face: the file has 0 bytes left");
  refused("OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n", off,
          "line 4: three coordinates are expected");
  refused("OFF\n3 1 0\n0 0 0\n1 0 0x\n0 1 0\n3 0 1 2\n", off, "line 4: \"0x\" is no number");
  refused("OFF\n3 1 0\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", off, "\"nan\": coordinates are finite");
  refused("OFF\n3 1 0\n0 0 0\n1 0 1e999\n0 1 0\n3 0 1 2\n", off, "\"1e999\" is out of range");
  refused("OFF\n3 1 0\n0 0 0\n1 0 0 7\n0 1 0\n3 0 1 2\n", off, "\"7\" is behind the three");
  refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", off, "line 6: a face of 2 corners");
  refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", off,
          "line 6: vertex 3: they are from 0 to 2");
  refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", off, "a vertex is missing");
  refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n", off, "ends where face 0 of 1 is expected");
  refused("OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", off, "ends where face 1 of 2 is expected");
  refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n", off, "line 7: there is more");
}

TEST_CASE("OBJ is refused by line", "[mesh]") {
  const auto obj = MeshFormat::obj;
  refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", obj, "line 4: vertex 0: they are from 1 on");
  refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", obj, "line 4: vertex -4");
  refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", obj, "line 4: vertex 4: the file has 3");
  refused("v 0 0 0\nf 1 1\n", obj, "line 2: a face of 2 corners");
  refused("v 0 0 0\nf 1 1 \\\n1\n", obj, "lines that go on are not read");
  refused("v 0 0\n", obj, "line 1: three coordinates are expected");
  refused("curv 0 1 1 2\n", obj, "line 1: \"curv\" is not read");
  refused("f /1 2 3\n", obj, "line 1: a vertex is missing");
  refused("f 1\n", obj, "line 1: a face of 1 corner: it has three or more");
  refused("f 0 1 2\n", obj, "line 1: vertex 0: they are from 1 on");
  refused("f 1 2 2147483648\n", obj, "vertex 2147483648: at most 2147483647 are possible");
  refused("f 1 2 2147483647\n", obj, "vertex 2147483647: the file has 0");
}

TEST_CASE("PLY is refused by line or by element", "[mesh]") {
  const auto ply = MeshFormat::ply;
  const std::string ascii = "ply\nformat ascii 1.0\n";
  refused("plx\n", ply, "a PLY file begins with");
  refused("ply\nformat binary 1.0\n", ply, "line 2: \"binary\" is no format");
  refused("ply\nformat ascii 2.0\n", ply, "version \"2.0\": it is 1.0");
  refused("ply\n" + ply_vertices + ply_faces, ply, "the header names no format");
  refused(ascii, ply, "the file ends where end_header is expected");
  refused(ascii + "element vertex 3\nproperty number x\n", ply, "\"number\" is no type");
  refused(ascii + "element vertex -3\n", ply, "line 3: -3 elements");
  refused(ascii + "property int x\n", ply, "a property before any element");
  refused(ascii + "element vertex 3\nproperty float x\nproperty float y\n" + ply_faces + "0 0\n",
          ply, "vertices have the property z once");
  refused(ascii + "element vertex 0\nend_header\n", ply, "needs the elements vertex and face");
  refused(ascii + "element other 9\n" + ply_vertices + ply_faces, ply, "has no properties");
  refused(ascii + ply_vertices + "element face 9000\nproperty list uchar int vertex_index\n"
                                 "end_header\n0 0 0\n0 0 1\n0 1 0\n1 0 0\n",
          ply, "promises 9000 of \"face\"");
  refused(ascii + ply_vertices + ply_faces + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 4\n", ply,
          "line 14: vertex 4: they are from 0 to 3");
  refused(ascii + ply_vertices + ply_faces + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 3\n", ply,
          "\"3\" is behind what a face has");
  refused(ascii + ply_vertices + ply_faces + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n1\n", ply,
          "more than the header says");
  const std::string bytes = binary_ply(true);
  refused(bytes.substr(0, bytes.size() - 1), ply, "face 0: the file ends within it");
  refused(bytes + "x", ply, "1 byte is behind what the header says");
  std::string wrong = bytes;
  wrong[wrong.size() - 1] = '\x40';
  refused(wrong, ply, "face 0: vertex 16387: they are from 0 to 3");
}

TEST_CASE("files are read by their endings", "[mesh]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "a.off";
  std::ofstream(file) << off_text(two);
  REQUIRE(read_mesh(file).mesh == two);
  for (const std::string& ending : mesh_endings()) REQUIRE(is_mesh_file("a" + ending));
  REQUIRE_FALSE(is_mesh_file("a.off.gz"));
  REQUIRE_THROWS_WITH(read_mesh(folder.path() / "a.stl"), ContainsSubstring(".off, .obj, .ply"));
  REQUIRE_THROWS_WITH(read_mesh(folder.path() / "b.off"), ContainsSubstring("cannot be read"));
}
